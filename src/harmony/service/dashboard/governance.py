"""Pages on which admins settle what is kept, shown and deleted of a survey or a training."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from harmony.csv_table import csv_table
from harmony.service.api import governance as api
from harmony.service.api.access import State
from harmony.service.api.policies import SurveySettings, TrainingSettings
from harmony.service.entries import SurveyEntry, TrainingEntry
from harmony.service.governance import MOST_DAYS
from harmony.service.problems import Problem
from harmony.service.schedule import SCHEDULES
from harmony.service.state import ServiceState

from .access import Form, Manager, OwnForm, PageRoute, field
from .confirm import Irreversible
from .exports import csv_response, json_response
from .policy_views import ROUND_COLUMNS, days, retention_sentence, round_policies
from .rendering import page
from .sessions import Visitor

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/surveys/{name}/settings")
def show_survey(request: Request, state: State, visitor: Manager, name: str) -> Response:
    """Show what is settled about a survey."""
    entry = state.catalogue.survey(name)
    return page(
        request,
        "survey_settings.html",
        visitor=visitor,
        entry=entry,
        settings=SurveySettings.of(entry),
        retention=retention_sentence(entry.retention, entry.kind),
        rounds=round_policies(entry, state.catalogue.reports()),
        schedules=SCHEDULES,
        most_days=MOST_DAYS,
    )


@router.get("/surveys/{name}/settings.json")
def survey_json(state: State, _: Manager, name: str) -> Response:
    """The same as JSON."""
    entry = state.catalogue.survey(name)
    rounds = round_policies(entry, state.catalogue.reports())
    return json_response(SurveySettings.of(entry).model_dump() | {"rounds": rounds})


@router.get("/surveys/{name}/settings.csv")
def survey_csv(state: State, _: Manager, name: str) -> Response:
    """Until when the reports of each round are kept, as CSV."""
    rows = round_policies(state.catalogue.survey(name), state.catalogue.reports())
    return csv_response(f"{name}-rounds.csv", csv_table(rows, ROUND_COLUMNS))


@router.post("/surveys/{name}/settings")
def change_survey(
    request: Request, state: State, visitor: Manager, form: OwnForm, name: str
) -> Response:
    """Settle some of it anew; a shorter retention only once it is confirmed."""
    entry = state.catalogue.survey(name)
    wanted = _wanted(form)
    if "schedule" in form:
        wanted["schedule"] = schedule_of(field(form, "schedule"))
    return _change(request, state, visitor, form, entry, name, wanted)


@router.post("/surveys/{name}/delete")
def delete_survey(
    request: Request, state: State, visitor: Manager, form: OwnForm, name: str
) -> Response:
    """Delete a survey, once its name was typed."""
    entry = state.catalogue.survey(name)
    act = Irreversible(
        f"Delete the survey {name}?",
        name,
        [
            f"Its {len(entry.rounds)} rounds go, with their reports, counts and estimates.",
            "A round that is open closes now, and reports that are under way are refused.",
            "The name may be used again, but none of its labels: devices that answered them "
            "would not answer again.",
        ],
        "Delete the survey",
        f"/surveys/{name}/settings",
        typed=True,
    )
    if not act.is_confirmed(form):
        return act.ask(request, visitor, form)
    api.delete_survey(state, visitor.holder, name, field(form, "confirm"))
    return RedirectResponse("/surveys", 303)


@router.post("/surveys/{name}/rounds/delete")
def delete_round(
    request: Request, state: State, visitor: Manager, form: OwnForm, name: str
) -> Response:
    """Delete a round, once its label was typed."""
    state.catalogue.survey(name)
    label = field(form, "label")
    entry = state.catalogue.round(name, label)
    reports = state.catalogue.reports().get(entry.live.id, 0)
    act = Irreversible(
        f"Delete round {label} of {name}?",
        label,
        [
            f"Its {reports:,} reports go, with its counts and estimates.",
            *(["It is open: it closes now."] if entry.closed is None else []),
            "No other round of this survey may have its label.",
        ],
        "Delete the round",
        f"/surveys/{name}/settings",
        typed=True,
        fields={"label": label},
    )
    if not act.is_confirmed(form):
        return act.ask(request, visitor, form)
    api.delete_round(state, visitor.holder, name, label, field(form, "confirm"))
    return RedirectResponse(f"/surveys/{name}/settings", 303)


@router.get("/trainings/{name}/settings")
def show_training(request: Request, state: State, visitor: Manager, name: str) -> Response:
    """Show what is settled about a training."""
    entry = state.trainings.training(name)
    return page(
        request,
        "training_settings.html",
        visitor=visitor,
        entry=entry,
        settings=TrainingSettings.of(entry),
        retention=retention_sentence(entry.retention, entry.kind),
    )


@router.get("/trainings/{name}/settings.json")
def training_json(state: State, _: Manager, name: str) -> Response:
    """The same as JSON."""
    return json_response(TrainingSettings.of(state.trainings.training(name)).model_dump())


@router.get("/trainings/{name}/settings.csv")
def training_csv(state: State, _: Manager, name: str) -> Response:
    """The same as CSV."""
    settings = TrainingSettings.of(state.trainings.training(name))
    row = settings.model_dump(include={"name", "retention_days", "public"})
    row["epsilon_in_30_days"] = settings.spending.epsilon_in_30_days
    return csv_response(f"{name}-settings.csv", csv_table([row], tuple(row)))


@router.post("/trainings/{name}/settings")
def change_training(
    request: Request, state: State, visitor: Manager, form: OwnForm, name: str
) -> Response:
    """Settle some of it anew; a shorter retention only once it is confirmed."""
    entry = state.trainings.training(name)
    return _change(request, state, visitor, form, entry, name, _wanted(form))


@router.post("/trainings/{name}/delete")
def delete_training(
    request: Request, state: State, visitor: Manager, form: OwnForm, name: str
) -> Response:
    """Delete a training or an exploration, once its name was typed."""
    entry = state.trainings.training(name)
    came = "all that it found" if entry.explores else "the model that it learnt"
    act = Irreversible(
        f"Delete the {entry.kind} {name}?",
        name,
        [
            f"Its steps go, with their reports and counts, and {came}.",
            f"No {entry.kind} may have its name: devices that took part would never do so again.",
        ],
        f"Delete the {entry.kind}",
        f"/trainings/{name}/settings",
        typed=True,
    )
    if not act.is_confirmed(form):
        return act.ask(request, visitor, form)
    api.delete_training(state, visitor.holder, name, field(form, "confirm"))
    return RedirectResponse(f"/{entry.kind}s", 303)


def schedule_of(text: str) -> str | None:
    """Read a schedule as forms send it; an empty one is none."""
    if text and text not in SCHEDULES:
        raise Problem("malformed", f"'schedule' must be one of {', '.join(SCHEDULES)}, or empty")
    return text or None


def retention_of(text: str) -> int:
    """Read a number of days as forms send it.

    >>> retention_of("30")
    30
    """
    if not text.isascii() or not text.isdecimal() or int(text[:9]) > MOST_DAYS:
        raise Problem("malformed", f"'retention_days' must be whole days from 0 to {MOST_DAYS:,}")
    return int(text)


def _wanted(form: Form) -> dict[str, Any]:
    """Return what a form settles anew; a box that is not ticked is not sent."""
    wanted: dict[str, Any] = {}
    if "retention_days" in form:
        wanted["retention"] = retention_of(field(form, "retention_days"))
    if "public" in form:
        wanted["public"] = field(form, "public") == "yes"
    return wanted


def _change(
    request: Request,
    state: ServiceState,
    visitor: Visitor,
    form: Form,
    entry: SurveyEntry | TrainingEntry,
    name: str,
    wanted: dict[str, Any],
) -> Response:
    back = request.url.path
    shorter = _shorter(entry, name, wanted, back)
    if shorter is not None and not shorter.is_confirmed(form):
        return shorter.ask(request, visitor, form)
    state.governance.change(name, wanted, field(form, "confirm"), visitor.holder)
    return RedirectResponse(back, 303)


def _shorter(
    entry: SurveyEntry | TrainingEntry, name: str, wanted: dict[str, Any], back: str
) -> Irreversible | None:
    """Return what a shorter retention would do, if it is one."""
    retention = wanted.get("retention", entry.retention)
    if retention >= entry.retention:
        return None
    return Irreversible(
        f"Keep the reports of {name} for {days(retention)} only?",
        name,
        [
            f"Until now it was {days(entry.retention)}. Reports that are older are dropped within "
            "minutes; counts and estimates stay.",
            "Nobody can recount or export them any more, nor take a device that asks to be "
            "deleted out of their counts.",
        ],
        "Keep them for a shorter time",
        back,
        fields={"retention_days": str(retention)},
    )
