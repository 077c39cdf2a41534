"""Explorations against published ways to find strings that nobody listed, each at its best.

    python -m benchmarks explorations            measures, into docs/explorations.csv and .md
    python -m benchmarks explorations --tiny     only shows that it works

The same strings, the same bits of them, the same devices, and the same code and table for every
answer; see `harmony.lab.finders`.  The others' settings are chosen in hindsight, for each row the
best of a grid; an exploration has none.  Rows that docs/explorations.csv holds are not measured
again.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
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

from . import plots
from .page import table, write_section

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
    runs: int = 3


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


HARMONY, SHOWING_ALL = "Harmony", "Harmony, 32 mistakes allowed"
PUBLISHED = "PEM, showing all it keeps"
FINDERS = (HARMONY, "PEM", "tree", "fragments", "n-grams", SHOWING_ALL, PUBLISHED)
BOUNDED = FINDERS[:5]
PICTURE = "explorations.svg"
LEGEND = """\
Recall of the 16 / 32 most common strings, means over 3 to 5 runs; the best of a row in bold.
Every way may find 0.1 strings that nobody has, but for the last two columns, which say how many
they found.  Settings are the best of a grid for each row, in hindsight, but for Harmony, which has
none to choose.  A mean of a row with recalls around a half has a standard error of about 0.03, so
rows tell large differences only.

Zipf's strings are random, all 48 bits long; the words are the 100,000 most frequent of English with
their frequencies on the web (the package wordsegment), in the code that explorations use.  On
random strings PEM and fragments are level with Harmony if they ask in steps as wide as its own;
usual ones, of a few bits, find less.  Words end early, which Harmony uses and the others do not.

![Recall by number of devices and epsilon, for each finder]({picture})
"""


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


@dataclass(frozen=True)
class Row:
    """What one way finds, with its best settings: means over the runs."""

    people: str
    devices: int
    epsilon: float
    finder: str
    settings: str
    runs: int
    recall_16: float
    recall_32: float
    found: float
    mistakes: float

    @property
    def key(self) -> tuple[str, int, float, str]:
        return self.people, self.devices, self.epsilon, self.finder


def measured(
    name: str, asked: People, devices: int, epsilon: float, finder: str, ways: list[Finder],
    mistakes: float | None, runs: int,
) -> Row:  # fmt: skip
    """Return what the best settings of a finder find, in hindsight: the others' best case."""
    rows = []
    for way in ways:
        scores = []
        for run in range(runs):
            rng = np.random.default_rng(run)
            crowd = asked.crowd(devices, rng)
            found = way.find(crowd, epsilon, WANTED, mistakes, rng)
            recalls = [found.recall(asked.codes[:most]) for most in (16, 32)]
            scores.append([*recalls, len(found.codes), found.mistakes(crowd)])
        means = np.round(np.mean(scores, axis=0), 4).tolist()
        settings = "" if isinstance(way, Harmony) else _written(way)
        rows.append(Row(name, devices, epsilon, finder, settings, runs, *means))
    return max(rows, key=lambda row: row.recall_16 + row.recall_32)


def _written(way: Any) -> str:
    return " ".join(f"{name}={value:g}" for name, value in asdict(way).items())


def kept(path: Path) -> list[Row]:
    """Return the rows that were measured before."""
    kinds = {
        one.name: {"int": int, "float": float, "str": str}[str(one.type)] for one in fields(Row)
    }
    with path.open(newline="") as file:
        return [
            Row(**{name: kinds[name](value) for name, value in line.items()})
            for line in csv.DictReader(file)
        ]


def run(tiny: bool = False) -> None:
    """Measure whatever is not measured yet, and write the table."""
    size, path = TINY if tiny else Size(), DOCS / "explorations.csv"
    rows = kept(path) if path.exists() and not tiny else []
    known = {row.key for row in rows}
    for name, devices, epsilon in product(size.people, size.devices, size.epsilons):
        asked = people(name, size.strings)
        for finder, mistakes, ways in finders(asked):
            if (name, devices, epsilon, finder) in known:
                continue
            row = measured(name, asked, devices, epsilon, finder, ways, mistakes, size.runs)
            rows.append(row)
            print(*asdict(row).values(), flush=True)
            if not tiny:
                _write(path, rows)
    text = report(rows)
    print(text)
    if not tiny:
        draw(rows)
        write_section(
            "explorations", "Beside published ways to find strings", text, DOCS / "explorations.md"
        )


def _write(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [one.name for one in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def draw(rows: list[Row]) -> None:
    """Draw the recalls of the 32 most common strings."""
    settings = list(dict.fromkeys((row.devices, row.epsilon) for row in rows))
    by_key = {row.key: row.recall_32 for row in rows}
    panels = {
        name: {one: [by_key[name, *at, one] for at in settings] for one in BOUNDED}
        for name in dict.fromkeys(row.people for row in rows)
    }
    labels = [f"{devices / 1e6:g}M, ε {epsilon:g}" for devices, epsilon in settings]
    plots.recalls(panels, labels, PICTURE)


def report(rows: list[Row]) -> str:
    """Return a table for each kind of people, and what the figures in it are."""
    by_key = {row.key: row for row in rows}
    sections = [LEGEND.format(picture=PICTURE)]
    for name in dict.fromkeys(row.people for row in rows):
        lines = []
        for n, epsilon in dict.fromkeys((r.devices, r.epsilon) for r in rows if r.people == name):
            here = {one: by_key.get((name, n, epsilon, one)) for one in FINDERS}
            best = max(here[one].recall_16 + here[one].recall_32 for one in BOUNDED if here[one])
            lines.append(
                [f"{n:,}", f"{epsilon:g}", *(_recalls(here[one], best) for one in BOUNDED)]
                + [_recalls(here[one], mistakes=True) for one in (SHOWING_ALL, PUBLISHED)]
            )
        sections.append(f"### {name}\n\n{table(['devices', 'ε', *FINDERS], lines)}")
    wrong = [
        f"{one} {np.mean([r.mistakes for r in rows if r.finder == one]):.2f}" for one in BOUNDED
    ]
    sections.append(f"Mistakes a run, on average over all rows: {', '.join(wrong)}.")
    return "\n\n".join(sections)


def _recalls(row: Row | None, best: float = math.inf, *, mistakes: bool = False) -> str:
    if row is None:
        return ""
    text = f"{row.recall_16:.2f} / {row.recall_32:.2f}"
    if mistakes:
        return f"{text}, {row.mistakes:.0f} wrong"
    return f"**{text}**" if row.recall_16 + row.recall_32 >= best else text
