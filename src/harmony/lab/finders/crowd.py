"""Crowds: devices by the string that they have, and what a group of them says about places.

Every finder works on the same bits of the same strings and asks through the same code and table,
the best that Harmony has for so many places.  How many reports support a place is drawn as it is
distributed, two binomials, instead of device by device; that the counts of different places
hang together a little, as they do in a tally, is left out for all finders alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...arrays import Counts, Floats, Words
from ...exploration.evidence import Evidence, StepEvidence
from ...mechanisms.linear import Linear

WORD = 64


@dataclass(frozen=True)
class Crowd:
    """The codes of strings, each in its own 64 bits from the highest on, and who has them.

    >>> crowd = Crowd(np.array([0b01 << 62, 0b11 << 62], np.uint64), np.array([30, 70]), bits=2)
    >>> [int(part.counts.sum()) for part in crowd.parted([1, 0], np.random.default_rng(1))]
    [100, 0]
    """

    codes: Words
    counts: Counts
    bits: int
    """How many bits of a code are told apart."""

    @property
    def devices(self) -> int:
        return int(self.counts.sum())

    def parted(self, shares: Sequence[float], rng: np.random.Generator) -> list[Crowd]:
        """Return groups of devices; each device is drawn into one of them, with these chances."""
        held = np.flatnonzero(self.counts)
        chances = np.asarray(shares, np.float64) / math.fsum(shares)
        counts = rng.multinomial(self.counts[held], chances)
        return [Crowd(self.codes[held], part, self.bits) for part in counts.T]

    def taken(self, devices: int, rng: np.random.Generator) -> tuple[Crowd, Crowd]:
        """Return exactly so many devices, or all of them if there are not so many, and the rest."""
        if devices >= self.devices:
            return self, Crowd(self.codes, np.zeros_like(self.counts), self.bits)
        counts = rng.multivariate_hypergeometric(self.counts, devices, method="marginals")
        return Crowd(self.codes, counts, self.bits), Crowd(
            self.codes, self.counts - counts, self.bits
        )

    def between(self, start: int, stop: int) -> Words:
        """Return the bits from `start` to `stop` of each code, as numbers."""
        return self.codes << np.uint64(start) >> np.uint64(WORD - (stop - start))

    def asked(
        self, values: Words, listed: Words, epsilon: float, rng: np.random.Generator
    ) -> StepEvidence:
        """Return what all devices say about the values that are listed, in increasing order.

        `values` has what each string of the crowd answers; what is not listed answers "(other)".
        """
        near = np.minimum(np.searchsorted(listed, values), len(listed) - 1)
        places = np.where(listed[near] == values, near, len(listed))
        return self.heard(places, len(listed) + 1, epsilon, rng)

    def heard(
        self, places: Counts, size: int, epsilon: float, rng: np.random.Generator
    ) -> StepEvidence:
        """Return what all devices say about so many places, if each string has this one."""
        linear = Linear.design(Fraction(epsilon), 1 << (size - 1).bit_length())
        return support(self.counts, places, size, linear, rng)


def support(
    counts: Counts, places: Counts, size: int, linear: Linear, rng: np.random.Generator
) -> StepEvidence:
    """Draw how many reports support each place, and estimate from that how many devices have it."""
    n = int(counts.sum())
    supported = rng.binomial(n, linear.q, size)
    held = np.bincount(places, weights=counts, minlength=size).astype(np.int64)
    there = np.flatnonzero(held)
    supported[there] = rng.binomial(n - held[there], linear.q)
    supported[there] += rng.binomial(held[there], linear.p)
    estimates: Floats = (supported / n - linear.q) / (linear.p - linear.q)
    return StepEvidence(estimates, Evidence.expected(linear, n))


@dataclass(frozen=True)
class Found:
    """The codes of the strings that were found, the most common first."""

    codes: Words

    def recall(self, most_common: Words) -> float:
        """Return which share of the most common strings was found."""
        return float(np.isin(most_common, self.codes).mean())

    def mistakes(self, crowd: Crowd) -> int:
        """Return how many of the strings nobody has."""
        return int((~np.isin(self.codes, crowd.codes[crowd.counts > 0])).sum())


def extended(prefixes: Words, bits: int) -> Words:
    """Return every prefix with every continuation of so many bits.

    >>> extended(np.array([0b10], np.uint64), 1).tolist()
    [4, 5]
    """
    more = np.arange(1 << bits, dtype=np.uint64)
    return ((prefixes[:, None] << np.uint64(bits)) | more).ravel()


def best(evidence: StepEvidence, listed: Words, most: int, least: float = -math.inf) -> Words:
    """Return the listed values of the highest estimates, those above `least`, the best first."""
    estimates = evidence.estimates[: len(listed)]
    order = np.argsort(-estimates, kind="stable")[:most]
    return listed[order[estimates[order] > least]]
