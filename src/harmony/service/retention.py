"""Retention: how long the reports of a closed round are kept; its tally stays.

Reports end in two moves.  First the round's key is overwritten, in one short transaction: from then
on nobody can say whose a report was, and nobody reads it (`drop`).  Then the rows are removed, some
at a time, so that reports to other rounds never wait long (`Retention.purge`).  A server that is
killed in between goes on where it was, and several servers do no harm to each other.

A round keeps to the time that was promised when it opened, or to a shorter one set since.  The
steps of a training are kept until it has ended, because a device may report in one of them only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import structlog
from sqlalchemy import Connection, and_, func, or_, select, text, update
from sqlalchemy.exc import SQLAlchemyError

from . import schema
from .activity import REPORTS_DROPPED, SERVER, note
from .clock_jumps import CLOCKS_DIFFER, STEADY_SECONDS
from .database import GATE, Database
from .sealing import NO_KEY

log = structlog.get_logger(__name__)

DAY = 86400.0

BATCH_BYTES = 2 << 20
BATCH_ROWS = 10_000
"""How much one transaction removes."""

PURGING = GATE + 2
"""PostgreSQL's advisory lock of whoever removes rows."""

_ROUNDS, _TRAININGS = schema.rounds.c, schema.trainings.c

_NOT_EMPTIED = (
    select(_ROUNDS.id, _ROUNDS.deleted)
    .where(_ROUNDS.dropped.is_not(None), _ROUNDS.emptied.is_(None))
    .order_by(_ROUNDS.id)
    .limit(1)
)


