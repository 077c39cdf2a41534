"""What a round of a survey found, as a page shows it: to those who signed in, or by a link."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import Query

from harmony.errors import HarmonyError
from harmony.estimate.change import Change
from harmony.estimate.compare import compare
from harmony.estimate.result import Result
from harmony.service.entries import RoundEntry, SurveyEntry

from .charts import find_limits_shown
from .readings import Readings
from .views import MOST_ROWS, attribute_card, round_state

MOST_CARDS = 50
"""Attributes on one page."""

MANY = 12
"""So many attributes get contents, and so many values a search."""

OPENED = 4
"""Of many attributes, how many are open at first; charts are drawn when they are opened."""


Order = Literal["asked", "changed"]

PageNumber = Annotated[int, Query(alias="page", ge=1, le=1000)]


def results_of(
    entry: SurveyEntry,
    chosen: RoundEntry,
    read: Readings,
    page_number: int,
    now: float,
    order: Order = "asked",
    weighted: Sequence[Result] = (),
) -> dict[str, Any]:
    """Return the values of `results.html`: a round, and a page of its attributes.

    They are in the order of the survey, or by how clearly they changed since the round before.
    `weighted` are the results up to this round where they are weighted to a population.
    """
    results = list(weighted) or read.history(entry, chosen)
    windows = [] if weighted else read.windows(entry, chosen)
    result = results[-1]
    questions = tuple(enumerate(entry.survey.questions)) if result.reports else ()
    changes = changes_since(results) if order == "changed" and not weighted else {}
    if changes:
        questions = tuple(sorted(questions, key=lambda one: _surprise(changes.get(one[1].name))))
    first = (page_number - 1) * MOST_CARDS
    shown = questions[first : first + MOST_CARDS]
    find_limits_shown([one.name for _, one in shown], results, MOST_ROWS)
    return {
        "round": chosen,
        "rounds": list(reversed(entry.rounds)),
        "state": round_state(chosen, now),
        "result": result,
        "cards": [
            replace(
                attribute_card(one, results, result, windows=windows),
                place=place,
                change=changes[one.name].verdict() if one.name in changes else "",
            )
            for place, one in shown
        ],
        "many": MANY,
        "opened": OPENED,
        "order": order,
        "can_order": len(results) > 1 and len(questions) > 1 and not weighted,
        "page_number": page_number,
        "pages": -(-len(questions) // MOST_CARDS),
    }


def changes_since(results: list[Result]) -> dict[str, Change]:
    """Return what changed between the last two results, by attribute; nothing if that is moot."""
    try:
        return dict(compare(results[-2], results[-1])) if results[1:] else {}
    except HarmonyError:
        return {}


def _surprise(change: Change | None) -> float:
    """Return what sorts the clearest change first, and what cannot be told last."""
    return change.p_value if change is not None and change.known else math.inf
