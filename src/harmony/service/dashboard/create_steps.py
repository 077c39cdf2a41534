"""A new training or exploration: forms that say what to expect while they are filled in."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from harmony.errors import HarmonyError
from harmony.learn.training import Training
from harmony.service.api import explorations, trainings
from harmony.service.api.access import State
from harmony.service.api.training_models import ExplorationBody, TrainingBody
from harmony.service.composition import Spending, training_spending
from harmony.service.problems import Problem
from harmony.service.training.storage import begun, definition_of

from .access import Manager, OwnForm, PageRoute, body_of, field
from .forms import rows_wished
from .rendering import HEADERS, fragment, page
from .sessions import Visitor
from .step_forms import KINDS, LOSSES, ExplorationForm, StepsForm, TrainingForm

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@dataclass(frozen=True)
class Planned:
    """What a form would give, or what is wrong with it."""

    sentence: str = ""
    more: str = ""
    spending: Spending | None = None
    problem: str = ""

    @classmethod
    def of(cls, filled: StepsForm) -> Planned:
        """Say what to expect of what the form defines."""
        try:
            filled.run()
            definition = definition_of(filled.definition())
            spending = training_spending(definition.epsilon)
            if isinstance(definition, Training):
                return cls(*_training_words(definition), spending)
            plan = definition.plan()
        except (HarmonyError, Problem) as problem:
            return cls(problem=str(problem))
        sentence = f"A string that {100 * plan.share:.2g}% of the devices have is found."
        more = (
            f"With a chance of 90%, in at most {plan.steps} steps; fewer than {plan.mistakes:g} "
            "strings are found by mistake, on average."
        )
        return cls(sentence, more, spending)


def _training_words(training: Training) -> tuple[str, str]:
    from harmony.learn.planning import plan

    step = begun(training).step
    assert step is not None
    _, _, expected = str(plan(training)).partition(": ")
    kept = (
        f"{training.evaluating:,} of them tell how good the model is, and the others teach it."
        if training.evaluating
        else "All of them teach it, and nobody tells how good it is."
    )
    return f"{expected}.", f"The first step asks {step['wanted']:,} devices. {kept}"


@router.get("/new-training")
def empty_training(request: Request, visitor: Manager) -> Response:
    """Show the form of a training."""
    return _form(request, visitor, TrainingForm(), Planned())


@router.post("/new-training")
def fill_training(request: Request, state: State, visitor: Manager, form: OwnForm) -> Response:
    """Create the training, or show the form again: with a row more or less, or with its plan."""
    filled, wish = TrainingForm.of(form), field(form, "wish")
    if rows := rows_wished(filled.attributes, wish, fixed=1):  # what is predicted stays
        return _form(request, visitor, replace(filled, attributes=rows), Planned())
    planned = Planned.of(filled)
    if wish == "plan" or planned.problem:
        return _form(request, visitor, filled, planned)
    try:
        body = body_of(TrainingBody, {"training": filled.definition(), **filled.run()})
        trainings.create_training(state, visitor.holder, body)
    except Problem as problem:
        return _form(request, visitor, filled, Planned(problem=problem.detail))
    return RedirectResponse(f"/trainings/{filled.name}", 303)


@router.get("/new-exploration")
def empty_exploration(request: Request, visitor: Manager) -> Response:
    """Show the form of an exploration."""
    return _form(request, visitor, ExplorationForm(), Planned())


@router.post("/new-exploration")
def fill_exploration(request: Request, state: State, visitor: Manager, form: OwnForm) -> Response:
    """Create the exploration, or show the form again with its plan."""
    filled = ExplorationForm.of(form)
    planned = Planned.of(filled)
    if field(form, "wish") == "plan" or planned.problem:
        return _form(request, visitor, filled, planned)
    try:
        body = body_of(ExplorationBody, {"exploration": filled.definition(), **filled.run()})
        explorations.create_exploration(state, visitor.holder, body)
    except Problem as problem:
        return _form(request, visitor, filled, Planned(problem=problem.detail))
    return RedirectResponse(f"/explorations/{filled.name}", 303)


@router.post("/new-training/plan")
def plan_training(_: Manager, form: OwnForm) -> HTMLResponse:
    """Return what to expect of a form that is being filled in."""
    return _plan(TrainingForm.of(form))


@router.post("/new-exploration/plan")
def plan_exploration(_: Manager, form: OwnForm) -> HTMLResponse:
    """Return what to expect of a form that is being filled in."""
    return _plan(ExplorationForm.of(form))


def _plan(filled: StepsForm) -> HTMLResponse:
    content = fragment("steps_plan.html", planned=Planned.of(filled))
    return HTMLResponse(content, headers=HEADERS)


def _form(request: Request, visitor: Visitor, filled: StepsForm, planned: Planned) -> Response:
    what = "training" if isinstance(filled, TrainingForm) else "exploration"
    return page(
        request,
        f"new_{what}.html",
        visitor=visitor,
        status=422 if planned.problem else 200,
        what=what,
        plan_template="steps_plan.html",
        form=filled,
        planned=planned,
        kinds=KINDS,
        losses=LOSSES,
    )
