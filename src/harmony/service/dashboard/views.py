"""What the pages show, as plain values: pure functions of surveys, rounds and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harmony.attributes import Numeric
from harmony.crosstab import Crosstab, Rounded
from harmony.distribution import Distribution
from harmony.estimate.base import Estimate
from harmony.estimate.crosstab import EXACT_CELLS, CrosstabEstimate
from harmony.estimate.decimals import number_writer
from harmony.estimate.histogram import HistogramEstimate
from harmony.estimate.result import Result
from harmony.numerals import numerals
from harmony.over_time import one_in
from harmony.plan import Plan, PlannedError
from harmony.questions import Question
from harmony.service.catalogue import RoundEntry, SurveyEntry
from harmony.service.composition import spending_of
from harmony.service.retention import DAY

from .charts import MEDIAN, MOST_BARS, Chart, chart_of, shown_rows, shown_value, trend_of

MOST_ROWS = 1_000
"""Rows of a table on a page; the whole histogram is in the CSV."""


@dataclass(frozen=True)
class EstimateRow:
    """One line of an attribute's table, written out."""

    value: str
    estimate: str
    interval: str
    consistent: str


@dataclass(frozen=True)
class AttributeCard:
    """One attribute on a survey's page."""

    name: str
    question: str | None
    asks: str
    is_mean: bool
    is_share: bool
    answers: int
    verdict: str
    influence: str
    figure: str
    reach: str
    rows: tuple[EstimateRow, ...]
    left_out: int
    notes: tuple[str, ...]
    chart: Chart | None
    trend: Chart | None
    windows: Chart | None
    """The trend of windows, in which rotation has heard every device."""
    place: int = 0
    """Where it stands in the survey."""
    change: str = ""
    """Whether it changed since the round before, where that was asked for."""

    @property
    def enough(self) -> bool:
        """Whether there are enough reports to say something."""
        return self.verdict == "ok"


def asks(attribute: Question) -> str:
    """Return in a few words what an attribute is.

    >>> asks(Numeric("battery", 0, 100))
    'mean of a number from 0 to 100'
    """
    if isinstance(attribute, Distribution):
        return f"distribution of {_number(attribute)}"
    if isinstance(attribute, Crosstab):
        first, second = attribute.parts
        if isinstance(second, Rounded):
            return f"mean of {second.name} in each of {len(first.values):,} groups"
        return f"joint table of {len(first.values):,} by {len(second.values):,} values"
    if isinstance(attribute, Numeric) and not attribute.values:
        return f"mean of {_number(attribute)}"
    if isinstance(attribute, Numeric):
        return f"histogram over {len(attribute.values)} bins"
    if set(attribute.values) == {False, True}:
        return "yes or no"
    return f"histogram over {len(attribute.values):,} values"


def _number(attribute: Distribution | Numeric) -> str:
    return f"a number from {' to '.join(numerals((attribute.low, attribute.high)))}"


def attribute_card(
    attribute: Question,
    results: Sequence[Result],
    result: Result,
    confidence: float = 0.95,
    windows: Sequence[Result] = (),
) -> AttributeCard:
    """Show one attribute of `result`, and how it went over `results`."""
    one = result[attribute.name]
    rows = shown_rows(one, MOST_ROWS, confidence)
    write = number_writer(rows, shares=one.in_shares)
    headline = next((row for row in rows if row["value"] in (None, MEDIAN)), None)
    return AttributeCard(
        name=attribute.name,
        question=attribute.question,
        asks=asks(attribute),
        is_mean=rows[0]["value"] is None,
        is_share=one.in_shares,
        answers=one.n,
        verdict=one.verdict,
        influence=one.influence_in_words(write),
        figure=write(headline["estimate"]) if headline else "",
        reach=write((headline["high"] - headline["low"]) / 2) if headline else "",
        rows=tuple(
            EstimateRow(
                shown_value(row["value"]),
                write(row["estimate"]),
                f"{write(row['low'])} to {write(row['high'])}",
                write(row["consistent"]),
            )
            for row in rows
        ),
        left_out=one.left_out(MOST_ROWS),
        notes=_notes(one, write),
        chart=chart_of(one, confidence),
        trend=trend_of(attribute.name, results, confidence),
        windows=trend_of(attribute.name, windows, confidence),
    )


