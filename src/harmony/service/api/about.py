"""What anyone may read about a survey or a training, where an admin made that public."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter, Request

from harmony.service.asgi import own_url
from harmony.service.composition import Spending, spending_of, training_spending
from harmony.service.disclosure import (
    Proof,
    Question,
    as_plain,
    odds_of,
    plain_question,
    proofs_of,
    questions_of,
)
from harmony.service.entries import SurveyEntry, TrainingEntry
from harmony.service.problems import Problem
from harmony.service.state import ServiceState
from harmony_device.tables import TOTAL

from .access import State
from .policies import SpendingView

router = APIRouter(prefix="/v1", tags=["about"])

RULE = "largest * 2^128 <= floor * smallest, in integers; counts are of 2^53"
RULE_OF_TWO = ", or of 2^106 for two tables one after the other"


@router.get("/surveys/{name}/about")
def about_survey(state: State, request: Request, name: str) -> dict[str, Any]:
    """Read what a public survey asks and why, what a report reveals, and the proof of that."""
    entry = public_entry(state, name)
    if not isinstance(entry, SurveyEntry):
        raise _not_public()
    return survey_about(entry, state, own_url(request.scope, state.settings))


@router.get("/trainings/{name}/about")
def about_training(state: State, request: Request, name: str) -> dict[str, Any]:
    """Read what a public training uses and learns, what a report reveals, and the proof of that."""
    entry = public_entry(state, name)
    if not isinstance(entry, TrainingEntry):
        raise _not_public()
    return training_about(entry, state, own_url(request.scope, state.settings))


def public_entry(state: ServiceState, name: str) -> SurveyEntry | TrainingEntry:
    """Return a survey or a training that is public, or raise the problem that there is none."""
    entry = state.catalogue.trainings.get(name) or state.catalogue.surveys.get(name)
    if entry is None or not entry.public:
        raise _not_public()
    return entry


def survey_about(entry: SurveyEntry, state: ServiceState, url: str) -> dict[str, Any]:
    """Return all that is public about a survey."""
    survey, now = entry.survey, state.clock()
    taking = entry.open_round(now)
    return {
        "kind": "survey",
        "name": survey.name,
        "purpose": survey.purpose,
        "document": f"{url}/v1/surveys/{survey.name}",
        "fingerprint": entry.fingerprint,
        "answers": survey.answers,
        "tiers": list(survey.tiers),
        "every": survey.every,
        "memory": survey.memory,
        "change": survey.change,
        "open_round": None if taking is None else taking.live.round.label,
        "retention_days": entry.retention if taking is None else taking.retention,
        **_common(state, survey.epsilon, spending_of(survey, entry.schedule)),
        **_proved(questions_of(entry.document), proofs_of(entry.document)),
    }


def training_about(entry: TrainingEntry, state: ServiceState, url: str) -> dict[str, Any]:
    """Return all that is public about a training: its facts, and the steps so far."""
    definition = msgspec.json.decode(entry.definition)
    asked = (
        [definition["text"]] if entry.explores else [definition["label"], *definition["features"]]
    )
    questions = [plain_question(one) for one in asked]
    proofs: list[Proof] = []
    for step in entry.rounds.values():
        task = msgspec.json.decode(step.document)
        proofs += proofs_of(msgspec.json.encode(task["survey"]))
    return {
        "kind": entry.kind,
        "name": entry.name,
        "purpose": None,
        "predicts": None if entry.explores else definition["label"]["name"],
        "document": f"{url}/v1/trainings/{entry.name}/task",
        "fingerprint": None,
        "steps": len(entry.rounds),
        "tiers": [entry.epsilon],
        "running": entry.ended is None,
        "retention_days": entry.retention,
        **_common(state, entry.epsilon, training_spending(entry.epsilon)),
        **_proved(tuple(questions), tuple(proofs)),
    }


def _common(state: ServiceState, epsilon: float, spending: Spending) -> dict[str, Any]:
    return {
        "operator": state.settings.operator or None,
        "epsilon": epsilon,
        "odds": [as_plain(one) for one in odds_of(epsilon)],
        "spending": SpendingView.of(spending).model_dump(),
    }


def _proved(questions: tuple[Question, ...], proofs: tuple[Proof, ...]) -> dict[str, Any]:
    return {
        "questions": [as_plain(one) for one in questions],
        "proof": {
            "rule": RULE if all(one.largest < TOTAL for one in proofs) else RULE + RULE_OF_TWO,
            "kept": all(one.kept for one in proofs),
            "tables": [as_plain(one) for one in proofs],
        },
    }


def _not_public() -> Problem:
    return Problem("not-found", "there is no public page of this name")
