"""Charts as plain documents, which `charts.js` draws: numbers here, colours and pixels there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from harmony.estimate.base import Estimate
from harmony.estimate.crosstab import CrosstabEstimate
from harmony.estimate.distribution import DistributionEstimate
from harmony.estimate.histogram import HistogramEstimate
from harmony.estimate.mean import MeanEstimate
from harmony.estimate.result import Result
from harmony.estimate.score import Wanted, find_limits

Chart = dict[str, Any]

MOST_BARS = 24
MOST_LINES = 4
MOST_CELLS = 60 * 60
"""Cells of a heat map that a page can show; a larger table is shown by its largest cells."""

MEDIAN = "median"

_worked_out: WeakKeyDictionary[Estimate, dict[Any, Any]] = WeakKeyDictionary()
"""What was worked out of estimates, while they are there: those of closed rounds are kept."""


def shown_value(value: Any) -> str:
    """Write one of an attribute's values; none stands for the mean.

    >>> shown_value(True), shown_value("dark"), shown_value(None)
    ('yes', 'dark', 'mean')
    """
    if value is None:
        return "mean"
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def chart_of(one: Estimate, confidence: float = 0.95) -> Chart | None:
    """Return the chart of one estimate; none if nobody answered."""
    if not one.n:
        return None
    if isinstance(one, MeanEstimate):
        low, high = one.interval(confidence)
        return {
            "kind": "mean",
            "title": one.name,
            "range": [one.low, one.high],
            "estimate": one.mean,
            "interval": [low, high],
        }
    if isinstance(one, DistributionEstimate):
        return {"kind": "cdf", "title": one.name} | _cdf(one, confidence)
    if isinstance(one, CrosstabEstimate) and one.number is not None:
        span = [one.number.low, one.number.high]
        return {"kind": "means", "title": one.name, "range": span} | _bars(one, confidence)
    if isinstance(one, CrosstabEstimate) and len(one.values) <= MOST_CELLS:
        return {"kind": "heat", "title": one.name} | _cells(one, confidence)
    return {"kind": "histogram", "title": one.name} | _bars(one, confidence)


def _cdf(one: DistributionEstimate, confidence: float) -> dict[str, Any]:
    """Return a CDF and its band, which between two numbers can only rise."""
    points = one.details(confidence)["cdf"]
    return {key: [point[key] for point in points] for key in ("at", "cdf", "low", "high")}


def _cells(one: CrosstabEstimate, confidence: float) -> dict[str, Any]:
    """Return the cells of a joint table, with their intervals."""
    rows, columns = one.crosstab.parts
    low, high = (
        [[pair[end] for pair in line] for line in _lines(one, confidence)] for end in (0, 1)
    )
    return {
        "rows": {"name": rows.name, "labels": [shown_value(value) for value in rows.values]},
        "columns": {"name": columns.name, "labels": [shown_value(one) for one in columns.values]},
        "shares": one.projected.reshape(one.shape).tolist(),
        "low": low,
        "high": high,
    }


def _lines(one: CrosstabEstimate, confidence: float) -> list[list[tuple[float, float]]]:
    pairs = list(one.interval(confidence).values())
    width = one.shape[1]
    return [pairs[start : start + width] for start in range(0, len(pairs), width)]


def _bars(one: Estimate, confidence: float) -> dict[str, Any]:
    rows = shown_rows(one, MOST_BARS, confidence)
    return {
        "labels": [shown_value(row["value"]) for row in rows],
        "consistent": [row["consistent"] for row in rows],
        "estimate": [row["estimate"] for row in rows],
        "low": [row["low"] for row in rows],
        "high": [row["high"] for row in rows],
        "left_out": one.left_out(MOST_BARS),
    }


def find_limits_shown(
    names: Iterable[str], results: Sequence[Result], most_rows: int, confidence: float = 0.95
) -> None:
    """Find the limits that cards of these attributes show, all at once, which is far quicker."""
    wanted: list[Wanted] = []
    for name in names:
        last = results[-1][name]
        for most in (most_rows, MOST_BARS):
            wanted += last.limits_shown(most if last.left_out(most) else None, confidence)
        heard, values = _trend(name, results)
        for result in heard:
            wanted += _limits_of_points(result[name], values, confidence)
    find_limits(wanted)


def trend_of(name: str, results: Sequence[Result], confidence: float = 0.95) -> Chart | None:
    """Return how an estimate went over the rounds that had answers, oldest first.

    Of a histogram, the values that are most frequent in the last round; of a distribution, the
    median.
    """
    heard, values = _trend(name, results)
    if not heard:
        return None
    points = [_known_points(result[name], values, confidence) for result in heard]
    return {
        "kind": "trend",
        "title": f"{name} over {'windows' if len(heard[-1].rounds) > 1 else 'rounds'}",
        "share": isinstance(heard[-1][name], HistogramEstimate),
        "rounds": [result.round for result in heard],
        "lines": [
            {
                "name": shown_value(value),
                "estimate": [point[value][0] for point in points],
                "low": [point[value][1] for point in points],
                "high": [point[value][2] for point in points],
            }
            for value in values
        ],
    }


def _trend(name: str, results: Sequence[Result]) -> tuple[list[Result], list[Any]]:
    """Return the results that a trend shows, and the values that it follows; none if it is moot."""
    heard = [result for result in results if result[name].n]
    if len(heard) < 2 or isinstance(heard[-1][name], CrosstabEstimate):
        return [], []
    return heard, _followed(heard[-1][name])


def _followed(last: Estimate) -> list[Any]:
    """Return the values that a trend follows; none stands for the mean."""
    if isinstance(last, DistributionEstimate):
        return [MEDIAN]
    if not isinstance(last, HistogramEstimate):
        return [None]
    if set(last.values) == {False, True}:
        return [True]
    frequent = sorted(last.frequencies, key=lambda value: -last.frequencies[value])
    return frequent[:MOST_LINES]


def shown_rows(one: Estimate, most: int, confidence: float) -> list[dict[str, Any]]:
    """Return the rows of an estimate that a page shows, worked out once: intervals take time."""
    kept = _worked_out.setdefault(one, {})
    key = ("rows", most if one.left_out(most) else 0, confidence)
    if key not in kept:
        kept[key] = one.shown(most, confidence)
    rows: list[dict[str, Any]] = kept[key]
    return rows


def _known_points(
    one: Estimate, values: Sequence[Any], confidence: float
) -> dict[Any, tuple[float, float, float]]:
    kept = _worked_out.setdefault(one, {})
    key = ("points", tuple(values), confidence)
    if key not in kept:
        kept[key] = _points(one, values, confidence)
    points: dict[Any, tuple[float, float, float]] = kept[key]
    return points


def _points(
    one: Estimate, values: Sequence[Any], confidence: float
) -> dict[Any, tuple[float, float, float]]:
    """Return estimate, low and high of these values; picked ones have intervals for the pick."""
    if not isinstance(one, HistogramEstimate):
        return {
            row["value"]: (row["estimate"], row["low"], row["high"]) for row in one.rows(confidence)
        }
    intervals = one.pick_interval(_picked(one, values), confidence)
    return {value: (one.frequencies[value], *intervals[value]) for value in values}


def _limits_of_points(one: Estimate, values: Sequence[Any], confidence: float) -> list[Wanted]:
    """Return the limits that `_points` needs."""
    if isinstance(one, HistogramEstimate):
        return one.limits_picked(_picked(one, values), confidence)
    return one.limits_shown(None, confidence)


def _picked(one: HistogramEstimate, values: Sequence[Any]) -> int:
    """Return how many values were picked by their frequency: a yes is followed as it is."""
    return len(one.values) if values == [True] else len(values)


def loss_chart(name: str, history: Sequence[tuple[int, float]]) -> Chart | None:
    """Return a training's loss at each step."""
    known = [(step, loss) for step, loss in history if math.isfinite(loss)]
    if not known:
        return None
    steps, losses = zip(*known, strict=True)
    return {"kind": "loss", "title": f"{name}: loss", "steps": steps, "loss": losses}
