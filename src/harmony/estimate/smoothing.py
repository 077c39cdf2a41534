"""The consistent form of a distribution: no negative shares, and no detail that is only noise."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.interpolate import PchipInterpolator

from ..arrays import Floats
from .consistency import project_to_simplex
from .hierarchy import Places, Tree

STRICT = 4.505
"""How many times their noise details must have, to be kept at all (Cai 1999)."""

MANY_TIMES = 3.0
"""How many times its neighbours' devices a bin has, if some of them have one number."""

LOOKED_AT = 64
"""Bins of a level for which the noise of a detail is worked out."""


def smooth_downwards(
    shares: Floats,
    tree: Tree,
    known: Floats | None = None,
    *,
    below: int = -1,
    to: int | None = None,
) -> Floats:
    """Return shares of leaves without negative ones, from the coarsest bins down.

    If the shares of the bins of a level are `known`, only those `below` it are found; and only
    down to the level `to`, if that is given.

    A smooth rising curve through the CDF of one level predicts the bins of the next; it counts
    as far as what was estimated goes along with it, which at jumps it does not.  What was
    estimated differs from that by what is really there and by noise, of which the size is known:
    of the difference, as much is kept as clearly exceeds noise (James and Stein 1961), for the
    bins in each bin by themselves.  They become the closest that add up to its share.

    >>> tree = Tree([np.array([0, 2]), np.arange(4)], [1e-4, 1e-4])
    >>> smooth_downwards(np.array([0.7, -0.1, 0.3, 0.1]), tree).round(3).tolist()
    [0.6, 0.0, 0.297, 0.103]
    """
    leaves = len(shares)
    whole = np.zeros(1, np.intp)
    found = np.ones(1) if known is None else known
    levels = list(enumerate(pairwise([whole, *tree.starts])))
    for level, (above, own) in levels[below + 1 : None if to is None else to + 1]:
        inside = np.searchsorted(above, own, side="right") - 1
        firsts = np.searchsorted(own, above)
        sums = np.add.reduceat(shares, own)
        counts = np.bincount(inside)
        sums = sums + ((found - np.add.reduceat(sums, firsts)) / counts)[inside]
        if level:
            rising = PchipInterpolator(_edges(above, leaves), np.append(0.0, np.cumsum(found)))
            even = (found / np.diff(_edges(above, leaves)))[inside] * np.diff(_edges(own, leaves))
            bends = np.diff(rising(_edges(own, leaves))) - even
            expected = even + _confirmed(sums - even, bends) * bends
            kept = _kept(sums - expected, inside, _noise(tree, level, inside, counts))
            sums = expected + kept * (sums - expected)
        for share, start, end in zip(
            found.tolist(), firsts, np.append(firsts[1:], len(own)), strict=True
        ):
            parts = sums[start:end]
            sums[start:end] = share * project_to_simplex(parts / share) if share > 0 else 0.0
        found = sums
    return found


def peaks_of(shares: Floats) -> Floats:
    """Return what each bin has beyond several times the larger of its neighbours.

    >>> peaks_of(np.array([0.3, 0.05, 0.05, 0.5, 0.1])).round(2).tolist()
    [0.15, 0.0, 0.0, 0.2, 0.0]
    """
    around = np.concatenate([[0.0], shares, [0.0]])
    beyond = shares - MANY_TIMES * np.maximum(around[:-2], around[2:])
    return np.asarray(np.maximum(beyond, 0.0))


def _edges(starts: Places, leaves: int) -> Floats:
    return np.append(starts, leaves).astype(np.float64)


def _confirmed(seen: Floats, expected: Floats) -> float:
    """Return which part of what was expected was seen: from none of it to all."""
    power = float(expected @ expected)
    return min(max(float(seen @ expected) / power, 0.0), 1.0) if power > 0 else 0.0


def _kept(details: Floats, blocks: Places, noise: float) -> Floats:
    """Return which part of each detail to keep, by its block."""
    power = np.bincount(blocks, details**2)
    expected = STRICT * noise * np.bincount(blocks)
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
