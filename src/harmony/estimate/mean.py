"""The estimate of a numeric attribute: its mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .base import Estimate, Row
from .common import Alike
from .misses import Misses
from .sampling import Sampling
from .score import Wanted, score_interval
from .tiers import TierComparison
from .verdicts import OK, TOO_FEW, is_too_wide

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class MeanEstimate(Estimate):
    """The mean of a numeric attribute over the devices that reported.

    `mean` is unbiased and may fall outside the range; `consistent` is clipped to it.
    `influence` is how far the stated share of dishonest devices could move the mean.
    `sampling` says how the mean scatters, for a range of -1 to 1.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Numeric("battery", 0, 100)], epsilon=1.0)
    >>> one = survey.estimate(survey.collect({"battery": [40.0] * 10_000}, seed=7)).mean("battery")
    >>> round(one.mean, 1), [round(end, 1) for end in one.interval()]
    (39.5, [37.5, 41.4])
    """

    name: str
    low: float
    high: float
    n: int
    epsilon: float
    influence: float
    sampling: Sampling = field(repr=False)
    too_wide: float = field(repr=False, default=0.2)
    tiers: TierComparison | None = field(repr=False, default=None)
    alike: Alike | None = field(repr=False, default=None)

    @property
    def in_shares(self) -> bool:
        """Whether its rows are shares of devices, rather than in an attribute's own units."""
        return False

    def influence_in_words(self, write: Callable[[float], str]) -> str:
        """Return the influence, in the attribute's own units."""
        return write(self.influence)

    @property
    def half(self) -> float:
        """Half of the range: what `sampling` has for one."""
        return (self.high - self.low) / 2

    @property
    def mean(self) -> float:
        """The unbiased mean."""
        return self._in_units(float(self.sampling.estimates[0]))

    @property
    def stderr(self) -> float:
        """The standard error of the mean."""
        return self.half * math.sqrt(float(self.sampling.variance[0]))

    @property
    def consistent(self) -> float:
        """The mean, clipped to the attribute's range."""
        return min(max(self.mean, self.low), self.high)

    @property
    def verdict(self) -> str:
        """Whether the 95% interval is narrow enough to say something."""
        return TOO_FEW if is_too_wide(self.sampling, 2.0, self.too_wide) else OK

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return (low, high), around the truth with this confidence."""
        if not self.n:
            return math.nan, math.nan
        low, high = score_interval(self.sampling, confidence)
        return self._in_units(float(low[0])), self._in_units(float(high[0]))

    def rows(self, confidence: float = 0.95) -> list[Row]:
        """Return the estimate as one row of a table."""
        low, high = self.interval(confidence)
        return [
            self.row(
                estimate=self.mean,
                stderr=self.stderr,
                low=low,
                high=high,
                simultaneous_low=low,
                simultaneous_high=high,
                consistent=self.consistent,
            )
        ]

    def limits_shown(self, most: int | None, confidence: float) -> list[Wanted]:
        return [(self.sampling, Misses.of_interval(confidence))] if self.n else []

    drawn_height = 0.9

    def draw(self, axes: Axes, confidence: float) -> None:
        """Draw the mean on its range."""
        from ..plots import draw_rows

        axes.set_xlim(self.low, self.high)
        draw_rows(axes, self.rows(confidence), self.name, bars=False)

    def _in_units(self, scaled: float) -> float:
        return self.low + self.half * (scaled + 1)
