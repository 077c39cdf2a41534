"""Explorations against published ways to find strings that nobody listed, each at its best.

    python -m benchmarks explorations            measures, into docs/explorations.csv and .md
    python -m benchmarks explorations --tiny     only shows that it works

The same strings, the same bits of them, the same devices, and the same code and table for every
answer; see `harmony.lab.finders`.  The others' settings are chosen in hindsight, for each row the
best of a grid; an exploration has none.  Runs are paired: every finder meets the same crowds, so
differences are surer than recalls.  Settings that docs/explorations.csv holds are not measured
again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harmony.bulk.spelling import spell_each
from harmony.lab.finders import (
    Crowd,
    Explored,
    Found,
    FragmentPuzzle,
    NGrams,
    PrefixExtending,
    TreeHistogram,
)
from harmony.text import Text
from harmony.text_code import TextCode

from .explorations_page import (
    HARMONY,
    PUBLISHED,
    SHOWING_ALL,
    Row,
    draw,
    kept,
    report,
    write,
)
from .page import write_section

DOCS = Path(__file__).parent.parent / "docs"
LETTERS = "abcdefghijklmno"
WANTED, MISTAKES = 32, 0.1
BITS = 48


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    devices: tuple[int, ...] = (100_000, 1_000_000, 10_000_000)
    epsilons: tuple[float, ...] = (1.0, 2.0, 4.0)
    people: tuple[str, ...] = ("Zipf 1.1", "Zipf 1.5", "words")
    strings: int = 100_000
    runs: int = 20


TINY = Size((20_000,), (4.0,), ("Zipf 1.5",), strings=200, runs=1)


class Finder(Protocol):
    def find(
        self, crowd: Crowd, epsilon: float, wanted: int, mistakes: Any, rng: np.random.Generator
    ) -> Found: ...


@dataclass(frozen=True)
class People:
    """Strings by how common they are: their codes, and the share of the people who have each."""

    text: Text
    codes: NDArray[np.uint64]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, strings: Iterable[str], weights: NDArray[np.float64], code: TextCode) -> People:
        """Strings that agree in all bits are one."""
        spelled = spell_each(pa.array(strings, pa.large_string()), code, BITS)
        codes, which = np.unique(spelled, return_inverse=True)
        shares = np.bincount(which, weights=weights / weights.sum())
        order = np.argsort(-shares, kind="stable")
        return cls(Text("string", BITS, code=code), codes[order], shares[order])

    def crowd(self, devices: int, rng: np.random.Generator) -> Crowd:
        return Crowd(self.codes, rng.multinomial(devices, self.shares), BITS)

    @cached_property
    def by_text(self) -> Mapping[str, int]:
        """The code of each string, by what it spells."""
        found = {}
        for code in self.codes[::-1].tolist():
            spelled = self.text.code.spelled(format(code >> (64 - BITS), f"0{BITS}b"))
            assert spelled is not None
            found[spelled.text] = code
        return found


@cache
def people(name: str, strings: int) -> People:
    """Return random strings with Zipf's shares, or English words with those of a corpus."""
    if name == "words":
        import wordsegment

        wordsegment.load()
        counts = wordsegment.UNIGRAMS
        words = sorted(counts, key=lambda one: -counts[one])[:strings]
        return People.of(words, np.array([counts[one] for one in words]), TextCode.common())
    rng = np.random.default_rng(1)
    texts = ["".join(LETTERS[one] for one in row) for row in rng.integers(15, size=(strings, 12))]
    weights = np.arange(1, strings + 1) ** -float(name.split()[1])
    return People.of(texts, weights, TextCode.uniform(LETTERS))


@dataclass(frozen=True)
class Harmony:
    """An exploration, and the codes of what it found."""

    asked: People

    def find(
        self, crowd: Crowd, epsilon: float, wanted: int, mistakes: float, rng: np.random.Generator
    ) -> Found:
        found = Explored(self.asked.text).findings(crowd, epsilon, wanted, mistakes, rng)
        codes = [self.asked.by_text.get(one.text, 1) for one in found]
        return Found(np.array(codes, np.uint64))


