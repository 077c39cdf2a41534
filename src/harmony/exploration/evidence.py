"""Evidence: what the tally of one step says about its places, and about a string over steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..arrays import Floats
from ..mechanisms.linear import Linear
from ..survey import Survey
from ..tally import Tally


class Evidence(NamedTuple):
    """An estimate of a share from one step.

    `information` is one over the variance that it has if nobody holds the string; `noise` is the
    variance of one answer of someone who does not, `own_noise` of someone who does; `skewness` is
    that of the estimate, as long as nobody does.
    """

    estimate: float
    devices: int
    information: float
    noise: float
    own_noise: float
    skewness: float

    @classmethod
    def expected(cls, linear: Linear, devices: int) -> Evidence:
        """Return what so many devices say of a place that nobody has, on average."""
        p, q = linear.p, linear.q
        noise, own = (one * (1 - one) / (p - q) ** 2 for one in (q, p))
        skewness = (1 - 2 * q) / math.sqrt(devices * q * (1 - q))
        return cls(0.0, devices, devices / noise, noise, own, skewness)

    def threshold(self, deviations: float) -> float:
        """Return the estimate that noise passes as seldom as so many standard deviations."""
        return corrected(deviations, self.skewness) / math.sqrt(self.information)


@dataclass(frozen=True)
class StepEvidence:
    """The evidence of a step about all its places."""

    estimates: Floats
    each: Evidence
    """What is the same for all places."""

    @classmethod
    def of(cls, survey: Survey, tally: Tally) -> StepEvidence:
        """Read a tally; places that few support have estimates below zero."""
        linear = survey.mechanisms[0][0]
        assert isinstance(linear, Linear)
        counts, n = linear.support_counts(tally.cells[0][0]), tally.reports
        estimates = (counts / n - linear.q) / (linear.p - linear.q)
        return cls(estimates, Evidence.expected(linear, n))

    @property
    def deviation(self) -> float:
        """The standard deviation of an estimate about a place that nobody has."""
        return 1 / math.sqrt(self.each.information)

    def at(self, place: int) -> Evidence:
        """Return the evidence about one place."""
        return self.each._replace(estimate=float(self.estimates[place]))

    def threshold(self, deviations: float) -> float:
        """Return the estimate that noise passes as seldom as so many standard deviations."""
        return self.each.threshold(deviations)


def corrected(deviations: float, skewness: float) -> float:
    """Return the quantile of a skewed distribution that a normal one has here (Cornish-Fisher)."""
    return deviations + skewness * (deviations**2 - 1) / 6


@dataclass(frozen=True)
class Pooled:
    """The evidence of several steps about one string, weighted by its information."""

    parts: tuple[Evidence, ...]

    @property
    def information(self) -> float:
        return math.fsum(one.information for one in self.parts)

    @property
    def estimate(self) -> float:
        return math.fsum(one.information * one.estimate for one in self.parts) / self.information

    @property
    def z(self) -> float:
        return self.estimate * math.sqrt(self.information)

    @property
    def skewness(self) -> float:
        """The skewness of the estimate, as long as nobody holds the string."""
        cubes = (one.information**1.5 * one.skewness for one in self.parts)
        return float(math.fsum(cubes) / self.information**1.5)

    def threshold(self, deviations: float) -> float:
        """Return the estimate that noise passes as seldom as so many standard deviations."""
        return corrected(deviations, self.skewness) / math.sqrt(self.information)

    def variance(self, share: float, devices: int) -> float:
        """Return the estimate's variance around the share of all `devices`, if that is `share`.

        Each step heard others, so what differs between devices counts as well, but for those
        that were asked with the weight that they have among all.
        """
        return _variance(self.parts, share, devices)

    def first_variance(self, share: float, devices: int) -> float:
        """Return the same for the estimate of the first step alone."""
        return _variance(self.parts[:1], share, devices)


def _variance(parts: Sequence[Evidence], share: float, devices: int) -> float:
    share = min(max(share, 0.0), 1.0)
    total = math.fsum(one.information for one in parts)
    noise = spread = 0.0
    for one in parts:
        weight = (one.information / total) ** 2 / one.devices
        noise += weight * (share * one.own_noise + (1 - share) * one.noise)
        spread += weight
    return noise + share * (1 - share) * max(0.0, spread - 1 / devices)
