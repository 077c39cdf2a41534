"""The mean of a number in each group, from the joint table of groups and points of the number."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..crosstab import Rounded
from .joint import Joint
from .ratios import Ratios
from .rounding import most_rounding


def group_means(joint: Joint, number: Rounded, shares: Floats, *, of_all: bool = False) -> Ratios:
    """Return the means of the groups, as sums of the number over the groups' sizes.

    `shares` is the joint table, roughly.  With `of_all`, what the means say about all devices of
    which those that reported are a sample.
    """
    height = joint.shape[0]
    both = np.concatenate(_sums(joint, number))
    errors = joint.covariance(both, shares, of_all=of_all)
    if not of_all:
        # Devices that all answered are no sample, but rounding drew points for each of them.
        gap = number.grid[1] - number.grid[0]
        drawn = joint.devices / joint.source.times
        rounding = gap**2 * most_rounding(shares.reshape(joint.shape)) / drawn
        # Devices that were heard unevenly count as if there were fewer than none of them.
        errors[range(height), range(height)] += np.maximum(rounding, 0.0)
    return Ratios.of_sums(both @ joint.table, errors, (number.low, number.high))


def moved_means(joint: Joint, number: Rounded, means: Ratios) -> Floats:
    """Return the sums over the table that move as the means of groups do, by a little."""
    sums, groups = _sums(joint, number)
    told = means.below > 0
    away = sums[told] - means.estimates[told, None] * groups[told]
    return np.asarray(away / means.below[told, None])


def _sums(joint: Joint, number: Rounded) -> tuple[Floats, Floats]:
    """Return what adds the number up over the table, for each group, and what adds up devices."""
    height, width = joint.shape
    groups = np.asarray(np.kron(np.eye(height), np.ones(width)), np.float64)
    return groups * np.tile(np.array(number.grid), height), groups
