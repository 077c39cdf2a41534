"""The error to expect of a mechanism before any data is seen."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod


class ExpectedErrorMixin(ABC):
    """Expected errors in closed form, for planning and for choosing.

    >>> from fractions import Fraction
    >>> from harmony.mechanisms import Linear
    >>> round(Linear.design(Fraction(1), 2).expected_error(10_000), 4)
    0.0108
    """

    @property
    @abstractmethod
    def reference_noise(self) -> float:
        """Variance that the noise gives one decoded report."""

    @property
    @abstractmethod
    def reference_variance(self) -> float:
        """Variance between devices to plan with: that of evenly spread values."""

    @abstractmethod
    def greatest_variance(self, share: float = 0.0) -> float:
        """Return what `expected_variance` is for the values that make it greatest."""

    def expected_variance(self, share: float = 0.0) -> float:
        """Return n times the variance of an estimate from n answers, for evenly spread values.

        `share` is how much of the population answers: those who do are no longer a sample.
        """
        return self.reference_noise + (1 - share) * self.reference_variance

    def expected_error(self, answers: int, share: float = 0.0) -> float:
        """Return the standard error to expect of an estimate from so many answers."""
        return math.sqrt(self.expected_variance(share) / answers)
