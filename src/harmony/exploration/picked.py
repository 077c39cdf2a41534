"""Shares and intervals for what was picked by its estimate: they hold given that it was picked.

A string is shown because its estimate is high, so its estimate is, on average, too high, and an
interval around it would miss more often than it says.  Given that it was picked, the estimate x
of a share f has the density phi((x - f) / s), times the chance that its first step kept it, on
x above the threshold from which it is found.  The interval holds all f under which x lies between
the quantiles of that distribution; far above the threshold it is the ordinary one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from ..arrays import Floats

POINTS = 513
REACH = 12.0
"""Standard deviations around the estimate in which shares are looked for."""


class Picked(NamedTuple):
    """How something was picked: from which estimate on, and how its first step had kept it."""

    found_from: float
    kept_from: float
    kept_deviation: float
    """The standard deviation of the first step's estimate, given the pooled one."""


def picked_share(
    estimate: float, deviation: float, picked: Picked, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return a share whose estimate was picked so, as often too high as too low, and its interval.

    >>> far = Picked(found_from=0.01, kept_from=0.008, kept_deviation=0.002)
    >>> [round(edge, 4) for edge in picked_share(0.1, 0.001, far)]
    [0.1, 0.098, 0.102]
    >>> share, low, high = picked_share(0.0105, 0.001, far)
    >>> low < 0.0085, share < 0.01, round(high, 4)
    (True, True, 0.0123)
    """
    least = max(picked.found_from, estimate - REACH * deviation)
    if least >= estimate:  # found by a hair
        least = estimate - 1e-9 * deviation
    below = np.linspace(least, estimate, POINTS)
    above = np.linspace(estimate, estimate + REACH * deviation, POINTS)

    def mass(points: Floats, share: float, reference: float) -> float:
        exponent = -0.5 * ((points - share) / deviation) ** 2 - reference
        if picked.kept_deviation > 0:
            exponent = exponent + log_ndtr((points - picked.kept_from) / picked.kept_deviation)
        return float(np.trapezoid(np.exp(exponent), points))

    def chance_below(share: float) -> float:
        """The chance of an estimate up to this one, given that it was picked."""
        nearest = min(max(share, least), estimate)
        reference = -0.5 * ((nearest - share) / deviation) ** 2
        left, right = mass(below, share, reference), mass(above, share, reference)
        return left / (left + right)

    def share_at(chance: float) -> float:
        low, high = estimate - 4 * REACH * deviation, estimate + REACH * deviation
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if chance_below(middle) > chance else (low, middle)
        return (low + high) / 2

    tail = (1 - confidence) / 2
    share, low, high = (min(1.0, max(0.0, share_at(at))) for at in (0.5, 1 - tail, tail))
    return share, low, high
