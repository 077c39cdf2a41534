"""Optimised local hashing, OLH (Wang et al. 2017): randomised response on a hash of the value.

Privacy: the hash function is drawn independently of the value and is public; given it, the report
is g-ary randomised response on the hashed value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Floats
from .base import Baseline, Data, Reports, one_hot
from .kary import KaryResponse

PRIME = (1 << 31) - 1


@dataclass(frozen=True)
class LocalHashing(Baseline):
    """One of k values; a report is (a, b, symbol) for the hash ((a v + b) mod PRIME) mod g.

    Two values collide with probability 1/g up to g / PRIME, which is below one in a million for
    every epsilon below 7; the estimator takes it as 1/g.

    >>> LocalHashing(1.0, k=100).g
    4
    """

    epsilon: float
    k: int

    @cached_property
    def g(self) -> int:
        """How many hash values: e^eps + 1, rounded to the better integer."""
        return round(math.exp(self.epsilon)) + 1

    @cached_property
    def response(self) -> KaryResponse:
        return KaryResponse(self.epsilon, self.g)

    def _hash(self, a: Data, b: Data, values: Data) -> Data:
        return np.asarray((a * values + b) % PRIME % self.g)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        a = rng.integers(1, PRIME, len(data))
        b = rng.integers(0, PRIME, len(data))
        symbol = self.response.randomize(self._hash(a, b, np.asarray(data, np.int64)), rng)
        return np.stack([a, b, symbol], axis=1)

    def decode(self, reports: Reports) -> Floats:
        a, b, symbol = reports[:, :1], reports[:, 1:2], reports[:, 2:]
        supports = self._hash(a, b, np.arange(self.k)[None, :]) == symbol
        return np.asarray((supports - 1 / self.g) / (self.response.p - 1 / self.g))

    def target(self, data: Data) -> Floats:
        return one_hot(data, self.k)

    def noise(self, data: Data) -> Floats:
        chance = np.where(self.target(data) > 0, self.response.p, 1 / self.g)
        return np.asarray(chance * (1 - chance) / (self.response.p - 1 / self.g) ** 2)

    def exact_epsilon(self) -> float:
        return self.response.exact_epsilon()
