"""Beliefs: an estimate with its error, and what could be said before it was made."""

from __future__ import annotations

import math


def pulled(estimate: float, error: float, usual: float, spread: float) -> float:
    """Return the posterior mean of a number that is usually `usual`, give or take `spread`.

    >>> pulled(3.0, 0.0, 1.0, 0.5), pulled(3.0, 0.5, 1.0, 0.5), pulled(3.0, math.inf, 1.0, 0.5)
    (3.0, 2.0, 1.0)
    """
    if not math.isfinite(error):
        return usual
    trust = spread**2 / (spread**2 + error**2)
    return usual + trust * (estimate - usual)
