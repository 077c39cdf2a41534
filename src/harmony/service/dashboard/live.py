"""Live updates: a stream of server-sent events that says when a page has something new to show."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress

import structlog
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from sqlalchemy.exc import SQLAlchemyError

from harmony.service.api.access import State
from harmony.service.entries import SurveyEntry, TrainingEntry
from harmony.service.problems import Problem
from harmony.service.state import ServiceState

from .access import PageRoute, SignIns, Viewer
from .sessions import COOKIE, Sessions

router = APIRouter(include_in_schema=False, route_class=PageRoute)

log = structlog.get_logger(__name__)

LOOK_SECONDS = 1.0
QUIET_LOOKS = 15
"""A comment keeps the connection alive after so many looks without news."""

MOST_STREAMS = 500
MOST_STREAMS_EACH = 50
"""Streams of one token's holder, in all their tabs."""

MOST_LOOKS = 3600
"""After so many a stream ends, and the page connects again."""

_streams: Counter[str] = Counter()
"""Open streams by whose they are."""


@router.get("/live")
async def live(
    request: Request,
    state: State,
    sessions: SignIns,
    visitor: Viewer,
    survey: str | None = None,
    training: str | None = None,
) -> StreamingResponse:
    """Send a line whenever a survey, a training or any of them has something new to show."""
    who = visitor.holder.id
    if _streams.total() >= MOST_STREAMS or _streams[who] >= MOST_STREAMS_EACH:
        raise Problem("overloaded", "too many pages are watching", retry_after=30)
    events = watch(state, sessions, who, request.cookies.get(COOKIE, ""), survey or training)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def watch(
    state: ServiceState, sessions: Sessions, who: str, cookie: str, name: str | None
) -> AsyncIterator[str]:
    """Yield events until the session or the server ends, or it is time to connect again."""
    _streams[who] += 1
    last, quiet = "", 0

    def look() -> str:
        """Return what there is to see, "" if the session is over (on a thread)."""
        return version_of(state, name) if sessions.visitor(cookie) is not None else ""

    try:
        yield "retry: 2000\n\n"
        for _ in range(MOST_LOOKS):
            seen = await asyncio.to_thread(look)
            if state.stopping.is_set() or not seen:
                break
            quiet += 1
            if seen != last:
                last, quiet = seen, 0
                yield f"data: {seen}\n\n"
            elif quiet >= QUIET_LOOKS:
                quiet = 0
                yield ": still here\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(state.stopping.wait(), LOOK_SECONDS)
    except SQLAlchemyError as problem:
        log.warning("the database did not respond", problem=str(problem))
    finally:
        _streams[who] -= 1
        if not _streams[who]:
            del _streams[who]


def version_of(state: ServiceState, name: str | None = None) -> str:
    """Return a short text that changes when there is something new to see.

    A page says which version it shows, so that it hears of what changed while it was loading.
    """
    catalogue, reports = state.catalogue, state.catalogue.reports()
    every: dict[str, SurveyEntry | TrainingEntry] = {**catalogue.surveys, **catalogue.trainings}
    watched = [every[name]] if name in every else list(every.values())
    rounds = [one for entry in watched for one in entry.rounds.values()]
    closed = sum(one.closed is not None for one in rounds)
    total = sum(reports.get(one.live.id, 0) for one in rounds)
    return f"{total} {len(rounds)} {closed} {len(every)}"
