"""How weighted sums of independent estimates scatter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from ..arrays import Floats
from .sampling import Cumulants, Extremes, Sampling


class SumSampling(Sampling):
    """A weighted sum of independent estimates: tiers, strata, or one round minus another.

    If the truth of the sum is another one than estimated, each part's truth moves in proportion
    to what it adds to the variance: the likeliest way.  With `alike` all parts have the same truth
    instead, as the tiers of one population.  A `constant` may be added.
    """

    def __init__(
        self,
        parts: Sequence[Sampling],
        weights: Sequence[float | Floats],
        *,
        alike: bool = False,
        constant: float | Floats = 0.0,
    ) -> None:
        self.parts, self.weights = tuple(parts), tuple(weights)
        self.alike, self._constant = alike, constant
        self.estimates = constant + self._sum([part.estimates for part in self.parts])
        self._moves = [
            weight * part.variance for part, weight in zip(self.parts, self.weights, strict=True)
        ]

    @classmethod
    def stacked(cls, sums: Sequence[SumSampling], parts: Sequence[Sampling]) -> SumSampling:
        """Return several of as many parts as one, given the parts of all of them stacked."""

        def of_each(numbers: Iterable[float | Floats]) -> Floats:
            pairs = zip(numbers, sums, strict=True)
            return np.concatenate([np.broadcast_to(x, one.estimates.shape) for x, one in pairs])

        weights = [of_each(column) for column in zip(*(one.weights for one in sums), strict=True)]
        constant = of_each(one._constant for one in sums)
        return cls(parts, weights, alike=sums[0].alike, constant=constant)

    def _sum(self, numbers: Sequence[Floats], power: int = 1) -> Floats:
        total = np.zeros_like(numbers[0])
        for weight, one in zip(self.weights, numbers, strict=True):
            total = total + weight**power * one
        return total

    def cumulants(self, truth: Floats) -> Cumulants:
        scale = self._sum(self._moves)
        away = (truth - self.estimates) / np.where(scale > 0, scale, 1.0)
        found = [
            part.cumulants(truth if self.alike else part.estimates + away * move)
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
        if self.alike:
            return self.cumulants(self.likely)[0]
        return self._sum([part.variance for part in self.parts], 2)

    def variance_after(self, change: Floats) -> Floats:
        first, weight = self.parts[0], np.asarray(self.weights[0], np.float64)
        later = np.clip(first.likely + change / weight, *first.extremes)
        return self.variance + weight**2 * (first.cumulants(later)[0] - first.variance)

    @property
    def extremes(self) -> Extremes:
        ends = [
            (weight * part.extremes[0], weight * part.extremes[1])
            for part, weight in zip(self.parts, self.weights, strict=True)
        ]
        return (
            self._constant + sum(np.minimum(*pair) for pair in ends),
            self._constant + sum(np.maximum(*pair) for pair in ends),
        )

    @cached_property
    def step(self) -> Floats:
        """The widest step, as far as the other parts leave anything of it to be seen.

        Noise of standard error s blurs steps of length h by the factor exp(-2 (pi s / h)^2).
        """
        total, widest = self.variance, np.zeros(len(self.estimates))
        for part, weight in zip(self.parts, self.weights, strict=True):
            own = np.abs(weight) * part.step
            rest = np.maximum(total - weight**2 * part.variance, 0.0)
            blur = np.exp(-2 * np.pi**2 * rest / np.where(own > 0, own, 1.0) ** 2)
            widest = np.maximum(widest, own * blur)
        return widest
