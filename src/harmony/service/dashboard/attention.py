"""What needs attention first: a look at the server, and at the newest round of each survey."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harmony.estimate.result import Result
from harmony.service.entries import RoundEntry, SurveyEntry, TrainingEntry
from harmony.service.state import ServiceState

from .readings import Readings

MOST_SURVEYS = 50
"""Surveys that are looked at, the newest."""

WAIT_SECONDS = 3600.0
"""A round that opened less than this ago may have few reports still."""

LEAST_FREE = 1 << 30
LEAST_FREE_SHARE = 0.05
"""With less of the disk than either, reports may soon not fit."""


@dataclass(frozen=True)
class Notice:
    """Something to look at, and where; an urgent one costs reports by the minute."""

    what: str
    where: str
    urgent: bool = False


def notices(state: ServiceState, read: Readings) -> list[Notice]:
    """Return what needs attention, the most urgent first."""
    found = [*_server(state), *_surveys(state, read), *_trainings(state)]
    return sorted(found, key=lambda one: not one.urgent)


def _server(state: ServiceState) -> Iterator[Notice]:
    if state.writer.trouble:
        said = f"Reports cannot be stored now: {state.writer.trouble}. Devices try again later."
        yield Notice(said, "/settings", urgent=True)
    elif failed := state.metrics.failures():
        said = f"{failed:,} commits failed since this server process started; devices tried again."
        yield Notice(said, "/settings")
    if state.database.is_sqlite and state.database.url.database:
        usage = shutil.disk_usage(Path(state.database.url.database).resolve().parent)
        if said := disk_words(usage.free, usage.total):
            yield Notice(said, "/settings", urgent=True)


def disk_words(free: int, total: int) -> str:
    """Say that the disk of the database is nearly full, if it is.

    >>> disk_words(free=500 << 20, total=100 << 30)
    'The disk of the database has 0.5 GB left, of 100.'
    >>> disk_words(free=50 << 30, total=100 << 30)
    ''
    """
    if free >= LEAST_FREE and free >= LEAST_FREE_SHARE * total:
        return ""
    return f"The disk of the database has {free / 2**30:.1f} GB left, of {total / 2**30:.0f}."


def _surveys(state: ServiceState, read: Readings) -> Iterator[Notice]:
    newest = sorted(state.catalogue.surveys.values(), key=lambda one: -one.created)
    now = state.clock()
    for entry in newest[:MOST_SURVEYS]:
        if entry.rounds:
            latest = list(entry.rounds.values())[-1]
            for said in about_round(entry, latest, read.lately(latest), now):
                label = latest.live.round.label
                yield Notice(said, f"/surveys/{entry.survey.name}?round={label}")


def about_round(entry: SurveyEntry, latest: RoundEntry, result: Result, now: float) -> list[str]:
    """Say what is odd about a round: its coins, its tiers, or too few reports to say anything."""
    where = f"{entry.survey.name}, round {latest.live.round.label}"
    said = [f"{where}: {warning}." for warning in result.warnings]
    if latest.closed is None and now - latest.opened < WAIT_SECONDS:
        return said
    few = sum(one.verdict != "ok" for one in result.values())
    if not result.reports:
        said.append(f"{where}: nobody has reported.")
    elif few:
        asked = f"{few} of {len(result)} attributes" if few < len(result) else "any attribute"
        said.append(f"{where}: too few reports to say something about {asked}.")
    return said


def _trainings(state: ServiceState) -> Iterator[Notice]:
    for entry in state.trainings.running:
        if said := about_training(entry, state.clock()):
            kind = "explorations" if entry.explores else "trainings"
            yield Notice(said, f"/{kind}/{entry.name}")


def about_training(entry: TrainingEntry, now: float) -> str:
    """Say that a step's time is over and too few devices have come, if that is so."""
    step = entry.open_step
    if step is None or step.deadline + WAIT_SECONDS > now:
        return ""
    return f"{entry.name}: step {step.number} still waits for devices; its time is over."
