"""What changed about a distribution or a crosstab: its CDF, quantiles, pairs, means of groups."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Floats
from ..numerals import numerals
from .base import Row
from .change import SURE, Change
from .combine import COVARIANCE_VALUES
from .crosstab import CrosstabEstimate
from .decimals import number_writer
from .distribution import DistributionEstimate
from .ratios import RatioDifferences
from .sampling import KnownSampling, SomeSampling
from .sums import SumSampling

MOST_POINTS = 15
"""Numbers at which two CDFs are compared, at most."""

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Quantiles that tables of a comparison show."""


@dataclass(frozen=True, eq=False)
class DistributionChange(Change):
    """The differences between two CDFs, at several numbers, and between their quantiles.

    >>> import numpy as np, harmony as hm
    >>> survey = hm.Survey("phones", [hm.Distribution("age", 0, 120, step=1)], epsilon=2.0)
    >>> ages = np.random.default_rng(1).binomial(90, 0.4, 200_000)
    >>> older = [survey.estimate(survey.collect({"age": ages + more}, seed=more + 1,
    ...                                         round=hm.Round(f"W{more}", bytes(16))))
    ...          for more in (0, 3)]
    >>> age = hm.compare(*older)["age"]
    >>> age.verdict(), age.quantile(0.5)
    ('13 of 13 changed', (3.0, 3.0, 3.0))
    """

    at: tuple[float, ...] = field(repr=False, default=())
    """The numbers at which the CDFs are compared."""

    @property
    def in_shares(self) -> bool:
        """Whether its differences are shares: the CDF's are."""
        return True

    def quantile(self, share: float, confidence: float = SURE) -> tuple[float, float, float]:
        """Return the difference of a quantile, and an interval for it.

        The interval puts those of both quantiles together: how far the difference can be off is
        the root of the sum of the squares of how far each can (Zou and Donner 2008).
        """
        assert isinstance(self.before, DistributionEstimate)
        assert isinstance(self.after, DistributionEstimate)
        before, after = (one.quantile(share) for one in (self.before, self.after))
        difference = after.estimate - before.estimate
        (low, high), (later_low, later_high) = (one.interval(confidence) for one in (before, after))
        below = math.hypot(after.estimate - later_low, high - before.estimate)
        above = math.hypot(later_high - after.estimate, before.estimate - low)
        return difference, difference - below, difference + above

    def quantiles(self, confidence: float = SURE) -> list[Row]:
        """Return the quantiles before and after, with their differences, as plain rows."""
        assert isinstance(self.before, DistributionEstimate)
        assert isinstance(self.after, DistributionEstimate)
        rows: list[Row] = []
        for share in QUANTILES if self.known else ():
            difference, low, high = self.quantile(share, confidence)
            rows.append(
                {
                    "attribute": self.name,
                    "share": share,
                    "before": self.before.quantile(share).estimate,
                    "after": self.after.quantile(share).estimate,
                    "difference": difference,
                    "low": low,
                    "high": high,
                }
            )
        return rows

    def quantile_cells(self, confidence: float = SURE) -> list[tuple[str, str, str, str, str]]:
        """Return the quantiles as cells of a table, with intervals that hold one by one."""
        rows = self.quantiles(confidence)
        if not rows:
            return []
        errors = [row | {"stderr": row["high"] - row["low"]} for row in rows]
        write = number_writer(errors, shares=False)
        return [
            (
                "median" if row["share"] == 0.5 else f"{row['share']:.0%} quantile",
                write(row["before"]),
                write(row["after"]),
                write(row["difference"]),
                f"{write(row['low'])} .. {write(row['high'])}",
            )
            for row in rows
        ]


def change_of_distributions(
    before: DistributionEstimate, after: DistributionEstimate, *, others: bool
) -> Change | str:
    """Return the differences between two CDFs; `others`: between devices that may be others."""
    common = np.intersect1d(before.edges[1:-1], after.edges[1:-1])
    if not len(common):
        return "have no edge of their bins in common"
    edges = _apart(common, before, after)
    sides = [one.cdf_sums(edges, of_all=others) for one in (before, after)]
    (first, first_errors), (second, second_errors) = sides
    both = first_errors + second_errors
    at = tuple(after.at_most(edges))
    return DistributionChange(
        after.name,
        before,
        after,
        [f"{'below' if after.question.step is None else 'at most'} {one}" for one in numerals(at)],
        (first, second),
        KnownSampling(second - first, np.diag(both)),
        both if before.n and after.n else None,
        at=at,
    )


def _apart(common: Floats, before: DistributionEstimate, after: DistributionEstimate) -> Floats:
    """Return those edges that part the devices of both rounds into about equal shares.

    Where they lie is read off the sum of both CDFs, whose errors say nothing about those of the
    difference: as if the edges were fixed before.
    """
    known = [one for one in (before, after) if one.n]
    if len(common) <= MOST_POINTS or not known:
        return common[:MOST_POINTS]
    cdf = np.mean([np.interp(common, one.edges, one.cdf_at_edges) for one in known], axis=0)
    wanted = np.arange(1, MOST_POINTS + 1) / (MOST_POINTS + 1)
    places = np.abs(cdf[None, :] - wanted[:, None]).argmin(axis=1)
    return np.asarray(common[np.unique(places)])


def change_of_crosstabs(
    before: CrosstabEstimate, after: CrosstabEstimate, *, others: bool
) -> Change | str:
    """Return the differences of pairs or, of a number, of the means of groups."""
    if (before.number is None) != (after.number is None):
        return "are estimates of different kinds"
    if before.number is not None:
        return _change_of_group_means(before, after, others=others)
    where = {pair: place for place, pair in enumerate(before.values)}
    pairs = [pair for pair in after.values if pair in where]
    if not pairs:
        return "have no pair of values in common"
    again = {pair: place for place, pair in enumerate(after.values)}
    samplings = [
        SomeSampling(after.sampling, [again[pair] for pair in pairs]),
        SomeSampling(before.sampling, [where[pair] for pair in pairs]),
    ]
    both = None
    if len(pairs) <= COVARIANCE_VALUES and before.n and after.n:
        both = after.pair_covariance([again[pair] for pair in pairs], of_all=others)
        both = both + before.pair_covariance([where[pair] for pair in pairs], of_all=others)
    return Change(
        after.name,
        before,
        after,
        [f"{first} x {second}" for first, second in pairs],
        (samplings[1].estimates, samplings[0].estimates),
        SumSampling(samplings, [1, -1]),
        both,
    )


def _change_of_group_means(
    before: CrosstabEstimate, after: CrosstabEstimate, *, others: bool
) -> Change | str:
    first, second = (list(one.crosstab.parts[0].values) for one in (before, after))
    groups = [group for group in second if group in first]
    if not groups:
        return "have no group in common"
    ratios = [
        one.group_means(of_all=others).some([values.index(group) for group in groups])
        for one, values in ((before, first), (after, second))
    ]
    differences = RatioDifferences(*ratios)
    named = [f"mean for {group}" for group in groups]
    return Change(after.name, before, after, named, differences.ends, differences)
