"""The ingest route, as raw ASGI: `POST /v1/surveys/{name}/reports`.

Most requests are one report of one device, so that path is short: check the credential, read
the body, hand the report to the writer, answer when it is committed.  Gateways' batches are
in `gateway`.
"""

from __future__ import annotations

import asyncio

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from ..asgi import (
    Answer,
    DisconnectedError,
    Headers,
    Receive,
    Scope,
    Send,
    answer_of,
    client_of,
    problem_answer,
    read_body,
    send_answer,
    send_json,
)
from ..problems import Problem
from ..rate_limit import RateLimit
from ..state import ServiceState
from ..tokens import GATEWAY
from . import gateway
from . import outcomes as outcome
from .blocks import TIER, LiveRound
from .writer import OverloadedError, Waiter

PREFIX = "/v1/surveys/"
SUFFIX = "/reports"

RETRY_SECONDS = 5

_PREFIX, _SUFFIX = len(PREFIX), -len(SUFFIX)
_DEVICE = b"Harmony "


class ReportBody(msgspec.Struct):
    """One report as JSON."""

    round: str
    report: str


_decode_one = msgspec.json.Decoder(ReportBody).decode
_decode_list = msgspec.json.Decoder(list[ReportBody]).decode


ANSWERS = {
    outcome.ACCEPTED: answer_of(201, "application/json", b'{"result":"accepted"}'),
    outcome.DUPLICATE: answer_of(200, "application/json", b'{"result":"duplicate"}'),
}

_REFUSALS = {
    outcome.CONFLICT: ("conflict", "this device already sent another report in this round"),
    outcome.CLOSED: ("closed", "the round is not open"),
    outcome.MALFORMED: ("malformed", "'report': its tier or a symbol is not in the survey"),
    outcome.UNAUTHORIZED: ("unauthorized", "this device was deleted; enrol again"),
}


def is_ingest(scope: Scope) -> bool:
    """Say whether a request is for this route."""
    path: str = scope["path"]
    return path.endswith(SUFFIX) and path.startswith(PREFIX) and scope["method"] == "POST"


