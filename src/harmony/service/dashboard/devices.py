"""The devices, as a crowd: how many enrolled, how many reported in each round.  Never one."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import func, select

from harmony.csv_table import csv_table
from harmony.service import schema
from harmony.service.api.access import State
from harmony.service.api.models import moment
from harmony.service.state import ServiceState

from .access import PageRoute, Viewer
from .exports import csv_response, json_response
from .live import version_of
from .rendering import page
from .views import round_rows

router = APIRouter(include_in_schema=False, route_class=PageRoute)

COLUMNS = (
    "survey", "round", "state", "opened", "closed", "devices", "reports_until", "reports_dropped",
)  # fmt: skip
TIMES = ("opened", "closed", "reports_until", "reports_dropped")


@router.get("/devices")
def show_devices(request: Request, state: State, visitor: Viewer) -> Response:
    """Show how many devices take part."""
    version = version_of(state)
    rounds, counts = _rounds(state), _counts(state)
    return page(
        request, "devices.html", visitor=visitor, version=version, rounds=rounds, counts=counts
    )


@router.get("/devices.json")
def devices_json(state: State, _: Viewer) -> Response:
    """The same as JSON."""
    return json_response(_counts(state) | {"rounds": _dated(state)})


@router.get("/devices.csv")
def devices_csv(state: State, _: Viewer) -> Response:
    """The rounds as CSV."""
    return csv_response("devices.csv", csv_table(_dated(state), COLUMNS))


def _rounds(state: ServiceState) -> list[dict[str, Any]]:
    surveys = list(state.catalogue.surveys.values())
    return round_rows(surveys, state.catalogue.reports(), state.clock())


def _dated(state: ServiceState) -> list[dict[str, Any]]:
    return [row | {time: moment(row[time]) for time in TIMES} for row in _rounds(state)]


def _counts(state: ServiceState) -> dict[str, Any]:
    """Count enrolments since the start of this server, and deletions for good."""
    with state.database.read() as connection:
        forgotten = connection.execute(
            select(func.count()).select_from(schema.forgotten)
        ).scalar_one()
    enrolled = state.metrics.registry.get_sample_value("harmony_enrolments_total") or 0.0
    return {
        "enrolled_since_start": int(enrolled),
        "deleted": int(forgotten),
        "enrolment": state.settings.enrolment,
    }
