"""The Laplace mechanism on each of d numbers (Dwork et al. 2006; the paper's section 3.1).

Privacy: changing a tuple moves each of d numbers by at most 2.  Noise of scale 2d / epsilon
changes the density of one number by at most e^(epsilon/d), and the d noises are independent,
so the density of the whole report changes by at most e^epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from .base import Baseline, Data, Reports


@dataclass(frozen=True)
class Laplace(Baseline):
    """d numbers in [-1, 1], each with noise Lap(2d / epsilon).

    >>> Laplace(epsilon=1.0, d=3).scale
    6.0
    """

    epsilon: float
    d: int

    @property
    def scale(self) -> float:
        return 2 * self.d / self.epsilon

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        return np.asarray(data + rng.laplace(0.0, self.scale, data.shape))

    def decode(self, reports: Reports) -> Floats:
        return reports

    def target(self, data: Data) -> Floats:
        return data

    def noise(self, data: Data) -> Floats:
        return np.full(data.shape, 2 * self.scale**2)

    def density(self, t: float, x: Floats) -> Floats:
        """Return the density of one attribute's report at x when its value is t."""
        return np.asarray(np.exp(-np.abs(x - t) / self.scale) / (2 * self.scale))

    def exact_epsilon(self) -> float:
        return self.d * 2 / self.scale
