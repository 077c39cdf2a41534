"""The Piecewise mechanism for one number (Wang et al. 2019).

Privacy: the report's density takes two values on [-C, C], and the higher, on an interval around
t, is e^eps times the lower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from .base import Baseline, Data, Reports


@dataclass(frozen=True)
class Piecewise(Baseline):
    """One number in [-1, 1]; a report is a number in [-C, C].

    >>> round(Piecewise(1.0).C, 3)
    4.083
    """

    epsilon: float

    @property
    def C(self) -> float:  # noqa: N802  the source's symbol
        s = math.exp(self.epsilon / 2)
        return (s + 1) / (s - 1)

    @property
    def high(self) -> float:
        """The density on [l(t), r(t)]; outside it is `low`."""
        s = math.exp(self.epsilon / 2)
        return (s * s - s) / (2 * s + 2)

    @property
    def low(self) -> float:
        return self.high / math.exp(self.epsilon)

    def _left(self, t: Floats) -> Floats:
        return np.asarray((self.C + 1) / 2 * t - (self.C - 1) / 2)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        left, width = self._left(data), self.C - 1
        centre = left + width * rng.random(len(data))
        # What lies outside the interval is as long for every t: C + 1.
        outside = -self.C + (self.C + 1) * rng.random(len(data))
        outside = np.where(outside < left, outside, outside + width)
        s = math.exp(self.epsilon / 2)
        return np.where(rng.random(len(data)) < s / (s + 1), centre, outside)

    def decode(self, reports: Reports) -> Floats:
        return np.asarray(reports, np.float64)[:, None]

    def target(self, data: Data) -> Floats:
        return np.asarray(data, np.float64)[:, None]

    def noise(self, data: Data) -> Floats:
        s = math.exp(self.epsilon / 2)
        return self.target(data) ** 2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)

    def density(self, t: float, x: Floats) -> Floats:
        """Return the density of the report at x when the value is t."""
        left = float(self._left(np.array(t)))
        inside = (x >= left) & (x <= left + self.C - 1)
        return np.where(np.abs(x) > self.C, 0.0, np.where(inside, self.high, self.low))

    def exact_epsilon(self) -> float:
        return math.log(self.high / self.low)
