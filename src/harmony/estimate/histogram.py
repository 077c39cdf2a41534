"""The estimate of a categorical attribute (or a numeric one with bins): its histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..arrays import Floats
from ..attributes import Value
from .consistency import project_to_simplex
from .intervals import simultaneous, single


@dataclass(frozen=True, eq=False)
class HistogramEstimate:
    """How often each value occurs among the devices that reported.

    `frequencies` are unbiased: single ones may be negative or above one.  `consistent` is the
    closest histogram that is neither.  `influence` is how far the stated share of dishonest
    devices could move one frequency.
    """

    name: str
    values: Sequence[Value]
    n: int
    epsilon: float
    influence: float
    verdict: str
    raw: Floats = field(repr=False)
    errors: Floats = field(repr=False)
    correlation: Floats | None = field(repr=False, default=None)

    @cached_property
    def frequencies(self) -> dict[Value, float]:
        """The unbiased frequency of each value."""
        return self._named(self.raw)

    @cached_property
    def stderr(self) -> dict[Value, float]:
        """The standard error of each frequency."""
        return self._named(self.errors)

    @cached_property
    def consistent(self) -> dict[Value, float]:
        """The frequencies made non-negative and adding up to one."""
        return self._named(project_to_simplex(self.raw) if self.n else self.raw)

    def interval(
        self, confidence: float = 0.95, *, simultaneous: bool = False
    ) -> dict[Value, tuple[float, float]]:
        """Return (low, high) for each value.

        Each interval holds with this confidence by itself; with `simultaneous`, all of them
        hold at once with it.
        """
        margin = self.critical(confidence, together=simultaneous) * self.errors
        pairs = zip((self.raw - margin).tolist(), (self.raw + margin).tolist(), strict=True)
        return dict(zip(self.values, pairs, strict=True))

    def critical(self, confidence: float, *, together: bool) -> float:
        """Return how many standard errors the intervals reach on each side."""
        if not together or not self.n:
            return single(confidence)
        return simultaneous(confidence, len(self.values), self.correlation)

    def _repr_html_(self) -> str:
        from .notebook import estimates_html

        return estimates_html(self.name, [self])

    def rows(self, confidence: float = 0.95) -> list[dict[str, Any]]:
        """Return the estimate as rows of a table, one for each value."""
        intervals = self.interval(confidence)
        return [
            {
                "attribute": self.name,
                "value": value,
                "estimate": self.frequencies[value],
                "stderr": self.stderr[value],
                "low": intervals[value][0],
                "high": intervals[value][1],
                "consistent": self.consistent[value],
                "n": self.n,
                "epsilon": self.epsilon,
                "influence": self.influence,
                "verdict": self.verdict,
            }
            for value in self.values
        ]

    def _named(self, numbers: Floats) -> dict[Value, float]:
        return dict(zip(self.values, numbers.tolist(), strict=True))
