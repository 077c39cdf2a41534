"""The fleet: invented phones, so that the truth is known, and what they are asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..arrays import Floats
from ..attributes import Attribute, Boolean, Categorical, Numeric
from ..survey import Survey

THEMES = ("light", "dark", "auto")
SYSTEMS = ("11", "12", "13", "14", "15", "16")
MAKERS = (
    "Alder", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gorse", "Hazel",
    "Ivy", "Juniper", "Kapok", "Larch", "Maple", "Nutmeg", "Oak", "Pine",
)  # fmt: skip

Fleet = dict[str, Any]
"""A column of values for each attribute; row i is phone number i."""


RECORD: dict[str, type] = {
    "battery use": float, "memory use": float, "brightness": float, "theme": str,
    "location on": bool, "system": str, "maker": str, "app use": float, "system error": bool,
}  # fmt: skip
"""What a phone's app can tell."""


def fleet_survey(epsilon: float) -> Survey:
    """Return what the phones are asked: the paper's use case of section 1.1."""
    return Survey(
        "phone-fleet",
        epsilon=epsilon,
        attributes=[
            Numeric("battery use", 0, 100),
            Numeric("memory use", 0, 100),
            Numeric("brightness", 0, 100),
            Categorical("theme", THEMES),
            Boolean("location on"),
            Categorical("system", SYSTEMS),
            Categorical("maker", MAKERS),
        ],
    )


def simulate_fleet(devices: int, seed: int) -> Fleet:
    """Invent phones: makers of unequal size, old phones on old systems, habits that go together.

    >>> fleet = simulate_fleet(1000, seed=7)
    >>> len(fleet["maker"]), bool(0 <= fleet["battery use"].min())
    (1000, True)
    """
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
    error = random.random(devices) < 1 / (1 + np.exp(-strain))
    return {
        "battery use": np.clip(battery, 0, 100),
        "memory use": np.clip(memory, 0, 100),
        "brightness": brightness,
        "theme": _named(theme, THEMES),
        "location on": location,
        "system": _named(system.round().astype(np.int8), SYSTEMS),
        "maker": _named(maker, MAKERS),
        "app use": np.clip(apps, 0, 12),
        "system error": error,
    }


def _pick(random: np.random.Generator, weights: list[Floats]) -> NDArray[np.int8]:
    """Draw a number for each device, with its own weights."""
    running = np.cumsum(weights, axis=0)
    draw = random.random(running.shape[1]) * running[-1]
    return np.asarray((draw >= running[:-1]).sum(axis=0), np.int8)


def _named(places: NDArray[Any], names: tuple[str, ...]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(places.astype(np.int8), list(names))


def fleet_truth(attribute: Attribute, column: Any) -> dict[Any, float]:
    """Return the true mean (under None), or the true frequency of each value."""
    if isinstance(attribute, Numeric):
        return {None: float(column.mean())}
    codes = column.indices.to_numpy() if isinstance(column, pa.DictionaryArray) else column
    counts = np.bincount(codes, minlength=len(attribute.values))
    return dict(zip(attribute.values, (counts / len(column)).tolist(), strict=True))


def phone(fleet: Fleet, number: int) -> dict[str, Any]:
    """Return what one phone knows about itself.

    >>> sorted(phone(simulate_fleet(3, seed=7), 0))[:2]
    ['app use', 'battery use']
    """
    values = {name: column[number] for name, column in fleet.items()}
    return {
        name: value.as_py() if isinstance(value, pa.Scalar) else value.item()
        for name, value in values.items()
    }


def phones_between(fleet: Fleet, first: int, last: int) -> Fleet:
    """Return the part of the fleet from phone `first` up to, but without, phone `last`."""
    return {name: column[first:last] for name, column in fleet.items()}
