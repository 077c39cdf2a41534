"""The demonstration: a fleet of phones, what it was asked, and how close the estimates come.

The population is invented, so that the truth is known; the reports are randomised as real
devices would randomise them.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harmony_device.coins import assign

from .attributes import Attribute, Boolean, Categorical, Numeric
from .errors import HarmonyError
from .estimate import Result
from .mechanisms import Grid, Mechanism
from .mechanisms.audit import Audit, audit
from .rounds import Round
from .survey import Survey
from .tally import Tally

THEMES = ("light", "dark", "auto")
SYSTEMS = ("11", "12", "13", "14", "15", "16")
MAKERS = (
    "Alder", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gorse", "Hazel",
    "Ivy", "Juniper", "Kapok", "Larch", "Maple", "Nutmeg", "Oak", "Pine",
)  # fmt: skip
MOST_DEVICES = 50_000_000

Fleet = dict[str, Any]
"""A column of values for each attribute; row i is phone number i."""

Floats = NDArray[np.float64]


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
    return {
        "battery use": np.clip(battery, 0, 100),
        "memory use": np.clip(memory, 0, 100),
        "brightness": brightness,
        "theme": _named(theme, THEMES),
        "location on": location,
        "system": _named(system.round().astype(np.int8), SYSTEMS),
        "maker": _named(maker, MAKERS),
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


@dataclass(frozen=True)
class Answer:
    """What one phone sent about one attribute, and how likely that was.

    Whatever its value, the phone sent this symbol with a chance between `least` and `most`.
    """

    attribute: str
    symbol: int
    symbols: int
    least: float
    most: float


@dataclass(frozen=True)
class Demo:
    """A finished demonstration: estimates beside the truth, one phone's report, the audit."""

    survey: Survey
    devices: int
    result: Result
    rows: list[dict[str, Any]]
    device: str
    answers: list[Answer]
    audit: Audit
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def missed(self) -> int:
        """How many of the intervals do not hold the truth."""
        return sum(not row["covers"] for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        return {
            "survey": self.survey.definition(),
            "devices": self.devices,
            "audit": self.audit.to_dict(),
            "one_device": {"device": self.device, "answers": [vars(one) for one in self.answers]},
            "estimates": [{key: _finite(value) for key, value in row.items()} for row in self.rows],
            "intervals": len(self.rows),
            "missed": self.missed,
            "seconds": self.seconds,
        }


def run_demo(devices: int, epsilon: float, seed: int | None = None) -> Demo:
    """Invent a fleet, collect from it, and compare the estimates with the truth."""
    if not 1 <= devices <= MOST_DEVICES:
        raise HarmonyError(f"'devices' must lie between 1 and {MOST_DEVICES:,}")
    if seed is None:
        seed = secrets.randbits(63)
    seconds: dict[str, float] = {}
    with _timed(seconds, "design"):
        survey = fleet_survey(epsilon)
    with _timed(seconds, "population"):
        fleet = simulate_fleet(devices, seed)
        survey.collect(simulate_fleet(2, seed), seed)  # compiles the kernels, once
    round = Round.simulated(seed)
    with _timed(seconds, "collect"):
        tally = survey.collect(fleet, seed, round=round)
    with _timed(seconds, "estimate"):
        result = survey.estimate(tally)
    first = {name: column[:1] for name, column in fleet.items()}
    device, answers = _one_report(survey, first, seed, tally)
    rows = list(_beside_truth(survey, fleet, result))
    return Demo(survey, devices, result, rows, device, answers, audit(survey), seconds)


def _beside_truth(survey: Survey, fleet: Fleet, result: Result) -> Iterator[dict[str, Any]]:
    for attribute in survey.attributes:
        truth = fleet_truth(attribute, fleet[attribute.name])
        for row in result[attribute.name].rows(0.95):
            true = truth[row["value"]]
            missed = true < row["low"] or row["high"] < true  # neither, if nobody answered
            yield row | {"truth": true, "covers": not missed}


def _one_report(survey: Survey, first: Fleet, seed: int, tally: Tally) -> tuple[str, list[Answer]]:
    """Return the first phone's id and what it sent: with the seed, the very report counted."""
    report = survey.randomize(first, seed, round=tally.round).to_pylist()[0]
    asked = assign(
        tally.round.seed, report["device"], survey.weights, survey.rows(), survey.answers
    )
    answers = []
    for number, (place, row) in enumerate(asked):
        mechanism, symbol = survey.mechanisms[0][place], report[f"symbol_{number}"]
        chances = [_chance(mechanism, index, symbol) for index in _indices(mechanism, row)]
        name, symbols = survey.attributes[place].name, mechanism.table.symbols
        answers.append(Answer(name, symbol, symbols, min(chances), max(chances)))
    return report["device"].hex(), answers


def _indices(mechanism: Mechanism, row: int) -> set[int]:
    """Return the table's inputs that some value leads to."""
    if isinstance(mechanism, Grid):
        return set(range(mechanism.code.points))
    return {mechanism.code.index(value, row) for value in range(mechanism.values)}


def _chance(mechanism: Mechanism, index: int, symbol: int) -> float:
    from harmony_device.tables import TOTAL, DenseTable

    table = mechanism.table
    if isinstance(table, DenseTable):
        return table.counts[index][symbol] / TOTAL
    return table.counts[(symbol - index) % table.symbols] / TOTAL


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def _timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[step] = round(time.perf_counter() - started, 4)
