"""Batches from gateways: a list of reports as JSON, or packed reports of one round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..problems import Problem
from ..state import ServiceState
from . import outcomes as outcome
from .blocks import LiveRound
from .outcomes import NAMES, Outcomes, by_name, letters
from .packed import MEDIA_TYPE, unpack

__all__ = ["MEDIA_TYPE", "look_up", "take_list", "take_packed"]


async def look_up(state: ServiceState, survey: str, labels: Iterable[str]) -> dict[str, LiveRound]:
    """Return the rounds that take reports, by label; ask the database if memory lacks one.

    A round that memory has as closed is not asked for: it never opens again, and all the
    devices that come late would ask.
    """
    wanted = list(labels)
    known = state.catalogue.rounds.get(survey)
    if known is None or any(label not in known for label in wanted):
        await state.refresh_catalogue()
        if survey not in state.catalogue.rounds:
            raise Problem("unknown-survey", "there is no survey of this name")
    live = state.catalogue.live
    return {label: live[survey, label] for label in wanted if (survey, label) in live}


async def take_list(
    state: ServiceState, survey: str, sent: Sequence[tuple[str, str]]
) -> dict[str, list[str]]:
    """Take (round, report) pairs, whose rounds may differ; say what became of each, in order."""
    results = np.full(len(sent), outcome.CLOSED, np.uint8)
    places: dict[str, list[int]] = {}
    for place, (label, _) in enumerate(sent):
        places.setdefault(label, []).append(place)
    waiting = []
    for label, live in (await look_up(state, survey, places)).items():
        reports = [(place, live.from_hex(sent[place][1])) for place in places[label]]
        whole = [(place, report) for place, report in reports if report is not None]
        results[places[label]] = outcome.MALFORMED
        if whole:
            rows = live.rows(b"".join(report for _, report in whole))
            future = state.writer.submit_block(live, rows)
            waiting.append(([place for place, _ in whole], future))
    if late := int((results == outcome.CLOSED).sum()):
        state.trainings.came_late(survey, late)
    for rows_of, future in waiting:
        results[rows_of] = await future
    return {"results": [NAMES[code] for code in results.tolist()]}


async def take_packed(state: ServiceState, survey: str, body: bytes) -> dict[str, Any]:
    """Take a packed batch, which is of one round."""
    batch = unpack(body)
    live = (await look_up(state, survey, [batch.label])).get(batch.label)
    if live is None:
        state.trainings.came_late(survey, batch.count)
        raise Problem("closed", "the round is not open")
    if batch.fingerprint != live.survey.fingerprint:
        raise Problem("malformed", "'fingerprint' is not that of this survey's document")
    reports = live.rows(batch.sized(live.size))
    if not len(reports):
        return _summary(np.empty(0, np.uint8))
    results = await state.writer.submit_block(live, reports)
    if results[0] == outcome.CLOSED:
        raise Problem("closed", "the round is not open")
    return _summary(results)


def _summary(results: Outcomes) -> dict[str, Any]:
    counted = by_name(results)
    return {
        "accepted": counted.pop("accepted", 0),
        "duplicate": counted.pop("duplicate", 0),
        "refused": counted,
        "results": letters(results),
    }
