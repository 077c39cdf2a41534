"""The explorations: a list, and a page for each."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from harmony.csv_table import csv_table
from harmony.exploration import Findings
from harmony.service.api import explorations as api
from harmony.service.api.access import State
from harmony.service.state import ServiceState

from .access import Manager, OwnForm, PageRoute, Viewer
from .charts import MOST_BARS, Chart
from .exports import csv_response, json_response
from .live import version_of
from .sessions import Visitor
from .steps import list_page, steps_page, stop_page
from .training_views import LIST_COLUMNS

router = APIRouter(include_in_schema=False, route_class=PageRoute)

DOES = (
    "An exploration finds the common strings of a text that nobody listed the values of; each "
    "device answers once."
)


@router.get("/explorations")
def list_explorations(request: Request, state: State, visitor: Viewer) -> Response:
    """Show every exploration."""
    return list_page(request, state, visitor, "exploration", _rows(state, visitor), DOES)


@router.get("/explorations.json")
def list_json(state: State, visitor: Viewer) -> Response:
    """The list as JSON."""
    return json_response({"explorations": _rows(state, visitor)})


@router.get("/explorations.csv")
def list_csv(state: State, visitor: Viewer) -> Response:
    """The list as CSV."""
    return csv_response("explorations.csv", csv_table(_rows(state, visitor), LIST_COLUMNS))


@router.get("/explorations/{name}")
def show_exploration(request: Request, state: State, visitor: Viewer, name: str) -> Response:
    """Show an exploration: its steps, and what it found."""
    version = version_of(state, name)
    exploration = _detail(state, visitor, name)
    document = exploration["findings"]
    findings = None if document is None else Findings.from_document(document)
    return steps_page(
        request,
        state,
        visitor,
        "exploration",
        exploration,
        version=version,
        purpose="Purpose",
        loss=None,
        findings=findings,
        chart_of_strings=None if findings is None else strings_chart(findings),
        export=f"/explorations/{name}/findings",
    )


@router.get("/explorations/{name}/findings.json")
def findings_json(state: State, visitor: Viewer, name: str) -> Response:
    """An exploration as JSON."""
    return json_response(_detail(state, visitor, name))


@router.get("/explorations/{name}/findings.csv")
def findings_csv(state: State, visitor: Viewer, name: str) -> Response:
    """The strings that were found, as CSV."""
    del visitor  # who may see the page may see this
    return csv_response(f"{name}.csv", api.findings_of(state, name).to_csv())


@router.post("/explorations/{name}/stop")
def stop_exploration(
    request: Request, state: State, visitor: Manager, form: OwnForm, name: str
) -> Response:
    """End an exploration before it has found anything, once that is confirmed."""
    state.trainings.of_kind(name, explores=True)
    consequence = (
        "It ends without its last step, which counts the strings, and takes no more reports."
    )
    return stop_page(
        request, visitor, form, "exploration", name, consequence,
        lambda: api.stop_exploration(state, visitor.holder, name),
    )  # fmt: skip


def strings_chart(findings: Findings) -> Chart | None:
    """Return the chart of the strings that were found; none if there are none."""
    rows = findings.rows()[:-1][:MOST_BARS]
    if not rows:
        return None
    return {
        "kind": "histogram",
        "title": findings.exploration,
        "labels": [row["string"] for row in rows],
        "consistent": [row["share"] for row in rows],
        "estimate": [row["share"] for row in rows],
        "low": [row["low"] for row in rows],
        "high": [row["high"] for row in rows],
        "left_out": len(findings) - len(rows),
    }


def _rows(state: ServiceState, visitor: Visitor) -> list[dict[str, Any]]:
    return api.list_explorations(state, visitor.holder).model_dump()["explorations"]  # type: ignore[no-any-return]


def _detail(state: ServiceState, visitor: Visitor, name: str) -> dict[str, Any]:
    return api.show_exploration(state, visitor.holder, name).model_dump()
