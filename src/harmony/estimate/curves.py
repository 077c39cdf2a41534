"""A distribution as a smooth curve: which helps wherever it is one.

`smoothing` judges details bin by bin, from the coarsest down, and so keeps jumps.  Most numbers are
distributed smoothly, and of those a curve that bends as little as the data allow, and is nowhere
negative, is closer.  Two estimates that err in different ways are closer still on average, so that
is taken, unless the curve cuts off what is there: then what is estimated without bias contradicts
it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular
from scipy.optimize import nnls

from ..arrays import Floats
from .hierarchy import Tree

FEWEST, MOST = 32, 128
"""Bins that a curve is drawn through: fewer tell no curve, and with more it takes long."""

TRUSTED = 0.75
"""The weight of the curve in the average; the more, the worse where there are jumps."""

CONTRADICTED = 0.75
"""How many standard errors of the CDF a curve may be farther from what was estimated."""

PENALTIES = 10.0 ** np.arange(-6, 8, 0.5)
"""How much bending counts against what was estimated, as multiples of a common size."""


def with_curve(bins: Floats, shares: Floats, tree: Tree) -> Floats:
    """Return the average of shares without noise by bins and of those on a curve, if that fits.

    `shares` are the unbiased ones of the leaves, `bins` what `smoothing` makes of them.

    >>> from .consistency import project_to_simplex
    >>> tree = Tree([np.arange(64)], [9e-6])
    >>> truth = np.arange(1, 65) * np.arange(64, 0, -1) / 45760
    >>> noise = np.random.default_rng(1).normal(0, 0.003, 64)
    >>> noisy = truth + noise - noise.mean()
    >>> at_worst = lambda found: float(np.abs(np.cumsum(found - truth)).max())
    >>> bins = project_to_simplex(noisy)
    >>> at_worst(with_curve(bins, noisy, tree)) < 0.9 * at_worst(bins)
    True
    """
    level = max((at for at, one in enumerate(tree.starts) if len(one) <= MOST), default=0)
    starts = tree.starts[level]
    if not FEWEST <= len(starts) <= MOST:
        return bins
    known = np.add.reduceat(bins, starts)
    curve = _curve(known, np.add.reduceat(shares, starts), _to(tree, level))
    if curve is None:
        return bins
    inside = np.searchsorted(starts, np.arange(len(bins)), side="right") - 1
    # Within a bin of the curve, shares stay in proportion; where there are none, they are even.
    even = 1 / np.bincount(inside)[inside]
    parts = np.where(known[inside] > 0, bins / np.where(known > 0, known, 1.0)[inside], even)
    return np.asarray(parts * (known + TRUSTED * (curve - known))[inside])


def _curve(bins: Floats, shares: Floats, tree: Tree) -> Floats | None:
    """Return the shares on a curve, unless there is none or what was estimated contradicts it."""
    leaves = len(shares)
    precision = _precision(tree)
    bends = np.diff(np.eye(leaves), 2, axis=0)
    # Where it bends much it may: a peak is not worn down for the sake of what is flat elsewhere.
    usual = _spread_out(np.abs(bends @ _spread_out(bins, leaves // 28)), leaves // 15)
    usual = np.maximum(usual, 0.1 * usual.max() + 1e-12) / usual.mean()
    bending = (bends.T / usual**2) @ bends
    try:
        # Ways to differ that are independent, each with a variance of one, and how each bends.
        bent, ways = eigh(bending, precision)
        bent = np.maximum(bent, 0.0)
        sums = np.cumsum(ways, axis=0)
        told = ways.T @ (precision @ (shares - 1 / leaves))
        penalty = min(
            PENALTIES / np.median(bent), key=lambda one: _risk(1 / (1 + one * bent), told, sums)
        )
        root = cholesky(precision + penalty * bending)
        told_apart = solve_triangular(root, precision @ shares, trans="T")
        curve = nnls(root, told_apart)[0]
    except (LinAlgError, RuntimeError):
        return None  # of so few reports that some bins are not told apart at all
    curve /= curve.sum()
    errors = np.sqrt((sums**2).sum(axis=1))[:-1]

    def farthest(found: Floats) -> float:
        return float((np.abs(np.cumsum(found - shares)[:-1]) / errors).max())

    return None if farthest(curve) > farthest(bins) + CONTRADICTED else curve


def _to(tree: Tree, last: int) -> Tree:
    """Return the tree down to a level, whose bins are known from all that is below them, too."""
    variance = tree.variances[-1]
    for level in range(len(tree.starts) - 2, last - 1, -1):
        below = variance * len(tree.starts[level + 1]) / len(tree.starts[level])
        variance = 1 / (1 / tree.variances[level] + 1 / below)
    starts = [np.searchsorted(tree.starts[last], one) for one in tree.starts[: last + 1]]
    return Tree(starts, [*tree.variances[:last], variance])


def _risk(kept: Floats, told: Floats, sums: Floats) -> float:
    """Return the expected squared error of the CDF, up to a constant, without bias (Stein 1981)."""
    moved = sums @ ((1 - kept) * told)
    return float(moved @ moved + 2 * (sums**2).sum(axis=0) @ kept)


def _precision(tree: Tree) -> Floats:
    """Return the inverse covariance of the leaves, of which the sum is known."""
    leaves = len(tree.starts[-1])
    total = np.zeros((leaves, leaves))
    for starts, variance in zip(tree.starts, tree.variances, strict=True):
        inside = np.add.reduceat(np.eye(leaves), starts, axis=0)
        total += inside.T @ inside / variance
    return np.asarray(total + 1e3 * total.max())


def _spread_out(numbers: Floats, over: int) -> Floats:
    """Return averages over neighbours."""
    window = np.ones(2 * (over // 2) + 1)
    return np.convolve(numbers, window, "same") / np.convolve(np.ones_like(numbers), window, "same")
