"""Trainings and explorations: steps that open, fill and close, one after the other.

Both run in the same way, and are called trainings here: what differs is what learns (`storage`).

A step is a round (`catalogue`) whose devices may report in no other step (`stores`).  Closing it,
learning from its tally, keeping the trainer's state and opening the next step is one transaction:
a server that is killed at any moment leaves a training that is exactly before or exactly after.
Commits of reports wait meanwhile, so the trainer first learns without the lock, which makes the
tables that the next step needs, and within it only if more reports have come.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
import structlog
from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError

from harmony.errors import HarmonyError
from harmony.tally import Tally

from .. import schema
from ..activity import CREATED, SERVER, STOPPED, Actor, note
from ..catalogue import Catalogue
from ..database import Database
from ..entries import EXPLORATION, TRAINING, StepEntry, TrainingEntry, kind_of
from ..problems import Problem, is_of_database
from ..round_rows import read_tally, retired_labels
from .arrivals import Arrivals
from .pacing import Pacing
from .storage import (
    State,
    begun,
    close_step,
    definition_of,
    is_open,
    learnt,
    open_step,
    runner_of,
    stored_trainer,
)

if TYPE_CHECKING:
    from harmony.exploration import Explorer
    from harmony.learn.trainer import Trainer

    from .storage import Runner

log = structlog.get_logger(__name__)

MOST_NAME = 48
"""A step's round is called after the training and its number, and a label has 64 characters."""

FORMER_NAME = (
    "'name': something of this name was deleted; devices that took part in it would "
    "never take part in this one: choose another"
)

RETRY_SECONDS = 10.0
"""When to try again to close a step that could not be closed."""

NOTE_SECONDS = 1.0
"""How often the reports that were refused are written down, at most."""


@dataclass(frozen=True)
class Progress:
    """Where a training or an exploration is, at one moment."""

    entry: TrainingEntry
    runner: Runner
    reports: dict[int, int]
    """Accepted reports by round."""
    late: int
    refused: int

    @property
    def trainer(self) -> Trainer:
        """The trainer; there is none of an exploration."""
        if self.entry.explores:
            raise Problem("not-found", "there is no training of this name")
        return self.runner  # type: ignore[return-value]  # a trainer

    @property
    def explorer(self) -> Explorer:
        """The explorer; there is none of a training."""
        if not self.entry.explores:
            raise Problem("not-found", "there is no exploration of this name")
        return self.runner  # type: ignore[return-value]  # an explorer


