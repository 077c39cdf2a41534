"""Routes for admins: surveys, rounds, tokens, keys, the allow-list."""

from __future__ import annotations

from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Body, Response

from harmony.errors import HarmonyError, SurveyError
from harmony.mechanisms.budget import within
from harmony.service.problems import Problem
from harmony.service.schema import RETENTION_DAYS
from harmony.service.tokens import ENROL
from harmony.survey import Survey

from .access import Admin, State
from .models import (
    AllowBody,
    Allowed,
    ClaimBody,
    Claimed,
    Days,
    Label,
    RotateBody,
    Rotated,
    RoundBody,
    RoundView,
    Schedule,
    SurveyView,
    TokenBody,
    TokenList,
    TokenMade,
    TokenView,
)
from .policies import SurveyCreated, SurveySettings

log = structlog.get_logger(__name__)

router = APIRouter(prefix="/v1", tags=["admin"])

LATEST = "latest"
"""What reads call a survey's newest round, so no round may have that label."""

DAY = 86400.0
MOST_TABLES = 2_000
"""A survey with more, one for each attribute and tier, must come with them."""

DESIGN_SECONDS = 30.0
"""How long the tables of a survey may take to design; else it must come with them."""


def design_survey(document: dict[str, Any]) -> Survey:
    """Return the survey of a definition or a document, if that takes half a minute at most."""
    attributes, tiers = document.get("attributes"), document.get("tiers")
    offered = len(tiers) if isinstance(tiers, list) and tiers else 1
    if (
        "tables" not in document
        and isinstance(attributes, list)
        and len(attributes) * offered > MOST_TABLES
    ):
        raise SurveyError(
            f"'attributes': more than {MOST_TABLES} attributes, or attributes times 'tiers', must "
            "come with their tables"
        )
    with within(DESIGN_SECONDS):
        return Survey.from_document(document)


@router.post("/surveys", status_code=201)
def create_survey(
    state: State,
    holder: Admin,
    document: Annotated[dict[str, Any], Body(description="a survey's definition or document")],
    schedule: Schedule | None = None,
    retention_days: Days = RETENTION_DAYS,
    public: bool = False,
) -> SurveyCreated:
    """Create a survey from its definition or from its whole document; it never changes.

    `public` gives it a page that anyone can read.
    """
    try:
        survey = design_survey(document)
    except HarmonyError as problem:
        raise Problem("malformed", str(problem)) from None
    added = state.catalogue.add(
        survey, schedule, retention=retention_days, public=public, by=holder
    )
    log.info("survey created", survey=survey.name, by=holder.name)
    listed = SurveyView.of(added, state.clock()).model_dump()
    return SurveyCreated(**listed | SurveySettings.of(added).model_dump())


@router.post("/surveys/{name}/rounds", status_code=201)
def open_round(state: State, holder: Admin, name: str, body: RoundBody) -> RoundView:
    """Open a round: its seed is published from now on, and devices may report."""
    if body.label == LATEST:
        raise Problem("malformed", "'label' may not be 'latest'")
    closes = body.closes.timestamp() if body.closes else None
    seed = bytes.fromhex(body.seed) if body.seed else None
    opened = state.catalogue.open(name, body.label, closes, seed, body.number, by=holder)
    log.info("round opened", survey=name, round=body.label, by=holder.name)
    return RoundView.of(opened)


@router.post("/surveys/{name}/rounds/{label}/close")
def close_round(state: State, holder: Admin, name: str, label: Label) -> RoundView:
    """Close a round: no report is added once this has returned."""
    closed = state.catalogue.close(name, label, by=holder)
    log.info("round closed", survey=name, round=label, by=holder.name)
    return RoundView.of(closed)


@router.post("/claim")
def claim(state: State, body: ClaimBody) -> Claimed:
    """Turn the code that the first start printed into an admin's token, once."""
    token = state.tokens.claim(body.code)
    if token is None:
        raise Problem("unauthorized", "'code' is not valid, or was used before")
    log.info("first admin's token claimed")
    return Claimed(token=token)


@router.get("/tokens")
def list_tokens(state: State, _: Admin) -> TokenList:
    """List the tokens, without their secrets."""
    return TokenList(tokens=[TokenView.of(one) for one in state.tokens.list()])


@router.post("/tokens", status_code=201)
def create_token(state: State, holder: Admin, body: TokenBody) -> TokenMade:
    """Make a token; it is shown this once."""
    if body.stratum is not None and body.role != ENROL:
        raise Problem("malformed", "'stratum' is for tokens of the role enrol: devices' keys")
    days = body.days and body.days * DAY
    secret, made = state.tokens.create(body.name, body.role, days, stratum=body.stratum, by=holder)
    log.info("token created", id=made.id, role=made.role, by=holder.name)
    return TokenMade(token=secret, **TokenView.of(made).model_dump())


@router.delete("/tokens/{id}", status_code=204)
def revoke_token(state: State, holder: Admin, id: str) -> Response:
    """Revoke a token."""
    if not state.tokens.revoke(id, by=holder):
        raise Problem("not-found", "there is no token of this id")
    log.info("token revoked", id=id, by=holder.name)
    return Response(status_code=204)


@router.post("/keys/rotate")
def rotate_key(state: State, holder: Admin, body: RotateBody) -> Rotated:
    """Sign device credentials with a new key; the older ones verify for the grace time."""
    number = state.credentials.rotate(body.grace_days * DAY, by=holder)
    log.info("key rotated", key=number, by=holder.name)
    return Rotated(key=number)


@router.post("/enrolment/list")
def allow(state: State, holder: Admin, body: AllowBody) -> Allowed:
    """Put entries on the allow-list; those that are there stay as they are."""
    added = state.enrolment.allow(body.entries, stratum=body.stratum, by=holder)
    return Allowed(added=added)
