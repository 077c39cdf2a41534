"""Harmony for one categorical attribute: the paper's k x k orthogonal matrix (its appendix).

Privacy: the row s is independent of the data, and given s the bit is randomised response on the
sign in that row: a ratio of e^eps exactly.  The all-ones row of the matrix is asked as often as
any other, although its bit says nothing about the value; the product's code leaves it out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports, debiasing, one_hot


def orthogonal_rows(size: int) -> Counts:
    """Return the rows of Algorithm 5: start from [1, -1] and [1, 1], then v || v and v || -v.

    >>> orthogonal_rows(4).tolist()
    [[1, -1, 1, -1], [1, -1, -1, 1], [1, 1, 1, 1], [1, 1, -1, -1]]
    """
    rows = np.array([[1, -1], [1, 1]])
    while len(rows) < size:
        rows = np.stack([np.hstack([rows, rows]), np.hstack([rows, -rows])], axis=1)
        rows = rows.reshape(-1, rows.shape[2])
    return rows


@dataclass(frozen=True)
class HarmonyCategorical(FiniteBaseline):
    """One of k values; a report is (s, bit).  k is padded to the next power of two.

    >>> HarmonyCategorical(1.0, k=5).K
    8
    """

    epsilon: float
    k: int

    @cached_property
    def K(self) -> int:  # noqa: N802  the matrix's size
        return max(2, 1 << (self.k - 1).bit_length())

    @cached_property
    def rows(self) -> Counts:
        """The matrix, without the columns that pad k to a power of two."""
        return orthogonal_rows(self.K)[:, : self.k]

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        s = rng.integers(0, self.K, len(data))
        honest = rng.random(len(data)) < 1 / (1 + math.exp(-self.epsilon))
        bit = (self.rows[s, data] > 0) == honest
        return np.stack([s, bit], axis=1)

    def decode(self, reports: Reports) -> Floats:
        sign = debiasing(self.epsilon) * (2 * reports[:, 1] - 1)
        return np.asarray(sign[:, None] * self.rows[reports[:, 0]])

    def target(self, data: Data) -> Floats:
        return one_hot(data, self.k)

    def noise(self, data: Data) -> Floats:
        return debiasing(self.epsilon) ** 2 - self.target(data)

    def extremes(self) -> Data:
        return np.arange(self.k)

    def outcomes(self) -> Reports:
        return np.stack(np.divmod(np.arange(2 * self.K), 2), axis=1)

    def number(self, reports: Reports) -> Counts:
        return np.asarray(2 * reports[:, 0] + reports[:, 1], np.int64)

    def probabilities(self, data: Data) -> Floats:
        ones = 0.5 + self.rows[:, data].T / (2 * debiasing(self.epsilon))
        return np.stack([1 - ones, ones], axis=2).reshape(len(data), -1) / self.K
