"""The whole application: the ingest route in front, FastAPI for everything else."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

import harmony

from . import dashboard
from .admission import Admission
from .api import (
    about,
    admin,
    analysis,
    devices,
    explorations,
    governance,
    links,
    sdk,
    shares,
    system,
    trainings,
)
from .api.ingest_description import DESCRIPTION, PATH
from .api.models import ProblemDocument
from .api.task_description import TASK_DESCRIPTION, TASK_PATH
from .asgi import App, Receive, Scope, Send, speaks_protocol, without_body
from .ingest.route import Ingest, is_ingest
from .problems import MEDIA_TYPE, Problem, problem_of, reason_for
from .state import ServiceState
from .training.route import Tasks, is_task

_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": {MEDIA_TYPE: {}}, "model": ProblemDocument}
    for status, text in (
        (400, "The request cannot be read"),
        (401, "No valid credential"),
        (403, "Not allowed with this credential"),
        (404, "Not found"),
        (409, "In conflict with what is there"),
        (413, "The body is too large"),
        (422, "Malformed"),
        (429, "Too many requests"),
        (431, "The head of the request is too large"),
        (503, "Not now"),
    )
}


class Application:
    """The ASGI application of one service."""

    def __init__(self, state: ServiceState) -> None:
        self.state = state
        self.ingest = Ingest(state)
        self._ingest: App = speaks_protocol(self.ingest)
        self._tasks: App = speaks_protocol(Tasks(state))
        self._api: App = speaks_protocol(Admission(api_of(state), state))
        origins = state.settings.cors_origins
        if origins:
            self._ingest = _with_cors(self._ingest, origins)
            self._tasks = _with_cors(self._tasks, origins)
            self._api = _with_cors(self._api, origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to its route."""
        if scope["type"] == "http":
            if scope["method"] == "HEAD":
                scope, send = {**scope, "method": "GET"}, without_body(send)
            if is_ingest(scope):
                await self._ingest(scope, receive, send)
            elif is_task(scope):
                await self._tasks(scope, receive, send)
            else:
                await self._api(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self.state.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.state.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


def api_of(state: ServiceState) -> FastAPI:
    """Return the FastAPI part on this state."""
    api = FastAPI(
        title="Harmony",
        version=harmony.__version__,
        description="Statistics from people's devices, without ever seeing anyone's data.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # it would be written anew for everyone, on the loop: see `description`
        redirect_slashes=False,  # it would send people to whatever host the request names
        responses=_REFUSALS,
    )
    api.state.service = state
    for room in (
        devices,
        about,
        admin,
        governance,
        analysis,
        trainings,
        explorations,
        links,
        shares,
        sdk,
        system,
    ):
        api.include_router(room.router)
    dashboard.install(api, state)
    _respond_with_problems(api)

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            api.openapi_schema = get_openapi(
                title=api.title,
                version=api.version,
                description=api.description,
                routes=api.routes,
            )
            api.openapi_schema["paths"] |= {PATH: DESCRIPTION, TASK_PATH: TASK_DESCRIPTION}
        return api.openapi_schema

    api.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way
    return api


def _respond_with_problems(api: FastAPI) -> None:
    @api.exception_handler(Problem)
    async def problem(_: Request, raised: Problem) -> Response:
        return _response(raised)

    @api.exception_handler(RequestValidationError)
    async def malformed(_: Request, raised: RequestValidationError) -> Response:
        first = raised.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        return _response(Problem("malformed", f"'{field}': {first['msg']}"))

    @api.exception_handler(HTTPException)
    async def other(_: Request, raised: HTTPException) -> Response:
        response = _response(Problem(reason_for(raised.status_code), str(raised.detail)))
        response.headers.update(raised.headers or {})
        return response

    @api.exception_handler(SQLAlchemyError)  # or Starlette would raise it again, as unexpected
    @api.exception_handler(Exception)
    async def failed(request: Request, raised: Exception) -> Response:
        return _response(problem_of(raised, request.url.path))


def _response(problem: Problem) -> Response:
    return Response(problem.body(), problem.status, problem.headers, MEDIA_TYPE)


def _with_cors(app: App, origins: list[str]) -> App:
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "Harmony-Protocol", "If-None-Match"],
        expose_headers=["ETag", "Retry-After"],
    )
