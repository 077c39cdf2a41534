"""k-ary randomised response (Kairouz, Oh and Viswanath 2014), also called GRR.

Privacy: the true value is sent with e^eps times the probability of each other one.  Optimal
among all mechanisms when epsilon is large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports, one_hot


@dataclass(frozen=True)
class KaryResponse(FiniteBaseline):
    """One of k values; a report is a value.

    >>> KaryResponse(1.0, k=3).probabilities(np.array([0])).round(3).tolist()
    [[0.576, 0.212, 0.212]]
    """

    epsilon: float
    k: int

    @property
    def p(self) -> float:
        """Probability of the true value."""
        return 1 / (1 + (self.k - 1) * math.exp(-self.epsilon))

    @property
    def q(self) -> float:
        """Probability of any one other value."""
        return (1 - self.p) / (self.k - 1)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        other = (data + rng.integers(1, self.k, len(data))) % self.k
        return np.where(rng.random(len(data)) < self.p, data, other)

    def decode(self, reports: Reports) -> Floats:
        return (one_hot(reports, self.k) - self.q) / (self.p - self.q)

    def target(self, data: Data) -> Floats:
        return one_hot(data, self.k)

    def noise(self, data: Data) -> Floats:
        chance = np.where(self.target(data) > 0, self.p, self.q)
        return np.asarray(chance * (1 - chance) / (self.p - self.q) ** 2)

    def extremes(self) -> Data:
        return np.arange(self.k)

    def outcomes(self) -> Reports:
        return np.arange(self.k)

    def number(self, reports: Reports) -> Counts:
        return np.asarray(reports, np.int64)

    def probabilities(self, data: Data) -> Floats:
        return np.where(self.target(data) > 0, self.p, self.q)
