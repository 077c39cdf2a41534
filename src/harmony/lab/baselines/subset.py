"""Subset selection (Ye and Barg 2018; Wang et al. 2016): a random set of w of the k values.

Privacy: every w-subset that holds the value is e^eps times likelier than one that does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports, choose_positions, one_hot


@dataclass(frozen=True)
class SubsetSelection(FiniteBaseline):
    """One of k values; a report marks w of the k values.  w is optimal unless given.

    >>> SubsetSelection(1.0, k=10).w
    2
    """

    epsilon: float
    k: int
    size: int | None = None

    @cached_property
    def w(self) -> int:
        if self.size is not None:
            return self.size
        ideal = int(self.k / (math.exp(self.epsilon) + 1))
        choices = [size for size in (ideal, ideal + 1) if 1 <= size < self.k] or [1]
        return min(choices, key=lambda size: SubsetSelection(self.epsilon, self.k, size)._zero)

    @property
    def _zero(self) -> float:
        return self.q * (1 - self.q) / (self.p - self.q) ** 2

    @property
    def p(self) -> float:
        """Probability that the true value is marked."""
        return self.w / (self.w + (self.k - self.w) * math.exp(-self.epsilon))

    @property
    def q(self) -> float:
        """Probability that any one other value is marked."""
        return (self.w - self.p) / (self.k - 1)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        own = rng.random(len(data)) < self.p
        others = choose_positions(self.w - own.astype(np.int64), self.k - 1, rng)
        # The others are numbered from the place after the value, around.
        places = (np.asarray(data)[:, None] + 1 + np.arange(self.k - 1)[None, :]) % self.k
        marked = np.zeros((len(data), self.k), np.int8)
        np.put_along_axis(marked, places, others.astype(np.int8), axis=1)
        marked[np.arange(len(data)), data] = own
        return marked

    def decode(self, reports: Reports) -> Floats:
        return np.asarray((reports - self.q) / (self.p - self.q))

    def target(self, data: Data) -> Floats:
        return one_hot(data, self.k)

    def noise(self, data: Data) -> Floats:
        chance = np.where(self.target(data) > 0, self.p, self.q)
        return np.asarray(chance * (1 - chance) / (self.p - self.q) ** 2)

    def extremes(self) -> Data:
        return np.arange(self.k)

    @cached_property
    def _subsets(self) -> Counts:
        subsets = np.zeros((math.comb(self.k, self.w), self.k), np.int64)
        for row, places in enumerate(combinations(range(self.k), self.w)):
            subsets[row, list(places)] = 1
        return subsets

    def outcomes(self) -> Reports:
        return self._subsets

    def number(self, reports: Reports) -> Counts:
        powers = 2 ** np.arange(self.k)
        keys = self._subsets @ powers
        order = np.argsort(keys)
        return np.asarray(order[np.searchsorted(keys[order], reports @ powers)], np.int64)

    def probabilities(self, data: Data) -> Floats:
        inside = self._subsets[:, data].T > 0
        likely = self.p / math.comb(self.k - 1, self.w - 1)
        rare = (1 - self.p) / math.comb(self.k - 1, self.w)
        return np.where(inside, likely, rare)
