"""Estimates from several attributes at once: sums of their frequencies, and how those scatter.

Levels of a distribution, and crosstabs with the attributes that they are made of, ask the same
devices about the same thing.  What is made of them is linear: each target is a weighted sum of the
frequencies of several sources.  Noise adds up over sources.  So does the sampling error, less what
is known because those who answered one source are not those who answered another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats
from ..mechanisms import Linear, Mechanism
from .combine import COVARIANCE_VALUES, Part
from .window import wider_noise, widest

NO_ANSWERS = 1e12
"""The variance of a source that nobody answered: it counts for nothing."""


@dataclass(frozen=True, eq=False)
class Source:
    """The frequencies that one attribute's answers tell of, over the tiers that answered."""

    size: int
    parts: Sequence[Part]
    times: float = 1.0
    """How often what devices keep counts in the rounds of a window: see `window.repetition`."""
    redrawn: float = 0.0
    """Over how many devices, in parts of one, the error of sampling them does not cancel."""

    @cached_property
    def answers(self) -> int:
        """How many devices answered."""
        return sum(part.sample.answers for part in self.parts)

    @cached_property
    def frequencies(self) -> Floats:
        """The unbiased frequencies; zeros where nobody answered."""
        total = np.zeros(self.size)
        for part in self.parts:
            total += part.weight * part.sampling.estimates
        return total

    @cached_property
    def wider(self) -> float:
        """How much larger variances are, at most, than if errors of rounds were independent."""
        return max((widest(part.mechanism, self.times) for part in self.parts), default=1.0)

    @cached_property
    def variance(self) -> float:
        """The variance of a frequency, before any data is seen."""
        if not self.parts:
            return NO_ANSWERS
        return self.wider * sum(
            part.weight**2 * part.mechanism.expected_variance() / part.sample.answers
            for part in self.parts
        )

    def variances(self, shares: Floats) -> Floats:
        """Return the variance of each frequency, roughly, but for what they have in common.

        `shares` are the frequencies.  That they add up to one is not counted: who holds them to
        it needs the errors that they would have without.
        """
        total = np.zeros_like(shares)
        for part in self.parts:
            one = part.mechanism.reference_noise + (1 - part.sample.asked) * shares
            total += part.weight**2 / part.sample.answers * one
        return self.wider * total

    @property
    def contrast(self) -> float:
        """How much likelier a report supports a device's own value than another, at least."""
        mechanisms = [part.mechanism for part in self.parts]
        return min(one.p - one.q for one in mechanisms if isinstance(one, Linear))

    def scatter(self, weights: Floats, shares: Floats, overlap: float) -> Floats:
        """Return the covariance of weighted sums of the frequencies, a row of weights each.

        `shares` are the frequencies, roughly.  `overlap` is how far those who answered this
        source answer any other too: see `covariance`.
        """
        spread = _quadratic(weights, shares)
        total = np.zeros_like(spread)
        for part in self.parts:
            left = self.times * (1 - overlap * part.sample.asked)
            wider = wider_noise(part.mechanism, shares, self.times)
            one = wider * _noise(part.mechanism, weights, shares) + left * spread
            total += part.weight**2 / part.sample.answers * one
        return total

    def skewness(self, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
        """Return the third and fourth cumulants of weighted sums, roughly, a row of weights each.

        Errors of values are taken as independent.
        """
        third, fourth = np.zeros(len(weights)), np.zeros(len(weights))
        for part in self.parts:
            _, each_third, each_fourth = part.sampling.cumulants(shares)
            third += part.weight**3 * (weights**3 @ each_third)
            fourth += part.weight**4 * (weights**4 @ each_fourth)
        return third, fourth


def covariance(
    sources: Sequence[Source],
    weights: Sequence[Floats],
    shares: Sequence[Floats],
    targets: Floats,
    devices: float,
    overlap: float,
) -> Floats:
    """Return the covariance of sums over several sources.

    `targets` is that of what the sums estimate among the devices.  Those are finitely many, and
    each answers few sources.  Asked for one only (`overlap` 0), the error of sampling would be
    gone if all sources together asked everyone for everything; what is known of it is taken off
    once.  If every device answered all sources (`overlap` 1) each source knows it by itself.
    Devices that are only a sample (`redrawn`) have that error still, in all sources the same.
    Those that are heard several times are so many fewer.
    """
    total = sum(
        (
            one.scatter(rows, spread, overlap)
            for one, rows, spread in zip(sources, weights, shares, strict=True)
        ),
        start=np.zeros_like(targets),
    )
    again = overlap * max(one.redrawn for one in sources)
    times = min(one.times for one in sources)
    return np.asarray(total + (again - (1 - overlap) * times / devices) * targets)


def skewness(
    sources: Sequence[Source], weights: Sequence[Floats], shares: Sequence[Floats]
) -> tuple[Floats, Floats]:
    """Return the third and fourth cumulants of sums over several sources: see `Source`."""
    found = [
        one.skewness(rows, spread)
        for one, rows, spread in zip(sources, weights, shares, strict=True)
    ]
    third, fourth = (np.sum(column, axis=0) for column in zip(*found, strict=True))
    return np.asarray(third), np.asarray(fourth)


def overlap_of(answers: int, attributes: int) -> float:
    """Return how often a device that answers one attribute answers another, against chance.

    >>> overlap_of(1, 10), round(overlap_of(2, 10), 2), overlap_of(10, 10)
    (0.0, 0.56, 1.0)
    """
    return (answers - 1) * attributes / (answers * (attributes - 1)) if attributes > 1 else 0.0


def spread_of(rows: Floats, shares: Floats) -> Floats:
    """Return the covariance between devices of sums of indicators, a row of weights each."""
    return _quadratic(rows, shares)


def smoothed(shares: Floats, answers: int) -> Floats:
    """Return shares away from zero by half an answer each, as standard errors need them."""
    return np.asarray((shares * answers + 0.5) / (answers + 0.5 * len(shares)))


def _quadratic(rows: Floats, weights: Floats) -> Floats:
    """Return rows C rows' for C = diag(w) - w w' / sum(w)."""
    first = rows @ weights
    return np.asarray((rows * weights) @ rows.T - np.outer(first, first) / weights.sum())


def _noise(mechanism: Mechanism, rows: Floats, shares: Floats) -> Floats:
    """Return the covariance that privacy noise gives sums of the frequencies, a row each.

    Of many values it is taken to be that of independent errors, less what they have in common
    because frequencies add up to one: within a few percent, and far quicker to find.
    """
    assert isinstance(mechanism, Linear)
    size = len(shares)
    if size <= COVARIANCE_VALUES:
        return np.asarray(rows @ mechanism.noise_covariance(shares) @ rows.T)
    return _quadratic(rows, mechanism.noise_at(shares) * size / (size - 1))
