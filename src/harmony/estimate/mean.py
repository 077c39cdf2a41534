"""The estimate of a numeric attribute: its mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .intervals import single

TOO_FEW = "too few reports to say"


@dataclass(frozen=True)
class MeanEstimate:
    """The mean of a numeric attribute over the devices that reported.

    `mean` is unbiased and may fall outside the range; `consistent` is clipped to it.
    `influence` is how far the stated share of dishonest devices could move the mean.
    """

    name: str
    mean: float
    stderr: float
    n: int
    epsilon: float
    low: float
    high: float
    influence: float
    verdict: str

    @property
    def consistent(self) -> float:
        """The mean, clipped to the attribute's range."""
        return min(max(self.mean, self.low), self.high)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return (low, high), around the truth with this confidence."""
        margin = single(confidence) * self.stderr
        return self.mean - margin, self.mean + margin

    def _repr_html_(self) -> str:
        from .notebook import estimates_html

        return estimates_html(self.name, [self])

    def rows(self, confidence: float = 0.95) -> list[dict[str, Any]]:
        """Return the estimate as one row of a table."""
        low, high = self.interval(confidence)
        return [
            {
                "attribute": self.name,
                "value": None,
                "estimate": self.mean,
                "stderr": self.stderr,
                "low": low,
                "high": high,
                "consistent": self.consistent,
                "n": self.n,
                "epsilon": self.epsilon,
                "influence": self.influence,
                "verdict": self.verdict,
            }
        ]
