"""Optimised unary encoding, OUE (Wang et al. 2017): a bit for each value.

Privacy: two values differ in two bits.  The bit of the true value is 1 with probability 1/2, any
other with 1 / (e^eps + 1); the worst report changes by (1/2)/(1/(e^eps+1)) times
(e^eps/(e^eps+1))/(1/2), which is e^eps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports, one_hot


@dataclass(frozen=True)
class UnaryEncoding(FiniteBaseline):
    """One of k values; a report is k bits.

    >>> round(UnaryEncoding(1.0, k=4).q, 3)
    0.269
    """

    epsilon: float
    k: int

    @property
    def p(self) -> float:
        """Probability of a 1 in the true value's bit."""
        return 0.5

    @property
    def q(self) -> float:
        """Probability of a 1 in any other bit."""
        return 1 / (math.exp(self.epsilon) + 1)

    def _ones(self, data: Data) -> Floats:
        return np.where(one_hot(data, self.k) > 0, self.p, self.q)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        return (rng.random((len(data), self.k)) < self._ones(data)).astype(np.int8)

    def decode(self, reports: Reports) -> Floats:
        return np.asarray((reports - self.q) / (self.p - self.q))

    def target(self, data: Data) -> Floats:
        return one_hot(data, self.k)

    def noise(self, data: Data) -> Floats:
        ones = self._ones(data)
        return np.asarray(ones * (1 - ones) / (self.p - self.q) ** 2)

    def extremes(self) -> Data:
        return np.arange(self.k)

    def outcomes(self) -> Reports:
        return np.array(list(product((0, 1), repeat=self.k)))

    def number(self, reports: Reports) -> Counts:
        return np.asarray(reports.astype(np.int64) @ (2 ** np.arange(self.k - 1, -1, -1)), np.int64)

    def probabilities(self, data: Data) -> Floats:
        ones = self._ones(data)[:, None, :]
        return np.asarray(np.prod(np.where(self.outcomes()[None] > 0, ones, 1 - ones), axis=2))
