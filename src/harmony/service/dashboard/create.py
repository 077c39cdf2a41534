"""A new survey: a form that shows, while it is filled in, what to expect of the estimates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from harmony.errors import HarmonyError
from harmony.plan import Plan
from harmony.service.api import admin
from harmony.service.api.access import State
from harmony.service.api.models import RoundBody
from harmony.service.composition import Spending, spending_of
from harmony.service.problems import Problem
from harmony.service.schedule import SCHEDULES
from harmony.survey import Survey
from harmony.wording import MOST_CHARACTERS

from .access import Manager, OwnForm, PageRoute, field
from .forms import KINDS, SurveyForm, rows_wished
from .governance import retention_of, schedule_of
from .rendering import HEADERS, fragment, page
from .sessions import Visitor
from .views import plan_sentence

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@dataclass(frozen=True)
class Planned:
    """What a form would give, or what is wrong with it."""

    sentence: str = ""
    plan: Plan | None = None
    survey: Survey | None = None
    spending: Spending | None = None
    problem: str = ""

    @classmethod
    def of(cls, filled: SurveyForm) -> Planned:
        """Build the survey and plan it."""
        try:
            survey = admin.design_survey(filled.definition())
            plan = survey.plan(devices=filled.expected_devices())
            schedule = schedule_of(filled.schedule)
            retention_of(filled.retention)
        except (HarmonyError, Problem) as problem:
            return cls(problem=str(problem))
        spending = spending_of(survey, schedule)
        return cls(plan_sentence(plan), plan, survey, spending)


@router.get("/new-survey")
def empty_form(request: Request, visitor: Manager) -> Response:
    """Show the form."""
    return _form(request, visitor, SurveyForm(), Planned())


@router.post("/new-survey")
def fill_form(request: Request, state: State, visitor: Manager, form: OwnForm) -> Response:
    """Create the survey, or show the form again: with a row more or less, or with its plan."""
    filled, wish = SurveyForm.of(form), field(form, "wish")
    if rows := rows_wished(filled.attributes, wish):
        return _form(request, visitor, replace(filled, attributes=rows), Planned())
    planned = Planned.of(filled)
    if wish == "plan" or planned.survey is None:
        return _form(request, visitor, filled, planned)
    try:
        opened = RoundBody(label=filled.label, closes=None) if filled.label else None
        admin.create_survey(
            state,
            visitor.holder,
            planned.survey.to_document(),
            schedule_of(filled.schedule),  # type: ignore[arg-type]  # one of the schedules
            retention_of(filled.retention),
            filled.public,
        )
        if opened is not None:
            admin.open_round(state, visitor.holder, filled.name, opened)
    except (Problem, ValueError) as problem:
        said = problem.detail if isinstance(problem, Problem) else "'round' has odd characters"
        return _form(request, visitor, filled, Planned(problem=said))
    return RedirectResponse(f"/surveys/{filled.name}", 303)


@router.post("/new-survey/plan")
def show_plan(_: Manager, form: OwnForm) -> HTMLResponse:
    """Return the plan of a form that is being filled in."""
    planned = Planned.of(SurveyForm.of(form))
    return HTMLResponse(fragment("plan.html", planned=planned), headers=HEADERS)


def _form(request: Request, visitor: Visitor, filled: SurveyForm, planned: Planned) -> Response:
    return page(
        request,
        "new_survey.html",
        visitor=visitor,
        status=422 if planned.problem else 200,
        what="survey",
        plan_template="plan.html",
        form=filled,
        planned=planned,
        kinds=KINDS,
        schedules=SCHEDULES,
        most_characters=MOST_CHARACTERS,
    )