def _notes(one: Estimate, write: Callable[[float], str]) -> tuple[str, ...]:
    """Return what else there is to say about an estimate."""
    notes = []
    if isinstance(one, HistogramEstimate) and one.n and one.left_out(MOST_BARS):
        apart = f"{len(one.detected):,} of {len(one.values):,} values"
        notes.append(f"{apart} can be told apart from zero")
    if isinstance(one, HistogramEstimate) and (none := one.no_answer):
        low, high = none.interval
        notes.append(f"{write(none.share)} ({write(low)} to {write(high)}) gave no answer")
    if isinstance(one, CrosstabEstimate) and one.n and len(one.values) <= EXACT_CELLS:
        chance = one.association.p_value
        told = "less than 0.0001" if chance < 0.0001 else f"{chance:.2g}"
        first, second = (part.name for part in one.crosstab.parts)
        notes.append(
            f"were {first} and {second} unrelated, a table as uneven would have a chance of {told}"
        )
    if one.tiers:
        notes.append(
            f"standard error up to {write(one.tiers.by_devices)} with tiers weighed by devices, "
            f"{write(one.tiers.by_precision)} by precision"
        )
    return tuple(notes)


def plan_sentence(plan: Plan) -> str:
    """Return what to expect, in a sentence.

    >>> import harmony as hm
    >>> plan_sentence(hm.Survey("phones", [hm.Boolean("wifi")], 1.0).plan(devices=50_000))
    'With 50,000 devices at epsilon 1 expect ±0.84%.'
    >>> weekly = hm.Survey("phones", [hm.Boolean("wifi")], 1.0, every=4)
    >>> plan_sentence(weekly.plan(devices=50_000))
    'With 50,000 devices at epsilon 1 expect ±1.8% in a round, which hears a quarter of them, ...'
    """
    expected = f"With {plan.devices:,} devices at epsilon {plan.epsilon:g} expect ±"
    if plan.every is None:
        return f"{expected}{_spread(plan.errors)}."
    return (
        f"{expected}{_spread(plan.errors)} in a round, which hears {one_in(plan.every)} of them, "
        f"and ±{_spread(plan.window)} in {plan.every} rounds together."
    )


def _spread(errors: Sequence[PlannedError]) -> str:
    least, most = min(one.error for one in errors), max(one.worst for one in errors)
    if _percent(least) == _percent(most):
        return _percent(most)
    return f"{_percent(least)} to {_percent(most)}, depending on the values"


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"


def round_state(entry: RoundEntry, now: float) -> str:
    """Return whether a round is open or closed, in a word."""
    is_open = entry.closed is None and (entry.closes is None or entry.closes > now)
    return "open" if is_open else "closed"


def survey_row(entry: SurveyEntry, reports: Mapping[int, int], now: float) -> dict[str, Any]:
    """Show a survey as a row of the list; `reports` is by round id."""
    latest = list(entry.rounds.values())[-1] if entry.rounds else None
    return {
        "name": entry.survey.name,
        "attributes": len(entry.survey.questions),
        "epsilon": entry.survey.epsilon,
        "answers": entry.survey.answers,
        "schedule": entry.schedule,
        "rounds": len(entry.rounds),
        "round": latest.live.round.label if latest else None,
        "state": round_state(latest, now) if latest else None,
        "reports": reports.get(latest.live.id, 0) if latest else 0,
        "all_reports": sum(reports.get(one.live.id, 0) for one in entry.rounds.values()),
        "retention_days": entry.retention,
        "public": entry.public,
        "epsilon_in_30_days": spending_of(entry.survey, entry.schedule).epsilon,
    }


def round_rows(
    surveys: Sequence[SurveyEntry], reports: Mapping[int, int], now: float
) -> list[dict[str, Any]]:
    """Show every round of every survey, newest first: a device reports at most once in each."""
    rows = [
        {
            "survey": entry.survey.name,
            "round": label,
            "state": round_state(one, now),
            "opened": one.opened,
            "closed": one.closed if one.closed is not None else one.closes,
            "devices": reports.get(one.live.id, 0),
            "reports_until": None if one.closed is None else one.closed + DAY * one.retention,
            "reports_dropped": one.dropped,
        }
        for entry in surveys
        for label, one in entry.rounds.items()
    ]
    return sorted(rows, key=lambda row: -row["opened"])