class Ingest:
    """The route, on a service's state."""

    def __init__(self, state: ServiceState) -> None:
        self._state = state
        self._limits_address = state.address_limit.active
        self._limits_credential = state.credential_limit.active
        self._alone = not state.settings.cors_origins
        """Whether no other layer adds to the answers."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        survey = scope["path"][_PREFIX:_SUFFIX]
        try:
            authorization = content_type = b""
            length = 0
            for name, value in scope["headers"]:
                if name == b"authorization":
                    authorization = value
                elif name == b"content-type":
                    content_type = value
                elif name == b"content-length":
                    length = int(value)
            if self._limits_address:
                self._state.limit(self._state.address_limit, client_of(scope))
            if authorization.startswith(_DEVICE):
                await self._device(survey, authorization, length, receive, send)
            else:
                await self._gateway(survey, authorization, content_type, length, receive, send)
        except Problem as problem:
            await send_answer(send, self._refused(survey, problem))
        except OverloadedError as problem:
            await send_answer(send, self.failed(survey, problem))
        except SQLAlchemyError:
            silent = _overloaded("the database does not answer")
            await send_answer(send, self._refused(survey, silent))
        except DisconnectedError:
            return

    def take_at_once(
        self, survey: str, headers: Headers, client: str, body: bytes, waiter: Waiter
    ) -> bool:
        """Hand in a device's report if nothing stands against it, and say whether that was done.

        If not, nothing has changed: the request can still be answered from its beginning.
        """
        state = self._state
        authorization = b""
        for name, value in headers:
            if name == b"authorization":
                authorization = value
        short = self._alone and len(body) <= state.settings.body_bytes
        if not short or not authorization.startswith(_DEVICE):
            return False
        try:
            device = self._device_of(authorization)
            sent = _report_in(body)
            live = state.catalogue.live.get((survey, sent.round))
            if live is None or not state.writer.has_room(1):
                return False
            report = _own_report(live, sent, device)
        except Problem:
            return False
        if not self._count_if_allowed(client, device):
            return False
        state.writer.hand_in(live, report, waiter)
        return True

    def _count_if_allowed(self, client: str, device: bytes) -> bool:
        """Count a request against both rate limits, or against neither if one is used up."""
        counted: list[tuple[RateLimit, str | bytes]] = []
        if self._limits_address:
            counted.append((self._state.address_limit, client))
        if self._limits_credential:
            counted.append((self._state.credential_limit, device))
        if any(limit.used_up(key) for limit, key in counted):
            return False
        for limit, key in counted:
            limit.wait(key)
        return True

    async def _device(
        self, survey: str, authorization: bytes, length: int, receive: Receive, send: Send
    ) -> None:
        """Take one report of the device whose credential this is."""
        state = self._state
        device = self._device_of(authorization)
        if self._limits_credential:
            state.limit(state.credential_limit, device)
        sent = _report_in(await read_body(receive, length, state.settings))
        live = state.catalogue.live.get((survey, sent.round))
        if live is None:
            live = (await gateway.look_up(state, survey, [sent.round])).get(sent.round)
            if live is None:
                state.trainings.came_late(survey)
                raise Problem(*_REFUSALS[outcome.CLOSED])
        became = await state.writer.submit(live, _own_report(live, sent, device))
        await send_answer(send, answer_to(became))

    def _device_of(self, authorization: bytes) -> bytes:
        device = self._state.credentials.device_of(authorization[len(_DEVICE) :])
        if device is None:
            raise Problem("unauthorized", "'Authorization' is not a valid credential")
        return device

    async def _gateway(
        self,
        survey: str,
        authorization: bytes,
        content_type: bytes,
        length: int,
        receive: Receive,
        send: Send,
    ) -> None:
        """Take a batch from a gateway: packed, or a list."""
        state = self._state
        bearer = authorization.decode("latin-1")
        token = await asyncio.to_thread(state.authenticate, bearer, (GATEWAY,))
        if self._limits_credential:
            state.limit(state.credential_limit, token.id)
        body = await read_body(receive, length, state.settings)
        if content_type.partition(b";")[0].strip().decode("latin-1") == gateway.MEDIA_TYPE:
            await send_json(send, 200, await gateway.take_packed(state, survey, body))
            return
        try:
            sent = _decode_list(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise Problem("malformed", _json_problem(problem)) from None
        reports = [(one.round, one.report) for one in sent]
        await send_json(send, 200, await gateway.take_list(state, survey, reports))

    def failed(self, survey: str, problem: OverloadedError) -> Answer:
        """Count a report that was not taken; return the answer that says so."""
        return self._refused(survey, _overloaded(str(problem)))

    def _refused(self, survey: str, problem: Problem) -> Answer:
        known = survey in self._state.catalogue.surveys
        self._state.metrics.refuse(problem.reason, survey if known else None)
        return problem_answer(problem)


def _report_in(body: bytes) -> ReportBody:
    try:
        return _decode_one(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise Problem("malformed", _json_problem(problem)) from None


def _own_report(live: LiveRound, sent: ReportBody, device: bytes) -> bytes:
    """Return the report's bytes if it is one of this round, and of this device."""
    report = live.from_hex(sent.report)
    if report is None:
        raise Problem("malformed", f"'report' must be {2 * live.size} hex digits")
    if report[:TIER] != device:
        raise Problem("forbidden", "'report' is another device's")
    return report


def answer_to(became: int) -> Answer:
    """Return the answer that tells what became of a report; its commit has counted it."""
    return ANSWERS.get(became) or problem_answer(Problem(*_REFUSALS[became]))


def _overloaded(said: str) -> Problem:
    return Problem("overloaded", said, retry_after=RETRY_SECONDS)


def _json_problem(problem: Exception) -> str:
    """Say what is wrong with a body without repeating it."""
    if isinstance(problem, msgspec.ValidationError):
        return f"the body: {problem}"
    return "the body must be JSON with 'round' and 'report'"
