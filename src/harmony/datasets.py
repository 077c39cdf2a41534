"""Data to try things with: **invented people**, made up by the code below, nobody's phones.

Because they are invented, the truth is known, and an estimate can be held to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats
from .errors import HarmonyError

THEMES = ("light", "dark", "auto")
SYSTEMS = ("11", "12", "13", "14", "15", "16")
MAKERS = (
    "Alder", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gorse", "Hazel",
    "Ivy", "Juniper", "Kapok", "Larch", "Maple", "Nutmeg", "Oak", "Pine",
)  # fmt: skip

MOST_DEVICES = 50_000_000

Codes = NDArray[np.int8]


class Invented(NamedTuple):
    """Invented phones, row by row; a category is its place in the tuples above."""

    battery: Floats
    """Percent of the battery that a day takes."""
    memory: Floats
    """Percent of the memory in use."""
    brightness: Floats
    theme: Codes
    location: NDArray[np.bool_]
    system: Codes
    maker: Codes
    apps: Floats
    """Hours of apps in use a day."""
    crashed: NDArray[np.bool_]
    sims: Codes


def invent(devices: int, seed: int) -> Invented:
    """Invent phones: makers of unequal size, old phones on old systems, habits that go together."""
    random = np.random.default_rng(seed)
    sizes = 1 / np.arange(1, len(MAKERS) + 1) ** 0.9
    maker = random.choice(len(MAKERS), devices, p=sizes / sizes.sum())
    years = np.minimum(random.gamma(2.0, 1.0, devices), 8.0)
    habit = random.beta(2.0, 4.0, devices)
    lag = np.linspace(0.0, 1.5, len(MAKERS))[maker]
    newest = len(SYSTEMS) - 1
    system = np.clip(newest - (0.7 * years + lag * random.random(devices)), 0, newest)
    theme = _pick(random, [np.full(devices, 0.45), 0.2 + 0.5 * habit, np.full(devices, 0.25)])
    location = random.random(devices) < 0.45 + 0.4 * habit - 0.03 * years
    brightness = 100 * random.beta(2.5, 2.0, devices) * np.where(theme == 1, 0.75, 1.0)
    memory = 30 + 45 * habit + 4 * years + random.normal(0, 8, devices)
    battery = 15 + 60 * habit + 0.25 * brightness + 8 * location + 2 * years
    battery += random.normal(0, 6, devices)
    apps = 10 * habit + random.normal(0, 1, devices)
    strain = 0.09 * (battery - 55) + 0.07 * (memory - 53) + 0.5 * (apps - 3.3)
    crashed = random.random(devices) < 1 / (1 + np.exp(-strain))
    sims = random.choice(3, devices, p=[0.02, 0.71, 0.27])
    return Invented(
        np.clip(battery, 0, 100),
        np.clip(memory, 0, 100),
        brightness,
        theme,
        location,
        system.round().astype(np.int8),
        maker.astype(np.int8),
        np.clip(apps, 0, 12),
        crashed,
        sims.astype(np.int8),
    )


def phones(devices: int = 100_000, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Return a table of invented phones, one row a device: a dict of NumPy arrays.

    Nobody's data: the same `devices` and `seed` give the same phones.  Battery (what a day
    takes), memory and brightness are in percent, `apps` is hours of use a day, `sims` the number
    of SIM cards.  Heavy use goes with an empty battery, full memory and crashes; old phones run
    old systems.

    >>> people = phones(1000)
    >>> list(people)
    ['battery', 'memory', 'brightness', 'theme', 'location', 'sims', 'system', 'maker', 'apps',
     'crashed']
    >>> people["theme"][:3].tolist(), round(float(people["battery"].mean()))
    (['light', 'light', 'light'], 56)
    """
    if type(devices) is not int or not 1 <= devices <= MOST_DEVICES:
        raise HarmonyError(f"'devices' must be an integer from 1 to {MOST_DEVICES:,}")
    found = invent(devices, seed)
    return {
        "battery": found.battery,
        "memory": found.memory,
        "brightness": found.brightness,
        "theme": np.array(THEMES)[found.theme],
        "location": found.location,
        "sims": found.sims.astype(np.int64),
        "system": np.array(SYSTEMS)[found.system],
        "maker": np.array(MAKERS)[found.maker],
        "apps": found.apps,
        "crashed": found.crashed,
    }


def _pick(random: np.random.Generator, weights: list[Floats]) -> Codes:
    """Draw a number for each device, with its own weights."""
    running = np.cumsum(weights, axis=0)
    draw = random.random(running.shape[1]) * running[-1]
    return np.asarray((draw >= running[:-1]).sum(axis=0), np.int8)
