"""The links that show a survey's results without signing in: made, listed and revoked here."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from harmony.csv_table import csv_table
from harmony.service.api import shares as api
from harmony.service.api.access import State
from harmony.service.shares import DEFAULT_DAYS
from harmony.service.state import ServiceState

from .access import Form, OwnForm, PageRoute, Viewer, body_of, field
from .confirm import Irreversible
from .exports import csv_response, json_response
from .rendering import page
from .sessions import Visitor

router = APIRouter(include_in_schema=False, route_class=PageRoute)

COLUMNS = ("id", "name", "attribute", "made_by", "created", "expires")
LIFETIMES = {1: "a day", 7: "a week", 30: "30 days", 90: "90 days", 365: "a year"}


@router.get("/surveys/{name}/share")
def show_shares(request: Request, state: State, visitor: Viewer, name: str) -> Response:
    """Show the links of a survey, and the form that makes one."""
    return _show(request, state, visitor, name)


@router.get("/surveys/{name}/share.json")
def shares_json(state: State, _: Viewer, name: str) -> Response:
    """The links as JSON; never a code."""
    return json_response({"shares": _rows(state, name)})


@router.get("/surveys/{name}/share.csv")
def shares_csv(state: State, _: Viewer, name: str) -> Response:
    """The links as CSV; never a code."""
    return csv_response(f"{name}-links.csv", csv_table(_rows(state, name), COLUMNS))


@router.post("/surveys/{name}/share")
def make_share(
    request: Request, state: State, visitor: Viewer, form: OwnForm, name: str
) -> Response:
    """Make a link, and show it this once."""
    made = api.share(state, request, visitor.holder, name, _wanted(form))
    return _show(request, state, visitor, name, made)


@router.post("/surveys/{name}/share/{id}/revoke")
def revoke_share(
    request: Request, state: State, visitor: Viewer, form: OwnForm, name: str, id: str
) -> Response:
    """Revoke a link, once that is confirmed."""
    found = state.shares.find(state.catalogue.survey(name), id)
    act = Irreversible(
        f"Revoke the link for {found.name}?",
        id,
        ["Whoever has it sees nothing any more, also where its chart is embedded."],
        f"Revoke the link for {found.name}",
        f"/surveys/{name}/share",
    )
    if not act.is_confirmed(form):
        return act.ask(request, visitor, form)
    api.revoke_share(state, visitor.holder, name, id)
    return RedirectResponse(f"/surveys/{name}/share", 303)


def _wanted(form: Form) -> api.ShareBody:
    wanted = {
        "name": field(form, "name"),
        "attribute": field(form, "attribute") or None,
        "days": field(form, "days") or DEFAULT_DAYS,
    }
    return body_of(api.ShareBody, wanted)


def _rows(state: ServiceState, name: str) -> list[dict[str, Any]]:
    found = state.shares.list(state.catalogue.survey(name))
    return [api.ShareView.of(one).model_dump() for one in found]


def _show(
    request: Request,
    state: ServiceState,
    visitor: Visitor,
    name: str,
    made: api.ShareMade | None = None,
) -> Response:
    entry = state.catalogue.survey(name)
    return page(
        request,
        "share.html",
        visitor=visitor,
        survey=entry.survey,
        shares=state.shares.list(entry),
        made=made,
        lifetimes=LIFETIMES,
        default_days=DEFAULT_DAYS,
    )
