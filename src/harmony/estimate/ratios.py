"""Ratios of estimates: shares within a group, means of a group, and how two of them differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats
from .intervals import single
from .misses import Limits
from .sampling import Cumulants, Extremes, Sampling

IMPOSSIBLE = 1e4
"""The squared distance, in standard errors, of a difference that the limits leave no room for."""

REACH, MOST_REACH = 4.0, 0.5
"""Standard errors, and share of the range, by which ratios may seem to lie beyond their limits."""

SCANS = (33, 17)
"""Candidates for what two ratios have in common: over all that is possible, then closer by."""


@dataclass(frozen=True, eq=False)
class Ratios:
    """Ratios `above` / `below`, which lie within `limits`.

    `covariances` has for each ratio those of its two parts, in a 2 x 2 matrix.

    >>> one = np.array([[[0.0004, 0.0], [0.0, 0.0004]]])
    >>> half = Ratios(np.array([0.2]), np.array([0.4]), one, (0.0, 1.0))
    >>> low, high = half.intervals(0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.395], [0.615])
    """

    above: Floats
    below: Floats
    covariances: Floats
    limits: tuple[float | Floats, float | Floats]

    @classmethod
    def of_sums(cls, sums: Floats, covariance: Floats, limits: tuple[float, float]) -> Ratios:
        """Return the ratios of the first half of these sums to the second half."""
        count = len(sums) // 2
        ends = np.arange(2 * count).reshape(2, count).T
        pairs = covariance[ends[:, :, None], ends[:, None, :]]
        return cls(sums[:count], sums[count:], pairs, limits)

    @classmethod
    def unknown(cls, count: int, limits: tuple[float, float]) -> Ratios:
        """Return ratios that nobody's answers tell of."""
        nothing = np.full(count, np.nan)
        return cls(nothing, nothing, np.full((count, 2, 2), np.nan), limits)

    @cached_property
    def estimates(self) -> Floats:
        """The ratios, within their limits; unknown where `below` is not even positive."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(self.below > 0, self.above / self.below, np.nan)
        return np.clip(found, *self.limits)

    def intervals(self, confidence: float) -> Limits:
        """Return (low, high) for each ratio.

        A ratio r is believed if above - r below is no further from zero than chance explains
        (Fieller 1954): that holds also for a group so small that its share may be zero, of which
        nothing can be said.
        """
        square = single(confidence) ** 2
        first = self.below**2 - square * self.covariances[:, 1, 1]
        middle = self.above * self.below - square * self.covariances[:, 0, 1]
        last = self.above**2 - square * self.covariances[:, 0, 0]
        least, most = self.limits
        nothing = np.where(np.isnan(first), np.nan, 0.0)
        low, high = least + nothing, most + nothing
        for place, (a, b, c) in enumerate(
            zip(first.tolist(), middle.tolist(), last.tolist(), strict=True)
        ):
            inside = b * b - a * c
            if a > 0 and inside >= 0:  # else the ratios that are believed have no end on some side
                root = math.sqrt(inside)
                low[place] = min(max((b - root) / a, least), most)
                high[place] = min(max((b + root) / a, least), most)
        return low, high

    def rows(self, confidence: float) -> list[tuple[float, float, float]]:
        """Return (ratio, low, high) of each."""
        columns = (self.estimates, *self.intervals(confidence))
        return list(zip(*(one.tolist() for one in columns), strict=True))

    def some(self, places: Sequence[int]) -> Ratios:
        """Return some of them, by their places."""
        here = np.asarray(places)
        return Ratios(self.above[here], self.below[here], self.covariances[here], self.limits)

    def beyond_limits(self) -> Ratios:
        """Return the same with limits as far out as errors may take a ratio at its limit."""
        least, most = self.limits
        furthest = MOST_REACH * (np.asarray(most) - least)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.sqrt(self.variance(self.estimates)) / self.below
        known = (self.below > 0) & (REACH * errors < furthest)
        reach = np.where(known, REACH * errors, furthest)
        return Ratios(self.above, self.below, self.covariances, (least - reach, most + reach))

    def variance(self, ratio: Floats) -> Floats:
        """Return the variance of above - r below, if r is `ratio`."""
        own, both, other = (self.covariances[:, row, col] for row, col in ((0, 0), (0, 1), (1, 1)))
        return np.asarray(own - 2 * ratio * both + ratio**2 * other)

    def distance(self, ratio: Floats) -> Floats:
        """Return how far what was seen is from `ratio`, in squared standard errors."""
        off = self.above - ratio * self.below
        return np.asarray(off**2 / np.maximum(self.variance(ratio), 1e-300))


class RatioDifferences(Sampling):
    """The differences of independent ratios, after minus before.

    What was seen is as far from a difference d as from the closest pair of ratios that differ by
    d, beyond the closest pair of all (a likelihood ratio).  The variance at d is the one that
    makes an estimate as surprising as that.  So the difference of a group too small to tell has
    all that is possible within its interval, as its mean has.  Ratios may lie a little beyond
    their limits: cut off there, errors of ratios at a limit would seem smaller than they are.
    """

    def __init__(self, before: Ratios, after: Ratios) -> None:
        (least, most), (later_least, later_most) = before.limits, after.limits
        self.possible = later_least - most, later_most - least
        self._before, self._after = before.beyond_limits(), after.beyond_limits()
        self.ends = self._before.estimates, self._after.estimates
        self.estimates = self.ends[1] - self.ends[0]
        self._nearest = self._before.distance(self.ends[0]) + self._after.distance(self.ends[1])

    def cumulants(self, truth: Floats) -> Cumulants:
        away = (self.estimates - truth) ** 2
        beyond = np.maximum(self._distance(truth) - self._nearest, 1e-12)
        # Close to the estimate both are zero but for rounding.
        close = away <= 1e-12 * self._least
        variance = np.where(close, self._least, away / beyond)
        return variance, np.zeros_like(variance), np.zeros_like(variance)

    @cached_property
    def _least(self) -> Floats:
        """The variance by linear approximation; of a group too small to tell, all its range."""
        total = np.zeros(len(self.estimates))
        for one in (self._before, self._after):
            scale = np.maximum(one.below, 1e-150) ** 2
            total += np.maximum(one.variance(one.estimates), 1e-300) / scale
        lowest, highest = self.extremes
        return np.minimum(total, (highest - lowest) ** 2)

    def _distance(self, difference: Floats) -> Floats:
        (least, most), (later_least, later_most) = self._before.limits, self._after.limits
        lowest = np.maximum(least, later_least - difference)
        highest = np.minimum(most, later_most - difference)
        room = highest >= lowest
        start = np.clip(self.ends[0], lowest, np.maximum(lowest, highest))
        end = np.clip(self.ends[1] - difference, lowest, np.maximum(lowest, highest))
        for count in SCANS:
            share = np.linspace(0.0, 1.0, count).reshape(-1, *[1] * difference.ndim)
            ratios = start + share * (end - start)
            found = self._before.distance(ratios) + self._after.distance(ratios + difference)
            best, step = found.argmin(axis=0)[None], (end - start) / (count - 1)
            middle = np.take_along_axis(ratios, best, axis=0)[0]
            start, end = (
                np.clip(one, np.minimum(ratios[0], ratios[-1]), np.maximum(ratios[0], ratios[-1]))
                for one in (middle - step, middle + step)
            )
        return np.where(room, found.min(axis=0), IMPOSSIBLE)

    @property
    def likely(self) -> Floats:
        return self.estimates

    @property
    def extremes(self) -> Extremes:
        (least, most), (later_least, later_most) = self._before.limits, self._after.limits
        return later_least - most, later_most - least
