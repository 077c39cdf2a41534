"""Settings, for admins: who holds a token, and when rounds open."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

import harmony
from harmony.csv_table import csv_table
from harmony.service.api import admin
from harmony.service.api.access import State
from harmony.service.api.models import TokenBody, TokenView
from harmony.service.asgi import own_url
from harmony.service.problems import Problem
from harmony.service.schedule import SCHEDULES
from harmony.service.state import ServiceState
from harmony.service.tokens import ADMIN, ANALYST, ROLES

from .access import Form, Manager, OwnForm, PageRoute, SignIns, body_of, field
from .confirm import Irreversible
from .exports import csv_response, json_response
from .governance import schedule_of
from .rendering import page
from .sessions import Visitor

router = APIRouter(include_in_schema=False, route_class=PageRoute)

COLUMNS = ("id", "name", "role", "created", "expires", "stratum")
MAY_SIGN_IN = (ADMIN, ANALYST)


@router.get("/settings")
def show_settings(request: Request, state: State, visitor: Manager) -> Response:
    """Show tokens and schedules."""
    return _show(request, state, visitor)


@router.get("/settings.json")
def settings_json(state: State, _: Manager) -> Response:
    """The same as JSON; never a secret."""
    return json_response({"tokens": _tokens(state), "schedules": _schedules(state)})


@router.get("/settings.csv")
def settings_csv(state: State, _: Manager) -> Response:
    """The tokens as CSV; never a secret."""
    return csv_response("tokens.csv", csv_table(_tokens(state), COLUMNS))


@router.post("/settings/tokens")
def make_token(request: Request, state: State, visitor: Manager, form: OwnForm) -> Response:
    """Make a token, and show it this once."""
    made = admin.create_token(state, visitor.holder, _wanted(form))
    return _show(request, state, visitor, token=made.token, about=made.name)


@router.post("/settings/tokens/{id}/link")
def make_link(
    request: Request, state: State, sessions: SignIns, visitor: Manager, _: OwnForm, id: str
) -> Response:
    """Make a link that signs a token's holder in, once."""
    holder = state.tokens.find(id)
    if holder is None or holder.role not in MAY_SIGN_IN:
        raise Problem("not-found", "there is no admin's or analyst's token of this id")
    link = sessions.link(holder, own_url(request.scope, state.settings), visitor.holder)
    return _show(request, state, visitor, link=link, about=holder.name)


@router.post("/settings/tokens/{id}/revoke")
def revoke_token(
    request: Request, state: State, visitor: Manager, form: OwnForm, id: str
) -> Response:
    """Revoke a token, once that is confirmed, and end the sessions of its holder."""
    holder = state.tokens.find(id)
    if holder is not None:
        act = Irreversible(
            f"Revoke the token of {holder.name}?",
            id,
            [
                f"{holder.name}, {holder.role}, is signed out everywhere, and what uses this token "
                "stops working."
            ],
            f"Revoke the token of {holder.name}",
            "/settings",
        )
        if not act.is_confirmed(form):
            return act.ask(request, visitor, form)
    admin.revoke_token(state, visitor.holder, id)
    return RedirectResponse("/settings", 303)


@router.post("/settings/schedule")
def set_schedule(state: State, visitor: Manager, form: OwnForm) -> Response:
    """Let a survey's rounds follow a schedule, or none."""
    wanted = {"schedule": schedule_of(field(form, "schedule"))}
    state.catalogue.survey(field(form, "survey"))
    state.governance.change(field(form, "survey"), wanted, None, visitor.holder)
    return RedirectResponse("/settings", 303)


def _wanted(form: Form) -> TokenBody:
    wanted = {name: field(form, name) for name in ("name", "role")}
    optional = {name: field(form, name).strip() or None for name in ("days", "stratum")}
    return body_of(TokenBody, wanted | optional)


def _tokens(state: ServiceState) -> list[dict[str, Any]]:
    return [TokenView.of(one).model_dump() for one in state.tokens.list()]


def _schedules(state: ServiceState) -> list[dict[str, Any]]:
    surveys = sorted(state.catalogue.surveys.values(), key=lambda one: one.survey.name)
    return [{"survey": one.survey.name, "schedule": one.schedule} for one in surveys]


def _show(
    request: Request,
    state: ServiceState,
    visitor: Visitor,
    *,
    token: str = "",
    link: str = "",
    about: str = "",
) -> Response:
    return page(
        request,
        "settings.html",
        visitor=visitor,
        tokens=_tokens(state),
        schedules=_schedules(state),
        choices=SCHEDULES,
        roles=ROLES,
        may_sign_in=MAY_SIGN_IN,
        token=token,
        link=link,
        about=about,
        server={
            "Version": harmony.__version__,
            "Database": "SQLite" if state.database.is_sqlite else "PostgreSQL",
            "Enrolment": state.settings.enrolment,
            "API": "/docs",
        },
    )