class Trainings:
    """The trainings and explorations of a database, as one of its servers runs them."""

    def __init__(
        self,
        database: Database,
        catalogue: Catalogue,
        arrivals: Arrivals,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._catalogue = catalogue
        self._arrivals = arrivals
        self._clock = clock
        self._pacings: dict[int, Pacing] = {}
        self._failed: dict[int, float] = {}
        self._closing = threading.Lock()
        self._noting = threading.Lock()
        self._noted = 0.0

    @property
    def running(self) -> list[TrainingEntry]:
        """The trainings that have not ended."""
        return [one for one in self._catalogue.trainings.values() if one.ended is None]

    def training(self, name: str) -> TrainingEntry:
        """Return a training, or raise the problem that there is none."""
        if name not in self._catalogue.trainings:
            self._catalogue.refresh()
        if name not in self._catalogue.trainings:
            raise Problem("not-found", "there is no training of this name")
        return self._catalogue.trainings[name]

    def of_kind(self, name: str, *, explores: bool) -> TrainingEntry:
        """Return a training, or an exploration, or raise the problem that there is none."""
        entry = self.training(name)
        if entry.explores != explores:
            kind = EXPLORATION if explores else TRAINING
            raise Problem("not-found", f"there is no {kind} of this name")
        return entry

    def create(
        self,
        definition: dict[str, Any],
        step_seconds: float,
        least: int | None,
        *,
        retention: int = schema.RETENTION_DAYS,
        public: bool = False,
        by: Actor = SERVER,
    ) -> TrainingEntry:
        """Store a training, or an exploration, and open its first step."""
        try:
            training = definition_of(definition)
            state = begun(training)
        except HarmonyError as problem:
            raise Problem("malformed", str(problem)) from None
        if len(training.name) > MOST_NAME:
            raise Problem("malformed", f"'name' must have at most {MOST_NAME} characters")
        document, now = msgspec.json.encode(training.to_document()), self._clock()
        survey = schema.surveys.insert().values(
            name=training.name,
            fingerprint=sha256(document).hexdigest(),
            document=document.decode(),
            created=now,
            retention=retention,
            public=public,
        )
        kept = schema.trainings.insert().values(
            trainer=state.trainer, step_seconds=step_seconds, least=least or 0, late=0, refused=0
        )
        try:
            with self._database.write() as connection:
                if training.name in retired_labels(connection):
                    raise Problem("conflict", FORMER_NAME)
                number = connection.execute(survey.returning(schema.surveys.c.id)).scalar_one()
                connection.execute(kept.values(survey=number))
                open_step(connection, number, training.name, state, step_seconds, now)
                settled = {"retention": retention, "public": public}
                act = CREATED.format(kind=kind_of(definition))
                note(connection, by, now, act, training.name, **settled)
        except IntegrityError:
            raise Problem(
                "conflict", "'name': something else has this name; choose another"
            ) from None
        self._catalogue.reload()
        return self.training(training.name)

    def open_step(self, name: str) -> tuple[TrainingEntry, StepEntry]:
        """Return a training with its open step, or raise the problem that there is none."""
        entry = self._catalogue.trainings.get(name)
        step = entry.open_step if entry else None
        if entry is None and name not in self._catalogue.retired:
            raise Problem("not-found", "there is no training of this name")
        if entry is None or step is None:
            raise Problem("closed", f"the {entry.kind if entry else TRAINING} is over")
        return entry, step

    def wait(self, entry: TrainingEntry, step: StepEntry, device: bytes) -> float | None:
        """Return None if this device may have the step, or in how many seconds to ask again."""
        return self._pacing(entry, step).wait(device, self._clock())

    def count_late(self, name: str, reports: int = 1) -> None:
        """Count reports to a step that was closed, if this is a training's name."""
        entry = self._catalogue.trainings.get(name)
        if entry is not None:
            self._arrivals.count_late(entry.id, reports)

    def advance(self) -> None:
        """Look at every running training, and close the steps that are full or over."""
        now = self._clock()
        if now >= self._noted + NOTE_SECONDS:
            self._noted = now
            self._note_refusals()
        running = self.running
        reports = self._open_steps() if running else {}
        if any(one.open_step is None or one.open_step.live.id not in reports for one in running):
            self._catalogue.reload()  # another server was faster
        for entry in self.running:
            step = entry.open_step
            if step is None or step.live.id not in reports:
                continue
            count = reports[step.live.id]
            self._pacing(entry, step).observe(count, self._arrivals.accepted(step.live.id))
            over = now >= step.deadline and count >= self._least(entry, step)
            if (count >= step.wanted or over) and now >= self._failed.get(entry.id, 0.0):
                self._try_to_close(entry, step)

    def stop(self, name: str, *, by: Actor = SERVER) -> TrainingEntry:
        """End a training with the model that it has, having learnt from what is there."""
        while (step := (entry := self.training(name)).open_step) is not None:
            self._close(entry, step, stopped_by=by)
        return entry

    def progress(self, name: str) -> Progress:
        """Read where a training is."""
        entry = self.training(name)
        self._note_refusals()
        with self._database.read() as connection:
            row = connection.execute(
                select(schema.trainings).where(schema.trainings.c.survey == entry.id)
            ).first()
            if row is None:  # another server deleted it just now
                raise Problem("not-found", "there is no training of this name")
            counted = connection.execute(
                select(schema.rounds.c.id, func.coalesce(func.sum(schema.totals.c.reports), 0))
                .outerjoin(schema.totals, schema.totals.c.round == schema.rounds.c.id)
                .where(schema.rounds.c.survey == entry.id)
                .group_by(schema.rounds.c.id)
            ).all()
        reports = {round_id: int(count) for round_id, count in counted}
        runner = runner_of(entry, row.trainer)
        return Progress(entry, runner, reports, int(row.late), int(row.refused))

    def _pacing(self, entry: TrainingEntry, step: StepEntry) -> Pacing:
        pacing = self._pacings.get(entry.id)
        if pacing is None:
            pacing = Pacing(step.live.id, step.wanted, self._clock(), entry.step_seconds)
        elif pacing.round != step.live.id:
            pacing = pacing.next(step.live.id, step.wanted, self._clock())
        self._pacings[entry.id] = pacing
        return pacing

    def _least(self, entry: TrainingEntry, step: StepEntry) -> int:
        return max(1, min(entry.least or -(-step.wanted // 2), step.wanted))

    def _open_steps(self) -> dict[int, int]:
        """Read the rounds of all open steps, with their reports."""
        rounds, totals, trainings = schema.rounds.c, schema.totals.c, schema.trainings.c
        with self._database.read() as connection:
            rows = connection.execute(
                select(rounds.id, func.coalesce(func.sum(totals.reports), 0))
                .join(schema.trainings, trainings.survey == rounds.survey)
                .outerjoin(schema.totals, totals.round == rounds.id)
                .where(rounds.closed.is_(None))
                .group_by(rounds.id)
            ).all()
        return {round_id: int(reports) for round_id, reports in rows}

    def _try_to_close(self, entry: TrainingEntry, step: StepEntry) -> None:
        """Close a step; a training that cannot go on must not hold up the others."""
        try:
            self._close(entry, step)
        except Exception as problem:
            if is_of_database(problem):
                raise
            self._failed[entry.id] = self._clock() + RETRY_SECONDS
            log.exception("a step could not be closed", training=entry.name, step=step.number)

    def _close(
        self, entry: TrainingEntry, step: StepEntry, *, stopped_by: Actor | None = None
    ) -> None:
        """Close a step, learn from it and open the next; whoever comes second does nothing."""
        live, closed, stopping = step.live, False, stopped_by is not None
        with self._closing:
            with self._database.read() as connection:
                tally = None
                if is_open(connection, live.id):  # no step of a training that was deleted is
                    stored = stored_trainer(connection, entry.id)
                    tally = read_tally(connection, live)
            if tally is not None:
                state = self._learnt(entry, step, stored, tally, stopping)
                with self._database.write(alone=True) as connection:
                    if closed := is_open(connection, live.id):
                        final = read_tally(connection, live)
                        if final != tally:
                            state = self._learnt(entry, step, stored, final, stopping)
                        now = self._clock()
                        close_step(connection, entry, live.id, state, now, stopping=stopping)
                        if stopped_by is not None:
                            act = STOPPED.format(kind=entry.kind)
                            note(connection, stopped_by, now, act, entry.name)
            self._catalogue.reload()
        if closed:
            log.info("step closed", round=live.round.label, reports=final.reports)

    def _learnt(
        self, entry: TrainingEntry, step: StepEntry, stored: str, tally: Tally, stopping: bool
    ) -> State:
        """Return the state after a step; a training can be stopped even if it cannot learn."""
        try:
            return learnt(entry, stored, tally, self._least(entry, step))
        except Exception:
            if not stopping:
                raise
            return State(stored, None)

    def _note_refusals(self) -> None:
        """Write down how many reports were late or refused since the last time."""
        kept = schema.trainings.c
        with self._noting:  # who reads the counts next must find those that are being written
            for training, (late, refused) in self._arrivals.take().items():
                with self._database.write() as connection:
                    connection.execute(
                        update(schema.trainings)
                        .where(kept.survey == training)
                        .values(late=kept.late + late, refused=kept.refused + refused)
                    )
