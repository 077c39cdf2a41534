"""`auto` against the paper's methods, against MGD with its best step, and against no model.

    python -m benchmarks learning            measures, into docs/learning.csv and docs/learning.md
    python -m benchmarks learning --tiny     only shows that it works

Everything is tested on people who took no part: 200,000 others of a simulated population, or the
fold that was set aside before a real data set was resampled to 4 million devices.  Points that
docs/learning.csv holds are not measured again.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from harmony import Boolean, Categorical, Numeric
from harmony.attributes import Attribute
from harmony.lab import populations
from harmony.learn import Training
from harmony.learn.collecting import train
from harmony.learn.paper import DesignMatrix, fit
from harmony.learn.records import Records

from .page import table, write_section

DOCS = Path(__file__).parent.parent / "docs"
DATA = Path(__file__).parents[2] / "shared" / "data"
FOLDS = 5
TASKS = {"linear": ("squared",), "classification": ("logistic", "hinge")}
Key = tuple[str, str, str, float, int]


@dataclass(frozen=True)
class Size:
    """How much is measured: more seeds where the noise is large."""

    epsilons: tuple[float, ...] = (0.1, 0.2, 0.4, 0.8)
    strictest: tuple[float, ...] = (0.05,)
    many_seeds: int = 20
    few_seeds: int = 10
    rival_seeds: int = 2
    tested: int = 200_000
    people: tuple[str, ...] = ("us", "br")
    share: float = 1.0

    def seeds(self, epsilon: float) -> int:
        return self.many_seeds if epsilon <= 0.1 else self.few_seeds


TINY = Size((0.8,), (), few_seeds=2, tested=2_000, people=("br",), share=0.002)


@dataclass(frozen=True, eq=False)
class Fold:
    """Some devices to learn from and some people to test on: features and a number in [-1, 1]."""

    features: list[Attribute]
    devices: dict[str, NDArray[Any]]
    y: NDArray[np.float32]
    tested: dict[str, NDArray[Any]]
    truth: NDArray[np.float32]

    def targets(self, task: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The number itself, or whether it is at least its mean, for devices and for the test."""
        if task == "linear":
            return self.y, self.truth
        mean = self.y.mean()
        return tuple(np.where(y >= mean, 1, -1).astype(np.float32) for y in (self.y, self.truth))

    def matrix(self, which: dict[str, NDArray[Any]]) -> DesignMatrix:
        columns = [
            (which[one.name], len(one.values)) if one.values else scaled(which[one.name], one)
            for one in self.features
        ]
        return DesignMatrix.pack(columns)


def scaled(column: NDArray[Any], attribute: Any) -> NDArray[np.float32]:
    middle, half = (attribute.high + attribute.low) / 2, (attribute.high - attribute.low) / 2
    return np.clip((column - middle) / half, -1, 1).astype(np.float32)


def simulated(name: str, n: int, tested: int) -> Iterator[Fold]:
    """One fold: n people, and others to test on."""
    people = getattr(populations, name)(n + tested)
    features = [one for one in people.attributes if one.name != people.outcome]
    (outcome,) = (one for one in people.attributes if one.name == people.outcome)
    columns = {
        one.name: np.empty(people.n, np.int8 if one.values else np.int16) for one in features
    }
    y = np.empty(people.n, np.float32)
    start = 0
    for chunk in people.chunks():
        stop = start + len(chunk[outcome.name])
        y[start:stop] = scaled(chunk[outcome.name], outcome)
        for one in features:
            columns[one.name][start:stop] = chunk[one.name]
        start = stop
    yield Fold(
        features,
        {name: column[:n] for name, column in columns.items()},
        y[:n],
        {name: column[n:] for name, column in columns.items()},
        y[n:],
    )


def resampled(name: str, n: int, seed: int = 2016) -> Iterator[Fold]:
    """Five folds of a real data set, each time the other four resampled to n devices."""
    about = json.loads((DATA / f"{name}.json").read_text())
    rows = pq.read_table(DATA / f"{name}.parquet")
    target = about["target"]
    features: list[Attribute] = [
        Numeric(column, facts["min"], facts["max"])
        for column, facts in about["numeric"].items()
        if column != target
    ]
    features += [
        Categorical(column, range(facts["k"]))
        for column, facts in about["categorical"].items()
        if column != target
    ]
    if target in about["numeric"]:
        facts = about["numeric"][target]
        y = scaled(rows[target].to_numpy(), Numeric(target, facts["min"], facts["max"]))
    else:
        y = (2 * rows[target].to_numpy() - 1).astype(np.float32)
    columns = {
        one.name: rows[one.name].to_numpy().astype(np.int8 if one.values else np.float32)
        for one in features
    }
    rng = np.random.default_rng(seed)
    fold_of = rng.permutation(len(y)) % FOLDS
    for fold in range(FOLDS):
        inside = np.flatnonzero(fold_of == fold)
        drawn = rng.choice(np.flatnonzero(fold_of != fold), n)
        yield Fold(
            features,
            {name: column[drawn] for name, column in columns.items()},
            y[drawn],
            {name: column[inside] for name, column in columns.items()},
            y[inside],
        )


