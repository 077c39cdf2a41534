"""The result of a round: an estimate for each attribute, to read, plot or pass on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import HarmonyError
from ..near_names import did_you_mean
from .base import COLUMNS, Estimate, Row
from .coin_check import CoinWarning
from .common import Turns
from .crosstab import CrosstabEstimate
from .decimals import decimals_for
from .distribution import DistributionEstimate
from .export import Exported, finite_rows, text_table
from .histogram import HistogramEstimate
from .mean import MeanEstimate
from .score import find_limits
from .tiers import TierWarning
from .window import DriftWarning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ResultWarning = CoinWarning | TierWarning | DriftWarning
Kind = TypeVar("Kind", bound=Estimate)

SHOWN_VALUES = 12


@dataclass(frozen=True, repr=False, eq=False)
class Result(Mapping[str, Estimate], Exported):
    """Estimates by attribute name, for one round of a survey, and what is odd about its reports.

    `result["wifi"]` is any kind of estimate; `mean`, `histogram`, `distribution` and `crosstab` say
    which one it is, to people and to type checkers.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> tally = survey.collect({"wifi": [True] * 3000 + [False] * 1000}, seed=7)
    >>> result = survey.estimate(tally)
    >>> result
    phones, round simulation: 4,000 reports, epsilon 1
    attribute  value  estimate  95% interval    consistent      n
    wifi       False     0.241  0.211 .. 0.271       0.241  4,000
               True      0.759  0.729 .. 0.789       0.759
    >>> result.histogram("wifi").detected
    (True, False)
    """

    columns = COLUMNS

    survey: str
    round: str
    reports: int
    epsilon: float
    dishonest: float
    estimates: dict[str, Estimate]
    warnings: tuple[ResultWarning, ...] = ()
    weighting: str = "devices"
    population: Mapping[Any, float] | None = None
    """The shares of strata that the estimates are weighted to, if they are."""
    rounds: tuple[str, ...] = ()
    """The labels of the rounds that were estimated together."""
    turns: Turns | None = None
    """Who was heard, of surveys whose rounds may hear the same devices: see `compare`."""

    def __getitem__(self, name: str) -> Estimate:
        try:
            return self.estimates[name]
        except KeyError:
            near = did_you_mean(name, self.estimates)
            raise KeyError(f"the survey has no attribute {name!r}{near}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def mean(self, name: str) -> MeanEstimate:
        """Return the estimate of a numeric attribute without bins."""
        return self._of_kind(name, MeanEstimate)

    def histogram(self, name: str) -> HistogramEstimate:
        """Return the estimate of a categorical attribute, or of a numeric one with bins."""
        return self._of_kind(name, HistogramEstimate)

    def distribution(self, name: str) -> DistributionEstimate:
        """Return the estimate of a distribution."""
        return self._of_kind(name, DistributionEstimate)

    def crosstab(self, name: str) -> CrosstabEstimate:
        """Return the estimate of a crosstab."""
        return self._of_kind(name, CrosstabEstimate)

    def _of_kind(self, name: str, kind: type[Kind]) -> Kind:
        one = self[name]
        if not isinstance(one, kind):
            raise HarmonyError(
                f"{name}: this attribute has a {type(one).__name__}, not a {kind.__name__}"
            )
        return one

    def rows(self, confidence: float = 0.95, *, top: int | None = None) -> list[Row]:
        """Return one row for each mean and each value of a histogram.

        With `top`, of histograms only the so many most frequent values, with intervals that hold
        for the pick.
        """
        self._find_limits(top, confidence)
        return [
            row
            for one in self.estimates.values()
            for row in (one.rows(confidence) if top is None else one.shown(top, confidence))
        ]

    def _find_limits(self, most: int | None, confidence: float) -> None:
        """Find the limits of all attributes at once, which is quicker than one by one."""
        every = self.estimates.values()
        find_limits(chain.from_iterable(one.limits_shown(most, confidence) for one in every))

    def to_dict(self, confidence: float = 0.95, *, top: int | None = None) -> dict[str, Any]:
        """Return everything as plain values; what is not finite becomes None."""
        return {
            "survey": self.survey,
            "round": self.round,
            "reports": self.reports,
            "epsilon": self.epsilon,
            "confidence": float(confidence),
            "dishonest": self.dishonest,
            "weighting": self.weighting,
            "population": self.population
            and {str(name): float(share) for name, share in self.population.items()},
            "no_answer": [
                found.to_dict(name, confidence)
                for name, one in self.estimates.items()
                if isinstance(one, HistogramEstimate) and (found := one.no_answer)
            ],
            "estimates": finite_rows(self.rows(confidence, top=top)),
            "distributions": self._details(DistributionEstimate, confidence),
            "crosstabs": self._details(CrosstabEstimate, confidence),
            "tiers": [
                {
                    "attribute": name,
                    "p_value": one.tiers.p_value,
                    "stderr_by_devices": one.tiers.by_devices,
                    "stderr_by_precision": one.tiers.by_precision,
                }
                for name, one in self.estimates.items()
                if one.tiers
            ],
            "warnings": [str(one) for one in self.warnings],
        }

    def _details(
        self, kind: type[DistributionEstimate | CrosstabEstimate], confidence: float
    ) -> list[dict[str, Any]]:
        return [one.details(confidence) for one in self.values() if isinstance(one, kind)]

    def plot(self, confidence: float = 0.95) -> Figure:
        """Draw every estimate with its interval, as a matplotlib figure."""
        from ..plots import plot_result

        return plot_result(self, confidence)

    def _repr_html_(self) -> str:
        from .notebook import result_html

        return result_html(self)

    def __repr__(self) -> str:
        head = (
            f"{self.survey}, round {self.round}: {self.reports:,} reports, epsilon {self.epsilon:g}"
            + ("" if self.population is None else f", weighted to {len(self.population)} strata")
        )
        self._find_limits(None, 0.95)
        lines = [("attribute", "value", "estimate", "95% interval", "consistent", "n", "")]
        for one in self.estimates.values():
            lines += _lines(one)
        shown = text_table(lines, "<<><>><")
        return "\n".join([head, *shown, *(f"warning: {one}" for one in self.warnings)])


def _lines(one: Estimate) -> list[tuple[str, str, str, str, str, str, str]]:
    """Return the lines of a readable table, with long histograms cut short."""
    lines = []
    rows = one.rows()
    digits = decimals_for(max(row["stderr"] for row in rows))
    for place, row in enumerate(rows[:SHOWN_VALUES]):
        first = place == 0
        lines.append(
            (
                one.name if first else "",
                "(mean)" if row["value"] is None else str(row["value"]),
                f"{row['estimate']:.{digits}f}",
                f"{row['low']:.{digits}f} .. {row['high']:.{digits}f}",
                f"{row['consistent']:.{digits}f}",
                f"{one.n:,}" if first else "",
                "" if not first or one.enough else one.verdict,
            )
        )
    if len(rows) > SHOWN_VALUES:
        lines.append(("", f"... {len(rows) - SHOWN_VALUES} more values", "", "", "", "", ""))
    return lines
