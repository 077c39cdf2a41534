"""The route where devices ask for work, as raw ASGI: `GET /v1/trainings/{name}/task`.

Every device that comes online asks here, most of them in vain, so it is short: check the
credential, look at the pacing, send the bytes of the step's document or when to ask again.
"""

from __future__ import annotations

from ..asgi import (
    Receive,
    Response,
    Scope,
    Send,
    client_of,
    header_of,
    matches_tag,
    problem_response,
    response_of,
    send_response,
)
from ..problems import problem_of
from ..state import ServiceState
from .pacing import LEAST_WAIT, MOST_WAIT

PREFIX = "/v1/trainings/"
SUFFIX = "/task"


def is_task(scope: Scope) -> bool:
    """Whether a request is for this route."""
    path: str = scope["path"]
    return path.endswith(SUFFIX) and path.startswith(PREFIX) and scope["method"] == "GET"


class Tasks:
    """The route, on a service's state."""

    def __init__(self, state: ServiceState) -> None:
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one request."""
        try:
            response = await self._respond(scope)
        except Exception as raised:
            problem = problem_of(raised, scope["path"])
            self._state.metrics.refused.labels(problem.reason).inc()
            response = problem_response(problem)
        await send_response(send, response)

    async def _respond(self, scope: Scope) -> Response:
        state, headers = self._state, scope["headers"]
        state.address_limit.check(client_of(scope))
        holder = state.admit_device(header_of(headers, b"authorization"))
        name = scope["path"][len(PREFIX) : -len(SUFFIX)]
        if name not in state.catalogue.trainings:
            await state.refresh_catalogue()
        training, step = state.trainings.open_step(name)
        if state.may_report(holder, step.opened):
            wait = state.trainings.wait(training, step, holder.device)
        else:
            wait = min(max(LEAST_WAIT, step.deadline - state.clock()), MOST_WAIT)
        if wait is not None:
            later = {"Retry-After": str(round(wait)), "Cache-Control": "no-store"}
            return response_of(204, "application/json", b"", later)
        sent = {"ETag": step.tag, "Cache-Control": "private, no-cache"}
        if matches_tag(header_of(headers, b"if-none-match").decode("latin-1"), step.tag):
            return response_of(304, "application/json", b"", sent)
        return response_of(200, "application/json", step.document, sent)
