"""Beliefs: an estimate with its error, and what could be said before it was made."""

from __future__ import annotations

import math


def truncated_mean(mean: float, error: float, low: float, high: float) -> float:
    """Return E[x | low < x < high] for x normal with this `mean` and standard `error`.

    An estimate with a large error says little, and then this is near the middle of the bounds.

    >>> truncated_mean(0.3, 0.0, 0.0, 1.0), round(truncated_mean(0.3, 9.0, 0.0, 1.0), 2)
    (0.3, 0.5)
    >>> truncated_mean(-100.0, 1.0, 0.0, 1.0)
    0.0
    """
    if not math.isfinite(error):
        return (low + high) / 2
    if error <= 0:
        return min(max(mean, low), high)
    left, right = (low - mean) / error, (high - mean) / error
    chance = _below(right) - _below(left)
    if chance < 1e-9:
        return low if mean < low else high
    return mean - error * (_density(right) - _density(left)) / chance


def pulled(estimate: float, error: float, usual: float, spread: float) -> float:
    """Return the posterior mean of a number that is usually `usual`, give or take `spread`.

    >>> pulled(3.0, 0.0, 1.0, 0.5), pulled(3.0, 0.5, 1.0, 0.5), pulled(3.0, math.inf, 1.0, 0.5)
    (3.0, 2.0, 1.0)
    """
    if not math.isfinite(error):
        return usual
    trust = spread**2 / (spread**2 + error**2)
    return usual + trust * (estimate - usual)


def _density(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def _below(z: float) -> float:
    return (1 + math.erf(z / math.sqrt(2))) / 2
