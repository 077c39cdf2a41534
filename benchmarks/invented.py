"""How much is learned of invented populations: `auto` beside rivals that are told what it is not.

    python -m benchmarks invented            measures, into docs/learning.md
    python -m benchmarks invented --tiny     only shows that it works

The share of what can be learned is (constant - model) / (constant - no privacy), by squared error,
or by log loss for classes, on people who took no part.  Rivals know the true scale of every column,
and the slope and level of their score are chosen in hindsight, as are MGD's step and the penalties:
all by the very error that is shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from harmony.learn import Training
from harmony.learn.collecting import train
from harmony.learn.paper import fit
from harmony.learn.planning import answer_noise
from harmony.learn.records import Records

from .learning import DOCS
from .page import table, write_section
from .populations import POPULATIONS, Columns, Floats, Population

CLIP = 3.0
"""Where rivals clip a column, in its true deviations."""

PENALTIES = np.power(10.0, np.arange(-4.0, 3.0))
STEPS = (2.0**-3, 2.0**-5, 2.0**-7)
MOST_PAIRED, MOST_WIDE = 80, 256
"""Columns beyond which nobody would ask for all pairs, and beyond which rivals are not tried."""

ABOUT = """\
The share of what can be learned, (constant - model) / (constant - no privacy), by squared error, or
by log loss for classes; `python -m benchmarks invented` measures it on two draws of each
population.  Rivals are told the true scale of every column and have slope, level, penalties and
steps in hindsight; the one on the L2 ball is told the covariance, too."""

SOME = 100_000
"""Devices by which scales are told, and what can be learned without privacy."""


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    devices: tuple[int, ...] = (100_000, 1_000_000)
    epsilons: tuple[float, ...] = (0.4, 1.0, 4.0)
    seeds: int = 2
    tested: int = 100_000
    names: tuple[str, ...] = tuple(POPULATIONS)


TINY = Size((2_000,), (4.0,), 1, 1_000, ("plain", "rate10"))


@dataclass(frozen=True, eq=False)
class People:
    """Devices to learn from and others to test on, with true scales for those who are told."""

    population: Population
    devices: Columns
    tested: Columns

    @classmethod
    def drawn(cls, population: Population, seed: int, devices: int, tested: int) -> People:
        everyone = population.people(seed, devices + tested)
        parts = ({name: column[part] for name, column in everyone.items()}
                 for part in (slice(devices), slice(devices, None)))  # fmt: skip
        return cls(population, *parts)

    @property
    def squared(self) -> bool:
        return self.population.loss == "squared"

    def columns(self, people: Columns) -> Floats:
        """Return numbers as they are, and a column for every value but the first."""
        parts = []
        for one in self.population.features:
            column = people[one.name]
            values = np.array(one.values[1:])
            parts.append(column[:, None] == values if one.values else column[:, None])
        return np.hstack(parts).astype(np.float64)

    def error(self, scores: Floats) -> float:
        """Return the squared error of scores, or the log loss of log-odds."""
        truth = self.tested["label"].astype(np.float64)
        if self.squared:
            bounds = self.population.label
            assert isinstance(bounds, tuple)
            return float(np.mean((np.clip(scores, *bounds) - truth) ** 2))
        return float(np.mean(np.logaddexp(0, scores) - truth * scores))

    def in_hindsight(self, scores: Floats) -> float:
        """Return the error with the slope and the level that suit those who are tested best."""
        truth = self.tested["label"].astype(np.float64)
        scale = max(float(scores.std()), 1e-12)
        design = np.column_stack([np.ones_like(scores), (scores - scores.mean()) / scale])
        return self.error(design @ fitted(design, truth, self.squared))


def fitted(x: Floats, y: Floats, squared: bool, penalty: float = 1e-3) -> Floats:
    """Return least squares, or a logistic regression by Newton's method; the first is a level."""
    ridge = penalty * np.eye(x.shape[1])
    if squared:
        return np.asarray(np.linalg.solve(x.T @ x + ridge, x.T @ y), np.float64)
    rate = float(y.mean())
    weights = np.zeros(x.shape[1])
    weights[0] = math.log(rate / (1 - rate))
    for _ in range(30):
        chances = 1 / (1 + np.exp(-x @ weights))
        hessian = (x * (chances * (1 - chances))[:, None]).T @ x + ridge
        change = np.linalg.solve(hessian, x.T @ (y - chances) - ridge @ weights)
        weights += change * min(1.0, 3 / float(np.abs(change).max()))
        if np.abs(change).max() < 1e-6:
            break
    return weights


