"""How weighted sums of independent estimates scatter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ..arrays import Floats
from .sampling import Cumulants, Sampling


class SumSampling(Sampling):
    """A weighted sum of independent estimates: tiers, strata, or one round minus another.

    If the truth of the sum is another one than estimated, each part's truth moves in proportion
    to what it adds to the variance: the likeliest way.  With `alike` all parts have the same truth
    instead, as the tiers of one population.  A `constant` may be added.
    """

    def __init__(
        self,
        parts: Sequence[Sampling],
        weights: Sequence[float],
        *,
        alike: bool = False,
        constant: float = 0.0,
    ) -> None:
        self.parts, self.weights = tuple(parts), tuple(weights)
        self._alike, self._constant = alike, constant
        self.estimates = constant + self._sum([part.estimates for part in self.parts])
        self._moves = [
            weight * part.variance for part, weight in zip(self.parts, self.weights, strict=True)
        ]

    def _sum(self, numbers: Sequence[Floats], power: int = 1) -> Floats:
        total = np.zeros_like(numbers[0])
        for weight, one in zip(self.weights, numbers, strict=True):
            total = total + weight**power * one
        return total

    def cumulants(self, truth: Floats) -> Cumulants:
        scale = self._sum(self._moves)
        away = (truth - self.estimates) / np.where(scale > 0, scale, 1.0)
        found = [
            part.cumulants(truth if self._alike else part.estimates + away * move)
            for part, move in zip(self.parts, self._moves, strict=True)
        ]
        variance, third, fourth = (
            self._sum([one[order] for one in found], order + 2) for order in range(3)
        )
        return variance, third, fourth

    @cached_property
    def likely(self) -> Floats:
        return self._constant + self._sum([part.likely for part in self.parts])

    @cached_property
    def variance(self) -> Floats:
        if self._alike:
            return self.cumulants(self.likely)[0]
        return self._sum([part.variance for part in self.parts], 2)

    @property
    def extremes(self) -> tuple[float, float]:
        pairs = [
            sorted(weight * end for end in part.extremes)
            for part, weight in zip(self.parts, self.weights, strict=True)
        ]
        lowest, highest = (self._constant + sum(pair[end] for pair in pairs) for end in (0, 1))
        return lowest, highest

    @cached_property
    def step(self) -> Floats:
        """The widest step, as far as the other parts leave anything of it to be seen.

        Noise of standard error s blurs steps of length h by the factor exp(-2 (pi s / h)^2).
        """
        total, widest = self.variance, np.zeros(len(self.estimates))
        for part, weight in zip(self.parts, self.weights, strict=True):
            own = abs(weight) * part.step
            rest = np.maximum(total - weight**2 * part.variance, 0.0)
            blur = np.exp(-2 * np.pi**2 * rest / np.where(own > 0, own, 1.0) ** 2)
            widest = np.maximum(widest, own * blur)
        return widest
