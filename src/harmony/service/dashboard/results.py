"""What a round of a survey found, as a page shows it: to those who signed in, or by a link."""

from __future__ import annotations

from typing import Any

from harmony.service.entries import RoundEntry, SurveyEntry

from .readings import Readings
from .views import attribute_card, round_state

MOST_CARDS = 50
"""Attributes on one page."""

MANY = 12
"""So many attributes get contents, and so many values a search."""

OPENED = 4
"""Of many attributes, how many are open at first; charts are drawn when they are opened."""


def results_of(
    entry: SurveyEntry, chosen: RoundEntry, read: Readings, page_number: int, now: float
) -> dict[str, Any]:
    """Return the values of `results.html`: a round, and a page of its attributes."""
    results = read.history(entry, chosen)
    windows = read.windows(entry, chosen)
    result = results[-1]
    attributes = entry.survey.questions if result.reports else ()
    first = (page_number - 1) * MOST_CARDS
    return {
        "round": chosen,
        "rounds": list(reversed(entry.rounds)),
        "state": round_state(chosen, now),
        "result": result,
        "cards": [
            attribute_card(one, results, result, windows=windows)
            for one in attributes[first : first + MOST_CARDS]
        ],
        "many": MANY,
        "opened": OPENED,
        "page_number": page_number,
        "pages": -(-len(attributes) // MOST_CARDS),
    }
