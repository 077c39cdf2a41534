"""How what is read off one attribute's answers scatters: shares, means, sums of frequencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Counts, Floats
from ..mechanisms.decoded import Decoded
from .rounding import most_rounding
from .sampling import Correction, Cumulants, Extremes, Sample, Sampling

PSEUDO_ANSWERS = 1.5
"""Answers of either kind that standard errors add to those of a rare value.

Errors over their standard errors then vary by one, within 3%, from five answers on.
"""


class ShareSampling(Sampling):
    """The shares of devices that have each of several values, from counts of support.

    A device either has a value or not, so its share is all that the noise depends on.
    """

    uniform = True

    def __init__(self, supports: Counts, p: float, q: float, sample: Sample) -> None:
        self.estimates = (supports / sample.answers - q) / (p - q)
        kinds = Decoded.of_support([q, p], p, q)
        # Columns: one for all estimates, or after `stacked` one for each.
        self._kinds = np.stack([kinds.variance, kinds.third, kinds.fourth])[..., None]
        self._correction = np.array(sample.correction)[:, None]
        self._unit = np.array([1 / (sample.answers * (p - q))])
        self._extremes: Extremes = -q / (p - q), (1 - q) / (p - q)

    @classmethod
    def stacked(cls, parts: Sequence[ShareSampling]) -> ShareSampling:
        """Return the shares of several behind one another, each with its own noise."""
        sizes = [len(part.estimates) for part in parts]

        def of_each(columns: Iterable[ArrayLike]) -> Floats:
            arrays = [np.atleast_1d(one) for one in columns]
            widened = zip(arrays, sizes, strict=True)
            return np.concatenate([np.broadcast_to(a, (*a.shape[:-1], k)) for a, k in widened], -1)

        whole = parts[0].at(np.concatenate([part.estimates for part in parts]))
        whole.uniform = False
        whole._kinds = of_each(part._kinds for part in parts)
        whole._correction = of_each(part._correction for part in parts)
        whole._unit = of_each(part._unit for part in parts)
        lowest, highest = (of_each(part.extremes[end] for part in parts) for end in (0, 1))
        whole._extremes = lowest, highest
        return whole

    def at(self, estimates: Floats) -> ShareSampling:
        other = type(self).__new__(type(self))
        other.estimates, other.uniform = estimates, self.uniform
        other._kinds, other._correction = self._kinds, self._correction
        other._unit, other._extremes = self._unit, self._extremes
        return other

    def cumulants(self, truth: Floats) -> Cumulants:
        share = np.clip(truth, 0.0, 1.0)
        lacking, having = self._kinds[:, 0], self._kinds[:, 1]
        noise = [few + share * (many - few) for few, many in zip(lacking, having, strict=True)]
        spread = share * (1 - share)
        return Correction(*self._correction).cumulants(
            Decoded(share, *noise),
            (spread, spread * (1 - 2 * share), spread * (1 - 6 * spread)),
            spread * (having[0] - lacking[0]),
        )

    @property
    def spread(self) -> Floats:
        return np.asarray(self.likely * (1 - self.likely))

    @property
    def likely(self) -> Floats:
        """The estimates with up to one and a half successes and failures more.

        They keep the sampling error of a rare value away from zero.  Where everyone was asked
        there is none, and nothing is added.
        """
        n, _, sampled = self._correction
        more = PSEUDO_ANSWERS * sampled
        return np.asarray(np.clip((self.estimates * n + more) / (n + 2 * more), 0.0, 1.0))

    @property
    def extremes(self) -> Extremes:
        return self._extremes

    @property
    def step(self) -> Floats:
        return np.broadcast_to(self._unit, self.estimates.shape)


class MeanSampling(Sampling):
    """The mean of a number in [-1, 1], from answers whose noise hardly depends on the number.

    `noise` holds the grid's cumulants by grid point, `points` the shares of these, roughly.
    Rounding to the grid adds to the noise, at most as much as such shares allow.  The spread of
    the numbers is what was observed beyond the noise.
    """

    def __init__(
        self,
        estimate: float,
        noise: Decoded,
        points: Floats,
        variance: float,
        spread: float,
        sample: Sample,
    ) -> None:
        self.estimates = np.array([estimate])
        self._noise, self._spread, self._sample = noise, spread, sample
        self._cell = float(noise.mean[1] - noise.mean[0])
        self._average = variance, float(points @ noise.third), float(points @ noise.fourth)
        self._rounding = self._cell**2 * float(most_rounding(points[None, :])[0])

    def cumulants(self, truth: Floats) -> Cumulants:
        mean = np.clip(truth, -1.0, 1.0)
        # A mean at the edge leaves no choice where the devices are, further inside ever more.
        to_edge = 1 - np.abs(mean)
        choice = np.minimum(to_edge / self._cell, 1.0)
        by_point = self._noise.variance, self._noise.third, self._noise.fourth
        at_mean = [np.interp(mean, self._noise.mean, one) for one in by_point]
        variance, third, fourth = (
            one + choice * (average - one)
            for one, average in zip(at_mean, self._average, strict=True)
        )
        inside = np.minimum(to_edge, self._cell / 2)
        rounding = np.minimum(inside * (self._cell - inside), self._rounding)
        variance = variance + min(self._sample.asked, 1.0) * rounding
        noise = Decoded(mean, variance, third, fourth)
        spread = np.minimum(self._spread, 1 - mean**2)
        none = np.zeros_like(mean)
        return self._sample.cumulants(noise, (spread, none, none), none)

    @property
    def spread(self) -> Floats:
        return np.minimum(self._spread, 1 - self.likely**2)

    @property
    def likely(self) -> Floats:
        return np.clip(self.estimates, -1.0, 1.0)

    @property
    def extremes(self) -> Extremes:
        return -np.inf, np.inf


class FunctionalSampling(Sampling):
    """A weighted sum of frequencies, such as the share of several bins or a mean over bins.

    `kinds` says what a report decodes to for a device with each value, `shares` how frequent the
    values are, roughly.  If the truth is another one, the shares are moved towards it in the
    direction in which they most easily differ.
    """

    def __init__(self, estimate: float, kinds: Decoded, shares: Floats, sample: Sample) -> None:
        self.estimates = np.array([estimate])
        self._sample, self._kinds = sample, kinds
        self._range = float(kinds.mean.min()), float(kinds.mean.max())
        n, k = sample.answers, len(shares)
        smooth = (shares * n + 1 / k) / (n + 1)
        about = kinds.mean - smooth @ kinds.mean
        scatter = float(smooth @ about**2)
        self._shares = shares
        self._towards = smooth * about / scatter if scatter > 0 else np.zeros(k)
        self._origin = float(shares @ kinds.mean)

    def cumulants(self, truth: Floats) -> Cumulants:
        low, high = self._range
        mean = np.clip(truth, low, high)
        away = mean - self._origin
        kinds, values = self._kinds, self._kinds.mean

        def average(of: Floats, least: float = -np.inf) -> Floats:
            line = self._shares @ of + away * (self._towards @ of)
            return np.maximum(line, least)

        noise = Decoded(
            mean,
            average(kinds.variance, float(kinds.variance.min())),
            average(kinds.third),
            average(kinds.fourth),
        )
        second = np.clip(average(values**2) - mean**2, 0.0, (high - mean) * (mean - low))
        third = average(values**3) - 3 * mean * (second + mean**2) + 2 * mean**3
        none = np.zeros_like(mean)
        shared = average(values * kinds.variance) - mean * noise.variance
        return self._sample.cumulants(noise, (second, third, none), shared)

    @property
    def likely(self) -> Floats:
        return np.clip(self.estimates, *self._range)

    @property
    def extremes(self) -> Extremes:
        return -np.inf, np.inf
