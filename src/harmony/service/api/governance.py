"""Routes for what is settled about surveys and trainings, for deleting them, and for the record."""

from __future__ import annotations

from typing import Annotated

import structlog
from fastapi import APIRouter, Query, Response

from harmony.service.activity import CHANGED, DELETED, MOST_ENTRIES
from harmony.service.state import ServiceState
from harmony.service.tokens import Token

from .access import Admin, Analyst, State
from .models import Label
from .policies import (
    CONFIRM,
    ActivityList,
    ActivityView,
    SurveySettings,
    SurveySettingsBody,
    TrainingSettings,
    TrainingSettingsBody,
)

log = structlog.get_logger(__name__)

router = APIRouter(prefix="/v1", tags=["governance"])

Confirm = Annotated[str | None, Query(description=CONFIRM)]

Before = Annotated[
    int | None, Query(ge=1, le=2**63 - 1, description="only entries below this number")
]
"""Not beyond what a database counts to."""


@router.get("/surveys/{name}/settings")
def survey_settings(state: State, _: Analyst, name: str) -> SurveySettings:
    """Show a survey's schedule and retention, and what one person spends on it."""
    return SurveySettings.of(state.catalogue.survey(name))


@router.patch("/surveys/{name}/settings")
def change_survey(
    state: State, holder: Admin, name: str, body: SurveySettingsBody
) -> SurveySettings:
    """Settle a survey's schedule, retention or public page anew."""
    state.catalogue.survey(name)
    _change(state, holder, "survey", name, body)
    return SurveySettings.of(state.catalogue.survey(name))


@router.delete("/surveys/{name}", status_code=204)
def delete_survey(state: State, holder: Admin, name: str, confirm: Confirm = None) -> Response:
    """Delete a survey: its document, its rounds, their reports and tallies."""
    state.catalogue.survey(name)
    return _delete(state, holder, "survey", name, confirm)


@router.delete("/surveys/{name}/rounds/{label}", status_code=204)
def delete_round(
    state: State, holder: Admin, name: str, label: Label, confirm: Confirm = None
) -> Response:
    """Delete a round: its reports and its tally; no other round may have its label."""
    state.governance.delete_round(name, label, confirm, holder)
    log.info("round deleted", survey=name, round=label, by=holder.name)
    return Response(status_code=204)


@router.get("/trainings/{name}/settings")
def training_settings(state: State, _: Analyst, name: str) -> TrainingSettings:
    """Show a training's retention, and what one person spends on it."""
    return TrainingSettings.of(state.trainings.training(name))


@router.patch("/trainings/{name}/settings")
def change_training(
    state: State, holder: Admin, name: str, body: TrainingSettingsBody
) -> TrainingSettings:
    """Settle a training's retention or public page anew."""
    kind = state.trainings.training(name).kind
    _change(state, holder, kind, name, body)
    return TrainingSettings.of(state.trainings.training(name))


@router.delete("/trainings/{name}", status_code=204)
def delete_training(state: State, holder: Admin, name: str, confirm: Confirm = None) -> Response:
    """Delete a training or an exploration: its steps, reports and tallies, and what it learnt."""
    kind = state.trainings.training(name).kind
    return _delete(state, holder, kind, name, confirm)


@router.get("/activity")
def activity(
    state: State,
    _: Admin,
    before: Before = None,
    most: Annotated[int, Query(ge=1, le=MOST_ENTRIES)] = MOST_ENTRIES,
) -> ActivityList:
    """List administrative acts, newest first."""
    entries = state.activity.entries(before, most)
    return ActivityList(activity=[ActivityView.of(one) for one in entries])


def _change(
    state: ServiceState, holder: Token, kind: str, name: str, body: TrainingSettingsBody
) -> None:
    state.governance.change(name, body.wanted(), body.confirm, holder)
    log.info(CHANGED.format(kind=kind), name=name, by=holder.name)


def _delete(
    state: ServiceState, holder: Token, kind: str, name: str, confirm: str | None
) -> Response:
    state.governance.delete(name, confirm, holder)
    log.info(DELETED.format(kind=kind), name=name, by=holder.name)
    return Response(status_code=204)
