"""The estimate of a crosstab: how two attributes go together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Floats
from ..crosstab import Crosstab, Rounded
from ..errors import HarmonyError
from .association import Association, association_of
from .base import Estimate, Row
from .group_means import group_means, moved_means
from .influence import extreme_places
from .intervals import confidence_of_each, single
from .joint import JoinedSampling, Joint
from .ratios import Ratios
from .sampling import Sampling
from .score import score_interval
from .sources import smoothed
from .verdicts import OK, TOO_FEW, apart_from_zero, histogram_verdict, is_too_wide

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Pair = tuple[Any, Any]

EXACT_CELLS = 1024
"""Tables up to this size have the error of each cell, and a test of association."""


@dataclass(frozen=True, eq=False)
class CrosstabEstimate(Estimate):
    """The joint table of two attributes over the devices that reported.

    `frequencies` are unbiased: single ones may be negative.  `consistent` is the closest table
    that has none.  Rows and columns are joined with whatever else the survey asks about them.

    >>> import numpy as np, harmony as hm
    >>> survey = hm.Survey("phones", epsilon=2.0, crosstabs="all", attributes=[
    ...     hm.Boolean("wifi"), hm.Categorical("theme", ["light", "dark"])])
    >>> draws = np.random.default_rng(3).random((2, 60_000))
    >>> people = {"wifi": draws[0] < 0.6, "theme": np.where(draws[1] < 0.5, "light", "dark")}
    >>> both = survey.estimate(survey.collect(people, seed=7)).crosstab("wifi x theme")
    >>> round(both.frequencies[True, "dark"], 2), both.association.p_value > 0.05
    (0.3, True)
    """

    name: str
    crosstab: Crosstab
    n: int
    epsilon: float
    influence: float
    joint: Joint = field(repr=False)
    alone: Sampling = field(repr=False)
    too_wide: float = field(repr=False, default=0.2)
    tiers: Any = field(repr=False, default=None)

    @property
    def values(self) -> Sequence[Pair]:
        """The pairs of values, the second changing fastest."""
        return self.crosstab.values

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns the table has."""
        return self.joint.shape

    @property
    def number(self) -> Rounded | None:
        """The number whose mean is asked in each group, if it is one."""
        second = self.crosstab.parts[1]
        return second if isinstance(second, Rounded) else None

    @cached_property
    def raw(self) -> Floats:
        """The unbiased joint table, one row after the other."""
        return self.joint.table if self.n else np.full(len(self.values), np.nan)

    @cached_property
    def projected(self) -> Floats:
        """The table without negative shares, and without what is only noise."""
        return self.joint.consistent.ravel() if self.n else self.raw

    @cached_property
    def frequencies(self) -> dict[Pair, float]:
        """The unbiased frequency of each pair."""
        return self._named(self.raw)

    @cached_property
    def stderr(self) -> dict[Pair, float]:
        """The standard error of each frequency."""
        return self._named(np.sqrt(self.sampling.variance))

    @cached_property
    def consistent(self) -> dict[Pair, float]:
        """The frequencies made non-negative and adding up to one, without what is only noise."""
        return self._named(self.projected)

    @cached_property
    def sampling(self) -> Sampling:
        """How the frequencies scatter."""
        if not self.n:
            return self.alone
        if len(self.values) > EXACT_CELLS:
            even = np.full(len(self.values), 1 / len(self.values))
            one = np.zeros((1, len(self.values)))
            one[0, 0] = 1.0
            errors = self.joint.covariance(one, even)[0] / self.joint.source.variance
            errors = min(float(errors[0]), 1.0) * self.alone.cumulants(self._shares)[0]
            return JoinedSampling(self.raw, self.alone, errors, self._shares)
        return self.joint.sampling(self.alone, self._shares)

    def interval(
        self, confidence: float = 0.95, *, simultaneous: bool = False
    ) -> dict[Pair, tuple[float, float]]:
        """Return (low, high) for each pair; with `simultaneous`, all of them hold at once."""
        low, high = self._limits(confidence, simultaneous)
        return dict(zip(self.values, zip(low.tolist(), high.tolist(), strict=True), strict=True))

    def row_shares(self, confidence: float = 0.95) -> dict[Pair, tuple[float, float, float]]:
        """Return (share, low, high) of each pair among the devices of its row."""
        return self._shares_within(0, confidence)

    def column_shares(self, confidence: float = 0.95) -> dict[Pair, tuple[float, float, float]]:
        """Return (share, low, high) of each pair among the devices of its column."""
        return self._shares_within(1, confidence)

    def means(self, confidence: float = 0.95) -> dict[Any, tuple[float, float, float]]:
        """Return (mean, low, high) of the number in each group."""
        number = self.number
        if number is None:
            raise HarmonyError(f"{self.name}: means by group need a number without bins as a part")
        found = self.group_means().rows(confidence)
        return dict(zip(self.crosstab.parts[0].values, found, strict=True))

    def group_means(self, *, of_all: bool = False) -> Ratios:
        """Return the means of the number in each group as ratios: see `group_means`."""
        number = self.number
        assert number is not None
        if not self.n:
            return Ratios.unknown(self.shape[0], (number.low, number.high))
        return group_means(self.joint, number, self._shares, of_all=of_all)

    def moved_most(self) -> Floats:
        """Return the sums over the table of which influence is that on the pairs, or the means."""
        if self.number is not None:
            return moved_means(self.joint, self.number, self.group_means())
        places = extreme_places(self.raw)[:, None]
        return np.asarray(np.arange(len(self.values)) == places, np.float64)

    @property
    def widest(self) -> float:
        """How far anything in it can be moved: the range of the number, or all devices."""
        return 1.0 if self.number is None else self.number.high - self.number.low

    def influence_in_words(self, write: Callable[[float], str]) -> str:
        """Return the influence, on means in the number's own units."""
        return write(self.influence)

    @cached_property
    def association(self) -> Association:
        """Whether the two go together at all: a test of all that independence forbids.

        What is tested holds for all devices of which those that reported are a sample.
        """
        height, width = self.shape
        freedom = (height - 1) * (width - 1)
        if not self.n:
            return Association(math.nan, freedom, math.nan)
        if len(self.values) > EXACT_CELLS:
            raise HarmonyError(
                f"{self.name}: a test of association needs at most {EXACT_CELLS:,} pairs of "
                f"values, not {len(self.values):,}; use fewer values or bins"
            )
        return association_of(self.joint, self.n)

    @property
    def in_shares(self) -> bool:
        """Whether its rows are shares of devices, rather than in an attribute's own units."""
        return self.number is None

    @cached_property
    def verdict(self) -> str:
        """Whether intervals are narrow, and pairs told apart from zero have most answers."""
        if not self.n:
            return TOO_FEW
        if self.number is not None:
            span = self.number.high - self.number.low
            wide = [high - low for _, low, high in self.means().values()]
            return OK if np.median(wide) <= 2 * self.too_wide * span else TOO_FEW
        detected = apart_from_zero(self.sampling)
        too_wide = is_too_wide(self.sampling, 1.0, self.too_wide)
        return histogram_verdict(too_wide, detected, self.projected)

    def shown(self, most: int, confidence: float = 0.95) -> list[Row]:
        """Return all rows or, of more, those of the most frequent pairs, which hold all at once."""
        rows = self.rows(confidence)
        if len(rows) <= most:
            return rows
        picked = sorted(rows, key=lambda row: -row["estimate"])[:most]
        return [
            row | {"low": row["simultaneous_low"], "high": row["simultaneous_high"]}
            for row in picked
        ]

    def left_out(self, most: int) -> int:
        """Return how many rows `shown` leaves out."""
        shown = len(self.values) if self.number is None else self.shape[0]
        return max(0, shown - most)

    def rows(self, confidence: float = 0.95) -> list[Row]:
        """Return a row for each pair of values or, of a number, for each group's mean."""
        if self.number is not None:
            return self._mean_rows(confidence)
        low, high = self._limits(confidence, False)
        wide_low, wide_high = self._limits(confidence, True)
        errors = np.sqrt(self.sampling.variance)
        detected = apart_from_zero(self.sampling) if self.n else np.zeros(len(low), np.bool_)
        return [
            self.row(
                value=f"{first} x {second}",
                estimate=float(self.raw[place]),
                stderr=float(errors[place]),
                low=float(low[place]),
                high=float(high[place]),
                simultaneous_low=float(wide_low[place]),
                simultaneous_high=float(wide_high[place]),
                consistent=float(self.projected[place]),
                detected=bool(detected[place]),
            )
            for place, (first, second) in enumerate(self.values)
        ]

    def _mean_rows(self, confidence: float) -> list[Row]:
        means = self.means(confidence)
        wide = self.means(confidence_of_each(confidence, len(means)))
        return [
            self.row(
                value=f"mean for {group}",
                estimate=mean,
                stderr=(high - low) / (2 * single(confidence)),
                low=low,
                high=high,
                simultaneous_low=wide[group][1],
                simultaneous_high=wide[group][2],
                consistent=min(max(mean, self.number.low), self.number.high),  # type: ignore[union-attr]
            )
            for group, (mean, low, high) in means.items()
        ]

    def details(self, confidence: float = 0.95) -> dict[str, Any]:
        """Return the table, its shares within rows and the test as plain values."""
        first, second = self.crosstab.parts
        tested = self.n > 0 and len(self.values) <= EXACT_CELLS
        return {
            "attribute": self.name,
            "rows": {"attribute": first.name, "values": list(first.values)},
            "columns": {"attribute": second.name, "values": list(second.values)},
            "table": self.projected.reshape(self.shape).tolist() if self.n else None,
            "p_value": self.association.p_value if tested else None,
        }

    @property
    def drawn_height(self) -> float:
        """A quarter of an inch for each row."""
        return 1.1 + 0.3 * min(self.shape[0], 40)

    def draw(self, axes: Axes, confidence: float) -> None:
        """Draw a heat map of the table or, of a number, the means of the groups."""
        from ..plots import draw_heat_map, draw_rows

        if self.number is not None:
            axes.set_xlim(self.number.low, self.number.high)
            draw_rows(axes, self.rows(confidence), self.name, bars=False)
            return
        first, second = self.crosstab.parts
        table = self.projected.reshape(self.shape)
        draw_heat_map(axes, table, first.values, second.values, self.name)

    def pair_covariance(self, places: Sequence[int], *, of_all: bool = False) -> Floats:
        """Return the covariance of some pairs' frequencies."""
        rows = np.eye(len(self.values))[list(places)]
        return self.joint.covariance(rows, self._shares, of_all=of_all)

    @cached_property
    def _shares(self) -> Floats:
        return smoothed(self.projected, self.n)

    def _shares_within(
        self, axis: int, confidence: float
    ) -> dict[Pair, tuple[float, float, float]]:
        height, width = self.shape
        if height * width > EXACT_CELLS:
            raise HarmonyError(
                f"{self.name}: shares within rows and columns need at most {EXACT_CELLS:,} pairs "
                f"of values, not {height * width:,}; use fewer values or bins"
            )
        if not self.n:
            return dict.fromkeys(self.values, (math.nan, math.nan, math.nan))
        cells = np.eye(height * width)
        if axis == 0:
            groups = np.repeat(np.kron(np.eye(height), np.ones(width)), width, axis=0)
        else:
            groups = np.tile(np.kron(np.ones(height), np.eye(width)), (height, 1))
        # Rounding a number draws afresh, as if its devices were a sample of many more.
        drawn = self.number is not None
        both = np.concatenate([cells, groups])
        errors = self.joint.covariance(both, self._shares, of_all=drawn)
        found = Ratios.of_sums(both @ self.raw, errors, (0.0, 1.0))
        return dict(zip(self.values, found.rows(confidence), strict=True))

    def _limits(self, confidence: float, simultaneous: bool) -> tuple[Floats, Floats]:
        if not self.n:
            return self.raw, self.raw
        each = confidence_of_each(confidence, len(self.values)) if simultaneous else confidence
        return score_interval(self.sampling, each)

    def _named(self, numbers: Floats) -> dict[Pair, float]:
        return dict(zip(self.values, numbers.tolist(), strict=True))
