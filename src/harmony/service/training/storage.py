"""Steps as the database keeps them: a trainer's or explorer's state, and its next step's round.

Both are pure state machines (`harmony.learn.trainer`, `harmony.exploration.explorer`) that yield
steps and learn from their tallies; nothing else here knows which of them runs.  Everything that
takes time, which is learning and making the next step's tables, happens in `begun` and `learnt`,
before anything is locked; `close_step` only writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Connection, select, update

from harmony.rounds import Round
from harmony.tally import Tally

from .. import schema
from ..entries import TrainingEntry, is_exploration
from ..ingest.blocks import report_size
from ..retention import drop_at_close
from ..round_rows import insert_round

if TYPE_CHECKING:
    from harmony.exploration import Exploration, Explorer
    from harmony.learn.trainer import Trainer
    from harmony.learn.training import Training

    Definition = Training | Exploration
    Runner = Trainer | Explorer

FINISHED, STOPPED = "finished", "stopped"


@dataclass(frozen=True)
class State:
    """What is about to be kept: the state of what runs, and its next step if it wants one."""

    trainer: str
    step: dict[str, Any] | None

    @classmethod
    def of(cls, runner: Runner) -> State:
        """Write down where a trainer or explorer is."""
        step, row = runner.step, None
        if step is not None:
            row = {
                "number": step.number,
                "wanted": step.devices,
                "report_bytes": report_size(step.survey),
                "document": msgspec.json.encode(step.to_document()).decode(),
            }
        return cls(msgspec.json.encode(runner.state).decode(), row)


def definition_of(document: dict[str, Any]) -> Definition:
    """Read a definition, as a person writes it or as it was stored."""
    if is_exploration(document):
        from harmony.exploration import Exploration

        return Exploration.from_document(document)
    from harmony.learn.training import Training

    return Training.from_document(document)


def begun(definition: Definition) -> State:
    """Return the state of a training or exploration that has heard of nobody yet."""
    return State.of(_runner(definition))


def learnt(entry: TrainingEntry, stored: str, tally: Tally, least: int) -> State:
    """Return the state after a step; nothing is learnt from fewer reports than `least`."""
    runner = runner_of(entry, stored)
    if tally.reports >= least:
        runner.learn(tally)
    return State.of(runner)


def runner_of(entry: TrainingEntry, stored: str) -> Runner:
    """Return the trainer, or the explorer, whose stored state this is."""
    definition = definition_of(msgspec.json.decode(entry.definition))
    return _runner(definition, msgspec.json.decode(stored))


def _runner(definition: Definition, state: dict[str, Any] | None = None) -> Runner:
    """Return the trainer, or the explorer, of a definition: a new one, or one that goes on."""
    from harmony.learn.trainer import Trainer
    from harmony.learn.training import Training

    if isinstance(definition, Training):
        return Trainer(definition) if state is None else Trainer.resume(definition, state)
    from harmony.exploration import Explorer

    return Explorer(definition) if state is None else Explorer.resume(definition, state)


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
