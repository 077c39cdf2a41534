"""The consistent form of a distribution: no negative shares, and no detail that is only noise."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.interpolate import PchipInterpolator

from ..arrays import Floats
from .consistency import project_to_simplex
from .hierarchy import Places, Tree

TOGETHER = 4
"""Neighbouring bins whose details are judged together."""

LOOKED_AT = 64
"""Bins of a level for which the noise of a detail is worked out."""


def smooth_downwards(shares: Floats, tree: Tree) -> Floats:
    """Return shares of leaves without negative ones, from the coarsest bins down.

    A smooth rising curve through the CDF of one level predicts the bins of the next.  What was
    estimated differs from that by what is really there and by noise, of which the size is known:
    of the difference, as much is kept as exceeds noise (James and Stein 1961), in each
    neighbourhood by itself.  Then the bins in a bin become the closest that add up to its share.

    >>> tree = Tree([np.array([0, 2]), np.arange(4)], [1e-4, 1e-4])
    >>> smooth_downwards(np.array([0.7, -0.1, 0.3, 0.1]), tree).round(3).tolist()
    [0.6, 0.0, 0.3, 0.1]
    """
    leaves = len(shares)
    whole = np.zeros(1, np.intp)
    found = np.ones(1)
    for level, (above, own) in enumerate(pairwise([whole, *tree.starts])):
        inside = np.searchsorted(above, own, side="right") - 1
        firsts = np.searchsorted(own, above)
        sums = np.add.reduceat(shares, own)
        counts = np.bincount(inside)
        sums = sums + ((found - np.add.reduceat(sums, firsts)) / counts)[inside]
        if level:
            rising = PchipInterpolator(_edges(above, leaves), np.append(0.0, np.cumsum(found)))
            expected = np.diff(rising(_edges(own, leaves)))
            kept = _kept(sums - expected, inside // TOGETHER, _noise(tree, level, inside, counts))
            sums = expected + kept * (sums - expected)
        for share, start, end in zip(
            found.tolist(), firsts, np.append(firsts[1:], len(own)), strict=True
        ):
            parts = sums[start:end]
            sums[start:end] = share * project_to_simplex(parts / share) if share > 0 else 0.0
        found = sums
    return found


def _edges(starts: Places, leaves: int) -> Floats:
    return np.append(starts, leaves).astype(np.float64)


def _kept(details: Floats, blocks: Places, noise: float) -> Floats:
    """Return which part of each detail to keep, by its block."""
    power = np.bincount(blocks, details**2)
    expected = noise * np.bincount(blocks)
    kept = np.zeros_like(power)
    np.divide(power - expected, power, out=kept, where=power > expected)
    return np.asarray(kept[blocks])


def _noise(tree: Tree, level: int, inside: Places, counts: Places) -> float:
    """Return the variance of a bin's share beyond its part of the bin that it is in."""
    own = tree.starts[level]
    leaves = len(tree.starts[-1])
    bin_of_leaf = np.searchsorted(own, np.arange(leaves), side="right") - 1
    looked_at = np.unique(np.linspace(0, len(own) - 1, LOOKED_AT).astype(np.intp))
    itself = bin_of_leaf == looked_at[:, None]
    siblings = inside[bin_of_leaf] == inside[looked_at][:, None]
    weights = tree.adjoint(itself - siblings / counts[inside[looked_at]][:, None])
    return float(
        np.mean(
            sum(
                variance * (rows**2).sum(axis=1)
                for variance, rows in zip(tree.variances, weights, strict=True)
            )
        )
    )
