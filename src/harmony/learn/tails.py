"""Tails: labels of which most are one number, and the others lie far from it.

A label is seen in a range that reaches some times as far from the median as the quartiles do
(`placing`).  Where most labels are the same, as of what people spend, quartiles are no distance at
all: the range would end before the tail, and hide nearly all of the mean.  So where there is a
spike, and surely more devices lie beyond an end than noise would put there, the end moves: as far
as it would go from the ninth decile of other labels, but from the middle of that tail, which noise
at the far end of a domain hardly moves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Floats
from ..attributes import Numeric
from .density import Counts, Density
from .placing import POINTS, Places, number_range

SPIKE, STAGES = 0.5, 2
"""The share of devices in one bin of the last stages by which that holds a spike: bins are as
likely as one another, as far as was known, and only a spike cannot be cut any further."""

SURE = 5.0
"""Standard errors of a share by which there surely is a tail: noise in all bins beyond an end adds
up, and a range that it makes too wide does more harm than one that lacks a tail."""

REACH = 4.0
"""How far a range reaches beyond the median, in distances from there to the middle of a tail; and
how much further than an end the middle must be for that."""


def label_with_tails(places: Places, label: Numeric) -> tuple[Numeric, Floats]:
    """Return the label in its range, and points of that which stand for devices, scaled."""
    density, size = places.densities[label.name], places.sizes.get(label.name, 0.0)
    if not has_spike(places.counts.get(label.name, [])):
        return places.label_range(label)
    low, high = with_tails(density, size, *number_range(density, size, label=True))
    half, unit = (high - low) / 2, (label.high - label.low) / 2
    points = density.moved(low + half, half).points(POINTS, -1.0, 1.0)
    low, high = label.low + (low + 1) * unit, label.low + (high + 1) * unit
    return replace(label, low=low, high=high), points


def has_spike(counts: Sequence[Counts]) -> bool:
    """Whether most labels are one number."""
    return len(counts) >= STAGES and all(one.shares.max() > SPIKE for one in counts[-STAGES:])


def with_tails(density: Density, size: float, low: float, high: float) -> tuple[float, float]:
    """Return the range from `low` to `high`, or a wider one if there surely are tails beyond it.

    >>> spent = Density(np.array([0.0, 0.01, 10.0, 100.0]), np.array([0.8, 0.2, 0.0]))
    >>> with_tails(spent, 400.0, 0.0, 0.1), with_tails(spent, 900.0, 0.0, 0.1)
    ((0.0, 0.1), (0.0, 20.18125))
    """
    error, median = 1 / math.sqrt(max(size, 1.0)), density.quantile(0.5)
    below, not_above = density.below(np.array([low, high])).tolist()
    if below > SURE * error:
        middle = density.quantile(below / 2) - median
        low = median + REACH * middle if middle < REACH * (low - median) else low
    if 1 - not_above > SURE * error:
        middle = density.quantile((1 + not_above) / 2) - median
        high = median + REACH * middle if middle > REACH * (high - median) else high
    return max(low, float(density.edges[0])), min(high, float(density.edges[-1]))
