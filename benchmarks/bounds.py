"""What anybody could learn of invented populations from one report of epsilon a device.

    python -m benchmarks bounds            computes, into docs/learning.md
    python -m benchmarks bounds --tiny     only shows that it works

An upper bound on (constant - model) / (constant - no privacy) for every method, its questions
asked one after another and each as earlier answers suggest.  The method is even told the level, the
noise, and how large the effects of each feature are: a normal prior of that mean square, so the
bound is about the average over such effects, not about one draw.

Effects are measured such that the loss beyond the best is their mean square error: for numbers in
deviations of the noise, along the principal axes of the features; for classes half of it, with the
curvature at the true effects.  That is second order, and so is taking the information there.
The prior is scaled so that knowing nothing costs just what the features explain.

How people differ with the effects is open, and each family gives its own score of a record.
Features are distributed as here whatever the effects are: S = (y - p) x.  Or they are so among
those of the first class: S = y (x - mean of the second class).  In the first family the first class
tells about effects, too, if a method knows exactly how features are distributed.  The bound is that
of the harder family: no method does better on average in both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from harmony.attributes import Attribute

from . import searching
from .information import Floats, Scores, least_error, most_of_classes, most_of_numbers
from .invented import fitted
from .learning import DOCS
from .page import table, write_section
from .populations import POPULATIONS, Columns, Population

PEOPLE = {"squared": 100_000, "logistic": 1_000_000}
"""People by whom effects are told: of few values a rare class shows little, many take memory."""

SEEN = 5_000
"""People of whom the scores of classes are looked at."""

SEARCHED = 30
"""Columns beyond which questions are not searched."""

NAMES = ("plain", "many60", "values300", "values1000", "half", "rate30", "rate10", "rate10skewed",
         "rate7", "rate5", "rate3", "rate1", "strong1", "strong01")  # fmt: skip

ABOUT = """\
To second order no method with one report a device learns more than this share of what can be
learned, on average over normal effects as large as the population's, even if it is told how large
each feature's are, the level and the noise (`python -m benchmarks bounds`).  "Proved" bounds the
information in every question of ε; "searched" in the best ones found from many starts: sharper, but
as good as the search.  Second order means that losses are squares of errors in effects: rough where
effects are strong.  A share below 1 is no promise that a method gets there.  Of classes, either all
people or those of the first class have their features distributed as here, whatever the effects:
the harder is shown.  Labels are taken to follow the best model in the columns as they are, and who
guesses better columns can pass it, as can luck with one draw, or a slope in hindsight.  The sizes
are those of one draw.  Left out: sparse effects, since normal ones are not mostly zero, and numbers
whose noise is not normal (claims)."""

_most_of_classes, _most_of_numbers = cache(most_of_classes), cache(most_of_numbers)


@dataclass(frozen=True)
class Size:
    """How much is computed."""

    devices: tuple[int, ...] = (100_000, 1_000_000)
    epsilons: tuple[float, ...] = (0.4, 0.8, 1.0, 4.0)
    people: int = 1_000_000
    seen: int = SEEN
    names: tuple[str, ...] = NAMES


TINY = Size((10_000,), (1.0,), 2_000, 500, ("plain", "rate10"))


@dataclass(frozen=True, eq=False)
class Effects:
    """The mean squares of effects, as a matrix; for classes with scores, under each family."""

    sizes: Floats
    families: tuple[Scores, ...] = ()

    def errors(self, epsilon: float, devices: int) -> list[float]:
        """Return the proved error of each family; of numbers there is but one."""
        if not self.families:
            return [least_error(self.axes, devices, _most_of_numbers(epsilon))]
        return [
            least_error(self.axes, devices, _most_of_classes(one, epsilon), one.largest)
            for one in self.families
        ]

    def proved(self, epsilon: float, devices: int) -> float:
        """Return the share that cannot be passed: that of the harder family."""
        return self._share(max(self.errors(epsilon, devices)))

    def searched(self, epsilon: float, devices: int) -> float:
        """Return the share that seems not to be passed in that family."""
        hard = self.families[int(np.argmax(self.errors(epsilon, devices)))]
        error = searching.least_error(hard, self.sizes, devices, epsilon)
        return min(self._share(error), self.proved(epsilon, devices))

    @property
    def axes(self) -> Floats:
        return np.asarray(np.maximum(np.linalg.eigvalsh(self.sizes), 1e-9), np.float64)

    def _share(self, error: float) -> float:
        return 1 - error / float(np.trace(self.sizes))


def design(features: tuple[Attribute, ...], people: Columns) -> tuple[Floats, list[int]]:
    """Return a column for each number and each value, and the feature that each is of."""
    columns, owners = [], []
    for place, one in enumerate(features):
        column = people[one.name]
        parts = [column == value for value in one.values] if one.values else [column]
        columns += parts
        owners += [place] * len(parts)
    return np.asarray(np.column_stack(columns), np.float64), owners


def squares(weights: Floats, owners: list[int]) -> Floats:
    """Return the mean square effect of each column's feature: of values, their variance.

    >>> squares(np.array([2.0, 0.0, 1.0, 2.0]), [0, 1, 1, 1])
    array([4., 1., 1., 1.])
    """
    places, found = np.array(owners), np.zeros(len(owners))
    for one in set(owners):
        own = weights[places == one]
        found[places == one] = own[0] ** 2 if len(own) == 1 else np.var(own, ddof=1)
    return found


def effects(population: Population, people: int, seen: int) -> Effects:
    """Return what there is to learn of a population, whitened."""
    drawn = population.people(1000, min(people, PEOPLE[population.loss]))
    x, owners = design(population.features, drawn)
    x, y = x - x.mean(axis=0), drawn["label"].astype(np.float64)
    squared = population.loss == "squared"
    weights = fitted(np.column_stack([np.ones(len(x)), x]), y, squared)
    each = squares(weights[1:], owners)
    scores = weights[0] + x @ weights[1:]
    if squared:
        sizes, _ = whitened(x.T @ x / len(x), each)
        explained = float(scores.var() / np.var(y - scores))
        return Effects(sizes * explained / np.trace(sizes))
    return of_classes(x, scores, each, seen)


def of_classes(x: Floats, log_odds: Floats, each: Floats, seen: int) -> Effects:
    """Return the same of two classes, with the scores of some people and both their labels."""
    chances = 1 / (1 + np.exp(-log_odds))
    gain = _entropy(chances.mean()) - _entropy(chances).mean()
    rng = np.random.default_rng(0)
    picked = 0.5 / len(x) + 0.5 * chances / chances.sum()
    rows = rng.choice(len(x), seen, p=picked)
    weight = 1 / picked[rows]
    weight, p, x = weight / weight.sum(), chances[rows], x[rows]
    curved = weight * p * (1 - p)
    x = x - (curved @ x) / curved.sum()
    sizes, whitening = whitened((x * curved[:, None]).T @ x, each)
    x = x @ whitening
    apart = x - (weight * p @ x) / (weight * p).sum()
    pairs = ((-p[:, None] * x, (1 - p)[:, None] * x), (np.zeros_like(x), apart))
    twice, second = np.concatenate([weight * (1 - p), weight * p]), np.repeat([False, True], seen)
    families = tuple(Scores(np.vstack(pair), twice, second) for pair in pairs)
    return Effects(sizes * 2 * gain / np.trace(sizes), families)


def whitened(second: Floats, each: Floats) -> tuple[Floats, Floats]:
    """Return the mean squares of whitened effects, and what whitens columns of this covariance."""
    values, vectors = np.linalg.eigh(second)
    kept = values > 1e-9 * values[-1]
    root, vectors = np.sqrt(values[kept]), vectors[:, kept]
    sizes = (vectors * root).T @ (vectors * root * each[:, None])
    return (sizes + sizes.T) / 2, vectors / root


def _entropy(chances: Any) -> Any:
    return -(chances * np.log(chances) + (1 - chances) * np.log1p(-chances))


def rows(name: str, size: Size) -> list[list[str]]:
    """Return a row of the table for each number of devices."""
    learnt = effects(POPULATIONS[name], size.people, size.seen)
    asked = size.epsilons if learnt.families and len(learnt.sizes) <= SEARCHED else ()
    return [
        [
            POPULATIONS[name].name,
            f"{devices:,}",
            _cell([learnt.proved(one, devices) for one in size.epsilons]),
            _cell([learnt.searched(one, devices) for one in asked]),
        ]
        for devices in size.devices
    ]


def _cell(shares: list[float]) -> str:
    return " / ".join(f"{one:.2f}" for one in shares)


def run(tiny: bool = False) -> None:
    """Compute the bounds of all populations, and write the table."""
    size, found = TINY if tiny else Size(), []
    for name in size.names:
        for row in rows(name, size):
            print(*row, sep="  ", flush=True)
            found.append(row)
    epsilons = " / ".join(f"{one:g}" for one in size.epsilons)
    found.sort(key=lambda row: int(row[1].replace(",", "")))
    text = table(["people", "devices", "proved", "searched"], found)
    text = f"{ABOUT}  At ε = {epsilons}:\n\n{text}"
    if tiny:
        print(text)
    else:
        write_section("bounds", "What anybody could learn", text, DOCS / "learning.md")
