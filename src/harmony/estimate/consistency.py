"""The consistent form of a histogram: non-negative, and adding up to one."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

MOST_TURNS, CLOSE = 200, 1e-9


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


def project_to_margins(table: Floats) -> Floats:
    """Return the closest table without negative shares whose rows and columns add up as they do.

    What the rows and the columns add up to is made non-negative first.  Two projections take
    turns until they agree (Dykstra 1983).

    >>> found = project_to_margins(np.array([[0.5, 0.2], [0.4, -0.1]]))
    >>> found.round(3).tolist()
    [[0.6, 0.1], [0.3, 0.0]]
    """
    rows, columns = (project_to_simplex(table.sum(axis=axis)) for axis in (1, 0))
    height, width = table.shape
    found, undone = table, np.zeros_like(table)
    for _ in range(MOST_TURNS):
        summed = found + (rows - found.sum(axis=1))[:, None] / width
        summed = summed + (columns - summed.sum(axis=0))[None, :] / height + undone
        found = np.maximum(summed, 0.0)
        undone = summed - found
        if np.abs(found.sum(axis=1) - rows).max() < CLOSE:
            break
    return np.asarray(found / found.sum())
