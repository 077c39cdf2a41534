"""The public page of a survey or a training: anyone may read it, print it and link it."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from harmony.service.api.about import public_entry, survey_about, training_about
from harmony.service.api.access import State
from harmony.service.asgi import own_url
from harmony.service.composition import odds_text
from harmony.service.entries import SurveyEntry

from .access import Anyone, PageRoute
from .policy_views import retention_sentence
from .rendering import page

router = APIRouter(include_in_schema=False, route_class=PageRoute)

MOST_QUESTIONS = 500
MOST_TABLES = 1_000
"""What a page shows; the JSON has all."""


@router.get("/about/{name}")
def show_about(request: Request, state: State, visitor: Anyone, name: str) -> Response:
    """Show what is asked and what a report reveals."""
    entry = public_entry(state, name)
    url = own_url(request.scope, state.settings)
    is_survey = isinstance(entry, SurveyEntry)
    about = (
        survey_about(entry, state, url)
        if isinstance(entry, SurveyEntry)
        else training_about(entry, state, url)
    )
    return page(
        request,
        "about.html",
        visitor=visitor,
        about=about,
        is_survey=is_survey,
        url=url,
        odds=odds_text(about["epsilon"]),
        retention=retention_sentence(about["retention_days"], entry.kind),
        questions=about["questions"][:MOST_QUESTIONS],
        tables=about["proof"]["tables"][:MOST_TABLES],
        json=f"/v1/{'surveys' if is_survey else 'trainings'}/{name}/about",
    )
