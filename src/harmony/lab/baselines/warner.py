"""Warner's randomised response for one yes-or-no attribute (Warner 1965; the paper's 3.2).

Privacy: the report is the truth with probability e^eps / (e^eps + 1) and the opposite with
1 / (e^eps + 1), so either report is exactly e^eps times likelier under one value than the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports, debiasing


@dataclass(frozen=True)
class Warner(FiniteBaseline):
    """One value, -1 or +1; the statistic is its mean.

    >>> Warner(1.0).probabilities(np.array([1])).round(3).tolist()
    [[0.269, 0.731]]
    """

    epsilon: float

    @property
    def honest(self) -> float:
        """Probability that the report is the truth."""
        return 1 / (1 + math.exp(-self.epsilon))

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        return np.where(rng.random(len(data)) < self.honest, data, -data)

    def decode(self, reports: Reports) -> Floats:
        return debiasing(self.epsilon) * np.asarray(reports, np.float64)[:, None]

    def target(self, data: Data) -> Floats:
        return np.asarray(data, np.float64)[:, None]

    def noise(self, data: Data) -> Floats:
        return np.full((len(data), 1), debiasing(self.epsilon) ** 2 - 1)

    def extremes(self) -> Data:
        return np.array([-1, 1])

    def outcomes(self) -> Reports:
        return np.array([-1, 1])

    def number(self, reports: Reports) -> Counts:
        return np.asarray((reports + 1) // 2, np.int64)

    def probabilities(self, data: Data) -> Floats:
        same = data[:, None] == self.outcomes()[None, :]
        return np.where(same, self.honest, 1 - self.honest)
