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
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..mechanisms.decoded import Decoded
from .misses import Limits, Misses

EVERYONE = 1e15
"""Devices of which any that report are a small sample."""

Cumulants = tuple[Floats, Floats, Floats]
"""Variance, third and fourth cumulant of the estimates."""

Extremes = tuple[float | Floats, float | Floats]
"""The least and the most that an estimate can be, of all estimates or of each."""


class Sampling(ABC):
    """The sampling distribution of several estimates, each of a truth of its own."""

    estimates: Floats
    """What was estimated, without bias."""

    possible: Extremes = (-np.inf, np.inf)
    """The least and the most that a truth can be, beyond which no interval need reach."""

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
    def extremes(self) -> Extremes:
        """The least and the most that an estimate can be."""

    @property
    def step(self) -> Floats:
        """Distance between values that an estimate can take; zero where they are dense."""
        return np.zeros(len(self.estimates))

    @property
    def spread(self) -> Floats:
        """The variance between devices of what each estimate averages, where that is known."""
        return np.zeros(len(self.estimates))

    @cached_property
    def variance(self) -> Floats:
        """The variance of each estimate: what standard errors are the roots of."""
        return self.cumulants(self.likely)[0]

    def variance_after(self, change: Floats) -> Floats:
        """Return the variance of each estimate had its truth changed by so much, as far as known.

        Of a difference it is the later truth that changes: that of the first part.
        """
        return self.variance

    def at(self, estimates: Floats) -> Sampling:
        """Return the same with other estimates, if all scatter alike."""
        raise TypeError("these estimates do not scatter alike")

    @cached_property
    def known_limits(self) -> dict[Misses, Limits]:
        """The limits that were found already: see `score`."""
        return {}


@dataclass(frozen=True)
class Sample:
    """How many answered, and how many devices they stand for.

    Those who answered are drawn from them at random, so the difference between devices counts
    for the share that was not asked (the finite-population correction).  Where some were asked
    more often than others, it counts for more than if all were drawn afresh: as if `devices`
    were negative.
    """

    answers: int
    devices: float

    @property
    def asked(self) -> float:
        """The share of the devices that answered."""
        return self.answers / self.devices

    @property
    def correction(self) -> Correction:
        """What of it the cumulants of estimates depend on."""
        left = 1 - self.asked
        corrected = left * (self.devices / (self.devices - 1) if self.devices > 1 else 1.0)
        sampled = min(max(left, 0.0), 1.0)
        return Correction(float(self.answers), corrected, sampled)

    def cumulants(self, noise: Decoded, spread: Cumulants, shared: Floats) -> Cumulants:
        """Return the cumulants of a mean of the answers: see `Correction`."""
        return self.correction.cumulants(noise, spread, shared)


class Correction(NamedTuple):
    """How many answered, and the finite-population corrections, of each estimate or of all."""

    answers: float | Floats
    corrected: float | Floats
    """How much the difference between devices counts for the variance."""
    sampled: float | Floats
    """The share of the devices that was not asked, where it is a share."""

    def cumulants(self, noise: Decoded, spread: Cumulants, shared: Floats) -> Cumulants:
        """Return the cumulants of a mean of the answers.

        `noise` is that of one answer, averaged over the devices; `spread` the cumulants of what
        devices would say without noise, `shared` its covariance with the noise's variance.
        """
        n, corrected, sampled = self
        return (
            (noise.variance + corrected * spread[0]) / n,
            (noise.third + sampled * (3 * shared + (2 * sampled - 1) * spread[1])) / n**2,
            (noise.fourth + sampled * (1 - 6 * sampled * (1 - sampled)) * spread[2]) / n**3,
        )


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
    def extremes(self) -> Extremes:
        return -np.inf, np.inf


class SomeSampling(Sampling):
    """Some of the estimates of another one, by their places."""

    def __init__(self, whole: Sampling, places: Sequence[int]) -> None:
        self._whole, self._places = whole, np.asarray(places)
        self.estimates = whole.estimates[self._places]
        self.uniform = whole.uniform

    def cumulants(self, truth: Floats) -> Cumulants:
        if self.uniform:
            return self._whole.cumulants(truth)
        shape = (*truth.shape[:-1], len(self._whole.estimates))
        everywhere = np.array(np.broadcast_to(self._whole.estimates, shape))
        everywhere[..., self._places] = truth
        variance, third, fourth = self._whole.cumulants(everywhere)
        return variance[..., self._places], third[..., self._places], fourth[..., self._places]

    def at(self, estimates: Floats) -> Sampling:
        return self._whole.at(estimates)

    @property
    def likely(self) -> Floats:
        return np.asarray(self._whole.likely[self._places])

    @property
    def extremes(self) -> Extremes:
        return self._whole.extremes

    @property
    def step(self) -> Floats:
        return np.asarray(self._whole.step[self._places])
