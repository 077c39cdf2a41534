"""Signing in and out, and becoming the first admin."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from harmony.service.api.access import State
from harmony.service.asgi import own_url
from harmony.service.state import ServiceState

from .access import AnyForm, Anyone, OwnForm, PageRoute, SignIns, Viewer, field
from .rendering import page
from .sessions import COOKIE, SESSION_SECONDS

router = APIRouter(include_in_schema=False, route_class=PageRoute)

LINK_OVER = "This link is not valid, was used before, or is older than a quarter of an hour."
TOKEN_WRONG = "This is not the token of an admin or an analyst."


@router.get("/sign-in")
def show_sign_in(
    request: Request, sessions: SignIns, visitor: Anyone, code: str = "", next: str = "/surveys"
) -> Response:
    """Offer to sign in: with a link's code, or with a token.

    A link is used up by the button behind it, not by whatever previews it.
    """
    if visitor is not None and not code:
        return RedirectResponse(_inside(next), 303)
    holder = sessions.holder_of_link(code[:200]) if code else None
    problem = LINK_OVER if code and holder is None else ""
    status = 401 if problem else 200
    return _show(request, status, code=code if holder else "", holder=holder, problem=problem,
                 next=_inside(next))  # fmt: skip


@router.post("/sign-in")
def sign_in(request: Request, state: State, sessions: SignIns, form: AnyForm) -> Response:
    """Start a session."""
    code = field(form, "code")
    cookie = sessions.sign_in(code)
    wanted = _inside(field(form, "next"))
    if cookie is None:
        said = LINK_OVER if "link" in form else TOKEN_WRONG
        return _show(request, 401, code="", holder=None, problem=said, next=wanted)
    response = RedirectResponse(wanted, 303)
    _set_cookie(response, request, state, cookie)
    return response


@router.post("/sign-out")
def sign_out(sessions: SignIns, visitor: Viewer, _: OwnForm) -> Response:
    """End the session."""
    sessions.sign_out(visitor)
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


@router.get("/claim")
def show_claim(request: Request, code: str = "") -> Response:
    """Offer to claim the first admin's token."""
    return page(request, "claim.html", code=code[:200], token=None, problem=False)


@router.post("/claim")
def claim(request: Request, state: State, sessions: SignIns, form: AnyForm) -> Response:
    """Show the first admin's token, once, and sign its holder in."""
    token = state.tokens.claim(field(form, "code"))
    if token is None:
        return page(request, "claim.html", status=401, code="", token=None, problem=True)
    response = page(request, "claim.html", code="", token=token, problem=False)
    _set_cookie(response, request, state, sessions.sign_in(token) or "")
    return response


def _show(request: Request, status: int, **shown: Any) -> Response:
    return page(request, "sign_in.html", status=status, **shown)


def _set_cookie(response: Response, request: Request, state: ServiceState, cookie: str) -> None:
    public = own_url(request.scope, state.settings)
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=int(SESSION_SECONDS),
        httponly=True,
        samesite="strict",
        secure=public.startswith("https:"),
    )


def _inside(wanted: str) -> str:
    """Return an address on this server.

    >>> _inside("/surveys/phones"), _inside("//elsewhere.example"), _inside("https://elsewhere")
    ('/surveys/phones', '/surveys', '/surveys')
    """
    good = wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    return wanted if good and wanted.isprintable() else "/surveys"
