"""The posterior mean of a distribution, over several ways in which it may be simple.

`smoothing` judges details bin by bin, from the coarsest down, and so keeps whatever may be there.
Most distributions are simpler than that: even, smooth, or even in a few blocks.  How simple this
one is, its reports say: each prior, with each size of differences from even, makes what was
estimated so and so likely (its evidence), and counts by that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular
from scipy.optimize import nnls

from ..arrays import Floats
from .consistency import project_to_simplex
from .hierarchy import Tree
from .priors import jumps, priors
from .smoothing import smooth_downwards

FEWEST, MOST = 32, 128
"""Bins that a curve is drawn through: fewer tell no curve, and with more it takes long."""

SIZES = 10.0 ** np.arange(-8, 3.5, 0.5)
"""Variances that relative differences from an even density may have."""

SLIGHT = 0.03
"""The weight, as a share of the largest, below which a curve is left out."""


def smooth_shares(shares: Floats, tree: Tree) -> Floats:
    """Return shares of leaves without negative ones, and without what is only noise.

    `shares` are the unbiased ones.

    >>> tree = Tree([np.arange(64)], [9e-6])
    >>> truth = np.arange(1, 65) * np.arange(64, 0, -1) / 45760
    >>> noise = np.random.default_rng(1).normal(0, 0.003, 64)
    >>> noisy = truth + noise - noise.mean()
    >>> at_worst = lambda found: float(np.abs(np.cumsum(found - truth)).max())
    >>> at_worst(smooth_shares(noisy, tree)) < 0.8 * at_worst(project_to_simplex(noisy))
    True
    """
    level = max((at for at, one in enumerate(tree.starts) if len(one) <= MOST), default=0)
    starts = tree.starts[level]
    if not FEWEST <= len(starts) <= MOST:
        return smooth_downwards(shares, tree)
    known = smooth_downwards(shares, tree, to=level)
    try:
        told = _Told.of(np.add.reduceat(shares, starts), _to(tree, level))
        known = _posterior_mean(told, priors(known))
    except LinAlgError:
        pass  # of so few reports that some bins are not told apart at all
    return smooth_downwards(shares, tree, known, below=level)


@dataclass(frozen=True, eq=False)
class _Told:
    """What was estimated without bias: shares of bins, and the inverse of their covariance."""

    shares: Floats
    precision: Floats
    contrasts: Floats
    """Orthonormal differences between bins: what shares that add up to one are free in."""
    root: Floats
    """The root of the precision of those differences."""

    @classmethod
    def of(cls, shares: Floats, tree: Tree) -> _Told:
        size = len(shares)
        precision = np.zeros((size, size))
        for starts, variance in zip(tree.starts, tree.variances, strict=True):
            inside = np.add.reduceat(np.eye(size), starts, axis=0)
            precision += inside.T @ inside / variance
        contrasts = np.linalg.svd(np.ones((1, size)))[2][1:].T
        root = cholesky(contrasts.T @ precision @ contrasts)
        return cls(shares, precision, contrasts, root)

    @property
    def even(self) -> float:
        return 1 / len(self.shares)


def _posterior_mean(told: _Told, covariances: list[Floats]) -> Floats:
    """Return the average of the curves of all priors, by their evidence."""
    whitened = told.root @ told.contrasts.T
    weighed = [(one, 0.0) for one in covariances]
    # Jumps were put where they fit: each might have been anywhere else.
    weighed += [
        (one, (count + 1) * float(np.log(told.even)))
        for count, one in enumerate(jumps(whitened, told.shares))
    ]
    found: list[tuple[float, Floats, Floats]] = []
    for covariance, prior_weight in weighed:
        # Ways to differ that are independent, each with an error of one: what was seen of them.
        spread, ways = eigh(told.even**2 * whitened @ covariance @ whitened.T)
        seen = ways.T @ (whitened @ told.shares)
        for size in SIZES:
            signal = size * np.maximum(spread, 0.0)
            likely = -0.5 * float((np.log1p(signal) + seen**2 / (1 + signal)).sum())
            mean = ways @ (seen * signal / (1 + signal))
            found.append((prior_weight + likely, mean, size * told.even**2 * covariance))
    best = max(evidence for evidence, _, _ in found)
    total, weights = np.zeros_like(told.shares), 0.0
    for evidence, mean, prior in found:
        weight = float(np.exp(evidence - best))
        if weight >= SLIGHT:
            curve = told.even + told.contrasts @ solve_triangular(told.root, mean)
            total += weight * (curve if curve.min() >= 0 else _nowhere_negative(told, curve, prior))
            weights += weight
    return np.asarray(total / weights)


def _nowhere_negative(told: _Told, curve: Floats, prior: Floats) -> Floats:
    """Return the likeliest shares under a prior that are not negative; `curve` may be."""
    size = len(prior)
    scale = float(np.trace(prior)) / size
    inverse = np.linalg.inv(prior + 1e-7 * scale * np.eye(size))
    whole = 1e3 * float(told.precision.max())  # that they add up to one counts this much
    try:
        root = cholesky(told.precision + inverse + whole)
        towards = told.precision @ told.shares + told.even * inverse.sum(axis=1) + whole
        found = nnls(root, solve_triangular(root, towards, trans="T"))[0]
    except (LinAlgError, RuntimeError):
        return project_to_simplex(curve)
    return np.asarray(found / found.sum())


def _to(tree: Tree, last: int) -> Tree:
    """Return the tree down to a level, whose bins are known from all that is below them, too."""
    variance = tree.variances[-1]
    for level in range(len(tree.starts) - 2, last - 1, -1):
        below = variance * len(tree.starts[level + 1]) / len(tree.starts[level])
        variance = 1 / (1 / tree.variances[level] + 1 / below)
    starts = [np.searchsorted(tree.starts[last], one) for one in tree.starts[: last + 1]]
    return Tree(starts, [*tree.variances[:last], variance])
