"""Harmony for d numbers: the paper's Algorithm 3.

Privacy: the attribute j is independent of the data, and given j, P[u = 1] is linear in t[A_j]
between 1 / (e^eps + 1) and e^eps / (e^eps + 1): a ratio of e^eps at most (lemma 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports, debiasing


@dataclass(frozen=True)
class HarmonyNumeric(FiniteBaseline):
    """d numbers in [-1, 1]; a report is (j, u): one attribute and one bit.

    >>> HarmonyNumeric(1.0, d=4).exact_epsilon().__round__(9)
    1.0
    """

    epsilon: float
    d: int

    def _chance(self, t: Floats) -> Floats:
        """P[u = 1] of line 3."""
        return np.asarray(0.5 + t / (2 * debiasing(self.epsilon)))

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        j = rng.integers(0, self.d, len(data))
        t = np.take_along_axis(data, j[:, None], axis=1)[:, 0]
        u = rng.random(len(data)) < self._chance(t)
        return np.stack([j, u], axis=1)

    def decode(self, reports: Reports) -> Floats:
        decoded = np.zeros((len(reports), self.d))
        scaled = debiasing(self.epsilon) * self.d * (2 * reports[:, 1] - 1)
        decoded[np.arange(len(reports)), reports[:, 0]] = scaled
        return decoded

    def target(self, data: Data) -> Floats:
        return np.asarray(data, np.float64)

    def noise(self, data: Data) -> Floats:
        return self.d * debiasing(self.epsilon) ** 2 - self.target(data) ** 2

    def extremes(self) -> Data:
        return np.stack([-np.ones(self.d), np.ones(self.d)])

    def outcomes(self) -> Reports:
        return np.stack(np.divmod(np.arange(2 * self.d), 2), axis=1)

    def number(self, reports: Reports) -> Counts:
        return np.asarray(2 * reports[:, 0] + reports[:, 1], np.int64)

    def probabilities(self, data: Data) -> Floats:
        chance = self._chance(self.target(data))
        return np.stack([1 - chance, chance], axis=2).reshape(len(data), -1) / self.d
