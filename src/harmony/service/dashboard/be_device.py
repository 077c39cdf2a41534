"""Be a device: a page on which a browser answers a survey, and shows all that it does.

For demonstrations, where the setting `be_a_device` says so: whoever opens it takes part with
values of their own choice.  The values never leave the browser; the server only sends the page.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from harmony.service.api.access import State
from harmony.service.api.sdk_modules import modules
from harmony.service.problems import Problem

from .access import Anyone, PageRoute
from .rendering import page

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/be-a-device/{name}")
def be_a_device(request: Request, state: State, visitor: Anyone, name: str) -> Response:
    """Show the page for a survey, to anyone."""
    if not state.settings.be_a_device:
        raise Problem("not-found", "this server has no such page; see the setting 'be_a_device'")
    survey = state.catalogue.survey(name).survey
    sdk = modules().address("")
    return page(request, "be_device.html", visitor=visitor, survey=survey, sdk=sdk)
