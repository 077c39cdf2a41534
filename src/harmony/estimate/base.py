"""What every estimate has: a name, rows of a table, a verdict and ways to show itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .tiers import TierComparison
from .verdicts import OK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .score import Wanted

Row = dict[str, Any]
"""A line of a table; every estimate's rows have the same keys (`COLUMNS`)."""

COLUMNS = (
    "attribute",
    "value",
    "estimate",
    "stderr",
    "low",
    "high",
    "simultaneous_low",
    "simultaneous_high",
    "consistent",
    "detected",
    "n",
    "epsilon",
    "influence",
    "verdict",
)


class Estimate(ABC):
    """An estimate of one attribute, over the devices that reported."""

    name: str
    n: int
    epsilon: float
    influence: float
    tiers: TierComparison | None

    @property
    def in_shares(self) -> bool:
        """Whether its rows are shares of devices, rather than in an attribute's own units."""
        return True

    def influence_in_words(self, write: Callable[[float], str]) -> str:
        """Return the influence, written with `write` if it is in the same units as the rows."""
        return write(self.influence) if self.in_shares else f"{self.influence:.2%}"

    @property
    @abstractmethod
    def verdict(self) -> str:
        """Whether there are enough reports to say something: "ok", or what is lacking."""

    @abstractmethod
    def rows(self, confidence: float = 0.95) -> list[Row]:
        """Return the estimate as rows of a table, in the order of its values."""

    def shown(self, most: int, confidence: float = 0.95) -> list[Row]:
        """Return at most so many rows: of more, the largest, with intervals for the pick."""
        return self.rows(confidence)

    def left_out(self, most: int) -> int:
        """Return how many rows `shown` leaves out."""
        return 0

    def limits_shown(self, most: int | None, confidence: float) -> list[Wanted]:
        """Return the limits that `shown` needs, or all rows, for `find_limits` to find at once."""
        return []

    @property
    @abstractmethod
    def drawn_height(self) -> float:
        """How many inches high it is drawn."""

    @abstractmethod
    def draw(self, axes: Axes, confidence: float) -> None:
        """Draw it on matplotlib axes, under a title."""

    def plot(self, confidence: float = 0.95) -> Figure:
        """Draw it with its intervals, as a matplotlib figure."""
        from ..plots import plot_estimates

        return plot_estimates([self], confidence)

    def _repr_html_(self) -> str:
        from .notebook import estimates_html

        return estimates_html(self.name, [self])

    def row(self, **cells: Any) -> Row:
        """Return a row: what is the same for all of them, and these cells."""
        same = {
            "attribute": self.name,
            "n": self.n,
            "epsilon": self.epsilon,
            "influence": self.influence,
            "verdict": self.verdict,
        }
        return {column: (same | cells).get(column) for column in COLUMNS}

    @property
    def enough(self) -> bool:
        """Whether the verdict is "ok"."""
        return self.verdict == OK
