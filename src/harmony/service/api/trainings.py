"""Routes for trainings: admins create and stop them, analysts read them.

Devices ask for their task in `harmony.service.training.route`.
"""

from __future__ import annotations

from typing import Any

import structlog
from fastapi import APIRouter
from fastapi.responses import JSONResponse

from harmony.service.entries import TrainingEntry, is_exploration
from harmony.service.problems import Problem
from harmony.service.state import ServiceState
from harmony.service.tokens import Token

from .access import Admin, Analyst, State
from .training_models import StepsBody, TrainingBody, TrainingDetail, TrainingList, TrainingView

log = structlog.get_logger(__name__)

router = APIRouter(prefix="/v1/trainings", tags=["trainings"])


@router.post("", status_code=201)
def create_training(state: State, holder: Admin, body: TrainingBody) -> TrainingView:
    """Create a training and open its first step: devices may ask for its task from now on."""
    if is_exploration(body.training):
        raise Problem("malformed", "'training': a 'text' is explored: POST /v1/explorations")
    return created(state, holder, "training", body.training, body)


@router.get("")
def list_trainings(state: State, _: Analyst) -> TrainingList:
    """List the trainings."""
    return TrainingList(trainings=[TrainingView.of(one) for one in listed(state, explores=False)])


def created(
    state: ServiceState, holder: Token, kind: str, definition: dict[str, Any], body: StepsBody
) -> TrainingView:
    """Create a training or an exploration."""
    entry = state.trainings.create(
        definition,
        body.step_seconds,
        body.least,
        retention=body.retention_days,
        public=body.public,
        by=holder,
    )
    log.info(f"{kind} created", **{kind: entry.name}, by=holder.name)
    return TrainingView.of(entry)


def stopped(state: ServiceState, holder: Token, kind: str, name: str) -> TrainingView:
    """End a training or an exploration, whichever kind is meant."""
    state.trainings.of_kind(name, explores=kind == "exploration")
    entry = state.trainings.stop(name, by=holder)
    log.info(f"{kind} stopped", **{kind: name}, by=holder.name)
    return TrainingView.of(entry)


def listed(state: ServiceState, *, explores: bool) -> list[TrainingEntry]:
    """Return the trainings, or the explorations, by name."""
    entries = (one for one in state.catalogue.trainings.values() if one.explores == explores)
    return sorted(entries, key=lambda one: one.name)


@router.get("/{name}")
def show_training(state: State, _: Analyst, name: str) -> TrainingDetail:
    """Show a training: its steps, its history, its model so far, and who came too late."""
    return TrainingDetail.of_progress(state.trainings.progress(name))


@router.post("/{name}/stop")
def stop_training(state: State, holder: Admin, name: str) -> TrainingView:
    """End a training now, having learnt from the open step if enough devices have reported."""
    return stopped(state, holder, "training", name)


@router.get("/{name}/model")
def download_model(state: State, _: Analyst, name: str) -> JSONResponse:
    """Download the model as it is now, to predict with it anywhere."""
    model: dict[str, Any] = state.trainings.progress(name).trainer.model.to_document()
    filename = f'attachment; filename="{name}.json"'
    return JSONResponse(model, headers={"Content-Disposition": filename})
