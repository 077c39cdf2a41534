"""The mean of a number in each group, from the joint table of groups and points of the number."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..crosstab import Rounded
from .joint import Joint
from .ratios import Ratios


def group_means(joint: Joint, number: Rounded, shares: Floats, *, of_all: bool = False) -> Ratios:
    """Return the means of the groups, as sums of the number over the groups' sizes.

    `shares` is the joint table, roughly.  With `of_all`, what the means say about all devices of
    which those that reported are a sample.
    """
    height, width = joint.shape
    groups = np.asarray(np.kron(np.eye(height), np.ones(width)), np.float64)
    sums = groups * np.tile(np.array(number.grid), height)
    both = np.concatenate([sums, groups])
    errors = joint.covariance(both, shares, of_all=of_all)
    if not of_all:
        # Devices that all answered are no sample, but rounding drew points for each of them.
        gap = number.grid[1] - number.grid[0]
        rounding = gap**2 * most_rounding(shares.reshape(joint.shape)) / joint.devices
        # Devices that were heard unevenly count as if there were fewer than none of them.
        errors[range(height), range(height)] += np.maximum(rounding, 0.0)
    return Ratios.of_sums(both @ joint.table, errors, (number.low, number.high))


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