class Rivals:
    """Those that are told the scale of every column, and of numeric labels."""

    def __init__(self, people: People) -> None:
        self.people = people
        some = {name: column[:SOME] for name, column in people.devices.items()}
        self.some, self.others = people.columns(some), people.columns(people.tested)
        self.middle, unit = self.some.mean(axis=0), np.maximum(self.some.std(axis=0), 1e-12)
        self.scale = CLIP * unit
        self.wide = self.some.shape[1] > MOST_WIDE
        self.x = self._scaled(self.some if self.wide else people.columns(people.devices))
        self.tested = self._scaled(self.others)
        y = people.devices["label"].astype(np.float64)
        unit = CLIP * y.std() if people.squared else 0.5
        centre = y.mean() if people.squared else 0.5
        self.y = np.clip((y - centre) / unit, -1, 1)

    def _scaled(self, raw: Floats) -> Floats:
        return np.clip((raw - self.middle) / self.scale, -1, 1)

    def baselines(self) -> tuple[float, float]:
        """Return the errors of the constant, and without privacy."""
        people, y = self.people, self.people.devices["label"].astype(np.float64)
        level = y.mean() if people.squared else math.log(y.mean() / (1 - y.mean()))
        x, tested = (
            np.column_stack([np.ones(len(one)), CLIP * (one - self.middle) / self.scale])
            for one in (self.some, self.others)
        )
        weights = fitted(x, y[: len(x)], people.squared)
        return people.error(np.full(len(tested), level)), people.error(tested @ weights)

    def errors(self, epsilon: float, seed: int) -> list[float | None]:
        """Return those of the descent, of sufficient statistics, and of the L2 ball."""
        if self.wide:
            return [None] * 3
        rng = np.random.default_rng(seed)
        told = self.statistics(epsilon, rng), self.ball(epsilon, rng)
        return [self.descent(epsilon, seed), *told]

    def statistics(self, epsilon: float, rng: np.random.Generator) -> float | None:
        """Every pair of columns, and every column with the label, asked once."""
        n, d = self.x.shape
        if d > MOST_PAIRED:
            return None
        noise = math.sqrt(answer_noise(epsilon) * d * (d + 3) / 2 / n)
        upper = np.triu(rng.normal(0, noise, (d, d)))
        pairs = self.x.T @ self.x / n + upper + np.triu(upper, 1).T
        return self._best(pairs, self._label_moments(noise, rng))

    def ball(self, epsilon: float, rng: np.random.Generator) -> float:
        """The whole gradient by a mechanism on the L2 ball; the covariance is told."""
        n, d = self.x.shape
        norm = math.sqrt(float(np.mean(np.sum(self.x**2, axis=1))))
        noise = norm * math.sqrt(math.pi / 2 * answer_noise(epsilon) * d / n)
        return self._best(self.x.T @ self.x / n, self._label_moments(noise, rng))

    def descent(self, epsilon: float, seed: int) -> float:
        """The paper's mini-batches, with the best of a few steps."""
        columns = list(self.x.astype(np.float32).T)
        y = self.y.astype(np.float32)
        loss = self.people.population.loss
        settings = {"loss": loss, "epsilon": epsilon, "seed": seed, "intercept": True}
        found = [fit("mgd", columns, y, step=step, **settings)[0] for step in STEPS]
        return min(self.people.in_hindsight(self.tested @ weights) for weights in found)

    def _label_moments(self, noise: float, rng: np.random.Generator) -> Floats:
        moments: Floats = self.x.T @ self.y / len(self.y)
        return moments + rng.normal(0, noise, len(moments))

    def _best(self, pairs: Floats, moments: Floats) -> float:
        values, vectors = np.linalg.eigh(pairs)
        unit = float(np.mean(np.diag(pairs)))
        return min(
            self.people.in_hindsight(
                self.tested
                @ (vectors @ ((vectors.T @ moments) / (np.maximum(values, 0.0) + penalty * unit)))
            )
            for penalty in PENALTIES
        )


def auto(people: People, epsilon: float, seed: int) -> float:
    population = people.population
    devices = len(people.devices["label"])
    asked = population.loss, population.attribute, population.features, devices
    records = Records(people.devices, population.features, population.attribute)
    model = train(Training("invented", epsilon, *asked), records, seed=seed, progress=False).model
    features = {one.name: people.tested[one.name] for one in population.features}
    scores: Any = model.predict(features) if people.squared else model.scores(features)
    return people.error(np.asarray(scores, np.float64))


def measured(population: Population, size: Size, devices: int) -> Iterator[list[Any]]:
    """Return a row for each epsilon: what features explain, and the shares of all."""
    found: dict[float, list[list[float]]] = {epsilon: [] for epsilon in size.epsilons}
    explained = []
    for seed in range(size.seeds):
        people = People.drawn(population, 1000 + seed, devices, size.tested)
        rivals = Rivals(people)
        constant, best = rivals.baselines()
        explained.append(1 - best / constant)
        for epsilon in size.epsilons:
            errors = [*rivals.errors(epsilon, seed), auto(people, epsilon, seed)]
            shares = [
                math.nan if one is None else (constant - one) / (constant - best) for one in errors
            ]
            found[epsilon].append(shares)
    for epsilon, rows in found.items():
        yield [float(np.mean(explained)), epsilon, *np.mean(rows, axis=0)]


def run(tiny: bool = False) -> None:
    """Measure all populations, and write the table."""
    size, rows = TINY if tiny else Size(), []
    for devices in size.devices:
        for name in size.names:
            for explained, epsilon, *shares in measured(POPULATIONS[name], size, devices):
                row = [POPULATIONS[name].name, f"{explained:.2f}", f"{devices:,}", f"{epsilon:g}"]
                row += [_share(one) for one in shares]
                print(*row, flush=True)
                rows.append(row)
    text = report(rows)
    if tiny:
        print(text)
    else:
        write_section("invented", "What is learned of strangers", text, DOCS / "learning.md")


def _share(share: float) -> str:
    return "" if math.isnan(share) else f"{share:.2f}"


def report(rows: list[list[str]]) -> str:
    """A line for each population and number of devices, with all epsilons in a cell."""
    lines: dict[tuple[str, str, str], list[list[str]]] = {}
    for name, explained, devices, _, *shares in rows:
        lines.setdefault((name, explained, devices), []).append(shares)
    epsilons = " / ".join(dict.fromkeys(row[3] for row in rows))
    head = ["people", "no privacy explains", "devices", "MGD, best step", "sufficient statistics",
            "L2 ball", "**auto**"]  # fmt: skip
    body = []
    for key, found in lines.items():
        cells = [" / ".join(one) if any(one) else "" for one in zip(*found, strict=True)]
        body.append([*key, *cells[:-1], f"**{cells[-1]}**"])
    return f"{ABOUT}  At ε = {epsilons}:\n\n{table(head, body)}"
