"""How likely an estimate lies as far from the truth as it does: tails from four cumulants.

Two regimes.  Where many reports add up, a gamma distribution carries the skewness and Student's t
the kurtosis beyond the gamma's.  Where hardly any report is randomised (kurtosis above one) the
error is a few lumps up or down, and is taken as the difference of two Poisson counts with the
same cumulants.  Both are exact for counts where it matters: `tests/estimate/test_tails.py`
holds them to the binomial sums that they stand for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import (
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
    ndtr,
    ndtri,
    stdtr,
    stdtrit,
)

from ..arrays import Floats

Flags = NDArray[np.bool_]

LUMPY = 1.0
"""The kurtosis above which errors are taken as lumps."""

NO_SKEWNESS = 1e-3
NO_KURTOSIS = 1e-4
"""Skewness and kurtosis that move no tail worth speaking of."""

LUMPS = 14
"""Lumps in one direction that are looked at: with fewer than one expected, more never come."""

OFF = 0.03
"""Share of a lump by which its place may be off."""

TIE = 1.1
"""Chances that differ by less than this factor are taken as equal: approximations may."""

DENSE = 1e-9
"""Share of a standard error below which the values that an estimate can take are dense."""

_LEAST, _MOST = 1e-300, 1 - 1e-16


def upper_tail(excess: Floats, cumulants: tuple[Floats, Floats, Floats], step: Floats) -> Floats:
    """Return the chance that an estimate is at least `excess` above the truth.

    `step` is the distance of the values that the estimate can take, zero if they are dense.

    >>> one, none = np.ones(1), np.zeros(1)
    >>> upper_tail(1.96 * one, (one, none, none), none).round(3).tolist()
    [0.025]
    """
    variance, third, fourth = cumulants
    error = np.sqrt(variance)
    skewness, kurtosis = third / error**3, fourth / variance**2
    smooth = _smooth_below((step / 2 - excess) / error, -skewness, kurtosis)
    lumpy = kurtosis > LUMPY
    if not lumpy.any():
        return smooth
    return np.where(lumpy, _lumps_above(excess, variance, third, fourth), smooth)


def opposite_tail(
    tail: Floats,
    excess: Floats,
    cumulants: tuple[Floats, Floats, Floats],
    step: Floats,
    least: Floats,
) -> Floats:
    """Return the most that the other side adds to `tail`: what is no likelier, value by value.

    An estimate cannot lie further below the truth than `least`, which is negative.
    """
    variance, third, fourth = cumulants
    error = np.sqrt(variance)
    skewness, kurtosis = third / error**3, fourth / variance**2
    cut = _smooth_quantile(np.clip(TIE * tail, _LEAST, _MOST), skewness, kurtosis) * error
    stepped = step > DENSE * error
    steps = np.ceil((excess - cut) / np.where(stepped, step, 1.0) + 0.5 - 1e-9)
    place = np.where(stepped, excess - steps * step, cut)
    below = _smooth_below((place + step / 2) / error, skewness, kurtosis)
    lumpy = kurtosis > LUMPY
    if lumpy.any():
        found, places = _lumps_below(tail, excess, variance, third, fourth)
        below, place = np.where(lumpy, found, below), np.where(lumpy, places, place)
    impossible = place < least - 1e-6 * np.where(stepped, step, error)
    return np.where(impossible, 0.0, below)


def _smooth_below(z: Floats, skewness: Floats, kurtosis: Floats) -> Floats:
    """Return the chance of at most z standard errors, for a sum of many."""
    freedom, scale, heavy = _student(skewness, kurtosis)
    if heavy.any():
        z = np.where(heavy, ndtri(np.clip(stdtr(freedom, z * scale), _LEAST, _MOST)), z)
    shape, root, skewed, positive = _gamma(skewness)
    if not skewed.any():
        return np.asarray(ndtr(z))
    gamma = np.where(
        positive,
        gammainc(shape, np.maximum(shape + z * root, 0.0)),
        gammaincc(shape, np.maximum(shape - z * root, 0.0)),
    )
    return np.asarray(np.where(skewed, gamma, ndtr(z)))


def _smooth_quantile(chance: Floats, skewness: Floats, kurtosis: Floats) -> Floats:
    """Return the inverse of `_smooth_below`."""
    shape, root, skewed, positive = _gamma(skewness)
    z = np.asarray(ndtri(chance))
    if skewed.any():
        gamma = np.where(
            positive,
            (gammaincinv(shape, chance) - shape) / root,
            (shape - gammainccinv(shape, chance)) / root,
        )
        z = np.where(skewed, gamma, z)
    freedom, scale, heavy = _student(skewness, kurtosis)
    if heavy.any():
        z = np.where(heavy, stdtrit(freedom, np.clip(ndtr(z), _LEAST, _MOST)) / scale, z)
    return z


def _gamma(skewness: Floats) -> tuple[Floats, Floats, Flags, Flags]:
    """Return shape, its root, and where there is skewness, and where it is to the right."""
    skewed = np.abs(skewness) > NO_SKEWNESS
    shape = 4 / np.where(skewed, skewness, 1.0) ** 2
    return shape, np.sqrt(shape), skewed, skewness > 0


def _student(skewness: Floats, kurtosis: Floats) -> tuple[Floats, Floats, Flags]:
    """Return the degrees of freedom that give the kurtosis which a gamma lacks."""
    beyond = kurtosis - 1.5 * skewness**2
    heavy = beyond > NO_KURTOSIS
    freedom = 4 + 6 / np.where(heavy, beyond, 1.0)
    return freedom, np.sqrt(freedom / (freedom - 2)), heavy


def _lumps(variance: Floats, third: Floats, fourth: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the size of a lump, and how many to expect upwards and downwards."""
    size = np.sqrt(np.maximum(fourth, 1e-30 * variance**2) / variance)
    both, surplus = variance / size**2, third / size**3
    return size, np.maximum(both + surplus, 0.0) / 2, np.maximum(both - surplus, 0.0) / 2


