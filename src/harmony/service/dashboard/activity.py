"""Activity, for admins: who did what, and when."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response

from harmony.csv_table import csv_table
from harmony.service.activity import MOST_ENTRIES
from harmony.service.api.access import State
from harmony.service.api.governance import Before
from harmony.service.api.policies import ActivityView
from harmony.service.state import ServiceState

from .access import Manager, PageRoute
from .exports import csv_response, json_response
from .rendering import page

router = APIRouter(include_in_schema=False, route_class=PageRoute)

COLUMNS = ("number", "at", "who", "role", "token", "act", "subject", "detail")


@router.get("/activity")
def show_activity(
    request: Request, state: State, visitor: Manager, before: Before = None
) -> Response:
    """Show the latest acts, or those before one."""
    rows = _rows(state, before)
    older = rows[-1]["number"] if len(rows) == MOST_ENTRIES else None
    for row in rows:
        row["words"] = detail_in_words(row["detail"])
    return page(request, "activity.html", visitor=visitor, rows=rows, before=before, older=older)


@router.get("/activity.json")
def activity_json(state: State, _: Manager, before: Before = None) -> Response:
    """The same as JSON."""
    return json_response({"activity": _rows(state, before)})


@router.get("/activity.csv")
def activity_csv(state: State, _: Manager, before: Before = None) -> Response:
    """The same as CSV."""
    rows = [
        row | {"detail": msgspec.json.encode(row["detail"]).decode()}
        for row in _rows(state, before)
    ]
    return csv_response("activity.csv", csv_table(rows, COLUMNS))


def detail_in_words(detail: dict[str, Any]) -> str:
    """Write the details of an act in a line.

    >>> detail_in_words({"retention": 7, "public": True, "schedule": None})
    'retention 7, public yes, schedule none'
    """
    return ", ".join(f"{key.replace('_', ' ')} {_word(value)}" for key, value in detail.items())


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value}"


def _rows(state: ServiceState, before: int | None) -> list[dict[str, Any]]:
    entries = state.activity.entries(before)
    return [ActivityView.of(one).model_dump() for one in entries]
