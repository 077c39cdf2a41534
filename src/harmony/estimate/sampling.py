"""How estimates scatter around the truth, as a function of what the truth is.

Everything that an interval needs is here: the estimates, and their variance, third and fourth
cumulant *if the truth were* so and so.  At large epsilon that is decisive: whether an estimate of
zero may stem from a truth of 1% depends on the noise at 1%, not on the noise at zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Counts, Floats
from ..mechanisms.decoded import Decoded

Cumulants = tuple[Floats, Floats, Floats]
"""Variance, third and fourth cumulant of the estimates."""

PSEUDO_ANSWERS = 1.5
"""Answers of either kind that standard errors add to those of a rare value.

Errors over their standard errors then vary by one, within 3%, from five answers on.
"""


class Sampling(ABC):
    """The sampling distribution of several estimates, each of a truth of its own."""

    estimates: Floats
    """What was estimated, without bias."""

    uniform = False
    """Whether all estimates scatter alike: equal ones then have equal intervals."""

    @abstractmethod
    def cumulants(self, truth: Floats) -> Cumulants:
        """Return the cumulants of each estimate if its truth were `truth`."""

    @property
    @abstractmethod
    def likely(self) -> Floats:
        """Truths at which to state standard errors: the estimates, away from the edges."""

    @property
    @abstractmethod
    def extremes(self) -> tuple[float, float]:
        """The least and the most that an estimate can be."""

    @property
    def step(self) -> Floats:
        """Distance between values that an estimate can take; zero where they are dense."""
        return np.zeros(len(self.estimates))

    @cached_property
    def variance(self) -> Floats:
        """The variance of each estimate: what standard errors are the roots of."""
        return self.cumulants(self.likely)[0]


@dataclass(frozen=True)
class Sample:
    """How many answered, and how many devices they stand for.

    Those who answered are drawn from them at random, so the difference between devices counts
    for the share that was not asked (the finite-population correction).
    """

    answers: int
    devices: float

    @property
    def asked(self) -> float:
        """The share of the devices that answered."""
        return self.answers / self.devices

    def cumulants(self, noise: Decoded, spread: Cumulants, shared: Floats) -> Cumulants:
        """Return the cumulants of a mean of the answers.

        `noise` is that of one answer, averaged over the devices; `spread` the cumulants of what
        devices would say without noise, `shared` its covariance with the noise's variance.
        """
        left = 1 - self.asked
        sampled = min(max(left, 0.0), 1.0)
        corrected = left * self.devices / max(self.devices - 1, 1.0)
        n = self.answers
        return (
            (noise.variance + corrected * spread[0]) / n,
            (noise.third + sampled * (3 * shared + (2 * sampled - 1) * spread[1])) / n**2,
            (noise.fourth + sampled * (1 - 6 * sampled * (1 - sampled)) * spread[2]) / n**3,
        )


class ShareSampling(Sampling):
    """The shares of devices that have each of several values, from counts of support.

    A device either has a value or not, so its share is all that the noise depends on.
    """

    uniform = True

    def __init__(self, supports: Counts, p: float, q: float, sample: Sample) -> None:
        self.estimates = (supports / sample.answers - q) / (p - q)
        self._kinds = Decoded.of_support([q, p], p, q)
        self._sample = sample
        self._unit = 1 / (sample.answers * (p - q))
        self._extremes = (-q / (p - q), (1 - q) / (p - q))

    def cumulants(self, truth: Floats) -> Cumulants:
        share = np.clip(truth, 0.0, 1.0)
        kinds = self._kinds

        def average(of: Floats) -> Floats:
            return np.asarray(of[0] + share * (of[1] - of[0]))

        noise = Decoded(share, average(kinds.variance), average(kinds.third), average(kinds.fourth))
        spread = share * (1 - share)
        return self._sample.cumulants(
            noise,
            (spread, spread * (1 - 2 * share), spread * (1 - 6 * spread)),
            spread * (kinds.variance[1] - kinds.variance[0]),
        )

    @property
    def likely(self) -> Floats:
        """The estimates with up to one and a half successes and failures more.

        They keep the sampling error of a rare value away from zero.  Where everyone was asked
        there is none, and nothing is added.
        """
        more = PSEUDO_ANSWERS * min(max(1 - self._sample.asked, 0.0), 1.0)
        n = self._sample.answers
        return np.clip((self.estimates * n + more) / (n + 2 * more), 0.0, 1.0)

    @property
    def extremes(self) -> tuple[float, float]:
        return self._extremes

    @property
    def step(self) -> Floats:
        return np.full(len(self.estimates), self._unit)


class MeanSampling(Sampling):
    """The mean of a number in [-1, 1], from answers whose noise hardly depends on the number.

    `noise` holds the grid's cumulants by grid point.  Rounding to the grid adds to them, by an
    amount that no report tells: the most that it can add is taken.  The spread of the numbers is
    what was observed beyond the noise.
    """

    def __init__(
        self, estimate: float, noise: Decoded, variance: float, spread: float, sample: Sample
    ) -> None:
        self.estimates = np.array([estimate])
        self._noise, self._variance, self._spread = noise, variance, spread
        self._sample = sample
        self._cell = float(noise.mean[1] - noise.mean[0])

    def cumulants(self, truth: Floats) -> Cumulants:
        mean = np.clip(truth, -1.0, 1.0)
        points = self._noise.mean
        # A mean at the edge leaves no choice where the devices are, further inside ever more.
        to_edge = 1 - np.abs(mean)
        at_mean = np.interp(mean, points, self._noise.variance)
        variance = at_mean + np.minimum(to_edge / self._cell, 1.0) * (self._variance - at_mean)
        inside = np.minimum(to_edge, self._cell / 2)
        noise = Decoded(
            mean,
            variance + min(self._sample.asked, 1.0) * inside * (self._cell - inside),
            np.interp(mean, points, self._noise.third),
            np.interp(mean, points, self._noise.fourth),
        )
        spread = np.minimum(self._spread, 1 - mean**2)
        none = np.zeros_like(mean)
        return self._sample.cumulants(noise, (spread, none, none), none)

    @property
    def likely(self) -> Floats:
        return np.clip(self.estimates, -1.0, 1.0)

    @property
    def extremes(self) -> tuple[float, float]:
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
    def extremes(self) -> tuple[float, float]:
        return -np.inf, np.inf


class SumSampling(Sampling):
    """A weighted sum of independent estimates: tiers, strata, or one round minus another.

    If the truth of the sum is another one than estimated, each part's truth moves in proportion
    to what it adds to the variance: the likeliest way.  With `alike` all parts have the same truth
    instead, as the tiers of one population.
    """

    def __init__(
        self, parts: Sequence[Sampling], weights: Sequence[float], *, alike: bool = False
    ) -> None:
        self.parts, self.weights = tuple(parts), tuple(weights)
        self._alike = alike
        self.estimates = self._sum([part.estimates for part in self.parts])
        self._moves = [
            weight * part.variance for part, weight in zip(self.parts, self.weights, strict=True)
        ]

    def _sum(self, numbers: Sequence[Floats], power: int = 1) -> Floats:
        total = np.zeros_like(numbers[0])
        for weight, one in zip(self.weights, numbers, strict=True):
            total = total + weight**power * one
        return total

    def cumulants(self, truth: Floats) -> Cumulants:
        scale = self._sum(self._moves)
        away = (truth - self.estimates) / np.where(scale > 0, scale, 1.0)
        found = [
            part.cumulants(truth if self._alike else part.estimates + away * move)
            for part, move in zip(self.parts, self._moves, strict=True)
        ]
        variance, third, fourth = (
            self._sum([one[order] for one in found], order + 2) for order in range(3)
        )
        return variance, third, fourth

    @cached_property
    def likely(self) -> Floats:
        return self._sum([part.likely for part in self.parts])

    @cached_property
    def variance(self) -> Floats:
        if self._alike:
            return self.cumulants(self.likely)[0]
        return self._sum([part.variance for part in self.parts], 2)

    @property
    def extremes(self) -> tuple[float, float]:
        pairs = [
            sorted(weight * end for end in part.extremes)
            for part, weight in zip(self.parts, self.weights, strict=True)
        ]
        return sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)

    @cached_property
    def step(self) -> Floats:
        """The widest step, as far as the other parts leave anything of it to be seen.

        Noise of standard error s blurs steps of length h by the factor exp(-2 (pi s / h)^2).
        """
        total, widest = self.variance, np.zeros(len(self.estimates))
        for part, weight in zip(self.parts, self.weights, strict=True):
            own = abs(weight) * part.step
            rest = np.maximum(total - weight**2 * part.variance, 0.0)
            blur = np.exp(-2 * np.pi**2 * rest / np.where(own > 0, own, 1.0) ** 2)
            widest = np.maximum(widest, own * blur)
        return widest


class KnownSampling(Sampling):
    """Estimates with normal errors whose variance is known, whatever the truth is."""

    def __init__(self, estimates: Floats, variance: Floats) -> None:
        self.estimates = np.asarray(estimates, np.float64)
        self._variance = np.asarray(variance, np.float64)

    def cumulants(self, truth: Floats) -> Cumulants:
        variance = self._variance + np.zeros_like(truth)
        return variance, np.zeros_like(variance), np.zeros_like(variance)

    @property
    def likely(self) -> Floats:
        return self.estimates

    @property
    def extremes(self) -> tuple[float, float]:
        return -np.inf, np.inf