def held_out_error(scores: NDArray[Any], truth: NDArray[Any], task: str) -> float:
    """Mean squared error of predictions kept inside the domain, or the share of wrong labels."""
    if task == "linear":
        return float(np.mean((np.clip(scores, -1, 1) - truth) ** 2))
    return float(np.mean((scores > 0) != (truth > 0)))


def auto(fold: Fold, task: str, epsilon: float, seed: int) -> float:
    y, truth = fold.targets(task)
    label: Attribute = Numeric("label", -1, 1) if task == "linear" else Boolean("label")
    column = y if task == "linear" else y > 0
    training = Training(
        "bench", epsilon, TASKS[task][0], label, fold.features, len(y), evaluation=0
    )
    records = Records(fold.devices | {"label": column}, fold.features, label)
    trainer = train(training, records, seed=seed)
    return held_out_error(trainer.model.scores(fold.tested), truth, task)


def paper_method(
    fold: Fold, x: DesignMatrix, tested: DesignMatrix, task: str, epsilon: float, seed: int,
    method: str, loss: str, step: float | None, intercept: bool,
) -> float:  # fmt: skip
    y, truth = fold.targets(task)
    beta, constant, _ = fit(
        method, x, y, loss=loss, epsilon=epsilon, seed=seed, step=step, intercept=intercept
    )
    return held_out_error(tested.scores(beta, constant), truth, task)


def no_privacy(fold: Fold, task: str) -> float:
    """Least squares or logistic regression on half a million devices, as they are."""
    from sklearn.linear_model import LogisticRegression

    y, truth = fold.targets(task)
    some = np.random.default_rng(0).permutation(len(y))[: 500_000 if task == "linear" else 200_000]
    x = _one_hot(fold, {name: column[some] for name, column in fold.devices.items()})
    unseen = _one_hot(fold, fold.tested)
    if task == "linear":
        weights = np.linalg.lstsq(x.T @ x + 1e-3 * np.eye(x.shape[1]), x.T @ y[some], rcond=None)[0]
        return held_out_error(unseen @ weights, truth, task)
    model = LogisticRegression(C=1e4 / len(some) * 1e2, max_iter=200).fit(x, y[some] > 0)
    return held_out_error(model.decision_function(unseen), truth, task)


