"""The binary mechanism (Kairouz, Oh and Viswanath 2014): one bit about one subset of values.

Privacy: the bit is randomised response on "is the value in the subset".  Optimal for telling two
hypotheses apart when epsilon is small, with the values likelier under one of them as the subset.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports


@dataclass(frozen=True)
class BinaryMechanism(FiniteBaseline):
    """One of k values; the statistic is the share of users whose value is in `subset`.

    >>> BinaryMechanism.between(1.0, [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]).subset
    (0, 1)
    """

    epsilon: float
    k: int
    subset: tuple[int, ...]

    @classmethod
    def between(
        cls, epsilon: float, one: list[float] | Floats, other: list[float] | Floats
    ) -> BinaryMechanism:
        """Return the mechanism that tells hypothesis `one` from `other` best."""
        likelier = np.flatnonzero(np.asarray(one) >= np.asarray(other))
        return cls(epsilon, len(one), tuple(int(value) for value in likelier))

    @property
    def p(self) -> float:
        """Probability that the bit is the truth."""
        return 1 / (1 + math.exp(-self.epsilon))

    def _inside(self, data: Data) -> Floats:
        return np.isin(data, self.subset).astype(np.float64)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        honest = rng.random(len(data)) < self.p
        return np.asarray((self._inside(data) > 0) == honest, np.int64)

    def decode(self, reports: Reports) -> Floats:
        return ((np.asarray(reports, np.float64) - (1 - self.p)) / (2 * self.p - 1))[:, None]

    def target(self, data: Data) -> Floats:
        return self._inside(data)[:, None]

    def noise(self, data: Data) -> Floats:
        return np.full((len(data), 1), self.p * (1 - self.p) / (2 * self.p - 1) ** 2)

    def extremes(self) -> Data:
        return np.arange(self.k)

    def outcomes(self) -> Reports:
        return np.array([0, 1])

    def number(self, reports: Reports) -> Counts:
        return np.asarray(reports, np.int64)

    def probabilities(self, data: Data) -> Floats:
        one = np.where(self._inside(data) > 0, self.p, 1 - self.p)
        return np.stack([1 - one, one], axis=1)
