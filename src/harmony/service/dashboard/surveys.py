"""The surveys: a list, and a page for each."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import ValidationError

from harmony.csv_table import csv_table
from harmony.estimate.result import Result
from harmony.service.api import admin
from harmony.service.api.access import State
from harmony.service.api.models import RoundBody
from harmony.service.asgi import own_url
from harmony.service.catalogue import RoundEntry
from harmony.service.composition import ADVICE, spending_of, warning_of
from harmony.service.problems import Problem
from harmony.service.state import ServiceState
from harmony.service.weighting import Weighted, read_population

from .access import Manager, OwnForm, PageRoute, Viewer, field
from .attention import notices
from .confirm import Irreversible
from .exports import csv_response, json_response
from .live import version_of
from .policy_views import kept_sentence, retention_sentence
from .readings import Read, Readings
from .rendering import page
from .results import PageNumber, results_of
from .snippets import snippets
from .views import survey_row
from .weights import Shares, weighing_of

router = APIRouter(include_in_schema=False, route_class=PageRoute)

LIST_COLUMNS = (
    "name", "attributes", "epsilon", "answers", "schedule", "rounds", "round", "state",
    "reports", "all_reports", "retention_days", "public", "epsilon_in_30_days",
)  # fmt: skip

REFUSALS = {
    "conflict": "the device sent another report before",
    "closed": "the round was not open",
    "malformed": "not a report of this survey",
    "unauthorized": "no valid credential, or deleted",
    "forbidden": "another device's report",
    "too-large": "the request was too large",
    "too-slow": "the request took too long",
    "too-many-requests": "too many requests at once",
    "overloaded": "the server could not commit it; devices try again",
}


@router.get("/")
def home(_: Viewer) -> Response:
    """Go to the surveys."""
    return RedirectResponse("/surveys", 303)


@router.get("/surveys")
def list_surveys(request: Request, state: State, read: Read, visitor: Viewer) -> Response:
    """Show every survey, and what needs attention first."""
    version, rows = version_of(state), _rows(state)
    total = math.fsum(row["epsilon_in_30_days"] or 0.0 for row in rows)
    return page(
        request,
        "surveys.html",
        visitor=visitor,
        version=version,
        surveys=rows,
        notices=notices(state, read),
        total=total,
        warning=warning_of(total),
        advice=ADVICE,
    )


@router.get("/surveys.json")
def list_json(state: State, read: Read, _: Viewer) -> Response:
    """The list as JSON."""
    attention = [asdict(one) for one in notices(state, read)]
    return json_response({"surveys": _rows(state), "attention": attention})


@router.get("/surveys.csv")
def list_csv(state: State, _: Viewer) -> Response:
    """The list as CSV."""
    return csv_response("surveys.csv", csv_table(_rows(state), LIST_COLUMNS))


def _rows(state: ServiceState) -> list[dict[str, Any]]:
    reports, now = state.catalogue.reports(), state.clock()
    surveys = sorted(state.catalogue.surveys.values(), key=lambda one: -one.created)
    return [survey_row(one, reports, now) for one in surveys]


@router.get("/surveys/{name}")
def show_survey(
    request: Request,
    state: State,
    read: Read,
    visitor: Viewer,
    name: str,
    round: str = "",
    order: Literal["asked", "changed"] = "asked",
    page_number: PageNumber = 1,
    population: Shares = (),
) -> Response:
    """Show a round of a survey, by default the latest; a page has so many attributes."""
    entry = state.catalogue.survey(name)
    shown: dict[str, Any] = {"visitor": visitor, "entry": entry, "survey": entry.survey}
    shown["version"] = version_of(state, name)
    shown["spending"] = spending_of(entry.survey, entry.schedule)
    shown["retention"] = retention_sentence(entry.retention, entry.kind)
    shown["snippets"] = snippets(entry.survey, own_url(request.scope, state.settings))
    if not entry.rounds:
        return page(request, "survey.html", **shown, round=None)
    chosen = _round(state, name, round)
    least = state.settings.stratum_reports
    weighing = weighing_of(entry, chosen, read, population, least)
    history = [one.result for one in weighing.history]
    outcomes = state.metrics.outcomes(name)
    return page(
        request,
        "survey.html",
        status=422 if weighing.problem else 200,
        **shown,
        **results_of(entry, chosen, read, page_number, state.clock(), order, history),
        weighing=weighing,
        kept=kept_sentence(chosen),
        taking=entry.open_round(state.clock()),
        address=f"/surveys/{name}?order={order}{weighing.query}&",
        accepted=outcomes.get("accepted", 0),
        duplicates=outcomes.get("duplicate", 0),
        refused=[
            (reason, meaning, outcomes[reason])
            for reason, meaning in REFUSALS.items()
            if outcomes.get(reason)
        ],
    )


@router.get("/surveys/{name}/estimates.json")
def estimates_json(
    state: State, read: Read, _: Viewer, name: str, round: str = "", population: Shares = ()
) -> Response:
    """The estimates of a round as JSON."""
    return json_response(_estimated(state, read, _round(state, name, round), population).to_dict())


@router.get("/surveys/{name}/estimates.csv")
def estimates_csv(
    state: State, read: Read, _: Viewer, name: str, round: str = "", population: Shares = ()
) -> Response:
    """The estimates of a round as CSV."""
    entry = _round(state, name, round)
    label = entry.live.round.label.replace(":", "-")
    found = _estimated(state, read, entry, population)
    if isinstance(found, Weighted):
        return csv_response(f"{name}-{label}-weighted.csv", found.result.to_csv())
    return csv_response(f"{name}-{label}.csv", found.to_csv())


@router.post("/surveys/{name}/rounds")
def open_round(state: State, visitor: Manager, form: OwnForm, name: str) -> Response:
    """Open a round."""
    try:
        wanted = RoundBody(label=field(form, "label"), closes=None)
    except ValidationError:
        raise Problem(
            "malformed", "'label' must be 1 to 64 letters, digits, '.', '_', ':' or '-'"
        ) from None
    admin.open_round(state, visitor.holder, name, wanted)
    return RedirectResponse(f"/surveys/{name}", 303)


@router.post("/surveys/{name}/close")
def close_round(
    request: Request, state: State, visitor: Manager, form: OwnForm, name: str
) -> Response:
    """Close a round, once that is confirmed: its tally no longer changes."""
    label = field(form, "label")
    state.catalogue.survey(name)
    entry = state.catalogue.round(name, label)
    act = Irreversible(
        f"Close round {label} of {name}?",
        label,
        [
            "No report is added to it any more, and it never opens again.",
            kept_sentence(entry),
        ],
        f"Close round {label}",
        f"/surveys/{name}",
        fields={"label": label},
    )
    if not act.is_confirmed(form):
        return act.ask(request, visitor, form)
    admin.close_round(state, visitor.holder, name, label)
    return RedirectResponse(f"/surveys/{name}", 303)


def _estimated(
    state: ServiceState, read: Readings, entry: RoundEntry, population: Shares
) -> Result | Weighted:
    if not population:
        return read.result(entry)
    return read.weighted(entry, read_population(population), state.settings.stratum_reports)


def _round(state: ServiceState, name: str, label: str) -> RoundEntry:
    return state.catalogue.round(name, label or None)
