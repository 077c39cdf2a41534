"""What a link shows to whoever has it: a survey's results, or one chart inside another page.

These pages read, and nothing else: no form, no report, no id.  Whoever is signed in sees them as
strangers do.  A page is written anew every few seconds at most, however many look at it.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from harmony.service.api.access import State
from harmony.service.composition import spending_of
from harmony.service.entries import RoundEntry, SurveyEntry
from harmony.service.problems import Problem
from harmony.service.shares import Share
from harmony.service.state import ServiceState

from .access import PageRoute
from .exports import csv_response, json_file, json_text
from .policy_views import retention_sentence
from .readings import Read, Readings
from .recent import Recent
from .rendering import HEADERS, POLICY, fragment, html_response
from .results import PageNumber, results_of
from .views import attribute_card

router = APIRouter(include_in_schema=False, route_class=PageRoute)

SHARED_HEADERS = HEADERS | {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}
EMBEDDED_HEADERS = {
    name: value for name, value in SHARED_HEADERS.items() if name != "X-Frame-Options"
} | {"Content-Security-Policy": POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")}
"""An embedded chart has nothing to click, so any page may hold it in a frame."""


def _recent(request: Request) -> Recent[str]:
    recent = request.app.state.recent_pages
    assert isinstance(recent, Recent)
    return recent


Pages = Annotated[Recent[str], Depends(_recent)]


@router.get("/shared")
def show_shared(
    request: Request,
    state: State,
    read: Read,
    recent: Pages,
    code: str = "",
    round: str = "",
    page_number: PageNumber = 1,
) -> Response:
    """Show a round of the survey that a link is for, by default the latest."""
    share, entry, shown = _opened(state, code, round)

    def write() -> str:
        values = {} if shown is None else results_of(entry, shown, read, page_number, state.clock())
        return fragment(
            "shared.html",
            visitor=None,
            path=request.url.path,
            entry=entry,
            survey=entry.survey,
            spending=spending_of(entry.survey, entry.schedule),
            retention=retention_sentence(entry.retention, entry.kind),
            snippets=None,
            code=code,
            expires=share.expires,
            address=f"/shared?code={code}&",
            **({"round": None} | values),
        )

    key = ("page", code, shown and shown.live.id, page_number)
    return html_response(request, recent.get(key, write), headers=SHARED_HEADERS)


@router.get("/shared.json")
def shared_json(
    state: State, read: Read, recent: Pages, code: str = "", round: str = ""
) -> Response:
    """The estimates of a round as JSON."""
    _, _, shown = _opened(state, code, round)
    one = _some_round(shown)
    key = ("json", code, one.live.id)
    return json_file(recent.get(key, lambda: json_text(read.result(one).to_dict())))


@router.get("/shared.csv")
def shared_csv(
    state: State, read: Read, recent: Pages, code: str = "", round: str = ""
) -> Response:
    """The estimates of a round as CSV."""
    _, entry, shown = _opened(state, code, round)
    one = _some_round(shown)
    text = recent.get(("csv", code, one.live.id), lambda: read.result(one).to_csv())
    return csv_response(f"{entry.survey.name}.csv", text)


@router.get("/embed")
def show_embedded(
    request: Request, state: State, read: Read, recent: Pages, code: str = ""
) -> Response:
    """Show the chart that a link is for, in the newest round that somebody answered."""
    try:
        share, entry = state.shares.opened(code)
        if share.attribute is None:
            raise Problem("not-found", "this link is for a page: open it instead of embedding it")
    except Problem as problem:
        content = fragment("embed.html", problem=problem, card=None)
        return html_response(request, content, problem.status, EMBEDDED_HEADERS)
    attribute = share.attribute
    key = ("chart", code)
    content = recent.get(key, lambda: _chart(state, read, entry, attribute))
    return html_response(request, content, headers=EMBEDDED_HEADERS)


def _chart(state: ServiceState, read: Readings, entry: SurveyEntry, attribute: str) -> str:
    reports = state.catalogue.reports()
    answered = [one for one in entry.rounds.values() if reports.get(one.live.id)]
    card, result = None, None
    if answered:
        result = read.result(answered[-1])
        asked = next(one for one in entry.survey.questions if one.name == attribute)
        card = attribute_card(asked, [result], result)
    return fragment("embed.html", problem=None, card=card, result=result, survey=entry.survey)


def _opened(
    state: ServiceState, code: str, label: str
) -> tuple[Share, SurveyEntry, RoundEntry | None]:
    """Return a link, the survey that it shows and the round that is wanted, if it has any yet."""
    share, entry = state.shares.opened(code)
    if share.attribute is not None:
        raise Problem("not-found", "this link is for one chart: embed it in a page")
    if not entry.rounds and not label:
        return share, entry, None
    return share, entry, state.catalogue.round(entry.survey.name, label or None)


def _some_round(shown: RoundEntry | None) -> RoundEntry:
    if shown is None:
        raise Problem("unknown-round", "the survey has no round yet")
    return shown
