"""Charts as plain documents, which `charts.js` draws: numbers here, colours and pixels there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from harmony.estimate.base import Estimate
from harmony.estimate.histogram import HistogramEstimate
from harmony.estimate.mean import MeanEstimate
from harmony.estimate.result import Result

Chart = dict[str, Any]

MOST_BARS = 24
MOST_LINES = 4


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
    return {"kind": "histogram", "title": one.name} | _bars(one, confidence)


def _bars(one: Estimate, confidence: float) -> dict[str, Any]:
    rows = one.shown(MOST_BARS, confidence)
    return {
        "labels": [shown_value(row["value"]) for row in rows],
        "consistent": [row["consistent"] for row in rows],
        "estimate": [row["estimate"] for row in rows],
        "low": [row["low"] for row in rows],
        "high": [row["high"] for row in rows],
        "left_out": one.left_out(MOST_BARS),
    }


def trend_of(name: str, results: Sequence[Result], confidence: float = 0.95) -> Chart | None:
    """Return how an estimate went over the rounds that had answers, oldest first.

    Of a histogram, the values that are most frequent in the last round.
    """
    heard = [result for result in results if result[name].n]
    if len(heard) < 2:
        return None
    values = _followed(heard[-1][name])
    points = [_points(result[name], values, confidence) for result in heard]
    return {
        "kind": "trend",
        "title": f"{name} over rounds",
        "share": values != [None],
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


def _followed(last: Estimate) -> list[Any]:
    """Return the values that a trend follows; none stands for the mean."""
    if not isinstance(last, HistogramEstimate):
        return [None]
    if set(last.values) == {False, True}:
        return [True]
    frequent = sorted(last.frequencies, key=lambda value: -last.frequencies[value])
    return frequent[:MOST_LINES]


def _points(
    one: Estimate, values: Sequence[Any], confidence: float
) -> dict[Any, tuple[float, float, float]]:
    """Return estimate, low and high of these values; picked ones have intervals for the pick."""
    if not isinstance(one, HistogramEstimate):
        return {
            row["value"]: (row["estimate"], row["low"], row["high"]) for row in one.rows(confidence)
        }
    picked = len(one.values) if values == [True] else len(values)
    intervals = one.pick_interval(picked, confidence)
    return {value: (one.frequencies[value], *intervals[value]) for value in values}


def loss_chart(name: str, history: Sequence[tuple[int, float]]) -> Chart | None:
    """Return a training's loss at each step."""
    known = [(step, loss) for step, loss in history if math.isfinite(loss)]
    if not known:
        return None
    steps, losses = zip(*known, strict=True)
    return {"kind": "loss", "title": f"{name}: loss", "steps": steps, "loss": losses}
