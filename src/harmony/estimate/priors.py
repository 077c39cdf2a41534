"""Ways in which a distribution may be simple: covariances of how its density differs from even.

Each is that of a Gaussian process over equal bins, scaled to a mean variance of one.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

LENGTHS = (0.12, 0.25)
"""How far, as shares of the range, a smooth density is much the same."""

BLOCKS = (4, 8, 16)
"""Numbers of equal blocks within which a density may be even: then it jumps, but seldom."""

STRAIGHT = 100.0
"""How much more variance a slope may have than bends, of a density that is nearly straight."""

MOST_JUMPS = 6
"""Jumps of a density that is even otherwise, at most."""

FLATTEST = 0.1
"""The least bending that is expected anywhere, as a share of the most."""


def priors(bins: Floats) -> list[Floats]:
    """Return the covariances to choose from, roughly from the smoothest to the roughest.

    `bins` is the distribution as known so far.  One prior expects a density to bend where that
    one does: a peak is not worn down for the sake of what is flat elsewhere.

    >>> [round(float(np.trace(one)) / 64, 6) for one in priors(np.full(64, 1 / 64))]
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    size = len(bins)
    at = (np.arange(size) + 0.5) / size
    apart, first = np.abs(at - at[:, None]), np.minimum(at, at[:, None])
    slope = _scaled(np.outer(at - 0.5, at - 0.5))
    bent = first**2 * (3 * np.maximum(at, at[:, None]) - first) / 6
    blocks = [at * count // 1 for count in BLOCKS]
    found = [
        _scaled(bent) + STRAIGHT * slope,
        *(np.exp(-((apart / length) ** 2) / 2) for length in reversed(LENGTHS)),
        _scaled(_bent_as(bins)) + slope,
        first,
        *((one == one[:, None]).astype(np.float64) for one in blocks),
    ]
    return [_scaled(one) for one in found]


def jumps(whitened: Floats, shares: Floats) -> list[Floats]:
    """Return the covariances of densities with one jump, two and so on, where they fit best.

    `whitened` makes independent errors of one out of those of `shares`.  Each jump is put where
    it explains most of what those before it leave (orthogonal matching pursuit).

    >>> shares = np.r_[np.full(20, 3.0), np.full(44, 1.0)] / 104
    >>> one, *_ = jumps(1e4 * np.eye(64), shares)
    >>> int(np.abs(np.diff(one[0])).argmax()) + 1
    20
    """
    size = len(shares)
    places = np.arange(1, size)
    steps = (np.arange(size)[:, None] >= places) - (size - places) / size
    left, columns = whitened @ shares, whitened @ steps
    chosen: list[int] = []
    found = []
    for _ in range(MOST_JUMPS):
        lengths = np.maximum((columns**2).sum(axis=0), 1e-12)
        gains = (left @ columns) ** 2 / lengths
        gains[chosen] = -1.0
        chosen.append(int(gains.argmax()))
        way = columns[:, chosen[-1]] / np.sqrt(lengths[chosen[-1]])
        left, columns = left - way * (way @ left), columns - np.outer(way, way @ columns)
        found.append(_scaled(steps[:, chosen] @ steps[:, chosen].T))
    return found


def _bent_as(bins: Floats) -> Floats:
    """Return the covariance of what bends about as much as `bins` do, wherever they do."""
    size = len(bins)
    bends = np.diff(np.eye(size), 2, axis=0)
    usual = _spread_out(np.abs(bends @ _spread_out(bins, size // 28)), size // 15)
    usual = np.maximum(usual, FLATTEST * usual.max() + 1e-12)
    # The least of all curves with given bends, whatever their level and slope.
    curves = np.linalg.pinv(bends) * (usual / usual.mean())
    return np.asarray(curves @ curves.T)


def _spread_out(numbers: Floats, over: int) -> Floats:
    """Return averages over neighbours."""
    window = np.ones(2 * (over // 2) + 1)
    return np.convolve(numbers, window, "same") / np.convolve(np.ones_like(numbers), window, "same")


def _scaled(covariance: Floats) -> Floats:
    return np.asarray(covariance * (len(covariance) / np.trace(covariance)))
