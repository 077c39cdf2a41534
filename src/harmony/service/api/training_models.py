"""The JSON of trainings, as OpenAPI describes it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from pydantic import BaseModel, Field

from harmony.service.entries import StepEntry, TrainingEntry
from harmony.service.schema import RETENTION_DAYS
from harmony.service.training.lifecycle import Progress

from .models import Body, Days, moment

DAY = 86400.0


class StepsBody(Body):
    """How what runs in steps is to run."""

    step_seconds: Annotated[float, Field(gt=0, le=366 * DAY)] = Field(
        3600.0, description="how long a step may wait for all the devices that it wants"
    )
    least: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = Field(
        None, description="reports that are enough after that time; half of those wanted if absent"
    )
    retention_days: Days = Field(
        RETENTION_DAYS, description="how long reports are kept once the training has ended"
    )
    public: bool = Field(False, description="whether it has a page that anyone can read")


class TrainingBody(StepsBody):
    """A training to create."""

    training: dict[str, Any] = Field(
        description="the definition: name, epsilon, loss, label, features, devices; optional are "
        "bins, crosses, evaluation, intervals and method"
    )


class ExplorationBody(StepsBody):
    """An exploration to create."""

    exploration: dict[str, Any] = Field(
        description="the definition: name, epsilon, text, devices, wanted, mistakes, never"
    )


class StepView(BaseModel):
    """A step: how many devices it wants, and how many have reported."""

    number: int
    round: str
    wanted: int
    reports: int
    opened: str
    deadline: str
    closed: str | None

    @classmethod
    def of(cls, step: StepEntry, reports: int) -> StepView:
        """Show a step."""
        return cls(
            number=step.number,
            round=step.live.round.label,
            wanted=step.wanted,
            reports=reports,
            opened=moment(step.opened) or "",
            deadline=moment(step.deadline) or "",
            closed=moment(step.closed),
        )


class TrainingView(BaseModel):
    """A training: whether it runs, and which step is open."""

    name: str
    state: str = Field(description="running, finished or stopped")
    epsilon: float
    created: str
    ended: str | None
    step: int | None

    @classmethod
    def of(cls, entry: TrainingEntry) -> TrainingView:
        """Show a training."""
        return cls(**cls._fields(entry))

    @staticmethod
    def _fields(entry: TrainingEntry) -> dict[str, Any]:
        step = entry.open_step
        return {
            "name": entry.name,
            "state": entry.outcome or "running",
            "epsilon": entry.epsilon,
            "created": moment(entry.created),
            "ended": moment(entry.ended),
            "step": step.number if step else None,
        }


class TrainingDetail(TrainingView):
    """A training with all that came of it so far."""

    training: dict[str, Any]
    step_seconds: float
    devices: int = Field(description="reports that were accepted, one a device")
    late: int = Field(description="reports that came when their step was closed")
    refused: int = Field(description="reports refused for another reason")
    steps: list[StepView]
    history: list[dict[str, Any]]
    model: dict[str, Any]

    @classmethod
    def of_progress(cls, progress: Progress) -> TrainingDetail:
        """Show where a training is."""
        entry, reports = progress.entry, progress.reports
        steps = [StepView.of(one, reports.get(one.live.id, 0)) for one in entry.rounds.values()]
        return cls(
            **cls._fields(entry),
            training=msgspec.json.decode(entry.definition),
            step_seconds=entry.step_seconds,
            devices=sum(reports.values()),
            late=progress.late,
            refused=progress.refused,
            steps=steps,
            history=list(progress.trainer.history),
            model=progress.trainer.model.to_document(),
        )


class ExplorationDetail(TrainingView):
    """An exploration with all that came of it so far."""

    exploration: dict[str, Any]
    step_seconds: float
    devices: int = Field(description="reports that were accepted, one a device")
    late: int = Field(description="reports that came when their step was closed")
    refused: int = Field(description="reports refused for another reason")
    steps: list[StepView]
    history: list[dict[str, Any]]
    reach: float = Field(description="a string that so large a share has is found with 90% chance")
    findings: dict[str, Any] | None = Field(description="what was found, once it has ended")

    @classmethod
    def of_progress(cls, progress: Progress) -> ExplorationDetail:
        """Show where an exploration is."""
        explorer, entry, reports = progress.explorer, progress.entry, progress.reports
        definition = msgspec.json.decode(entry.definition)
        definition["text"].pop("code", None)
        findings = explorer.findings
        return cls(
            **cls._fields(entry),
            exploration=definition,
            step_seconds=entry.step_seconds,
            devices=sum(reports.values()),
            late=progress.late,
            refused=progress.refused,
            steps=[StepView.of(one, reports.get(one.live.id, 0)) for one in entry.rounds.values()],
            history=list(explorer.history),
            reach=explorer.exploration.plan().share,
            findings=None if findings is None else findings.to_document(),
        )


class ExplorationList(BaseModel):
    """Every exploration."""

    explorations: list[TrainingView]


class TrainingList(BaseModel):
    """Every training."""

    trainings: list[TrainingView]