def _lumps_above(excess: Floats, variance: Floats, third: Floats, fourth: Floats) -> Floats:
    size, up, down = _lumps(variance, third, fourth)
    return _poisson_difference(excess / size + up - down, up, down)


def _lumps_below(
    tail: Floats, excess: Floats, variance: Floats, third: Floats, fourth: Floats
) -> tuple[Floats, Floats]:
    """Return the largest chance below, lump by lump, that is at most `tail`, and its place."""
    size, up, down = _lumps(variance, third, fourth)
    from_origin = excess / size + up - down
    chance, place = np.zeros_like(tail), np.full_like(tail, -np.inf)
    for lump in range(1, LUMPS):
        below = _poisson_difference(lump - from_origin, down, up)
        better = (below <= TIE * tail) & (below > chance)
        chance = np.where(better, below, chance)
        place = np.where(better, excess - lump * size, place)
    return chance, place


def _poisson_difference(least: Floats, up: Floats, down: Floats) -> Floats:
    """Return the chance that Poisson `up` minus Poisson `down` is at least `least`.

    A `least` between two integers blends them smoothly, as the gamma distribution does; one
    that is off by what cumulants miss stands for the integer.
    """
    nearest = np.rint(least)
    least = np.where(np.abs(least - nearest) < OFF, nearest, least)
    total = np.zeros(np.broadcast_shapes(least.shape, up.shape))
    for count in range(LUMPS):
        chance = np.exp(count * np.log(np.maximum(down, _LEAST)) - down - gammaln(count + 1))
        needed = least + count
        above = gammainc(np.maximum(needed, 1e-12), np.maximum(up, _LEAST))
        total += chance * np.where(needed <= 1e-9, 1.0, above)
    return total
