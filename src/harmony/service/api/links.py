"""Routes for people who would rather look at pages: a link that signs them in."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel

from harmony.service.asgi import own_url
from harmony.service.dashboard.sessions import LINK_SECONDS, Sessions

from .access import Analyst, State
from .models import moment

router = APIRouter(prefix="/v1", tags=["dashboard"])


class SignInLink(BaseModel):
    """A link to the dashboard that works once."""

    link: str
    expires: str


@router.post("/sign-in-links", status_code=201)
def make_link(state: State, request: Request, holder: Analyst) -> SignInLink:
    """Get a link that signs the holder of this token in at the dashboard, once."""
    link = Sessions(state.tokens).link(holder, own_url(request.scope, state.settings), holder)
    return SignInLink(link=link, expires=moment(state.clock() + LINK_SECONDS) or "")
