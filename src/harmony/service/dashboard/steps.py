"""What pages of trainings and of explorations have in common: a list, one in steps, its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from harmony.service.composition import training_spending
from harmony.service.state import ServiceState

from .access import Form
from .confirm import Irreversible
from .live import version_of
from .policy_views import retention_sentence
from .rendering import page
from .sessions import Visitor
from .training_views import step_rows


def list_page(
    request: Request,
    state: ServiceState,
    visitor: Visitor,
    what: str,
    rows: list[dict[str, Any]],
    does: str,
) -> Response:
    """Show every training, or every exploration; `does` says what one is if there is none."""
    version = version_of(state)
    return page(
        request,
        "steps_list.html",
        visitor=visitor,
        version=version,
        what=what,
        rows=rows,
        does=does,
    )


def steps_page(
    request: Request,
    state: ServiceState,
    visitor: Visitor,
    what: str,
    document: dict[str, Any],
    **values: Any,
) -> Response:
    """Show one of them: `values` are what its kind has besides its steps."""
    entry = state.trainings.training(document["name"])
    return page(
        request,
        f"{what}.html",
        visitor=visitor,
        what=what,
        one=document,
        steps=step_rows(document),
        entry=entry,
        spending=training_spending(entry.epsilon),
        retention=retention_sentence(entry.retention, entry.kind),
        **values,
    )


def stop_page(
    request: Request,
    visitor: Visitor,
    form: Form,
    what: str,
    name: str,
    consequence: str,
    stop: Callable[[], object],
) -> Response:
    """End one of them, once that is confirmed."""
    back = f"/{what}s/{name}"
    title = f"Stop the {what} {name}?"
    act = Irreversible(title, name, [consequence], f"Stop {name}", back)
    if not act.is_confirmed(form):
        return act.ask(request, visitor, form)
    stop()
    return RedirectResponse(back, 303)
