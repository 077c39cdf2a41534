"""RAPPOR (Erlingsson, Pihur and Korolova 2014): Bloom filters, randomised twice.

A user's cohort fixes h hash functions, which set h bits of a Bloom filter.  The permanent response
replaces each bit by a coin with probability f, once for ever; each report then sends a 1 with
probability q or p, as the permanent bit is 1 or 0.

Privacy: two filters differ in at most 2h bits.  One report spends at most epsilon_1 =
h log(q*(1 - p*) / (p*(1 - q*))), with q* and p* the probabilities of a 1 after both steps; all
reports together at most epsilon_inf = 2h log((1 - f/2) / (f/2)), the permanent response's.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports, one_hot


@dataclass(frozen=True)
class Rappor(FiniteBaseline):
    """One of k candidate values; a report is the cohort, then the bits.

    The estimator is ordinary least squares of the debiased bit counts on the candidates' Bloom
    filters; `rappor_decode.detect` adds the selection and the significance test.

    >>> rappor = Rappor(k=4, bits=8, hashes=2, cohorts=4)
    >>> round(rappor.epsilon, 3), round(rappor.lifetime_epsilon, 3)
    (1.074, 4.394)
    """

    k: int
    bits: int = 16
    hashes: int = 2
    cohorts: int = 8
    f: float = 0.5
    p: float = 0.5
    q: float = 0.75

    @property
    def epsilon(self) -> float:  # type: ignore[override]  # follows from f, p and q
        """What one report spends."""
        likely, rare = self.after(True), self.after(False)
        return self.hashes * math.log(likely * (1 - rare) / (rare * (1 - likely)))

    @property
    def lifetime_epsilon(self) -> float:
        """What all reports of one value spend together."""
        return 2 * self.hashes * math.log((1 - self.f / 2) / (self.f / 2))

    def after(self, bit: bool) -> float:
        """Probability that a report shows a 1 for this bit of the Bloom filter: q* or p*."""
        return self.f * (self.p + self.q) / 2 + (1 - self.f) * (self.q if bit else self.p)

    @cached_property
    def filters(self) -> Counts:
        """filters[cohort, value, bit]: the Bloom filter of each candidate."""
        filters = np.zeros((self.cohorts, self.k, self.bits), np.int64)
        for cohort, value, number in product(
            range(self.cohorts), range(self.k), range(self.hashes)
        ):
            digest = hashlib.blake2b(f"{cohort}/{number}/{value}".encode(), digest_size=8)
            filters[cohort, value, int.from_bytes(digest.digest(), "big") % self.bits] = 1
        return filters

    def permanent(self, data: Data, cohorts: Data, rng: np.random.Generator) -> Data:
        """Return the bits that a user keeps for as long as the value stays the same."""
        true = self.filters[cohorts, data] > 0
        draw = rng.random(true.shape)
        return np.asarray(np.where(draw < self.f, draw < self.f / 2, true))

    def instantaneous(self, permanent: Data, rng: np.random.Generator) -> Data:
        """Return the bits of one report; may be called again for each later report."""
        chance = np.where(permanent, self.q, self.p)
        return (rng.random(permanent.shape) < chance).astype(np.int64)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        cohorts = rng.integers(0, self.cohorts, len(data))
        bits = self.instantaneous(self.permanent(data, cohorts, rng), rng)
        return np.hstack([cohorts[:, None], bits])

    @cached_property
    def solver(self) -> Floats:
        """solver[cohort, value, bit]: the least-squares solution, cohort by cohort."""
        matrix = self.filters.transpose(0, 2, 1).reshape(-1, self.k)
        if np.linalg.matrix_rank(matrix) < self.k:
            raise ValueError("the candidates' filters are not independent; use more cohorts")
        return np.linalg.pinv(matrix).reshape(self.k, self.cohorts, self.bits).transpose(1, 0, 2)

    def decode(self, reports: Reports) -> Floats:
        rare, likely = self.after(False), self.after(True)
        debiased = (reports[:, 1:] - rare) / (likely - rare)
        chosen = self.solver[reports[:, 0]]
        return np.asarray(self.cohorts * np.einsum("nvb,nb->nv", chosen, debiased))

    def target(self, data: Data) -> Floats:
        return one_hot(data, self.k)

    def noise(self, data: Data) -> Floats:
        rare, likely = self.after(False), self.after(True)
        variance = np.where(self.filters > 0, likely * (1 - likely), rare * (1 - rare))
        variance = variance / (likely - rare) ** 2
        within = np.einsum("cvb,cub->uv", self.solver**2, variance)
        between = (np.einsum("cvb,cub->cuv", self.solver, self.filters) ** 2).sum(axis=0)
        second = self.cohorts * (within + between)
        return np.asarray((second - np.eye(self.k))[data])

    def extremes(self) -> Data:
        return np.arange(self.k)

    def outcomes(self) -> Reports:
        return np.array(list(product(range(self.cohorts), *[(0, 1)] * self.bits)))

    def number(self, reports: Reports) -> Counts:
        powers = 2 ** np.arange(self.bits - 1, -1, -1)
        return np.asarray(reports[:, 0] * 2**self.bits + reports[:, 1:] @ powers, np.int64)

    def probabilities(self, data: Data) -> Floats:
        """Return the probabilities of one report, over both randomisations."""
        shown = np.array(list(product((0, 1), repeat=self.bits)))
        blocks = []
        for cohort in range(self.cohorts):
            ones = np.where(self.filters[cohort, data] > 0, self.after(True), self.after(False))
            each = np.where(shown[None] > 0, ones[:, None, :], 1 - ones[:, None, :])
            blocks.append(each.prod(axis=2) / self.cohorts)
        return np.hstack(blocks)
