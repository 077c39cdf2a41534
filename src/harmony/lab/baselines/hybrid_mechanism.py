"""The Hybrid mechanism for one number (Wang et al. 2019): Piecewise, or Duchi's two points.

Privacy: which of the two is used does not depend on the value, and each is epsilon-LDP; their
reports cannot be confused, so the ratio of the mixture is that of its parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from .base import Baseline, Data, Reports
from .duchi import Duchi
from .piecewise import Piecewise

SWITCH = 0.61
"""Below this epsilon the two points alone are best."""


@dataclass(frozen=True)
class HybridMechanism(Baseline):
    """One number in [-1, 1]; a report is a number.

    >>> round(HybridMechanism(1.0).share, 3), HybridMechanism(0.5).share
    (0.393, 0.0)
    """

    epsilon: float

    @property
    def share(self) -> float:
        """How often the Piecewise mechanism answers."""
        return 1 - math.exp(-self.epsilon / 2) if self.epsilon > SWITCH else 0.0

    @property
    def parts(self) -> tuple[Piecewise, Duchi]:
        return Piecewise(self.epsilon), Duchi(self.epsilon, d=1)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        piecewise, duchi = self.parts
        smooth = piecewise.randomize(data, rng)
        points = duchi.decode(duchi.randomize(data[:, None], rng))[:, 0]
        return np.where(rng.random(len(data)) < self.share, smooth, points)

    def decode(self, reports: Reports) -> Floats:
        return np.asarray(reports, np.float64)[:, None]

    def target(self, data: Data) -> Floats:
        return np.asarray(data, np.float64)[:, None]

    def noise(self, data: Data) -> Floats:
        piecewise, duchi = self.parts
        return self.share * piecewise.noise(data) + (1 - self.share) * duchi.noise(data[:, None])

    def exact_epsilon(self) -> float:
        return max(part.exact_epsilon() for part in self.parts)
