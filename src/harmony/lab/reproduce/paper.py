"""The numbers that the paper plots, read from the coordinates in its source."""

from __future__ import annotations

import csv
from dataclasses import astuple, dataclass
from functools import cache
from importlib.resources import files
from io import StringIO

EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8)
USERS = {"US": 9_000_000, "BR": 4_000_000}
RUNS = 100
COLUMNS = ("figure", "dataset", "panel", "method", "epsilon", "value")


@dataclass(frozen=True, order=True)
class Point:
    """One plotted point."""

    figure: str
    dataset: str
    panel: str
    method: str
    epsilon: float
    value: float


@cache
def paper_points(figure: str) -> tuple[Point, ...]:
    """Return the points of "mean-frequency" (figure 1) or "erm" (figure 2).

    >>> paper_points("mean-frequency")[0].value
    0.204176
    """
    text = (files(__package__) / "figures.csv").read_text()
    rows = csv.DictReader(StringIO(text))
    return tuple(
        Point(
            row["figure"], row["dataset"], row["panel"], row["method"],
            float(row["epsilon"]), float(row["value"]),
        )
        for row in rows
        if row["figure"] == figure
    )  # fmt: skip


def write_points(points: list[Point]) -> str:
    """Return the points as CSV, with the columns of the paper's own file."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(astuple(point) for point in points)
    return text.getvalue()
