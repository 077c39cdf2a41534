"""Charts as plain documents, which `charts.js` draws: numbers here, colours and pixels there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from harmony.estimate.histogram import HistogramEstimate
from harmony.estimate.mean import MeanEstimate
from harmony.estimate.result import Estimate, Result

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


def _bars(one: HistogramEstimate, confidence: float) -> dict[str, Any]:
    rows = one.rows(confidence)
    if len(rows) > MOST_BARS:
        rows = sorted(rows, key=lambda row: -row["estimate"])[:MOST_BARS]
    return {
        "labels": [shown_value(row["value"]) for row in rows],
        "consistent": [row["consistent"] for row in rows],
        "estimate": [row["estimate"] for row in rows],
        "reach": [(row["high"] - row["low"]) / 2 for row in rows],
        "left_out": len(one.values) - len(rows),
    }


def trend_of(name: str, results: Sequence[Result], confidence: float = 0.95) -> Chart | None:
    """Return how an estimate went over the rounds that had answers, oldest first.

    Of a histogram, the values that are most frequent in the last round.
    """
    heard = [result for result in results if result[name].n]
    if len(heard) < 2:
        return None
    last = heard[-1][name]
    if isinstance(last, MeanEstimate):
        values: list[Any] = [None]
    elif set(last.values) == {False, True}:
        values = [True]
    else:
        frequent = sorted(last.frequencies, key=lambda value: -last.frequencies[value])
        values = frequent[:MOST_LINES]
    rows = [{row["value"]: row for row in result[name].rows(confidence)} for result in heard]
    return {
        "kind": "trend",
        "title": f"{name} over rounds",
        "share": values != [None],
        "rounds": [result.round for result in heard],
        "lines": [
            {
                "name": shown_value(value),
                "estimate": [row[value]["estimate"] for row in rows],
                "low": [row[value]["low"] for row in rows],
                "high": [row[value]["high"] for row in rows],
            }
            for value in values
        ],
    }


def loss_chart(name: str, history: Sequence[tuple[int, float]]) -> Chart | None:
    """Return a training's loss at each step."""
    known = [(step, loss) for step, loss in history if math.isfinite(loss)]
    if not known:
        return None
    steps, losses = zip(*known, strict=True)
    return {"kind": "loss", "title": f"{name}: loss", "steps": steps, "loss": losses}
