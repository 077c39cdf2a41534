"""How one attribute differs between two results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..arrays import Floats
from ..attributes import Value
from .base import Estimate, Row
from .intervals import chance_of_any, confidence_of_each, correlation_of, simultaneous, single
from .misses import Limits, Misses
from .sampling import Sampling
from .score import Wanted, limits, surprise

COLUMNS = (
    "attribute",
    "value",
    "before",
    "after",
    "difference",
    "stderr",
    "low",
    "high",
    "simultaneous_low",
    "simultaneous_high",
    "p_value",
    "changed",
    "detectable",
    "n_before",
    "n_after",
)

POWER = 0.8
"""How often a change of the size called detectable is noticed."""

SEARCHED = 8
"""Steps towards the size at which a change is as large as the errors that it brings demand."""

SURE = 0.95


@dataclass(frozen=True, eq=False)
class Change:
    """The differences of one attribute, after minus before: a mean's, or each value's.

    `compared` is how many attributes the comparison has: simultaneous intervals and p-values
    are for all differences of all of them together.
    """

    name: str
    before: Estimate
    after: Estimate
    values: Sequence[Value | None]
    figures: tuple[Floats, Floats] = field(repr=False)
    """What was estimated before and after."""
    sampling: Sampling = field(repr=False)
    covariance: Floats | None = field(repr=False, default=None)
    compared: int = 1

    @property
    def known(self) -> bool:
        """Whether there were answers both times."""
        return bool(self.before.n and self.after.n)

    @property
    def in_shares(self) -> bool:
        """Whether its differences are shares of devices, rather than in an attribute's own units.

        Those of distributions are: their CDFs are compared.
        """
        return self.after.in_shares

    @cached_property
    def p_values(self) -> dict[Value | None, float]:
        """How likely differences as large as each would be without any change, of all together."""
        return dict(zip(self.values, self._p_values.tolist(), strict=True))

    @property
    def p_value(self) -> float:
        """How likely any difference as clear as the clearest would be without any change."""
        return float(self._p_values.min())

    def changed(self, confidence: float = SURE) -> tuple[Value | None, ...]:
        """Return the values that have changed, for all that can be told; None is the mean.

        If nothing has changed, any value of any attribute is among them in 5% of comparisons.
        """
        return tuple(value for value, p in self.p_values.items() if p <= 1 - confidence)

    def verdict(self, confidence: float = SURE) -> str:
        """Return in words whether the attribute has changed."""
        if not self.known:
            return "too few reports to say"
        count = len(self.changed(confidence))
        if not count:
            return "no change to be told"
        return "changed" if len(self.values) == 1 else f"{count:,} of {len(self.values):,} changed"

    def detectable(self, confidence: float = SURE) -> Floats:
        """Return how large a change of each value had to be to be noticed in 80% of comparisons.

        It is that size of which a rise or a fall, whichever is harder to see, would be noticed:
        what most people say is harder to tell exactly than what nobody says.
        """
        each = confidence ** (1 / self.compared)
        reach = simultaneous(each, len(self.values), self._correlation)
        wanted = reach + single(2 * POWER - 1)
        size = wanted * np.sqrt(self.sampling.variance)
        for _ in range(SEARCHED):
            rise, fall = (self.sampling.variance_after(sign * size) for sign in (1, -1))
            size = wanted * np.sqrt(np.maximum(rise, fall))
        return np.asarray(size)

    def rows(self, confidence: float = SURE, *, top: int | None = None) -> list[Row]:
        """Return a row for each difference; with `top`, only the largest ones."""
        alone, wide = self._misses(confidence)
        (low, high), (wide_low, wide_high) = self._limits(alone), self._limits(wide)
        detectable, errors = self.detectable(confidence), np.sqrt(self.sampling.variance)
        differences = self.sampling.estimates
        places = range(len(self.values))
        if top is not None and top < len(self.values):
            places = np.argsort(-np.abs(differences), kind="stable")[:top].tolist()
        return [
            {
                "attribute": self.name,
                "value": self.values[place],
                "before": float(self.figures[0][place]),
                "after": float(self.figures[1][place]),
                "difference": float(differences[place]),
                "stderr": float(errors[place]),
                "low": float(low[place]),
                "high": float(high[place]),
                "simultaneous_low": float(wide_low[place]),
                "simultaneous_high": float(wide_high[place]),
                "p_value": float(self._p_values[place]),
                "changed": bool(self._p_values[place] <= 1 - confidence),
                "detectable": float(detectable[place]),
                "n_before": self.before.n,
                "n_after": self.after.n,
            }
            for place in places
        ]

    @cached_property
    def _correlation(self) -> Floats | None:
        return None if self.covariance is None else correlation_of(self.covariance)

    @cached_property
    def _p_values(self) -> Floats:
        count = len(self.values)
        if not self.known:
            return np.full(count, np.nan)
        alone = surprise(self.sampling, np.zeros(count))
        alone = np.where(np.isnan(self.sampling.estimates), 1.0, alone)  # unknown: no surprise
        return chance_of_any(chance_of_any(alone, count, self._correlation), self.compared)

    def limits_shown(self, confidence: float) -> list[Wanted]:
        """Return the limits that `rows` needs, for `find_limits` to find at once."""
        return [(self.sampling, one) for one in self._misses(confidence)] if self.known else []

    def _misses(self, confidence: float) -> tuple[Misses, Misses]:
        """Return how often intervals may miss, each by itself and all at once."""
        together = confidence ** (1 / self.compared)
        each = confidence_of_each(together, len(self.values), self._correlation)
        return Misses.of_interval(confidence), Misses.of_interval(each)

    def _limits(self, misses: Misses) -> Limits:
        if not self.known:
            unknown = np.full(len(self.values), np.nan)
            return unknown, unknown
        # Where there is no estimate, as for the mean of a group without answers, all is possible.
        nothing = np.isnan(self.sampling.estimates)
        ends = zip(self.sampling.possible, limits(self.sampling, misses), strict=True)
        low, high = (
            np.clip(np.where(nothing, furthest, found), *self.sampling.possible)
            for furthest, found in ends
        )
        return low, high
