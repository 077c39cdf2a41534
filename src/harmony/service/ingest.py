"""The ingest route, as raw ASGI: `POST /v1/surveys/{name}/reports`.

Most requests are one report of one device, so that path is short: check the credential, read
the body, hand the report to the writer, answer when it is committed.  Gateways' batches are
in `gateway`.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from . import gateway
from . import outcomes as outcome
from .asgi import (
    DisconnectedError,
    Receive,
    Scope,
    Send,
    client_of,
    read_body,
    send_json,
    send_problem,
)
from .blocks import TIER
from .problems import Problem
from .state import ServiceState
from .tokens import GATEWAY
from .writer import OverloadedError

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


def _answer(status: int, body: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length)]
    start = {"type": "http.response.start", "status": status, "headers": headers}
    return start, {"type": "http.response.body", "body": body}


_ANSWERS = {
    outcome.ACCEPTED: _answer(201, b'{"result":"accepted"}'),
    outcome.DUPLICATE: _answer(200, b'{"result":"duplicate"}'),
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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
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
            survey = scope["path"][_PREFIX:_SUFFIX]
            if authorization.startswith(_DEVICE):
                await self._device(survey, authorization[8:], length, receive, send)
            else:
                await self._gateway(survey, authorization, content_type, length, receive, send)
        except Problem as problem:
            await self._refuse(scope, send, problem)
        except OverloadedError as problem:
            await self._refuse(scope, send, _overloaded(str(problem)))
        except SQLAlchemyError:
            await self._refuse(scope, send, _overloaded("the database does not answer"))
        except DisconnectedError:
            return

    async def _device(
        self, survey: str, credential: bytes, length: int, receive: Receive, send: Send
    ) -> None:
        """Take one report of the device whose credential this is."""
        state = self._state
        device = state.credentials.device_of(credential)
        if device is None:
            raise Problem("unauthorized", "'Authorization' is not a valid credential")
        if self._limits_credential:
            state.limit(state.credential_limit, device)
        body = await read_body(receive, length, state.settings)
        try:
            sent = _decode_one(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise Problem("malformed", _json_problem(problem)) from None
        live = state.catalogue.live.get((survey, sent.round))
        if live is None:
            live = (await gateway.look_up(state, survey, [sent.round])).get(sent.round)
            if live is None:
                state.trainings.came_late(survey)
                raise Problem(*_REFUSALS[outcome.CLOSED])
        report = live.from_hex(sent.report)
        if report is None:
            raise Problem("malformed", f"'report' must be {2 * live.size} hex digits")
        if report[:TIER] != device:
            raise Problem("forbidden", "'report' is another device's")
        became = await state.writer.submit(live, report)
        answer = _ANSWERS.get(became)
        if answer is None:  # the commit has counted it
            await send_problem(send, Problem(*_REFUSALS[became]))
            return
        await send(answer[0])
        await send(answer[1])

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

    async def _refuse(self, scope: Scope, send: Send, problem: Problem) -> None:
        survey = scope["path"][_PREFIX:_SUFFIX]
        known = survey in self._state.catalogue.surveys
        self._state.metrics.refuse(problem.reason, survey if known else None)
        await send_problem(send, problem)


def _overloaded(said: str) -> Problem:
    return Problem("overloaded", said, retry_after=RETRY_SECONDS)


def _json_problem(problem: Exception) -> str:
    """Say what is wrong with a body without repeating it."""
    if isinstance(problem, msgspec.ValidationError):
        return f"the body: {problem}"
    return "the body must be JSON with 'round' and 'report'"
