"""Governance: what an admin settles about a survey or a training, and the deletion of either.

What cannot be undone asks for the name of what it is done to, once more.  Rows of surveys and
rounds stay, without what they said: devices remember by name what they answered, and never answer
the same label of a name again, nor take part in a training of a name that they know.  So a label
is never used again under its name, also if the survey is created anew, and no training may have
the name of anything that was before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, case, delete, func, select, update

from . import schema
from .activity import CHANGED, DELETED, ROUND_DELETED, Actor, note
from .catalogue import Catalogue
from .database import Database
from .entries import SurveyEntry, TrainingEntry
from .problems import Problem
from .retention import drop_at_close, throw_keys_away

MOST_DAYS = 3650

_SURVEYS, _ROUNDS = schema.surveys.c, schema.rounds.c


@dataclass(frozen=True)
class Policy:
    """What an admin settles about a survey or a training, and may settle anew."""

    schedule: str | None
    retention: int
    public: bool

    @classmethod
    def of(cls, entry: SurveyEntry | TrainingEntry) -> Policy:
        """Return what is settled."""
        schedule = entry.schedule if isinstance(entry, SurveyEntry) else None
        return cls(schedule, entry.retention, entry.public)

    @classmethod
    def stored(cls, connection: Connection, survey: int) -> Policy:
        """Read what is settled now: memory may lag behind another admin's change."""
        columns = _SURVEYS.schedule, _SURVEYS.retention, _SURVEYS.public
        wanted = select(*columns).where(_SURVEYS.id == survey, _SURVEYS.deleted.is_(None))
        row = connection.execute(wanted).first()
        if row is None:
            raise Problem("unknown-survey", "it was deleted a moment ago")
        return cls(*row)


class Governance:
    """Changes and deletions, on one database."""

    def __init__(
        self, database: Database, catalogue: Catalogue, clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._catalogue = catalogue
        self._clock = clock

    def change(self, name: str, wanted: dict[str, Any], confirm: str | None, by: Actor) -> None:
        """Settle some fields of a policy anew.

        A longer retention holds for rounds that open from now on: who answered before was promised
        the shorter one.  A shorter one holds for all, and may drop reports at once: `confirm` it.
        """
        entry = self._catalogue.anything(name)
        now = self._clock()
        with self._database.write(alone=True) as connection:
            before = Policy.stored(connection, entry.id)
            after = replace(before, **wanted)
            if isinstance(entry, TrainingEntry) and after.retention > before.retention:
                promised = "devices that took part were promised no longer time"
                raise Problem("conflict", f"'retention_days': {promised}")
            if after.retention < before.retention:
                check_confirmed(name, confirm, "a shorter retention drops reports for good")
            connection.execute(
                update(schema.surveys)
                .where(_SURVEYS.id == entry.id)
                .values(schedule=after.schedule, retention=after.retention, public=after.public)
            )
            shorter = case((_ROUNDS.retention > after.retention, after.retention))
            connection.execute(
                update(schema.rounds)
                .where(_ROUNDS.survey == entry.id, _ROUNDS.retention > after.retention)
                .values(retention=func.coalesce(shorter, _ROUNDS.retention))
            )
            drop_at_close(connection, entry.id, now)
            changes = {
                field: getattr(after, field)
                for field in ("schedule", "retention", "public")
                if getattr(after, field) != getattr(before, field)
            }
            if changes:
                note(connection, by, now, CHANGED.format(kind=entry.kind), name, **changes)
        self._catalogue.reload()

    def delete(self, name: str, confirm: str | None, by: Actor) -> None:
        """Delete a survey with its rounds, or a training with its steps and what came of them."""
        entry = self._catalogue.anything(name)
        check_confirmed(name, confirm, "it is deleted with all that came of it")
        now = self._clock()
        with self._database.write(alone=True) as connection:
            gone = update(schema.surveys).where(_SURVEYS.id == entry.id, _SURVEYS.deleted.is_(None))
            values = {
                "deleted": now,
                "former_name": _SURVEYS.name,
                "name": f"deleted {entry.id}",  # no name has a blank
                "document": "",
                "schedule": None,
                "public": False,
            }
            if not connection.execute(gone.values(values)).rowcount:
                return  # another server was first
            rounds = list(
                connection.execute(select(_ROUNDS.id).where(_ROUNDS.survey == entry.id)).scalars()
            )
            _delete_rounds(connection, rounds, now)
            trainings = schema.trainings
            connection.execute(delete(trainings).where(trainings.c.survey == entry.id))
            connection.execute(delete(schema.shares).where(schema.shares.c.survey == entry.id))
            act = DELETED.format(kind=entry.kind)
            note(connection, by, now, act, name, rounds=len(rounds))
        self._catalogue.reload()

    def delete_round(self, name: str, label: str, confirm: str | None, by: Actor) -> None:
        """Delete a survey's round with its tally; if it is open, it is closed by that."""
        self._catalogue.survey(name)
        entry = self._catalogue.round(name, label)
        check_confirmed(label, confirm, "the round is deleted with its reports and its tally")
        now = self._clock()
        with self._database.write(alone=True) as connection:
            if _delete_rounds(connection, [entry.live.id], now):
                was_open = entry.closed is None
                note(connection, by, now, ROUND_DELETED, f"{name} {label}", was_open=was_open)
        self._catalogue.reload()


def check_confirmed(name: str, confirm: str | None, what: str) -> None:
    """Raise the problem that what cannot be undone was not asked for by name."""
    if confirm != name:
        raise Problem("malformed", f"'confirm' must be {name!r}: {what}, which cannot be undone")


def _delete_rounds(connection: Connection, rounds: list[int], now: float) -> int:
    """Close, drop and hide rounds; what counts in them is removed later, as reports are."""
    throw_keys_away(connection, rounds, now)
    connection.execute(delete(schema.steps).where(schema.steps.c.round.in_(rounds)))
    return connection.execute(
        update(schema.rounds)
        .where(_ROUNDS.id.in_(rounds), _ROUNDS.deleted.is_(None))
        .values(closed=func.coalesce(_ROUNDS.closed, now), deleted=now, emptied=None)
    ).rowcount
