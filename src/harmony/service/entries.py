"""What the catalogue lists: surveys with their rounds, trainings with their steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import msgspec

from harmony.survey import Survey
from harmony_device.ledger import timestamp

from .ingest.blocks import LiveRound

TRAINING, EXPLORATION = "training", "exploration"


def kind_of(definition: dict[str, Any]) -> str:
    """Say whether this defines an exploration, which has a text, or a training, with a label."""
    return EXPLORATION if "text" in definition else TRAINING


def is_exploration(definition: dict[str, Any]) -> bool:
    """Whether this defines an exploration."""
    return kind_of(definition) == EXPLORATION


@dataclass(frozen=True, eq=False)
class RoundEntry:
    """A round with its times.

    Its reports are kept for `retention` days once it is closed, and were dropped at `dropped`.
    """

    live: LiveRound
    opened: float
    closes: float | None
    closed: float | None
    retention: int
    dropped: float | None


@dataclass(frozen=True, eq=False)
class SurveyEntry:
    """A survey with its document as devices get it, and its rounds by label.

    `retired` are the labels of rounds that were deleted, under this name.
    """

    id: int
    survey: Survey
    document: bytes
    schedule: str | None
    created: float
    retention: int
    public: bool
    retired: frozenset[str]
    rounds: dict[str, RoundEntry]

    kind = "survey"

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the document's bytes, by which devices know it."""
        return sha256(self.document).hexdigest()

    def open_round(self, now: float) -> RoundEntry | None:
        """Return the round that takes reports now."""
        for one in reversed(self.rounds.values()):
            if one.closed is None and (one.closes is None or one.closes > now):
                return one
        return None


@dataclass(frozen=True, eq=False)
class StepEntry(RoundEntry):
    """A step of a training: a round that closes when `wanted` devices have reported.

    From `deadline` on the training's least number is enough.  `document` is the task, as devices
    get it, and `tag` its ETag.
    """

    number: int
    wanted: int
    deadline: float
    document: bytes
    tag: str

    @classmethod
    def of(cls, live: LiveRound, row: Any, step: Any, document: dict[str, Any]) -> StepEntry:
        """Read a step from the rows of its round and its own, and what the trainer wrote."""
        opened = {
            "label": live.round.label,
            "seed": live.round.seed.hex(),
            "opened": timestamp(row.opened),
            "closes": timestamp(step.deadline),
        }
        task = msgspec.json.encode(document | {"round": opened})
        return cls(
            live, row.opened, row.closes, row.closed, row.retention, row.dropped,
            step.number, step.wanted, step.deadline, task, f'"{sha256(task).hexdigest()}"',
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class TrainingEntry:
    """A training, or an exploration, with its definition, and its steps by their rounds' labels."""

    id: int
    name: str
    epsilon: float
    definition: bytes
    created: float
    step_seconds: float
    least: int
    ended: float | None
    outcome: str | None
    retention: int
    public: bool
    rounds: dict[str, StepEntry]

    @classmethod
    def of(cls, row: Any, training: Any) -> TrainingEntry:
        """Read a training from its rows in `surveys` and in `trainings`; its steps follow."""
        definition = row.document.encode()
        return cls(
            row.id, row.name, msgspec.json.decode(definition)["epsilon"], definition, row.created,
            training.step_seconds, training.least, training.ended, training.outcome,
            row.retention, row.public, {},
        )  # fmt: skip

    @cached_property
    def explores(self) -> bool:
        """Whether it is an exploration: that runs in steps as trainings do."""
        return is_exploration(msgspec.json.decode(self.definition))

    @property
    def kind(self) -> str:
        """What it is called."""
        return EXPLORATION if self.explores else TRAINING

    @property
    def open_step(self) -> StepEntry | None:
        """The step that takes reports: a training that has not ended has exactly one."""
        for one in reversed(self.rounds.values()):
            if one.closed is None:
                return one
        return None
