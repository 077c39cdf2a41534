"""The consistent form of a histogram: non-negative, and adding up to one."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats


def project_to_simplex(frequencies: Floats) -> Floats:
    """Return the closest histogram (in squared distance) that is non-negative and sums to one.

    It is the most likely one when all errors have the same variance, as they nearly do.

    >>> project_to_simplex(np.array([0.7, 0.4, -0.1])).round(2).tolist()
    [0.65, 0.35, 0.0]
    """
    falling = np.sort(frequencies)[::-1]
    surplus = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    last = int(np.flatnonzero(falling > surplus)[-1])
    projected: Floats = np.maximum(frequencies - surplus[last], 0.0)
    return projected
