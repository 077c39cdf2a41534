"""Routes for devices: enrol, read surveys, be forgotten."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from harmony.service.asgi import client_of, matches_tag
from harmony.service.credentials import Holder
from harmony.service.state import ServiceState
from harmony_device.ledger import timestamp

from .access import OwnDevice, State
from .models import EnrolBody, Enrolled, SurveyList, SurveyView, TrainingOffer

router = APIRouter(prefix="/v1", tags=["devices"])


@router.post("/devices", status_code=201)
def enrol(state: State, request: Request, body: EnrolBody | None = None) -> Enrolled:
    """Become a device: get a random id and the credential that proves it."""
    state.enrolment_limit.check(client_of(request.scope))
    holder = state.enrolment.enrol(body.key if body else None)
    state.metrics.enrolled.inc()
    return _enrolled(state, holder)


@router.post("/devices/me")
def renew(state: State, holder: OwnDevice) -> Enrolled:
    """Get a fresh credential for the same enrolment, before the key of the old one retires."""
    return _enrolled(state, holder)


@router.delete("/devices/me", status_code=204)
async def forget(state: State, holder: OwnDevice) -> Response:
    """Delete this device: its reports and their counts go in one transaction.

    Asking again is harmless, and costs no search.
    """
    if not await run_in_threadpool(state.enrolment.is_forgotten, holder.device):
        await run_in_threadpool(state.catalogue.reload)
        await run_in_threadpool(state.enrolment.forget, holder.device)
        rounds = state.catalogue.rounds_since(holder.enrolled)
        await state.writer.forget(holder.device, rounds)
        await run_in_threadpool(state.catalogue.refresh)
        known = {one.id for one in rounds}
        opened = state.catalogue.rounds_since(holder.enrolled)
        if late := [one for one in opened if one.id not in known]:  # it may have reported there
            await state.writer.forget(holder.device, late)
        state.metrics.forgotten.inc()
    return Response(status_code=204)


@router.get("/surveys")
def list_surveys(state: State) -> SurveyList:
    """List the surveys, each with the round that takes reports now, and the running trainings."""
    now = state.clock()
    surveys = sorted(state.catalogue.surveys.values(), key=lambda one: one.survey.name)
    trainings = sorted(state.catalogue.trainings.values(), key=lambda one: one.name)
    return SurveyList(
        surveys=[SurveyView.of(one, now, state.settings.enrolled_before) for one in surveys],
        trainings=[TrainingOffer.of(one) for one in trainings if one.ended is None],
    )


@router.get(
    "/surveys/{name}",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}}, 304: {"description": "Unchanged"}},
)
def survey_document(
    state: State, name: str, if_none_match: Annotated[str | None, Header()] = None
) -> Response:
    """Read a survey's document, with every table that its devices check and use."""
    entry = state.catalogue.survey(name)
    tag = f'"{entry.fingerprint}"'
    headers = {"ETag": tag, "Cache-Control": "public, no-cache"}
    if matches_tag(if_none_match or "", tag):
        return Response(status_code=304, headers=headers)
    return Response(entry.document, media_type="application/json", headers=headers)


def _enrolled(state: ServiceState, holder: Holder) -> Enrolled:
    return Enrolled(
        device=holder.device.hex(),
        credential=state.credentials.issue(*holder),
        enrolled=timestamp(holder.enrolled),
    )
