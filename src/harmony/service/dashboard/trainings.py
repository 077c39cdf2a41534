"""The trainings: a list, and a page for each."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from harmony.csv_table import csv_table
from harmony.service.api import trainings as api
from harmony.service.api.access import State
from harmony.service.state import ServiceState

from .access import Manager, OwnForm, PageRoute, Viewer
from .exports import csv_response, json_response
from .live import version_of
from .sessions import Visitor
from .steps import list_page, steps_page, stop_page
from .training_views import (
    LIST_COLUMNS,
    STEP_COLUMNS,
    coefficients,
    evaluation_words,
    loss_of,
    step_rows,
    weights_chart,
)

router = APIRouter(include_in_schema=False, route_class=PageRoute)

DOES = "A training learns a linear model from devices that each answer once."


@router.get("/trainings")
def list_trainings(request: Request, state: State, visitor: Viewer) -> Response:
    """Show every training."""
    return list_page(request, state, visitor, "training", _rows(state, visitor), DOES)


@router.get("/trainings.json")
def list_json(state: State, visitor: Viewer) -> Response:
    """The list as JSON."""
    return json_response({"trainings": _rows(state, visitor)})


@router.get("/trainings.csv")
def list_csv(state: State, visitor: Viewer) -> Response:
    """The list as CSV."""
    return csv_response("trainings.csv", csv_table(_rows(state, visitor), LIST_COLUMNS))


@router.get("/trainings/{name}")
def show_training(request: Request, state: State, visitor: Viewer, name: str) -> Response:
    """Show a training: its steps and its model so far."""
    version = version_of(state, name)
    training = _detail(state, visitor, name)
    return steps_page(
        request,
        state,
        visitor,
        "training",
        training,
        version=version,
        purpose="Learns",
        loss=loss_of(training),
        coefficients=coefficients(training),
        evaluation=evaluation_words(training),
        weights=weights_chart(training),
        export=f"/trainings/{name}/progress",
    )


@router.get("/trainings/{name}/progress.json")
def progress_json(state: State, visitor: Viewer, name: str) -> Response:
    """A training as JSON."""
    return json_response(_detail(state, visitor, name))


@router.get("/trainings/{name}/progress.csv")
def progress_csv(state: State, visitor: Viewer, name: str) -> Response:
    """A training's steps as CSV."""
    rows = step_rows(_detail(state, visitor, name))
    return csv_response(f"{name}.csv", csv_table(rows, STEP_COLUMNS))


@router.post("/trainings/{name}/stop")
def stop_training(
    request: Request, state: State, visitor: Manager, form: OwnForm, name: str
) -> Response:
    """End a training with the model that it has, once that is confirmed."""
    state.trainings.training(name)
    consequence = "It ends with the model that it has by now, and takes no more reports."
    return stop_page(
        request, visitor, form, "training", name, consequence,
        lambda: api.stop_training(state, visitor.holder, name),
    )  # fmt: skip


def _rows(state: ServiceState, visitor: Visitor) -> list[dict[str, Any]]:
    return api.list_trainings(state, visitor.holder).model_dump()["trainings"]  # type: ignore[no-any-return]


def _detail(state: ServiceState, visitor: Visitor, name: str) -> dict[str, Any]:
    return api.show_training(state, visitor.holder, name).model_dump()
