"""Invented populations to learn from: features and labels of the kinds that strangers have.

Nobody's data: every population is drawn from a seed.  Domains are public and mostly too wide, as
people declare them who do not know their data yet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harmony import Boolean, Categorical, Numeric
from harmony.attributes import Attribute

Floats = NDArray[np.float64]
Columns = dict[str, NDArray[Any]]
Draw = Callable[[np.random.Generator, int], tuple[Columns, Floats, Floats]]
"""From a generator and a number of people: columns, what they explain of the label, and noise."""


@dataclass(frozen=True)
class Population:
    """People of one kind: what devices declare, and how to draw some of them."""

    name: str
    features: tuple[Attribute, ...]
    draw: Draw
    label: tuple[float, float] | float
    """The bounds of a number, or how frequent the second of two classes is."""

    @property
    def loss(self) -> str:
        return "squared" if isinstance(self.label, tuple) else "logistic"

    @property
    def attribute(self) -> Attribute:
        return Numeric("label", *self.label) if isinstance(self.label, tuple) else Boolean("label")

    def people(self, seed: int, n: int) -> Columns:
        """Return n people with their labels."""
        columns, score, noise = self.draw(np.random.default_rng(seed), n)
        if isinstance(self.label, tuple):
            label: NDArray[Any] = np.clip(score + noise, *self.label)
        else:
            label = noise < score + _intercept(score, self.label)  # logistic noise
        return columns | {"label": label}


def _intercept(scores: Floats, rate: float) -> float:
    """Return what added to log-odds gives labels this rate."""
    low, high = -40.0, 40.0
    some = scores[:20_000]
    for _ in range(60):
        middle = (low + high) / 2
        above = float(np.mean(0.5 + 0.5 * np.tanh((some + middle) / 2))) > rate
        low, high = (low, middle) if above else (middle, high)
    return low


def _numbers(count: int, low: float, high: float) -> list[Attribute]:
    return [Numeric(f"x{place}", low, high) for place in range(count)]


def _columns(matrix: Floats) -> Columns:
    return {f"x{place}": matrix[:, place] for place in range(matrix.shape[1])}


def _noise(rng: np.random.Generator, score: Floats, explained: float) -> Floats:
    """Return normal noise beside which a score explains this share."""
    return rng.normal(0, float(score.std()) * np.sqrt(1 / explained - 1), len(score))


def plain(width: float) -> Population:
    """Five numbers and two categories, in domains so many times as wide as the numbers."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        x = np.column_stack([rng.normal(50, 15, (n, 2)), rng.uniform(0, 100, (n, 3))]).clip(0, 100)
        plan, system = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05]), rng.integers(0, 3, n)
        effects = np.array([0.8, -0.5, 0.3, 0.1, 0.0])
        score = (x - 50) / 20 @ effects + np.array([0, 0.8, -0.6, 1])[plan] + 0.3 * (system == 1)
        columns = _columns(x) | {"plan": plan, "system": system}
        return columns, score, _noise(rng, score, 0.5)

    features = [*_numbers(5, 0, 100 * width), Categorical("plan", range(4))]
    features.append(Categorical("system", range(3)))
    bound = 10 * width
    return Population(f"plain, domains x{width:g}", tuple(features), draw, (-bound, bound))


def log_normal() -> Population:
    """Skewed numbers, of which the logarithm matters a little and the number itself more."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        x = np.exp(rng.normal(2, [0.6, 0.8, 1.0, 1.2], (n, 4)))
        seen = np.minimum(x, np.quantile(x, 0.995, axis=0))
        z = (seen - seen.mean(axis=0)) / seen.std(axis=0)
        score = z @ np.array([0.7, -0.5, 0.5, 0.3]) + 0.3 * np.log(x[:, 0])
        return _columns(x), score, _noise(rng, score, 0.5)

    return Population("log-normal numbers", tuple(_numbers(4, 0, 10_000)), draw, (-100, 100))


def spiky() -> Population:
    """Numbers that are mostly zero."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        sizes = rng.exponential([10.0, 50, 5, 100], (n, 4))
        x = sizes * (rng.random((n, 4)) < [0.3, 0.1, 0.5, 0.2])
        score = (x / x.std(axis=0)) @ np.array([0.6, 0.8, -0.5, 0.3])
        return _columns(x), score, _noise(rng, score, 0.5)

    return Population("mostly zeros", tuple(_numbers(4, 0, 1000)), draw, (-50, 50))


