"""Who looks: dependencies that turn a cookie into a visitor, and check what forms carry."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qs, quote, urlsplit

from fastapi import Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool

from harmony.service.api.access import State
from harmony.service.problems import Problem

from .rendering import page
from .sessions import COOKIE, Sessions, Visitor, same

MOST_FIELDS = 5_000

Model = TypeVar("Model", bound=BaseModel)

Form = dict[str, list[str]]
"""What a form sent: the values of each field, in order."""


def sessions_of(state: State) -> Sessions:
    """Return the sessions of this service."""
    return Sessions(state.tokens)


SignIns = Annotated[Sessions, Depends(sessions_of)]


def _someone(request: Request, sessions: SignIns) -> Visitor | None:
    return sessions.visitor(request.cookies.get(COOKIE, ""))


Anyone = Annotated[Visitor | None, Depends(_someone)]


def _viewer(visitor: Anyone) -> Visitor:
    if visitor is None:
        raise Problem("unauthorized", "sign in to see this")
    return visitor


Viewer = Annotated[Visitor, Depends(_viewer)]


def _manager(visitor: Viewer) -> Visitor:
    if not visitor.is_admin:
        raise Problem("forbidden", "only admins may do this; you are signed in as an analyst")
    return visitor


Manager = Annotated[Visitor, Depends(_manager)]


async def read_form(request: Request) -> Form:
    """Read the fields of a form, which must be on a page of this server."""
    _refuse_other_sites(request)
    try:
        body = (await request.body()).decode()
        return parse_qs(body, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise Problem("malformed", "the form cannot be read") from None


def _refuse_other_sites(request: Request) -> None:
    """Raise the problem that another site's page sent a form, as far as the browser tells."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        is_own = site in ("same-origin", "none")
    else:
        public = urlsplit(request.app.state.service.settings.public_url).netloc
        hosts = {request.headers.get("host"), public} - {None, ""}
        is_own = origin is None or origin.rpartition("//")[2] in hosts
    if not is_own:
        raise Problem("forbidden", "the form is from another site; open this server's own page")


AnyForm = Annotated[Form, Depends(read_form)]


def _own_form(visitor: Viewer, form: AnyForm) -> Form:
    if not same(field(form, "csrf"), visitor.csrf):
        raise Problem("forbidden", "the form is not from this session; reload the page")
    return form


OwnForm = Annotated[Form, Depends(_own_form)]


def field(form: Form, name: str) -> str:
    """Return a field's only value, without blanks around it."""
    return form.get(name, [""])[0].strip()


def body_of(model: type[Model], values: dict[str, Any]) -> Model:
    """Read what a form asks for as the API would read it, or raise what is wrong by its field."""
    try:
        return model.model_validate(values)
    except ValidationError as problem:
        first = problem.errors()[0]
        raise Problem("malformed", f"'{first['loc'][0]}': {first['msg']}") from None


class PageRoute(APIRoute):
    """A route whose refusals are pages: the way to the sign-in page, or what went wrong."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the route."""
        respond = super().get_route_handler()

        async def respond_with_page(request: Request) -> Response:
            try:
                return await respond(request)
            except (Problem, RequestValidationError) as raised:
                if request.url.path.endswith((".json", ".csv", "/live")):
                    raise
                return await run_in_threadpool(_refusal, request, raised)

        return respond_with_page


def _refusal(request: Request, raised: Problem | RequestValidationError) -> Response:
    if not isinstance(raised, Problem):
        raised = Problem("malformed", "the address cannot be read; follow a link instead")
    if raised.reason == "unauthorized" and request.method == "GET":
        wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/sign-in?next={quote(wanted)}", 303)
    visitor = Sessions(request.app.state.service.tokens).visitor(request.cookies.get(COOKIE, ""))
    response = page(request, "problem.html", visitor=visitor, status=raised.status, problem=raised)
    response.headers.update(raised.headers)
    return response
