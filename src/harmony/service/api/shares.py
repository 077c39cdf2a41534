"""Routes for sharing what a survey found: links that read it without signing in, until they end."""

from __future__ import annotations

from typing import Annotated

import structlog
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from harmony.service.asgi import own_url
from harmony.service.shares import DEFAULT_DAYS, MOST_DAYS, Share

from .access import Analyst, State
from .models import Body, Text, moment

log = structlog.get_logger(__name__)

router = APIRouter(prefix="/v1/surveys/{name}/shares", tags=["dashboard"])


class ShareBody(Body):
    """A link to make."""

    name: Annotated[
        str,
        Field(min_length=1, max_length=100, pattern=r"^[^\x00]*$", description="whom it is for"),
    ]
    attribute: Text | None = Field(
        None, description="show the chart of this attribute alone, to be embedded"
    )
    days: Annotated[float, Field(gt=0, le=MOST_DAYS)] = DEFAULT_DAYS


class ShareView(BaseModel):
    """A link without its code."""

    id: str
    name: str
    attribute: str | None
    made_by: str
    created: str
    expires: str

    @classmethod
    def of(cls, share: Share) -> ShareView:
        """Show a link."""
        return cls(
            id=share.id,
            name=share.name,
            attribute=share.attribute,
            made_by=share.who,
            created=moment(share.created) or "",
            expires=moment(share.expires) or "",
        )


class ShareMade(ShareView):
    """A link with its address, which is shown this once."""

    link: str


class ShareList(BaseModel):
    """The links of a survey that work."""

    shares: list[ShareView]


@router.get("")
def list_shares(state: State, _: Analyst, name: str) -> ShareList:
    """List the links that show this survey, without their codes."""
    found = state.shares.list(state.catalogue.survey(name))
    return ShareList(shares=[ShareView.of(one) for one in found])


@router.post("", status_code=201)
def share(state: State, request: Request, holder: Analyst, name: str, body: ShareBody) -> ShareMade:
    """Make a link that shows this survey's results, or one chart, to whoever has it."""
    entry = state.catalogue.survey(name)
    code, made = state.shares.create(entry, body.attribute, body.name, body.days, holder)
    log.info("view shared", survey=name, id=made.id, by=holder.name)
    page = "shared" if made.attribute is None else "embed"
    link = f"{own_url(request.scope, state.settings)}/{page}?code={code}"
    return ShareMade(link=link, **ShareView.of(made).model_dump())


@router.delete("/{id}", status_code=204)
def revoke_share(state: State, holder: Analyst, name: str, id: str) -> Response:
    """Revoke a link: from now on it shows nothing.  Analysts may revoke those that they made."""
    state.shares.revoke(state.catalogue.survey(name), id, holder)
    log.info("shared view revoked", survey=name, id=id, by=holder.name)
    return Response(status_code=204)