def heavy_labels() -> Population:
    """Labels with outliers, in bounds that hold all of them."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        x = rng.normal(0, 1, (n, 5))
        score = x @ np.array([0.8, 0.5, -0.4, 0.2, 0.0])
        return _columns(x), score, rng.standard_t(2.5, n) * 0.6

    return Population("labels with outliers", tuple(_numbers(5, -10, 10)), draw, (-500, 500))


def claims() -> Population:
    """Labels that are zero for most, and skewed for the others."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        x = np.column_stack([rng.uniform(18, 90, n), rng.gamma(2, 8, n), rng.normal(100, 25, n)])
        kind = rng.choice(5, n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
        risk = 0.03 * (x[:, 0] - 50) + 0.05 * (x[:, 1] - 16) - 2.2
        risk += np.array([0, 0.5, 1, -1, 2])[kind]
        happens = rng.logistic(0, 1, n) < risk
        size = np.exp(5 + 0.01 * (x[:, 2] - 100) + rng.normal(0, 0.6, n))
        return _columns(x) | {"kind": kind}, np.where(happens, size, 0.0), np.zeros(n)

    features = (Numeric("x0", 0, 120), Numeric("x1", 0, 500), Numeric("x2", 0, 1000))
    return Population("claims", (*features, Categorical("kind", range(5))), draw, (0, 20_000))


def difference(correlation: float) -> Population:
    """An effect in the difference of two correlated numbers, and three others."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        x = rng.normal(0, 1, (n, 5))
        x[:, 1] = correlation * x[:, 0] + np.sqrt(1 - correlation**2) * x[:, 1]
        apart = (x[:, 0] - x[:, 1]) / np.sqrt(2 - 2 * correlation)
        score = apart + x[:, 2:] @ np.array([0.4, -0.3, 0.0])
        return _columns(x), score, _noise(rng, score, 0.6)

    return Population(
        f"a difference, correlation {correlation:g}", tuple(_numbers(5, -20, 20)), draw, (-40, 40)
    )


def factors() -> Population:
    """Twelve numbers of three common factors."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        common = rng.normal(0, 1, (n, 3))
        x = np.repeat(common, 4, axis=1) * 0.75 + 0.66 * rng.normal(0, 1, (n, 12))
        score = x @ np.tile([0.6, -0.4, 0.2, 0.0], 3) + 0.3 * common[:, 0]
        return _columns(x), score, _noise(rng, score, 0.5)

    return Population("common factors", tuple(_numbers(12, -20, 20)), draw, (-30, 30))


def many(count: int, matter: int, *, equal: bool = False) -> Population:
    """Many numbers, of which some matter."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        effects = np.ones(matter) if equal else rng.normal(0, 1, matter)
        x = rng.normal(0, 1, (n, count)).astype(np.float32)
        score = x[:, :matter].astype(float) @ effects / np.sqrt(matter)
        return _columns(x), score, _noise(rng, score, 0.5)

    kind = "equal" if equal else "normal"
    name = f"{count} numbers, {matter} matter, {kind} effects"
    return Population(name, tuple(_numbers(count, -10, 10)), draw, (-20, 20))


def values(count: int, power: float) -> Population:
    """A category of very many values, and two numbers."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        chances = np.arange(1, count + 1) ** -power
        place = rng.choice(count, n, p=chances / chances.sum())
        x = rng.normal(0, 1, (n, 2))
        score = rng.normal(0, 1, count)[place] + x @ np.array([0.5, -0.3])
        return _columns(x) | {"place": place}, score, _noise(rng, score, 0.5)

    features = (*_numbers(2, -10, 10), Categorical("place", range(count)))
    return Population(f"{count:,} values, 1 / rank^{power:g}", features, draw, (-20, 20))


def classes(rate: float, strength: float = 1.0) -> Population:
    """Two classes, six features: three numbers, a category, two booleans."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        x = np.column_stack([rng.normal(40, 12, n), rng.gamma(2, 10, n), rng.uniform(0, 1, n)])
        grade = rng.choice(5, n, p=[0.35, 0.3, 0.2, 0.1, 0.05])
        flags = rng.random((n, 2)) < [0.3, 0.5]
        z = (x - x.mean(axis=0)) / x.std(axis=0)
        score = z @ np.array([0.9, 0.6, -0.5]) + np.array([0, 0.4, 0.8, -0.5, 1.2])[grade]
        score = strength * (score + flags @ np.array([0.6, -0.3]))
        columns = _columns(x) | {"grade": grade, "a": flags[:, 0], "b": flags[:, 1]}
        return columns, score, rng.logistic(0, 1, n)

    features = (Numeric("x0", 0, 200), Numeric("x1", 0, 500), Numeric("x2", 0, 1))
    others = (Categorical("grade", range(5)), Boolean("a"), Boolean("b"))
    name = f"{100 * rate:g}% of a class" + ("" if strength == 1 else f", effects x{strength:g}")
    return Population(name, features + others, draw, rate)


def two_strong(rate: float) -> Population:
    """A rare class that two numbers nearly tell."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        x = rng.normal(0, 1, (n, 2))
        return _columns(x), x @ np.array([2.0, 1.5]), rng.logistic(0, 1, n)

    name = f"{100 * rate:g}%, two strong numbers"
    return Population(name, tuple(_numbers(2, -20, 20)), draw, rate)


def skewed_classes(rate: float) -> Population:
    """Classes told by skewed and spiky numbers, and by countries."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Columns, Floats, Floats]:
        skewed, spiky = np.exp(rng.normal(3, 0.9, n)), rng.exponential(30, n)
        x = np.column_stack([skewed, spiky * (rng.random(n) < 0.3), rng.normal(0, 1, n)])
        chances = 1 / np.arange(1, 21)
        country = rng.choice(20, n, p=chances / chances.sum())
        score = 0.8 * np.log(x[:, 0]) + 0.03 * np.minimum(x[:, 1], 100) - 0.6 * x[:, 2]
        score = score + np.random.default_rng(5).normal(0, 0.6, 20)[country]
        return _columns(x) | {"country": country}, score, rng.logistic(0, 1, n)

    features = (Numeric("x0", 0, 10_000), Numeric("x1", 0, 1000), Numeric("x2", -10, 10))
    features_all = (*features, Categorical("country", range(20)))
    return Population(f"{100 * rate:g}%, skewed numbers, 20 countries", features_all, draw, rate)


POPULATIONS = {
    "plain": plain(1),
    "wide100": plain(100),
    "wide1000": plain(1000),
    "lognormal": log_normal(),
    "spiky": spiky(),
    "outliers": heavy_labels(),
    "claims": claims(),
    "diff90": difference(0.9),
    "diff95": difference(0.95),
    "diff98": difference(0.98),
    "factors": factors(),
    "many60": many(60, 60),
    "many200": many(200, 20),
    "many200equal": many(200, 20, equal=True),
    "values300": values(300, 1.0),
    "values1000": values(1000, 1.0),
    "half": classes(0.5),
    "determined": classes(0.5, 6.0),
    "rate30": skewed_classes(0.3),
    "rate10": classes(0.1),
    "rate10skewed": skewed_classes(0.1),
    "rate7": classes(0.07),
    "rate5": classes(0.05),
    "rate3": classes(0.03),
    "rate1": classes(0.01),
    "strong1": two_strong(0.01),
    "strong01": two_strong(0.001),
}