def _one_hot(fold: Fold, which: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    parts = [np.ones((len(next(iter(which.values()))), 1))]
    for one in fold.features:
        column = which[one.name]
        parts.append(
            (column[:, None] == np.arange(1, len(one.values))).astype(float)
            if one.values
            else scaled(column, one)[:, None].astype(float)
        )
    return np.hstack(parts)


class Points:
    """The measured points, one line each: an interrupted run goes on where it was."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.kept: dict[Key, float] = {}
        if path is not None and path.exists():
            with path.open() as file:
                for people, task, method, epsilon, seed, error in csv.reader(file):
                    if people != "people":
                        self.kept[people, task, method, float(epsilon), int(seed)] = float(error)
        elif path is not None:
            path.write_text("people,task,method,epsilon,seed,error\n")

    def measure(self, key: Key, run: Callable[[], float]) -> float:
        if key not in self.kept:
            self.kept[key] = run()
            if self.path is not None:
                with self.path.open("a", newline="") as file:
                    csv.writer(file).writerow([*key, f"{self.kept[key]:.6f}"])
            print(*key, f"{self.kept[key]:.4f}", flush=True)
        return self.kept[key]


def measure_fold(
    points: Points, size: Size, name: str, task: str, fold: Fold, number: int, folds: int
) -> None:
    """Measure every method with the seeds that belong to this fold."""
    y, truth = fold.targets(task)
    mean = float(y.mean())
    points.measure((name, task, "constant", 0.0, number), lambda: held_out_error(
        np.full(len(truth), mean), truth, task))  # fmt: skip
    points.measure((name, task, "no privacy", 0.0, number), lambda: no_privacy(fold, task))
    matrices: list[DesignMatrix] = []

    def rival(*settings: Any) -> float:
        if not matrices:
            matrices.extend([fold.matrix(fold.devices), fold.matrix(fold.tested)])
        return paper_method(fold, *matrices, task, *settings)

    strictest = size.strictest if name.isupper() and task == "linear" else ()
    for epsilon in size.epsilons + strictest:
        for seed in range(number, size.seeds(epsilon), folds):
            key = (name, task, "auto", epsilon, seed)
            points.measure(key, lambda: auto(fold, task, epsilon, seed))  # noqa: B023  called now
        for seed in range(number, max(size.rival_seeds, folds), folds):
            for loss in TASKS[task]:
                methods = ("mgd", "mgd-dr") if loss == "squared" else ("mgd",)
                for method in methods:
                    settings = (epsilon, seed, method, loss, None, False)
                    key = (name, task, f"{method} {loss}", epsilon, seed)
                    points.measure(key, lambda: rival(*settings))  # noqa: B023
                for power in range(3, 9) if loss == "squared" else range(0, 9, 2):
                    settings = (epsilon, seed, "mgd", loss, 2.0**-power, True)
                    key = (name, task, f"mgd {loss} step 2^-{power}", epsilon, seed)
                    points.measure(key, lambda: rival(*settings))  # noqa: B023


def run(tiny: bool = False) -> None:
    """Measure whatever is not measured yet, and write the table."""
    size = TINY if tiny else Size()
    sizes = {"us": 9_000_000, "br": 4_000_000}
    points = Points(None if tiny else DOCS / "learning.csv")
    sources: dict[str, Callable[[], Iterator[Fold]]] = {
        name.upper(): lambda name=name, n=n: simulated(name, round(size.share * n), size.tested)  # type: ignore[misc]
        for name, n in sizes.items()
        if name in size.people
    }
    for name in ("brfss2015_income", "phone_greenhub", "census_income_kdd_us23"):
        if (DATA / f"{name}.parquet").exists() and not tiny:
            sources[name] = lambda name=name: resampled(name, 4_000_000)  # type: ignore[misc]
    for name, make in sources.items():
        folds = 1 if name.isupper() else FOLDS
        tasks = ("classification",) if name.startswith("census") else tuple(TASKS)
        for number, fold in enumerate(make()):
            for task in tasks:
                measure_fold(points, size, name, task, fold, number, folds)
    text = report(points)
    print(text)
    if not tiny:
        write_section("learning", "`auto` against its rivals", text, DOCS / "learning.md")


def report(points: Points) -> str:
    """A table for each task: errors, and the share of the gap that `auto` closes."""
    errors: dict[tuple[str, str, str, float], list[float]] = defaultdict(list)
    for (people, task, method, epsilon, _), error in points.kept.items():
        errors[people, task, method, epsilon].append(error)
    sections = []
    for task in TASKS:
        rows = []
        for people in dict.fromkeys(key[0] for key in points.kept):
            for epsilon in sorted({key[3] for key in points.kept}):
                found = errors.get((people, task, "auto", epsilon))
                if found:
                    rows.append(_row(errors, people, task, epsilon, found))
        head = [
            "people", "ε", "constant", "paper's best", "MGD, best step", "± (seeds)", "**auto**",
            "± (seeds)", "no privacy", "gap closed",
        ]  # fmt: skip
        unit = "mean squared error" if task == "linear" else "share of wrong labels"
        sections.append(f"**{task.capitalize()}**, {unit}:\n\n{table(head, rows)}")
    return "\n\n".join(sections)


def _row(
    errors: dict[tuple[str, str, str, float], list[float]], people: str, task: str, epsilon: float,
    found: list[float],
) -> list[str]:  # fmt: skip
    def mean(method: str, at: float) -> float:
        return float(np.mean(errors[people, task, method, at]))

    methods = [m for (p, t, m, e) in errors if (p, t, e) == (people, task, epsilon)]
    plain = min(mean(m, epsilon) for m in methods if m != "auto" and "step" not in m)
    best = min((m for m in methods if "step" in m), key=lambda m: mean(m, epsilon))
    rival = errors[people, task, best, epsilon]
    constant, ideal = mean("constant", 0.0), mean("no privacy", 0.0)
    auto_error = float(np.mean(found))
    closed = (plain - auto_error) / (plain - ideal)
    return [
        people, f"{epsilon:g}", f"{constant:.4f}", f"{plain:.4f}", f"{np.mean(rival):.4f}",
        _stderr(rival), f"**{auto_error:.4f}**", _stderr(found), f"{ideal:.4f}", f"{closed:.0%}",
    ]  # fmt: skip


def _stderr(found: list[float]) -> str:
    """The standard error of the mean over seeds and folds, and how many there are."""
    return f"{np.std(found, ddof=1) / len(found) ** 0.5:.4f} ({len(found)})"
