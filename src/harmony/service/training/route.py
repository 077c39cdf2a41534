"""The route where devices ask for work, as raw ASGI: `GET /v1/trainings/{name}/task`.

Every device that comes online asks here, most of them in vain, so it is short: check the
credential, look at the pace, send the bytes of the step's document or when to ask again.
"""

from __future__ import annotations

from ..asgi import Receive, Scope, Send, client_of, send_bytes, send_problem
from ..problems import Problem
from ..state import ServiceState

PREFIX = "/v1/trainings/"
SUFFIX = "/task"

_DEVICE = b"Harmony "


def is_task(scope: Scope) -> bool:
    """Say whether a request is for this route."""
    path: str = scope["path"]
    return path.endswith(SUFFIX) and path.startswith(PREFIX) and scope["method"] == "GET"


class Tasks:
    """The route, on a service's state."""

    def __init__(self, state: ServiceState) -> None:
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            await self._answer(scope, send)
        except Problem as problem:
            self._state.metrics.refused.labels(problem.reason).inc()
            await send_problem(send, problem)

    async def _answer(self, scope: Scope, send: Send) -> None:
        state = self._state
        if state.address_limit.active:
            state.limit(state.address_limit, client_of(scope))
        headers = dict(scope["headers"])
        authorization = headers.get(b"authorization", b"")
        is_device = authorization.startswith(_DEVICE)
        device = state.credentials.device_of(authorization[len(_DEVICE) :]) if is_device else None
        if device is None:
            raise Problem("unauthorized", "'Authorization' is not a valid device credential")
        if state.credential_limit.active:
            state.limit(state.credential_limit, device)
        name = scope["path"][len(PREFIX) : -len(SUFFIX)]
        if name not in state.catalogue.trainings:
            await state.refresh_catalogue()
        step, wait = state.trainings.task(name, device)
        if wait is not None:
            later = {"Retry-After": str(round(wait)), "Cache-Control": "no-store"}
            await send_bytes(send, 204, "application/json", b"", later)
            return
        sent = {"ETag": step.tag, "Cache-Control": "private, no-cache"}
        known = headers.get(b"if-none-match", b"").decode("latin-1")
        if step.tag in (one.strip().removeprefix("W/") for one in known.split(",")):
            await send_bytes(send, 304, "application/json", b"", sent)
        else:
            await send_bytes(send, 200, "application/json", step.document, sent)
