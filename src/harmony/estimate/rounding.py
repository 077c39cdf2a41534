"""What rounding numbers to points at random adds to a variance: the most that reports allow.

Reports tell to which points numbers were rounded, never where between them they were.  So of
numbers all over the range the most must be supposed, a quarter of a squared gap each, though it
may be none; of numbers at few points far from each other it is known to be less.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Counts, Floats
from ..mechanisms import Grid

ITERATIONS = 50
"""Steps of expectation maximisation from even shares: few, so that no noise becomes a peak."""


def likely_points(grid: Grid, cells: Counts) -> Floats:
    """Return the shares of the points that numbers were rounded to, given how often symbols came.

    >>> from fractions import Fraction
    >>> grid = Grid.design(Fraction(12))
    >>> both = grid.probabilities[16] + grid.probabilities[18]
    >>> likely_points(grid, both[None, :])[15:20].round(2).tolist()
    [0.0, 0.5, 0.0, 0.5, 0.0]
    """
    chances, seen = grid.probabilities, cells.sum(axis=0) / cells.sum()
    shares = np.full(len(chances), 1 / len(chances))
    for _ in range(ITERATIONS):
        shares = shares * (chances @ (seen / (shares @ chances)))
    return np.asarray(shares / shares.sum())


def most_rounding(shares: Floats) -> Floats:
    """Return the most variance that rounding to points can have added, a row for each group.

    `shares` are those of the points; distances are in gaps between points.  Numbers between two
    points that round to L of the lower and R of the upper one add LR / (L + R) if all of them are
    the same number, else less (Jensen), and never more than a quarter each.  How the devices at a
    point divide into those from below and from above it no report tells: all count for both.

    >>> most_rounding(np.array([[0.3, 0.7], [1.0, 0.0]])).round(2).tolist()
    [0.21, 0.0]
    >>> most_rounding(np.array([[0.25, 0.25, 0.25, 0.25]])).tolist()
    [0.25]
    """
    lower, upper = shares[:, :-1], shares[:, 1:]
    total = lower + upper
    between = lower * upper / np.where(total > 0, total, 1.0)
    return np.asarray(np.minimum(between.sum(axis=1), shares.sum(axis=1) / 4))
