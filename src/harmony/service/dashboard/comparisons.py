"""Two rounds of a survey side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response

from harmony.estimate.base import Estimate, Row
from harmony.estimate.change import SURE, Change
from harmony.estimate.compare import Comparison
from harmony.estimate.decimals import number_writer
from harmony.estimate.distribution import DistributionEstimate
from harmony.estimate.intervals import confidence_of_each
from harmony.estimate.joint_changes import DistributionChange
from harmony.service.api.access import State
from harmony.service.api.analysis import compare_rounds
from harmony.service.state import ServiceState

from .access import PageRoute, Viewer
from .charts import MOST_BARS, Chart, shown_value
from .exports import csv_response, json_response
from .live import version_of
from .readings import Read, Readings
from .rendering import page
from .results import MANY
from .views import MOST_ROWS

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/surveys/{name}/compare")
def show_comparison(
    request: Request,
    state: State,
    read: Read,
    visitor: Viewer,
    name: str,
    before: str = "",
    after: str = "",
) -> Response:
    """Show what changed between two rounds; `after` is the latest unless given."""
    found = _comparison(state, read, name, before, after)
    found.find_limits()
    entry = state.catalogue.survey(name)
    return page(
        request,
        "compare.html",
        visitor=visitor,
        survey=entry.survey,
        version=version_of(state, name),
        rounds=list(reversed(entry.rounds)),
        before=before,
        after=state.catalogue.round(name, after or None).live.round.label,
        changed=found.changed(),
        left_out=found.left_out,
        cards=[
            change_card(one) for one in sorted(found.values(), key=lambda one: not one.changed())
        ],
        many=MANY,
    )


@router.get("/surveys/{name}/compare.json")
def comparison_json(
    state: State, read: Read, _: Viewer, name: str, before: str = "", after: str = ""
) -> Response:
    """The differences as JSON."""
    return json_response(_comparison(state, read, name, before, after).to_dict())


@router.get("/surveys/{name}/compare.csv")
def comparison_csv(
    state: State, read: Read, _: Viewer, name: str, before: str = "", after: str = ""
) -> Response:
    """The differences as CSV."""
    found = _comparison(state, read, name, before, after)
    return csv_response(f"{name}-changes.csv", found.to_csv())


def _comparison(
    state: ServiceState, read: Readings, name: str, before: str, after: str
) -> Comparison:
    earlier, later = (state.catalogue.round(name, label or None) for label in (before, after))
    return compare_rounds(earlier, later, read.result)


@dataclass(frozen=True)
class ChangeRow:
    """One line of an attribute's table, written out."""

    value: str
    before: str
    after: str
    difference: str
    interval: str
    detectable: str
    changed: bool


@dataclass(frozen=True)
class ChangeCard:
    """One attribute on the page of a comparison."""

    name: str
    verdict: str
    changed: bool
    is_mean: bool
    answers: tuple[int, int]
    rows: tuple[ChangeRow, ...]
    quantiles: tuple[tuple[str, str, str, str, str], ...]
    left_out: int
    chart: Chart | None


def change_card(one: Change) -> ChangeCard:
    """Show what changed about one attribute, the largest differences of many."""
    rows = one.rows(top=MOST_ROWS)
    write = number_writer(rows, shares=one.in_shares)
    return ChangeCard(
        name=one.name,
        verdict=one.verdict(),
        changed=bool(one.changed()),
        is_mean=one.values[0] is None,
        answers=(one.before.n, one.after.n),
        rows=tuple(
            ChangeRow(
                shown_value(row["value"]),
                write(row["before"]),
                write(row["after"]),
                write(row["difference"]),
                f"{write(row['simultaneous_low'])} to {write(row['simultaneous_high'])}",
                write(row["detectable"]),
                row["changed"],
            )
            for row in rows
        ),
        quantiles=tuple(one.quantile_cells()) if isinstance(one, DistributionChange) else (),
        left_out=len(one.values) - len(rows),
        chart=_chart(one),
    )


def _chart(one: Change) -> Chart | None:
    """Return both rounds side by side; shares have intervals that hold for any pick."""
    if not one.known:
        return None
    values = [row["value"] for row in one.rows(top=MOST_BARS)]
    return {
        "kind": "comparison",
        "title": f"{one.name}, compared",
        "share": one.in_shares,
        "labels": [shown_value(value) for value in values],
        "rounds": [_side(name, _rows(one, which), values) for name, which in _sides(one)],
    }


def _sides(one: Change) -> tuple[tuple[str, Estimate], tuple[str, Estimate]]:
    return ("before", one.before), ("after", one.after)


def _rows(one: Change, which: Estimate) -> list[Row]:
    """Return what is drawn of one round: its rows, or its CDF where that is compared."""
    if not isinstance(one, DistributionChange) or not isinstance(which, DistributionEstimate):
        return which.rows()
    each = confidence_of_each(SURE, len(one.at))
    found = []
    for value, at in zip(one.values, one.at, strict=True):
        share = which.cdf(at)
        low, high = share.interval(each)
        found.append(
            {
                "value": value,
                "estimate": float(share),
                "simultaneous_low": low,
                "simultaneous_high": high,
            }
        )
    return found


def _side(name: str, rows: list[Row], values: list[Any]) -> dict[str, Any]:
    by_value = {row["value"]: row for row in rows}
    rows = [by_value[value] for value in values]
    return {
        "name": name,
        "estimate": [row["estimate"] for row in rows],
        "low": [row["simultaneous_low"] for row in rows],
        "high": [row["simultaneous_high"] for row in rows],
    }
