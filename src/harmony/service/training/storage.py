"""Steps as the database keeps them: the trainer's state, and the round of its next step.

The trainer is a pure state machine (`harmony.learn.trainer`).  Everything that takes time, which
is learning and making the next step's tables, happens in `begun` and `learnt`, before anything is
locked; `close_step` only writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Connection, select, update

from harmony.rounds import Round
from harmony.tally import Tally

from .. import schema
from ..entries import TrainingEntry
from ..ingest.blocks import report_size
from ..retention import drop_at_close
from ..round_rows import insert_round

if TYPE_CHECKING:
    from harmony.learn.trainer import Trainer
    from harmony.learn.training import Training

FINISHED, STOPPED = "finished", "stopped"


@dataclass(frozen=True)
class State:
    """What a trainer is about to keep: its state, and its next step if it wants one."""

    trainer: str
    step: dict[str, Any] | None

    @classmethod
    def of(cls, trainer: Trainer) -> State:
        """Write down where a trainer is."""
        step, row = trainer.step, None
        if step is not None:
            row = {
                "number": step.number,
                "wanted": step.devices,
                "report_bytes": report_size(step.survey),
                "document": msgspec.json.encode(step.to_document()).decode(),
            }
        return cls(msgspec.json.encode(trainer.state).decode(), row)


def begun(training: Training) -> State:
    """Return the state of a training that has heard of nobody yet."""
    from harmony.learn.trainer import Trainer

    return State.of(Trainer(training))


def learnt(entry: TrainingEntry, stored: str, tally: Tally, least: int) -> State:
    """Return the state after a step; a trainer learns nothing from fewer reports than `least`."""
    trainer = trainer_of(entry, stored)
    if tally.reports >= least:
        trainer.learn(tally)
    return State.of(trainer)


def trainer_of(entry: TrainingEntry, stored: str) -> Trainer:
    """Return the trainer whose stored state this is."""
    from harmony.learn.trainer import Trainer
    from harmony.learn.training import Training

    training = Training.from_document(msgspec.json.decode(entry.definition))
    return Trainer.resume(training, msgspec.json.decode(stored))


def stored_trainer(connection: Connection, training: int) -> str:
    """Read a trainer's state."""
    stored = select(schema.trainings.c.trainer).where(schema.trainings.c.survey == training)
    return str(connection.execute(stored).scalar_one())


def open_step(
    connection: Connection, training: int, name: str, state: State, seconds: float, now: float
) -> None:
    """Open the round of the next step."""
    assert state.step is not None
    opened = Round.open(f"{name}:{state.step['number']}")
    round_id = insert_round(connection, training, opened, None, now)
    row = schema.steps.insert().values(round=round_id, deadline=now + seconds, **state.step)
    connection.execute(row)


def close_step(
    connection: Connection,
    entry: TrainingEntry,
    round_id: int,
    state: State,
    now: float,
    *,
    stopping: bool,
) -> None:
    """Close a step, keep what was learnt from it, and open the next or end the training."""
    rounds, trainings = schema.rounds, schema.trainings
    connection.execute(update(rounds).where(rounds.c.id == round_id).values(closed=now))
    kept: dict[str, Any] = {"trainer": state.trainer}
    if stopping or state.step is None:
        kept |= {"ended": now, "outcome": STOPPED if stopping else FINISHED}
    else:
        open_step(connection, entry.id, entry.name, state, entry.step_seconds, now)
    connection.execute(update(trainings).where(trainings.c.survey == entry.id).values(**kept))
    drop_at_close(connection, entry.id, now)


def is_open(connection: Connection, round_id: int) -> bool:
    """Whether a step takes reports, as this transaction sees it."""
    closed = select(schema.rounds.c.closed).where(schema.rounds.c.id == round_id)
    return connection.execute(closed).scalar_one() is None