class Retention:
    """Drops what is due and removes its rows, as one of a database's servers."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float],
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self.database = database
        self._clock = clock
        self._steady = steady
        self._seen: dict[tuple[str, int], float] = {}

    def look(self) -> int:
        """Drop the rounds whose time has come, if the clock has said so for a while.

        Rounds that were closed, or opened on schedule, by a clock far ahead are closed as of now.
        """
        now = self._clock()
        with self.database.read() as connection:
            due = [row.id for row in connection.execute(_due(now))]
            wrong = [row.id for row in connection.execute(_ahead(now))]
        due, wrong = self._for_a_while("due", due), self._for_a_while("ahead", wrong)
        if not due and not wrong:
            return 0
        with self.database.write(alone=bool(wrong)) as connection:
            if wrong:
                log.warning("rounds of a clock far ahead are closed as of now", rounds=len(wrong))
                connection.execute(
                    update(schema.rounds)
                    .where(_ROUNDS.id.in_(wrong), func.coalesce(_ROUNDS.closed, now) >= now)
                    .values(closed=now)
                )
            return drop(connection, due, now)

    def _for_a_while(self, kind: str, rounds: list[int]) -> list[int]:
        """Return those of the rounds that were seen so at every look for long enough."""
        steady, seen = self._steady(), self._seen
        for key in [key for key in seen if key[0] == kind and key[1] not in rounds]:
            del seen[key]
        return [
            one for one in rounds if steady - seen.setdefault((kind, one), steady) >= STEADY_SECONDS
        ]

    def purge(self) -> bool:
        """Remove some rows of rounds that were dropped; return whether there is more to do."""
        with self.database.read() as connection:  # which keeps nobody waiting
            if connection.execute(_NOT_EMPTIED).first() is None:
                return False
        with self.database.write() as connection:
            if not self.database.is_sqlite:
                lock = text("SELECT pg_try_advisory_xact_lock(:key)")
                if not connection.execute(lock, {"key": PURGING}).scalar_one():
                    return False  # another server is at it
            row = connection.execute(_NOT_EMPTIED).first()
            if row is None:
                return False
            remove = _remove_chunks if self.database.is_sqlite else _remove_rows
            if remove(connection, row.id):
                return True
            if row.deleted is not None and _remove_counts(connection, row.id):
                return True
            number = row.id
        self._erase_keys()
        with self.database.write() as connection:
            connection.execute(
                update(schema.rounds).where(_ROUNDS.id == number).values(emptied=self._clock())
            )
        return True

    def _erase_keys(self) -> None:
        """Leave no older copy of a key in PostgreSQL's files: the table is small, so write it anew.

        On SQLite keys are overwritten where they are; its log is cut off by the writer.
        """
        if self.database.is_sqlite:
            return
        try:
            self.database.vacuum(["round_keys"], lock_seconds=2)
        except SQLAlchemyError as problem:
            log.warning("older copies of keys wait for a vacuum", problem=str(problem))


def drop(connection: Connection, rounds: Sequence[int], now: float) -> int:
    """Drop these rounds within a transaction, and record it; return how many were not before."""
    dropped = throw_keys_away(connection, rounds, now)
    for subject, detail in _told(connection, dropped):
        note(connection, SERVER, now, REPORTS_DROPPED, subject, **detail)
    return len(dropped)


def throw_keys_away(connection: Connection, rounds: Sequence[int], now: float) -> list[int]:
    """Overwrite the keys of these rounds; return those that had one."""
    dropped = connection.execute(
        update(schema.rounds)
        .where(_ROUNDS.id.in_(rounds), _ROUNDS.dropped.is_(None))
        .values(dropped=now)
        .returning(_ROUNDS.id, _ROUNDS.key)
    ).all()
    connection.execute(
        update(schema.round_keys)
        .where(schema.round_keys.c.number.in_({row.key for row in dropped}))
        .values(secret=NO_KEY)
    )
    return [row.id for row in dropped]


def drop_at_close(connection: Connection, survey: int, now: float) -> None:
    """Drop the rounds of a survey or a training that are not to be kept at all, once closed."""
    due = connection.execute(_due(now).where(_ROUNDS.survey == survey, _ROUNDS.retention == 0))
    drop(connection, [row.id for row in due], now)


def _due(now: float) -> Any:
    """Select the rounds whose reports have been kept for as long as they may be."""
    kept = DAY * _ROUNDS.retention
    return (
        select(_ROUNDS.id)
        .outerjoin(schema.trainings, _TRAININGS.survey == _ROUNDS.survey)
        .where(
            _ROUNDS.dropped.is_(None),
            _ROUNDS.closed.is_not(None),
            or_(
                and_(_TRAININGS.survey.is_(None), _ROUNDS.closed + kept <= now),
                _TRAININGS.ended + kept <= now,
            ),
        )
    )


def _ahead(now: float) -> Any:
    """Select the rounds whose times were read off a clock that was far ahead."""
    ahead = now + CLOCKS_DIFFER
    return (
        select(_ROUNDS.id)
        .join(schema.surveys, schema.surveys.c.id == _ROUNDS.survey)
        .where(
            _ROUNDS.dropped.is_(None),
            or_(
                _ROUNDS.closed > ahead,
                and_(
                    _ROUNDS.closed.is_(None),
                    _ROUNDS.opened > ahead,
                    schema.surveys.c.schedule.is_not(None),
                ),
            ),
        )
    )


def _told(connection: Connection, rounds: Sequence[int]) -> list[tuple[str, dict[str, Any]]]:
    """Return what the record says of dropped rounds: whose they were, and of how many reports."""
    totals = schema.totals.c
    rows = connection.execute(
        select(
            schema.surveys.c.name,
            _ROUNDS.label,
            _TRAININGS.survey.label("training"),
            func.coalesce(func.sum(totals.reports), 0).label("reports"),
        )
        .join(schema.surveys, schema.surveys.c.id == _ROUNDS.survey)
        .outerjoin(schema.trainings, _TRAININGS.survey == _ROUNDS.survey)
        .outerjoin(schema.totals, totals.round == _ROUNDS.id)
        .where(_ROUNDS.id.in_(rounds))
        .group_by(schema.surveys.c.name, _ROUNDS.id, _ROUNDS.label, _TRAININGS.survey)
        .order_by(_ROUNDS.id)
    ).all()
    told: dict[str, dict[str, Any]] = {}
    for row in rows:  # the steps of a training end together
        subject = row.name if row.training is not None else f"{row.name} {row.label}"
        before = told.setdefault(subject, {"reports": 0})
        before["reports"] += int(row.reports)
    return list(told.items())


def _remove_chunks(connection: Connection, number: int) -> int:
    rows = connection.execute(
        text("SELECT rowid, length(reports) FROM chunks WHERE round = :round LIMIT 1000"),
        {"round": number},
    ).all()
    chosen, held = [], 0
    for row, length in rows:
        chosen.append({"row": row})
        held += length
        if held >= BATCH_BYTES:
            break
    if chosen:
        connection.execute(text("DELETE FROM chunks WHERE rowid = :row"), chosen)
    return len(chosen)


def _remove_rows(connection: Connection, number: int) -> int:
    return connection.execute(
        text(
            "DELETE FROM reports WHERE ctid = ANY(ARRAY("
            "SELECT ctid FROM reports WHERE round = :round LIMIT :rows))"
        ),
        {"round": number, "rows": BATCH_ROWS},
    ).rowcount


def _remove_counts(connection: Connection, number: int) -> int:
    connection.execute(schema.totals.delete().where(schema.totals.c.round == number))
    return connection.execute(
        text(
            "DELETE FROM counts WHERE (round, shard, cell) IN ("
            "SELECT round, shard, cell FROM counts WHERE round = :round LIMIT :rows)"
        ),
        {"round": number, "rows": BATCH_ROWS},
    ).rowcount
