"""Which rounds take reports: from memory, which may lag behind what another server did."""

from __future__ import annotations

from collections.abc import Iterable

from ..catalogue import Catalogue
from ..problems import Problem
from .blocks import LiveRound


def is_behind(catalogue: Catalogue, survey: str, labels: Iterable[str]) -> bool:
    """Whether memory lacks the survey or one of these rounds, so that it must be read afresh.

    A round that memory has as closed or deleted is no reason: it never opens again, and all the
    devices that come late would ask for it.
    """
    known = catalogue.rounds.get(survey, {})
    retired = catalogue.retired.get(survey, frozenset())
    return any(label not in known and label not in retired for label in labels)


def open_rounds(catalogue: Catalogue, survey: str, labels: Iterable[str]) -> dict[str, LiveRound]:
    """Return those of the rounds that take reports, by label, as memory has them."""
    if survey not in catalogue.rounds and survey not in catalogue.retired:
        raise Problem("unknown-survey", "there is no survey of this name")
    live = catalogue.live
    return {label: live[survey, label] for label in labels if (survey, label) in live}
