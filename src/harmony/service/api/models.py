"""The JSON of the API, as OpenAPI describes it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from harmony.service.entries import RoundEntry, SurveyEntry, TrainingEntry
from harmony.service.governance import MOST_DAYS
from harmony.service.tokens import Token
from harmony_device.protocol import PROTOCOL

Label = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$",
        description="1 to 64 letters, digits, '.', '_', ':' or '-'; not 'latest'",
    ),
]
MOST_NUMBER = (1 << 30) - 1
"""Half of what every database's integers hold: the rounds that follow have numbers, too."""

Schedule = Literal["hourly", "daily", "weekly", "monthly"]
Days = Annotated[int, Field(ge=0, le=MOST_DAYS, description="0 drops reports at the close")]
DAY = 86400.0
Text = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00]*$")]


def moment(seconds: float | None) -> str | None:
    """Return Unix seconds as ISO 8601 in UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class Body(BaseModel):
    """A request's JSON: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class EnrolBody(Body):
    """A request to become a device."""

    key: Text | None = Field(None, description="where enrolment asks for one")


class Enrolled(BaseModel):
    """A device's id, its credential, and when it enrolled."""

    device: str
    credential: str
    enrolled: str


class RoundBody(Body):
    """A round to open."""

    label: Label
    closes: AwareDatetime | None = Field(None, description="when it closes by itself")
    seed: str | None = Field(
        default=None,
        pattern="^[0-9a-f]{32}$",
        description="of the coins, 16 bytes in hex: give regions the same fresh one, so that "
        "their tallies add; drawn here if not given",
    )
    number: int | None = Field(
        default=None,
        ge=1,
        le=MOST_NUMBER,
        description="of the round, more than those before: give regions the same one, too; the "
        "next one if not given",
    )


class RoundView(BaseModel):
    """A round: its label, its public seed, its number and its times."""

    label: str
    seed: str
    number: int | None = Field(None, description="with rotation it says whose turn it is")
    opened: str
    closes: str | None
    closed: str | None = None
    enrolled_before: str | None = Field(
        None, description="only devices that enrolled before this may report, if it is given"
    )

    @classmethod
    def of(cls, entry: RoundEntry, *, enrolled_before: bool = False) -> RoundView:
        """Show a round, and whether its devices must have enrolled before it opened."""
        return cls(
            label=entry.live.round.label,
            seed=entry.live.round.seed.hex(),
            number=entry.live.round.number,
            opened=moment(entry.opened) or "",
            closes=moment(entry.closes),
            closed=moment(entry.closed),
            enrolled_before=moment(entry.opened) if enrolled_before else None,
        )


class SurveyView(BaseModel):
    """A survey in the list that devices read, with its open round."""

    name: str
    fingerprint: str
    epsilon: float
    schedule: str | None
    round: RoundView | None

    @classmethod
    def of(cls, entry: SurveyEntry, now: float, enrolled_before: bool = False) -> SurveyView:
        """Show a survey."""
        current = entry.open_round(now)
        return cls(
            name=entry.survey.name,
            fingerprint=entry.fingerprint,
            epsilon=entry.survey.epsilon,
            schedule=entry.schedule,
            round=RoundView.of(current, enrolled_before=enrolled_before) if current else None,
        )


class TrainingOffer(BaseModel):
    """A training in the list that devices read: they ask for its task."""

    name: str
    epsilon: float

    @classmethod
    def of(cls, entry: TrainingEntry) -> TrainingOffer:
        """Show a training."""
        return cls(name=entry.name, epsilon=entry.epsilon)


class SurveyList(BaseModel):
    """Every survey, and the trainings that run."""

    protocol: int = Field(default=PROTOCOL, description="the protocol that devices speak")
    surveys: list[SurveyView]
    trainings: list[TrainingOffer]


class RoundDetail(RoundView):
    """A round, and for how long its reports are kept."""

    retention_days: int = Field(description="how long reports are kept once it is closed")
    reports_until: str | None = Field(description="until when they are kept, if it is closed")
    reports_dropped: str | None = Field(description="when they were dropped; the tally stays")

    @classmethod
    def of_entry(cls, entry: RoundEntry) -> RoundDetail:
        """Show a round."""
        until = None if entry.closed is None else entry.closed + DAY * entry.retention
        return cls(
            **RoundView.of(entry).model_dump(),
            retention_days=entry.retention,
            reports_until=moment(until),
            reports_dropped=moment(entry.dropped),
        )


class RoundList(BaseModel):
    """Every round of a survey, oldest first."""

    rounds: list[RoundDetail]


Stratum = Annotated[
    str,
    Field(
        min_length=1,
        max_length=64,
        pattern=r"^[^\x00-\x1f\x7f,]*$",
        description="what the devices are, as the server knows without asking: a country, a "
        "version; up to 64 characters, without commas",
    ),
]


class TokenBody(Body):
    """A token to make."""

    name: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
    role: Literal["admin", "analyst", "gateway", "enrol"]
    days: Annotated[float, Field(gt=0, le=36500)] | None = None
    stratum: Stratum | None = Field(None, description="of devices that enrol with this key")


class TokenView(BaseModel):
    """A token without its secret."""

    id: str
    name: str
    role: str
    created: str
    expires: str | None
    stratum: str | None = Field(None, description="of devices that enrol with this key")

    @classmethod
    def of(cls, token: Token) -> TokenView:
        """Show a token."""
        return cls(
            id=token.id,
            name=token.name,
            role=token.role,
            created=moment(token.created) or "",
            expires=moment(token.expires),
            stratum=token.stratum,
        )


class TokenMade(TokenView):
    """A token with its secret, which is shown this once."""

    token: str


class TokenList(BaseModel):
    """Every token."""

    tokens: list[TokenView]


class ClaimBody(Body):
    """The code that the first start printed."""

    code: Text


class Claimed(BaseModel):
    """The first admin's token."""

    token: str


class RotateBody(Body):
    """How long the older keys stay valid."""

    grace_days: float = Field(90, ge=0, le=36500)


class Rotated(BaseModel):
    """The number of the new key."""

    key: int


class AllowBody(Body):
    """Entries for the allow-list: what devices will send as `key`."""

    entries: Annotated[list[Text], Field(min_length=1, max_length=10_000)]
    stratum: Stratum | None = Field(None, description="of the devices of these entries")


class Allowed(BaseModel):
    """How many entries were new."""

    added: int


class ProblemDocument(BaseModel):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
