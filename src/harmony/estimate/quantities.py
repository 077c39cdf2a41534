"""Numbers that a distribution is read off for, each with its intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .intervals import single

if TYPE_CHECKING:
    from .distribution import DistributionEstimate


@dataclass(frozen=True)
class Quantity:
    """A number that was estimated, with its standard error and intervals.

    Intervals are made around what is estimated without bias, `unbiased`, if that is another
    number; the estimate is always in them.

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

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return (low, high), around the truth with this confidence."""
        reach = single(confidence) * self.stderr + self.slack
        middle = self.estimate if self.unbiased is None else self.unbiased
        low, high = min(middle - reach, self.estimate), max(middle + reach, self.estimate)
        return min(max(low, self.least), self.most), max(min(high, self.most), self.least)


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
        root = math.sqrt(max(square.estimate, 0.0))
        # Of a square near zero the root's error is the root of the error.
        error = square.stderr / max(2 * root, math.sqrt(square.stderr)) if square.stderr else 0.0
        return cls(root, error, slack, 0.0, most, square=square)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        low, high = (math.sqrt(max(end, 0.0)) for end in self.square.interval(confidence))
        return max(low - self.slack, 0.0), min(high + self.slack, self.most)


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
