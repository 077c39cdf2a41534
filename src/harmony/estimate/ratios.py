"""Ratios of estimates: shares within a group, means of a group."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats
from .intervals import single


def ratio_intervals(
    above: Floats,
    below: Floats,
    covariances: Floats,
    confidence: float,
    limits: tuple[float, float],
) -> tuple[Floats, Floats]:
    """Return (low, high) for each ratio `above` / `below`, within `limits`.

    `covariances` has for each ratio those of its two parts, in a 2 x 2 matrix.  A ratio r is
    believed if above - r below is no further from zero than chance explains (Fieller 1954): that
    holds also for a group so small that its share may be zero, of which nothing can be said.

    >>> one = np.array([[[0.0004, 0.0], [0.0, 0.0004]]])
    >>> low, high = ratio_intervals(np.array([0.2]), np.array([0.4]), one, 0.95, (0.0, 1.0))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.395], [0.615])
    """
    square = single(confidence) ** 2
    first = below**2 - square * covariances[:, 1, 1]
    middle = above * below - square * covariances[:, 0, 1]
    last = above**2 - square * covariances[:, 0, 0]
    least, most = limits
    low, high = np.full(len(above), least), np.full(len(above), most)
    for place, (a, b, c) in enumerate(
        zip(first.tolist(), middle.tolist(), last.tolist(), strict=True)
    ):
        inside = b * b - a * c
        if a > 0 and inside >= 0:  # else the ratios that are believed have no end on some side
            root = math.sqrt(inside)
            low[place] = min(max((b - root) / a, least), most)
            high[place] = min(max((b + root) / a, least), most)
    return low, high
