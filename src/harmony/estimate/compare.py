"""Comparing two results: what has changed, how sure that is, and what could have been noticed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any

from ..errors import HarmonyError
from ..near_names import did_you_mean
from .base import Estimate, Row
from .change import COLUMNS, SURE, Change
from .decimals import number_writer
from .differences import change_of, less_what_cancels
from .export import Exported, finite_rows, text_table
from .joint_changes import DistributionChange
from .result import Result
from .score import find_limits

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN_VALUES = 12
HEADINGS = ("attribute", "value", "before", "after", "difference", "95%, all at once", "")


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Mapping[str, Change], Exported):
    """The changes by attribute between two results: see `compare`.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Numeric("battery", 0, 100)], epsilon=1.0)
    >>> first, second = (
    ...     survey.estimate(survey.collect({"battery": [level] * 10_000}, seed=7))
    ...     for level in (50.0, 60.0)
    ... )
    >>> comparison = hm.compare(first, second)
    >>> comparison.changed(), comparison["battery"].verdict()
    (('battery',), 'changed')
    """

    columns = COLUMNS

    before: str
    after: str
    changes: dict[str, Change]
    left_out: tuple[str, ...] = ()
    """Attributes of either result that could not be compared."""

    def __getitem__(self, name: str) -> Change:
        try:
            return self.changes[name]
        except KeyError:
            near = did_you_mean(name, self.changes)
            raise KeyError(f"no attribute {name!r} was compared{near}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def changed(self, confidence: float = SURE) -> tuple[str, ...]:
        """Return the attributes that have changed, for all that can be told."""
        return tuple(name for name, one in self.changes.items() if one.changed(confidence))

    def rows(self, confidence: float = SURE, *, top: int | None = None) -> list[Row]:
        """Return a row for each difference; with `top`, of histograms only the largest."""
        self.find_limits(confidence)
        return [row for one in self.changes.values() for row in one.rows(confidence, top=top)]

    def find_limits(self, confidence: float = SURE) -> None:
        """Find the limits of all differences at once, which is quicker than one by one."""
        find_limits(chain.from_iterable(one.limits_shown(confidence) for one in self.values()))

    def to_dict(self, confidence: float = SURE, *, top: int | None = None) -> dict[str, Any]:
        """Return everything as plain values; what is not finite becomes None."""
        return {
            "before": self.before,
            "after": self.after,
            "confidence": float(confidence),
            "changed": list(self.changed(confidence)),
            "left_out": list(self.left_out),
            "differences": finite_rows(self.rows(confidence, top=top)),
            "quantiles": [
                row
                for one in self.values()
                if isinstance(one, DistributionChange)
                for row in one.quantiles(confidence)
            ],
        }

    def plot(self, confidence: float = SURE) -> Figure:
        """Draw every difference with its simultaneous interval, as a matplotlib figure."""
        from ..plots import plot_comparison

        return plot_comparison(self, confidence)

    def _repr_html_(self) -> str:
        from .notebook import comparison_html

        return comparison_html(self)

    def __repr__(self) -> str:
        lines = [HEADINGS, *self.lines(SHOWN_VALUES)]
        return "\n".join([f"{self.after} against {self.before}", *text_table(lines, "<<>>><<")])

    def lines(self, most: int) -> list[tuple[str, ...]]:
        """Return the cells of a table for people; of many differences, the largest."""
        self.find_limits()
        lines: list[tuple[str, ...]] = []
        for one in self.changes.values():
            rows = one.rows(top=most)
            write = number_writer(rows, shares=one.in_shares)
            for place, row in enumerate(rows):
                low, high = row["simultaneous_low"], row["simultaneous_high"]
                lines.append(
                    (
                        "" if place else one.name,
                        "(mean)" if row["value"] is None else str(row["value"]),
                        write(row["before"]),
                        write(row["after"]),
                        write(row["difference"]),
                        f"{write(low)} .. {write(high)}",
                        "changed" if row["changed"] else "",
                    )
                )
            if more := len(one.values) - len(rows):
                lines.append(("", f"... {more:,} smaller differences", "", "", "", "", ""))
            if isinstance(one, DistributionChange):
                lines += [("", *cells, "") for cells in one.quantile_cells()]
        return lines


def compare(
    before: Result | Estimate, after: Result | Estimate, *, stayed: float = 0.0
) -> Comparison:
    """Compare two results of a survey, or the same attributes in results of two surveys.

    Each difference, after minus before, comes with an interval of its own and with one of a set
    that holds all at once, over all attributes; `changed` goes by the latter, so nothing is called
    a change in 95% of comparisons between which nothing has changed.  `detectable` is how large
    a change had to be to be noticed in 80%.  Two estimates may be given as well.

    What is compared is what the devices that reported each time have, the same ones or others.
    Errors must be independent, as those of two rounds or of two regions are.  Rounds of a survey
    with memory have part of their noise in common, which cancels for devices that answered both
    and the same.  How many did no tally tells: `stayed` is the least share of the smaller round
    that you are sure of, and narrows the intervals.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> def week(number, on):
    ...     people = {"wifi": [True] * on + [False] * (20_000 - on)}
    ...     round = hm.Round(f"W{number}", bytes([number] * 16))
    ...     return survey.estimate(survey.collect(people, seed=number, round=round))
    >>> hm.compare(week(45, 9_000), week(46, 11_000))
    phones W46 against phones W45
    attribute  value  before   after  difference  95%, all at once
    wifi       False  54.13%  44.84%      -9.29%  -11.17% .. -7.41%  changed
               True   45.87%  55.16%       9.29%  7.41% .. 11.17%    changed
    """
    if before is after:
        raise HarmonyError("'before' and 'after' are the same result: give those of two rounds")
    if isinstance(before, Estimate) and isinstance(after, Estimate):
        change = change_of(before, after)
        if isinstance(change, str):
            raise HarmonyError(f"{before.name} and {after.name} {change}")
        return Comparison("before", "after", {after.name: change})
    for field, given in (("before", before), ("after", after)):
        if not isinstance(given, Result):
            raise HarmonyError(
                f"'{field}' must be a result, as survey.estimate(tally) returns it, "
                f"not a {type(given).__name__}"
            )
    assert isinstance(before, Result)
    assert isinstance(after, Result)
    if isinstance(stayed, bool) or not isinstance(stayed, Real) or not 0 <= stayed <= 1:
        raise HarmonyError("'stayed' must be a share between 0 and 1")
    return _of_results(before, after, float(stayed))


def _of_results(before: Result, after: Result, stayed: float) -> Comparison:
    common = sorted(set(before.rounds) & set(after.rounds))
    if before.survey == after.survey and common and before.rounds != after.rounds:
        raise HarmonyError(
            f"both windows have round {common[0]!r}, so their errors are not independent; compare "
            "windows that have no round in common"
        )
    found, left_out = {}, [name for name in after if name not in before]
    left_out += [name for name in before if name not in after]
    reasons = []
    others = any(one.turns is not None and one.turns.every > 1 for one in (before, after))
    for name in after:
        if name in before:
            change = change_of(before[name], after[name], others=others)
            if not isinstance(change, str) and before.survey == after.survey:
                change = less_what_cancels(change, (before.turns, after.turns), stayed)
            if isinstance(change, str):
                left_out.append(name)
                reasons.append(f"{name}: they {change}")
            else:
                found[name] = change
    if not found:
        why = "; ".join(reasons) or "they have no attribute of the same name"
        raise HarmonyError(f"the results cannot be compared: {why}")
    changes = {name: replace(one, compared=len(found)) for name, one in found.items()}
    return Comparison(
        f"{before.survey} {before.round}", f"{after.survey} {after.round}", changes, tuple(left_out)
    )
