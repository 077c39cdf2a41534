"""The table and the picture of docs/explorations.md, and the figures that are behind them."""

from __future__ import annotations

import csv
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from . import plots
from .page import table

HARMONY, SHOWING_ALL = "Harmony", "Harmony, 32 mistakes allowed"
PUBLISHED = "PEM, showing all it keeps"
FINDERS = (HARMONY, "PEM", "tree", "fragments", "n-grams", SHOWING_ALL, PUBLISHED)
BOUNDED = FINDERS[:5]
PICTURE = "explorations.svg"
LEGEND = """\
Recall of the 16 / 32 most common strings, means over runs; the best of a row in bold.
Every way may find 0.1 strings that nobody has, but for the last two columns, which say how many
they found.  Settings are the best of a grid for each row, in hindsight, but for Harmony, which has
none to choose.

Zipf's strings are random, all 48 bits long; the words are the 100,000 most frequent of English with
their frequencies on the web (the package wordsegment), in the code that explorations use.  On
random strings PEM and fragments come close to Harmony if they ask in steps as wide as its own;
usual ones, of a few bits, find less.  Words end early, which Harmony uses and the others do not.

![Recall by number of devices and epsilon, for each finder]({picture})
"""
RIVALS = ("PEM", "fragments", "n-grams")
PAIRED = """\
### How sure is that?

How far Harmony is ahead of those that come close, in recall of the 16 / 32 most common strings,
with standard errors: runs on the same crowds, {least} or more of each (what is not listed here was
run 3 to 5 times).
Of {rows} comparisons Harmony is ahead by more than two standard errors, in one recall or both, in
{ahead}; a rival is in {behind}.
"""


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
    ahead_16: float
    """How far Harmony is ahead on the same crowds; not a number where crowds were others."""
    ahead_16_error: float
    ahead_32: float
    ahead_32_error: float

    @property
    def ahead(self) -> list[tuple[float, float]]:
        """How far Harmony is ahead in each recall, and the standard error of that."""
        return [(self.ahead_16, self.ahead_16_error), (self.ahead_32, self.ahead_32_error)]

    @property
    def shown(self) -> float:
        """The sum of both recalls as they are shown: what looks the same is as good."""
        return round(round(self.recall_16, 2) + round(self.recall_32, 2), 2)

    @property
    def key(self) -> tuple[str, int, float, str]:
        return self.people, self.devices, self.epsilon, self.finder


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


def write(path: Path, rows: list[Row]) -> None:
    """Write all rows down."""
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
            best = max(row.shown for one in BOUNDED if (row := here[one]) is not None)
            lines.append(
                [f"{n:,}", f"{epsilon:g}", *(_recalls(here[one], best) for one in BOUNDED)]
                + [_recalls(here[one], mistakes=True) for one in (SHOWING_ALL, PUBLISHED)]
            )
        sections.append(f"### {name}\n\n{table(['devices', 'ε', *FINDERS], lines)}")
    wrong = [
        f"{one} {np.mean([r.mistakes for r in rows if r.finder == one]):.2f}" for one in BOUNDED
    ]
    sections.append(f"Mistakes a run, on average over all rows: {', '.join(wrong)}.")
    return "\n\n".join([*sections, *_paired(rows)])


def _paired(rows: list[Row]) -> list[str]:
    """Return how far Harmony is ahead, where that was measured on the same crowds."""
    paired = [r for r in rows if r.finder in RIVALS and not math.isnan(r.ahead_16_error)]
    if not paired:
        return []
    cells = {
        row.key: " / ".join(f"{mean:+.3f} ± {error:.3f}" for mean, error in row.ahead)
        for row in paired
    }
    lines = [
        [setting[0], f"{setting[1]:,}", f"{setting[2]:g}"]
        + [cells.get((*setting, one), "") for one in RIVALS]
        for setting in dict.fromkeys(row.key[:3] for row in paired)
    ]
    ahead = sum(any(mean > 2 * error for mean, error in r.ahead) for r in paired)
    behind = sum(any(-mean > 2 * error for mean, error in r.ahead) for r in paired)
    least = min(row.runs for row in paired)
    said = PAIRED.format(least=least, rows=len(paired), ahead=ahead, behind=behind or "none")
    head = ["", "devices", "ε", *(f"ahead of {one}" for one in RIVALS)]
    return [said + "\n" + table(head, lines)]


def _recalls(row: Row | None, best: float = math.inf, *, mistakes: bool = False) -> str:
    if row is None:
        return ""
    text = f"{row.recall_16:.2f} / {row.recall_32:.2f}"
    if mistakes:
        return f"{text}, {row.mistakes:.0f} wrong"
    return f"**{text}**" if row.shown >= best else text
