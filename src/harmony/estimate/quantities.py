"""Numbers that a distribution is read off for, each with its intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats
from ..errors import HarmonyError
from .intervals import single

if TYPE_CHECKING:
    from .distribution import DistributionEstimate

MEANS = np.linspace(-1.0, 1.0, 65)
"""Means that a variance is looked at with, from one limit of the mean to the other."""


@dataclass(frozen=True)
class Quantity:
    """A number that was estimated, with its standard error and intervals.

    Intervals are made around what is estimated without bias, `unbiased`, if that is another
    number; the estimate is always in them, and both are within what is possible.

    >>> from harmony.estimate.quantities import Quantity
    >>> Quantity(0.5, 0.1, slack=0.0, least=0.0, most=1.0).interval(0.95)
    (0.304..., 0.695...)
    """

    estimate: float
    stderr: float
    slack: float = 0.0
    """How far what bins cannot tell may move the truth."""
    least: float = -math.inf
    most: float = math.inf
    unbiased: float | None = None

    def __float__(self) -> float:
        return self.estimate

    def reading(self, estimate: float) -> Quantity:
        """Return the same with another estimate, as far as it is possible at all."""
        possible = min(max(estimate, self.least), self.most)
        return replace(self, estimate=possible, unbiased=self.estimate)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return (low, high), around the truth with this confidence."""
        reach = single(confidence) * self.stderr + self.slack
        middle = self.estimate if self.unbiased is None else self.unbiased
        low, high = min(middle - reach, self.estimate), max(middle + reach, self.estimate)
        return min(max(low, self.least), self.most), max(min(high, self.most), self.least)


def as_number(given: object, name: str) -> float:
    """Return a number of Python or NumPy as a float, or refuse it by the name of its argument.

    >>> as_number(np.int64(40), "at")
    40.0
    """
    if isinstance(given, bool) or not isinstance(given, Real):
        raise HarmonyError(f"'{name}' must be a number")
    number = float(given)
    if math.isnan(number):
        raise HarmonyError(f"'{name}' must be a number, not NaN")
    return number


@dataclass(frozen=True)
class Between(Quantity):
    """A number that lies between two others, and bins cannot tell where.

    Its interval reaches from the lower limit of the one to the upper limit of the other, so it
    misses no more often than theirs do.

    >>> third = Quantity(0.32, 0.0, least=0.0, most=1.0)
    >>> Between.of(third, Quantity(0.3, 0.01), Quantity(0.35, 0.01)).interval(0.95)
    (0.280..., 0.369...)
    """

    surely: Quantity = Quantity(0.0, 0.0)
    perhaps: Quantity = Quantity(0.0, 0.0)

    @classmethod
    def of(cls, read: Quantity, surely: Quantity, perhaps: Quantity) -> Between:
        """Return what is `read`, which is at least `surely` and at most `perhaps`."""
        slack = max((perhaps.estimate - surely.estimate) / 2, 0.0)
        return cls(
            read.estimate,
            read.stderr,
            slack,
            read.least,
            read.most,
            read.unbiased,
            surely,
            perhaps,
        )

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        low, high = self.surely.interval(confidence)[0], self.perhaps.interval(confidence)[1]
        return min(low, self.estimate), max(high, self.estimate)


@dataclass(frozen=True)
class Variance(Quantity):
    """A variance, from the mean and the mean square of numbers about some middle.

    A mean that is off by e makes the variance about it seem smaller by the square of e, so errors
    are not in proportion where reports are few.  Limits are the least and the most variance of all
    means and mean squares that what was estimated does not refute (a profile likelihood); no
    variance is more than what a mean leaves room for between the ends.

    >>> from harmony.estimate.quantities import Variance
    >>> square = Variance.of((0.0, 0.04), np.diag([0.01, 0.0001]), ends=(-0.5, 0.5))
    >>> round(square.estimate, 3), [round(end, 3) for end in square.interval(0.95)]
    (0.05, [0.0, 0.06])
    """

    moments: tuple[float, float] = (0.0, 0.0)
    errors: Floats = field(repr=False, default_factory=lambda: np.zeros((2, 2)))
    """The covariance of the two moments."""
    ends: tuple[float, float] = (-math.inf, math.inf)
    """The least and the greatest number, about the same middle."""

    @classmethod
    def of(
        cls,
        moments: tuple[float, float],
        errors: Floats,
        ends: tuple[float, float],
        slack: float = 0.0,
    ) -> Variance:
        """Return the variance; the mean's own error would make it seem smaller than it is."""
        first, second = moments
        own, both, other = float(errors[0, 0]), float(errors[0, 1]), float(errors[1, 1])
        linear = other - 4 * first * both + 4 * first**2 * own
        error = math.sqrt(max(linear, 0.0) + 2 * own**2)
        most = ((ends[1] - ends[0]) / 2) ** 2
        estimate = second - first**2 + own
        return cls(estimate, error, slack, 0.0, most, None, moments, errors, ends)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        (first, second), (least, greatest) = self.moments, self.ends
        error = math.sqrt(max(float(self.errors[0, 0]), 1e-300))
        slope = float(self.errors[0, 1]) / error**2
        rest = math.sqrt(max(float(self.errors[1, 1]) - slope * float(self.errors[0, 1]), 0.0))
        means = np.clip(first + single(confidence) * error * MEANS, least, greatest)
        away = np.abs(means - first) / error
        # A mean beyond the ends is an error: what counts is how much further off a mean is.
        room = np.sqrt(np.maximum(single(confidence) ** 2 + away.min() ** 2 - away**2, 0.0))
        middle = second + slope * (means - first) - means**2
        widest = (means - least) * (greatest - means)
        low = float(np.minimum(middle - rest * room, widest).min()) - self.slack
        high = float(np.minimum(middle + rest * room, widest).max()) + self.slack
        return min(max(low, 0.0), self.most), min(max(high, 0.0), self.most)


@dataclass(frozen=True)
class Root(Quantity):
    """The root of a quantity: limits are those of its square, so they hold also near zero.

    >>> from harmony.estimate.quantities import Quantity, Root
    >>> [round(end, 3) for end in Root.of(Quantity(0.01, 0.01), most=0.5).interval(0.95)]
    [0.0, 0.172]
    """

    square: Quantity = Quantity(0.0, 0.0)

    @classmethod
    def of(cls, square: Quantity, slack: float = 0.0, most: float = math.inf) -> Root:
        """Return the root of `square`, which may be `slack` off for other reasons."""
        root = min(math.sqrt(max(square.estimate, 0.0)), most)
        # Of a square near zero the root's error is the root of the error.
        error = square.stderr / max(2 * root, math.sqrt(square.stderr)) if square.stderr else 0.0
        return cls(root, error, slack, 0.0, most, square=square)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        low, high = (math.sqrt(max(end, 0.0)) for end in self.square.interval(confidence))
        low, high = max(low - self.slack, 0.0), min(high + self.slack, self.most)
        return min(low, self.estimate), max(high, self.estimate)


@dataclass(frozen=True)
class Quantile:
    """The number below which a share of the devices lies."""

    share: float
    estimate: float
    of: DistributionEstimate = field(repr=False)

    def __float__(self) -> float:
        return self.estimate

    def interval(
        self, confidence: float = 0.95, *, simultaneous: bool = False
    ) -> tuple[float, float]:
        """Return (low, high); with `simultaneous`, those of all quantiles hold at once."""
        return self.of.quantile_limits(self.share, confidence, everywhere=simultaneous)
