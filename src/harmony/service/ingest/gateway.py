"""Batches from gateways: a list of reports as JSON, or packed reports of one round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..problems import Problem
from ..state import ServiceState
from . import outcomes as outcome
from .blocks import LiveRound
from .bodies import parse_list
from .outcomes import NAMES, Outcomes, by_name, letters
from .packed import unpack
from .responses import refusal
from .rounds import is_behind, open_rounds


async def take_list(state: ServiceState, survey: str, body: bytes) -> dict[str, list[str]]:
    """Take reports whose rounds may differ; return what became of each, in order."""
    sent = parse_list(body)
    results = np.full(len(sent), outcome.CLOSED, np.uint8)
    places: dict[str, list[int]] = {}
    for place, one in enumerate(sent):
        places.setdefault(one.round, []).append(place)
    waiting = []
    for label, live in (await _look_up(state, survey, places)).items():
        reports = [(place, live.from_hex(sent[place].report)) for place in places[label]]
        whole = [(place, report) for place, report in reports if report is not None]
        results[places[label]] = outcome.MALFORMED
        if whole:
            rows = live.rows(b"".join(report for _, report in whole))
            future = state.writer.submit_block(live, rows)
            waiting.append(([place for place, _ in whole], future))
    if late := int((results == outcome.CLOSED).sum()):
        state.trainings.count_late(survey, late)
    for rows_of, future in waiting:
        results[rows_of] = await future
    return {"results": [NAMES[code] for code in results.tolist()]}


async def take_packed(state: ServiceState, survey: str, body: bytes) -> dict[str, Any]:
    """Take a packed batch, which is of one round."""
    batch = unpack(body)
    live = (await _look_up(state, survey, [batch.label])).get(batch.label)
    if live is None:
        state.trainings.count_late(survey, batch.most_reports())
        raise refusal(outcome.CLOSED)
    if batch.fingerprint != live.survey.fingerprint:
        raise Problem("malformed", "'fingerprint' is not that of this survey's document")
    reports = live.rows(batch.sized(live.size))
    if not len(reports):
        return _summary(np.empty(0, np.uint8))
    results = await state.writer.submit_block(live, reports)
    if results[0] == outcome.CLOSED:
        raise refusal(outcome.CLOSED)
    return _summary(results)


async def _look_up(state: ServiceState, survey: str, labels: Iterable[str]) -> dict[str, LiveRound]:
    """Return the rounds that take reports; ask the database if memory is behind."""
    if is_behind(state.catalogue, survey, labels):
        await state.refresh_catalogue()
    return open_rounds(state.catalogue, survey, labels)


def _summary(results: Outcomes) -> dict[str, Any]:
    counted = by_name(results)
    return {
        "accepted": counted.pop("accepted", 0),
        "duplicate": counted.pop("duplicate", 0),
        "refused": counted,
        "results": letters(results),
    }
