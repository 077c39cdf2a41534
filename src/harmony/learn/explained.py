"""Explained: R2 and its interval, from a gain, what is left, and what a clip may hide of that."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from .excess import NO_EXCESS, Excess

LEAST_R2, MOST_R2 = -100.0, 1.0
"""Where an interval of R2 ends that has no end."""

TAIL = 0.025
"""The chance that R2 is below the interval, and that it is above."""

BISECTIONS = 50


def explained(
    gain: float, gain_error: float, left: float, left_error: float, hidden: Excess = NO_EXCESS
) -> tuple[float, float, float]:
    """Return the median of gain / (gain + left + what is hidden), and its interval.

    Without anything hidden that is Fieller's: those r that g (1 - r) - r l does not refute.  With
    it that chance is averaged over all tails.  Where the sum may be zero there is no lower end, and
    R2 may be as low as it can.  What is hidden may lie on one side, and then it moves the mean, by
    which a constant is judged: so the lower end is that of a gain without it.

    >>> [round(end, 3) for end in explained(0.2, 0.01, 0.8, 0.01)]
    [0.2, 0.184, 0.216]
    >>> [round(end, 3) for end in explained(0.0, 0.5, 1.0, 0.4)]
    [-0.0, -100.0, 0.612]
    >>> [round(end, 2) for end in explained(-0.2, 0.3, 0.1, 0.3)]
    [-0.67, -100.0, 1.0]
    """

    def chance(r: float, moved: bool = False) -> float:
        """Return the chance that R2 is below r."""
        odds = r / (1 - r)
        gains = gain - hidden.means**2 if moved else gain
        errors = math.sqrt(2) * math.hypot(gain_error, odds * left_error)
        z = (odds * (left + hidden.squares) - gains) / errors
        return float(hidden.weights @ np.array([math.erf(one) for one in z])) / 2 + 0.5

    if chance(LEAST_R2) > 0.5:
        return max(gain / max(left, left_error), LEAST_R2), LEAST_R2, MOST_R2
    low, value = _root(partial(chance, moved=True), TAIL), _root(chance, 0.5)
    high = max(_root(chance, 1 - TAIL), low)
    return min(max(value, low), high), low, high


def _root(chance: Callable[[float], float], target: float) -> float:
    """Return the R2 at which this rising function reaches the target, or where it ends."""
    low, high = LEAST_R2, 1 - 1e-9
    if chance(low) >= target:
        return LEAST_R2
    if chance(high) <= target:
        return MOST_R2
    for _ in range(BISECTIONS):
        middle = 1 - math.sqrt((1 - low) * (1 - high))
        low, high = (middle, high) if chance(middle) < target else (low, middle)
    return (low + high) / 2
