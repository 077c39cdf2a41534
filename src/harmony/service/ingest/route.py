"""The ingest route, as raw ASGI: `POST /v1/surveys/{name}/reports`.

Most requests are one report of one device: what becomes of it is decided in `decision`, and the
response goes out when it is committed.  Gateways' batches are in `gateway`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterator

from ..asgi import (
    SMALL_BODY,
    DisconnectedError,
    Receive,
    Response,
    Scope,
    Send,
    client_of,
    header_of,
    json_response,
    problem_response,
    read_body,
    send_response,
)
from ..credentials import is_device
from ..problems import problem_of
from ..state import ServiceState
from ..tokens import GATEWAY
from . import gateway
from .batch import Waiter
from .decision import Need, ReportRequest, Submission, decide
from .packed import MEDIA_TYPE
from .responses import response_to

ReadBody = Callable[[int], Awaitable[bytes]]
"""Reads the body, of so many bytes at most."""

PREFIX = "/v1/surveys/"
SUFFIX = "/reports"


def is_ingest(scope: Scope) -> bool:
    """Whether a request is for this route."""
    return scope["method"] == "POST" and survey_in(scope["path"]) is not None


def survey_in(path: str) -> str | None:
    """Return the survey that a path sends reports to, if it does.

    >>> survey_in("/v1/surveys/phones/reports")
    'phones'
    >>> survey_in("/v1/surveys/phones/rounds"), survey_in("/v2/surveys/phones/reports")
    (None, None)
    """
    if path.endswith(SUFFIX) and path.startswith(PREFIX):
        return path[len(PREFIX) : -len(SUFFIX)]
    return None


class Ingest:
    """The route, on a service's state."""

    def __init__(self, state: ServiceState) -> None:
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one request."""
        survey = survey_in(scope["path"])
        assert survey is not None
        headers = scope["headers"]
        request = ReportRequest(survey, client_of(scope), header_of(headers, b"authorization"))

        async def read(most: int) -> bytes:
            return await read_body(receive, headers, most)

        try:
            if is_device(request.authorization):
                response = await self._device(request, read)
            else:
                media_type = header_of(headers, b"content-type").partition(b";")[0].strip()
                response = await self._gateway(request, media_type.decode("latin-1"), read)
        except DisconnectedError:
            return
        except Exception as raised:
            response = self.refused(survey, raised)
        await send_response(send, response)

    def take(self, request: ReportRequest, waiter: Waiter) -> Coroutine[None, None, None] | None:
        """Take a device's request that is here with its body: the waiter hears what becomes of it.

        Returns what is left to do if the catalogue must be read first.
        """
        try:
            steps = decide(self._state, request)
            step = next(steps)
            if isinstance(step, Need):
                return self._take_when_fresh(steps, waiter)
            self._state.writer.hand_in(step.live, step.report, waiter)
        except Exception as raised:
            waiter.set_exception(raised)
        return None

    async def _take_when_fresh(self, steps: Iterator[Need | Submission], waiter: Waiter) -> None:
        try:
            await self._state.refresh_catalogue()
            step = next(steps)
            assert isinstance(step, Submission)
            self._state.writer.hand_in(step.live, step.report, waiter)
        except Exception as raised:
            waiter.set_exception(raised)

    async def _device(self, request: ReportRequest, read: ReadBody) -> Response:
        """Take one report of the device whose credential this is."""
        state = self._state
        steps = decide(state, request)
        while isinstance(step := next(steps), Need):
            if step is Need.BODY:
                request.body = await read(SMALL_BODY)
            else:
                await state.refresh_catalogue()
        return response_to(await state.writer.submit(step.live, step.report))

    async def _gateway(self, request: ReportRequest, media_type: str, read: ReadBody) -> Response:
        """Take a batch from a gateway: packed, or a list."""
        state = self._state
        state.address_limit.check(request.client)
        await state.admit_bearer_soon(request.authorization.decode("latin-1"), (GATEWAY,))
        take = gateway.take_packed if media_type == MEDIA_TYPE else gateway.take_list
        body = await read(state.settings.body_bytes)
        return json_response(await take(state, request.survey, body))

    def refused(self, survey: str, raised: Exception) -> Response:
        """Count a request that was refused; return the response that says why."""
        problem = problem_of(raised, f"{PREFIX}{survey}{SUFFIX}")
        known = survey in self._state.catalogue.surveys
        self._state.metrics.refuse(problem.reason, survey if known else None)
        return problem_response(problem)