def finders(asked: People) -> Iterator[tuple[str, float | None, list[Finder]]]:
    """Every way to find strings: its name, how many mistakes it may make, and its settings."""
    yield HARMONY, MISTAKES, [Harmony(asked)]
    steps = ((3, 64, 0.0), (3, 64, 0.25), (4, 64, 0.25), (6, 64, 0.25), (24, 32, 0.25))
    yield "PEM", MISTAKES, [PrefixExtending(*one) for one in steps]
    levels = ((4, 1.5), (4, 2.0), (2, 1.5))
    yield "tree", MISTAKES, [TreeHistogram(*one) for one in levels]
    puzzles = ((16, 4, 64), (16, 4, 512), (8, 8, 512))
    yield "fragments", MISTAKES, [FragmentPuzzle(*one) for one in puzzles]
    graphs = ((6, 1024, 0.25), (6, 1024, 0.5), (8, 1024, 0.25))
    yield "n-grams", MISTAKES, [NGrams(*one) for one in graphs]
    yield SHOWING_ALL, float(WANTED), [Harmony(asked)]
    yield PUBLISHED, None, [PrefixExtending(3, 64), PrefixExtending(6, 64)]


Scores = NDArray[np.float64]
"""A row for each run: both recalls, how many strings were found, how many of them nobody has."""


def scored(
    asked: People, devices: int, epsilon: float, way: Finder, mistakes: float | None, runs: int
) -> Scores:
    """Return what a finder finds; run by run every finder meets the same crowd."""
    scores = []
    for run in range(runs):
        crowd = asked.crowd(devices, np.random.default_rng(run))
        found = way.find(crowd, epsilon, WANTED, mistakes, np.random.default_rng([run, 99]))
        recalls = [found.recall(asked.codes[:most]) for most in (16, 32)]
        scores.append([*recalls, len(found.codes), found.mistakes(crowd)])
    return np.array(scores, np.float64)


def rows_of(name: str, size: Size, devices: int, epsilon: float) -> Iterator[Row]:
    """Yield what the best settings of each finder find, in hindsight: the others' best case."""
    asked = people(name, size.strings)
    harmony: Scores | None = None
    for finder, mistakes, ways in finders(asked):
        scores = [scored(asked, devices, epsilon, way, mistakes, size.runs) for way in ways]
        best = int(np.argmax([one[:, :2].mean() for one in scores]))
        harmony = scores[best] if harmony is None else harmony
        settings = "" if isinstance(ways[best], Harmony) else _written(ways[best])
        figures = [*scores[best].mean(axis=0), *_ahead(harmony - scores[best])]
        yield Row(name, devices, epsilon, finder, settings, size.runs, *np.round(figures, 4))


def _ahead(differences: Scores) -> list[float]:
    """Return the mean and its standard error of the differences of each recall."""
    means, runs = differences[:, :2].mean(axis=0), len(differences)
    errors = (
        differences[:, :2].std(axis=0, ddof=1) / math.sqrt(runs) if runs > 1 else [math.nan] * 2
    )
    return [figure for pair in zip(means, errors, strict=True) for figure in pair]


def _written(way: Any) -> str:
    return " ".join(f"{name}={value:g}" for name, value in asdict(way).items())


def run(tiny: bool = False) -> None:
    """Measure whatever is not measured yet, and write the table."""
    size, path = TINY if tiny else Size(), DOCS / "explorations.csv"
    rows = kept(path) if path.exists() and not tiny else []
    known = {row.key[:3] for row in rows}
    for setting in product(size.people, size.devices, size.epsilons):
        if setting in known:
            continue
        for row in rows_of(setting[0], size, *setting[1:]):
            rows.append(row)
            print(*asdict(row).values(), flush=True)
        if not tiny:
            write(path, rows)
    text = report(rows)
    print(text)
    if not tiny:
        draw(rows)
        write_section(
            "explorations", "Beside published ways to find strings", text, DOCS / "explorations.md"
        )
