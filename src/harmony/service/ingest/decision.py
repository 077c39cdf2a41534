"""What becomes of a device's report: every decision about such a request, in one place.

There are two ways in, the ASGI route (`route`) and the fast path (`fast_path`).  They differ in how
they read a request and write a response; both ask `decide` what to do with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from ..asgi import SMALL_BODY, check_size
from ..problems import Problem
from ..state import ServiceState
from . import outcomes as outcome
from .blocks import TIER, LiveRound
from .bodies import ReportBody, parse_report
from .responses import refusal
from .rounds import is_behind, open_rounds


class Need(Enum):
    """What a decision needs before it can go on."""

    BODY = auto()
    """The request's body."""
    CATALOGUE = auto()
    """The catalogue, read afresh."""


@dataclass(slots=True)
class ReportRequest:
    """A device's request; its body is None until it is read."""

    survey: str
    client: str
    authorization: bytes
    body: bytes | None = None


class Submission(NamedTuple):
    """A report that the writer may have; its commit has the last word."""

    live: LiveRound
    report: bytes


def decide(state: ServiceState, request: ReportRequest) -> Iterator[Need | Submission]:
    """Decide what becomes of a report: yield what is needed, if anything, then the submission.

    Raises the problem that stands against the report.  Nothing in here waits: whoever iterates
    provides what is needed, however that is done, and goes on.
    """
    state.address_limit.check(request.client)
    holder = state.admit_device(request.authorization)
    if request.body is None:
        yield Need.BODY
    body = request.body or b""
    check_size(len(body), SMALL_BODY)
    sent = parse_report(body)
    live = state.catalogue.live.get((request.survey, sent.round))
    if live is None:
        if is_behind(state.catalogue, request.survey, [sent.round]):
            yield Need.CATALOGUE
        live = open_rounds(state.catalogue, request.survey, [sent.round]).get(sent.round)
    if live is None:
        state.trainings.count_late(request.survey)
        raise refusal(outcome.CLOSED)
    if not state.may_report(holder, live.opened):
        raise Problem("forbidden", "this device enrolled after the round opened")
    yield Submission(live, _own_report(live, sent, holder.device))


def _own_report(live: LiveRound, sent: ReportBody, device: bytes) -> bytes:
    """Return the report's bytes if it is one of this round, and of this device."""
    report = live.from_hex(sent.report)
    if report is None:
        raise Problem("malformed", f"'report' must be {2 * live.size} hex digits")
    if report[:TIER] != device:
        raise Problem("forbidden", "'report' is another device's")
    return report
