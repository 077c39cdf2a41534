"""Bassily and Smith's method for one categorical attribute (2015; the paper's Algorithm 2).

Privacy: the row s is independent of the data, and given s the report is randomised response on
the sign Phi[s, value]: a ratio of e^eps exactly, whatever the matrix.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports, debiasing, one_hot

BETA = 0.05
"""The confidence of the error bound, which the paper does not state."""


def projected_size(epsilon: float, k: int, users: int, beta: float = BETA) -> int:
    """Return m of line 1: the number of rows of the random matrix.

    >>> projected_size(0.5, 16, 10_000)
    4044
    """
    gamma_squared = math.log(2 * k / beta) / (epsilon**2 * users)
    return max(1, math.ceil(math.log(k + 1) * math.log(2 / beta) / gamma_squared))


@dataclass(frozen=True)
class BassilySmith(FiniteBaseline):
    """One of k values; a report is (s, bit) for row s of a random m x k matrix of signs.

    The matrix is public and drawn once, from `seed`.  Given the matrix the estimator is biased,
    because columns are only nearly orthogonal; averaged over matrices it is not.

    >>> BassilySmith(1.0, k=4, users=100).m
    117
    """

    epsilon: float
    k: int
    users: int
    beta: float = BETA
    seed: int = 0

    @property
    def unbiased(self) -> bool:
        return False

    @cached_property
    def m(self) -> int:
        return projected_size(self.epsilon, self.k, self.users, self.beta)

    @cached_property
    def signs(self) -> Counts:
        """sqrt(m) times Phi."""
        rng = np.random.default_rng(self.seed)
        return 2 * rng.integers(0, 2, (self.m, self.k)) - 1

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        s = rng.integers(0, self.m, len(data))
        honest = rng.random(len(data)) < 1 / (1 + math.exp(-self.epsilon))
        bit = (self.signs[s, data] > 0) == honest
        return np.stack([s, bit], axis=1)

    def decode(self, reports: Reports) -> Floats:
        sign = debiasing(self.epsilon) * (2 * reports[:, 1] - 1)
        return np.asarray(sign[:, None] * self.signs[reports[:, 0]])

    def target(self, data: Data) -> Floats:
        return one_hot(data, self.k)

    @cached_property
    def gram(self) -> Floats:
        """Phi^T Phi: the identity in expectation, not exactly."""
        return np.asarray(self.signs.T @ self.signs / self.m)

    def expectation(self, data: Data) -> Floats:
        return self.gram[data]

    def noise(self, data: Data) -> Floats:
        return debiasing(self.epsilon) ** 2 - self.expectation(data) ** 2

    def extremes(self) -> Data:
        return np.arange(self.k)

    def outcomes(self) -> Reports:
        return np.stack(np.divmod(np.arange(2 * self.m), 2), axis=1)

    def number(self, reports: Reports) -> Counts:
        return np.asarray(2 * reports[:, 0] + reports[:, 1], np.int64)

    def probabilities(self, data: Data) -> Floats:
        ones = 0.5 + self.signs[:, data].T / (2 * debiasing(self.epsilon))
        return np.stack([1 - ones, ones], axis=2).reshape(len(data), -1) / self.m
