"""The explorations: a list, and a page for each."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from harmony.csv_table import csv_table
from harmony.exploration import Findings
from harmony.service.api import explorations as api
from harmony.service.api.access import State
from harmony.service.composition import training_spending
from harmony.service.state import ServiceState

from .access import Manager, OwnForm, PageRoute, Viewer
from .charts import MOST_BARS, Chart
from .confirm import Irreversible
from .exports import csv_response, json_response
from .live import version_of
from .policy_views import retention_sentence
from .rendering import page
from .sessions import Visitor
from .training_views import LIST_COLUMNS, step_rows

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/explorations")
def list_explorations(request: Request, state: State, visitor: Viewer) -> Response:
    """Show every exploration."""
    version = version_of(state)
    rows = _rows(state, visitor)
    return page(request, "explorations.html", visitor=visitor, version=version, explorations=rows)


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
    entry = state.trainings.training(name)
    document = exploration["findings"]
    findings = None if document is None else Findings.from_document(document)
    return page(
        request,
        "exploration.html",
        visitor=visitor,
        version=version,
        exploration=exploration,
        findings=findings,
        chart_of_strings=None if findings is None else strings_chart(findings),
        steps=step_rows(exploration),
        entry=entry,
        spending=training_spending(entry.epsilon),
        retention=retention_sentence(entry.retention, entry.kind),
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
    act = Irreversible(
        f"Stop the exploration {name}?",
        name,
        ["It ends without its last step, which counts the strings, and takes no more reports."],
        f"Stop {name}",
        f"/explorations/{name}",
    )
    if not act.is_confirmed(form):
        return act.ask(request, visitor, form)
    api.stop_exploration(state, visitor.holder, name)
    return RedirectResponse(f"/explorations/{name}", 303)


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
