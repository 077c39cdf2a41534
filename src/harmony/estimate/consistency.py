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


def project_to_margins(table: Floats, rows: Floats, columns: Floats, variances: Floats) -> Floats:
    """Return the closest table without negative shares whose rows and columns add up to these.

    Cells move by their part of the variance: those that are known well stay, which is the most
    likely table if their errors are independent.  Projections take turns until they agree
    (Dykstra 1983).

    >>> table, even = np.array([[0.5, 0.2], [0.4, -0.1]]), np.ones((2, 2))
    >>> rows, columns = np.array([0.7, 0.3]), np.array([0.9, 0.1])
    >>> project_to_margins(table, rows, columns, even).round(3).tolist()
    [[0.6, 0.1], [0.3, 0.0]]
    """
    by_row = variances / variances.sum(axis=1, keepdims=True)
    by_column = variances / variances.sum(axis=0, keepdims=True)
    found, undone = table, np.zeros_like(table)
    for _ in range(MOST_TURNS):
        summed = found + by_row * (rows - found.sum(axis=1))[:, None]
        summed = summed + by_column * (columns - summed.sum(axis=0))[None, :] + undone
        found = np.maximum(summed, 0.0)
        undone = summed - found
        missing = np.abs(found.sum(axis=1) - rows).max(), np.abs(found.sum(axis=0) - columns).max()
        if max(missing) < CLOSE:
            break
    return np.asarray(found / found.sum())
