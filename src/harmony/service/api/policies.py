"""The JSON of what is settled about a survey or a training, and of what was done to them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, Strict

from harmony.service.activity import Entry
from harmony.service.composition import Spending, spending_of, training_spending
from harmony.service.entries import SurveyEntry, TrainingEntry

from .models import Body, Days, Schedule, SurveyView, moment

CONFIRM = "the name once more, for what cannot be undone"


class SpendingView(BaseModel):
    """What one person spends in 30 days, at most."""

    rounds_in_30_days: int | None
    epsilon_in_30_days: float | None
    in_words: str
    limits: str = Field(description="what the limits of devices do about it")
    warning: str | None
    advice: str | None = Field(description="what to do about the warning")

    @classmethod
    def of(cls, spending: Spending) -> SpendingView:
        """Show a spending."""
        return cls(
            rounds_in_30_days=spending.rounds,
            epsilon_in_30_days=spending.epsilon,
            in_words=spending.in_words,
            limits=spending.limits,
            warning=spending.warning,
            advice=spending.advice,
        )


class TrainingSettings(BaseModel):
    """What is settled about a training."""

    name: str
    retention_days: int = Field(description="how long reports are kept once it has ended")
    public: bool = Field(description="whether it has a page that anyone can read")
    spending: SpendingView

    @classmethod
    def of(cls, entry: TrainingEntry) -> TrainingSettings:
        """Show what is settled about a training."""
        return cls(
            name=entry.name,
            retention_days=entry.retention,
            public=entry.public,
            spending=SpendingView.of(training_spending(entry.epsilon)),
        )


class SurveySettings(BaseModel):
    """What is settled about a survey."""

    name: str
    schedule: str | None
    retention_days: int = Field(description="how long reports of a round are kept once it closed")
    public: bool = Field(description="whether it has a page that anyone can read")
    spending: SpendingView

    @classmethod
    def of(cls, entry: SurveyEntry) -> SurveySettings:
        """Show what is settled about a survey."""
        return cls(
            name=entry.survey.name,
            schedule=entry.schedule,
            retention_days=entry.retention,
            public=entry.public,
            spending=SpendingView.of(spending_of(entry.survey, entry.schedule)),
        )


class SurveyCreated(SurveyView):
    """A survey that was created, with what is settled about it."""

    retention_days: int
    public: bool
    spending: SpendingView


class TrainingSettingsBody(Body):
    """What to settle anew; fields that are not given stay."""

    retention_days: Annotated[Days, Strict()] = Field(
        0, description="it may only become shorter: devices were promised no longer time"
    )
    public: bool = False
    confirm: str | None = Field(None, description=f"{CONFIRM}: a shorter retention")

    def wanted(self) -> dict[str, Any]:
        """Return the fields that were given, by their names in a policy."""
        given = self.model_dump(include=self.model_fields_set - {"confirm"})
        days = {"retention": given.pop("retention_days")} if "retention_days" in given else {}
        return given | days


class SurveySettingsBody(TrainingSettingsBody):
    """What to settle anew; fields that are not given stay."""

    retention_days: Annotated[Days, Strict()] = Field(
        0, description="a shorter time holds for every round, a longer one for later rounds"
    )
    schedule: Schedule | None = Field(None, description="null opens rounds by hand only")


class ActivityView(BaseModel):
    """One act: who did what, when."""

    number: int
    at: str
    who: str
    role: str
    token: str | None
    act: str
    subject: str
    detail: dict[str, Any]

    @classmethod
    def of(cls, entry: Entry) -> ActivityView:
        """Show an entry of the record."""
        return cls(
            number=entry.number,
            at=moment(entry.at) or "",
            who=entry.who,
            role=entry.role,
            token=entry.token,
            act=entry.act,
            subject=entry.subject,
            detail=entry.detail,
        )


class ActivityList(BaseModel):
    """Acts, newest first."""

    activity: list[ActivityView]
