"""Checking a database: its schema, its keys, its documents, and every tally against a recount.

All of it reads one snapshot, so it may run beside a server.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, inspect, select, text

from harmony.errors import HarmonyError
from harmony.service import schema
from harmony.service.catalogue import Catalogue
from harmony.service.database import SCHEMA_VERSION, Database, DatabaseError
from harmony.service.entries import RoundEntry
from harmony.service.retention import DAY
from harmony.service.sealing import KEY_BYTES, NO_KEY
from harmony.service.stores.device_index import DeviceIndex
from harmony.service.strata import read_key
from harmony.service.training.storage import runner_of

from .backup import check_file, existing_sqlite
from .recount import recount

_STORED_ROUNDS = (
    select(
        schema.rounds,
        schema.surveys.c.name,
        schema.round_keys.c.secret,
        schema.trainings.c.survey.label("training"),
    )
    .join(schema.surveys, schema.surveys.c.id == schema.rounds.c.survey)
    .outerjoin(schema.round_keys, schema.round_keys.c.number == schema.rounds.c.key)
    .outerjoin(schema.trainings, schema.trainings.c.survey == schema.rounds.c.survey)
    .where(schema.rounds.c.deleted.is_(None))
    .order_by(schema.rounds.c.id)
)

LATE_DAYS = 2
"""Reports that should have been dropped so long ago show that no server looks."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what, and what is wrong with it, if anything is."""

    what: str
    problem: str | None = None


def check(database: Database, now: float) -> Iterator[Finding]:
    """Look at everything; yield what was looked at, the quick things first."""
    version = database.version()
    if version != SCHEMA_VERSION:
        wrong = f"it has version {version or 'none'}, this Harmony needs {SCHEMA_VERSION}"
        yield Finding("schema", f"{wrong}: harmony upgrade")
        return
    if database.is_sqlite:
        yield Finding("file", _problem_of_file(database))
    with database.read() as connection:
        problem = _schema(connection)
    yield Finding("schema", problem)
    if problem is not None:
        return
    with database.read() as connection:
        problem = _stratum_key(connection)
    yield Finding("stratum key", problem)
    if problem is not None:
        return
    catalogue = Catalogue(database, lambda: now)
    catalogue.reload()
    with database.read() as connection:
        yield Finding("server keys", _server_keys(connection, now))
        yield from _documents(connection, catalogue)
        yield from _trainings(connection, catalogue)
        yield from _rounds(connection, catalogue, now)
        yield Finding("rows without a round", _strays(connection))


def _problem_of_file(database: Database) -> str | None:
    try:
        check_file(existing_sqlite(database))
    except DatabaseError as problem:
        return str(problem)
    return None


def _schema(connection: Connection) -> str | None:
    inspector = inspect(connection)
    there = set(inspector.get_table_names())
    for table in schema.tables_of(connection.dialect.name):
        if table.name not in there:
            return f"table {table.name!r} is missing"
        columns = {column["name"] for column in inspector.get_columns(table.name)}
        if lost := {column.name for column in table.columns} - columns:
            return f"column {min(lost)!r} of {table.name!r} is missing"
    return None


def _stratum_key(connection: Connection) -> str | None:
    try:
        read_key(connection)
    except DatabaseError as problem:
        return str(problem)
    return None


def _server_keys(connection: Connection, now: float) -> str | None:
    rows = connection.execute(select(schema.server_keys)).all()
    alive = [row for row in rows if row.retires is None or row.retires > now]
    if rows and not alive:
        return "all have retired: no device's credential is valid"
    if any(len(row.secret) != KEY_BYTES for row in rows):
        return f"one does not have {KEY_BYTES} bytes"
    return None


def _documents(connection: Connection, catalogue: Catalogue) -> Iterator[Finding]:
    """Look for surveys that are stored and could not be read, proved or recognised."""
    surveys = schema.surveys.c
    stored = connection.execute(
        select(surveys.id, surveys.name, surveys.fingerprint).where(surveys.deleted.is_(None))
    ).all()
    for row in stored:
        if row.name in catalogue.trainings:
            continue
        entry = catalogue.surveys.get(row.name)
        problem = None
        if entry is None:
            problem = "its document cannot be read, or does not keep its epsilon"
        elif entry.fingerprint != entry.survey.fingerprint:
            problem = "its document is not that of its fingerprint"
        yield Finding(f"survey {row.name}", problem)


def _trainings(connection: Connection, catalogue: Catalogue) -> Iterator[Finding]:
    kept = schema.trainings.c
    for name, entry in catalogue.trainings.items():
        stored = connection.execute(
            select(kept.trainer, kept.ended).where(kept.survey == entry.id)
        ).first()
        if stored is None:
            continue  # deleted meanwhile
        rounds = schema.rounds.c
        steps = connection.execute(
            select(func.count()).where(rounds.survey == entry.id, rounds.closed.is_(None))
        ).scalar_one()
        problem = None
        if steps != (stored.ended is None):
            problem = f"it has {steps} open steps"
        try:
            runner_of(entry, stored.trainer)
        except (HarmonyError, ValueError, KeyError, TypeError) as broken:
            problem = f"its state cannot be read ({type(broken).__name__})"
        yield Finding(f"training {name}", problem)


def _rounds(connection: Connection, catalogue: Catalogue, now: float) -> Iterator[Finding]:
    marks = connection.execute(select(schema.forgotten.c.mark)).scalars()
    deleted = frozenset(bytes(mark) for mark in marks)
    seen: defaultdict[tuple[str, int], DeviceIndex] = defaultdict(DeviceIndex)
    entries = {one.live.id: one for rounds in catalogue.rounds.values() for one in rounds.values()}
    for row in connection.execute(_STORED_ROUNDS).all():
        problem = _round(connection, row, entries.get(row.id), seen, deleted)
        yield Finding(f"round {row.name} {row.label}", problem or _overdue(row, now))


def _round(
    connection: Connection,
    row: Any,
    entry: RoundEntry | None,
    seen: defaultdict[tuple[str, int], DeviceIndex],
    deleted: frozenset[bytes],
) -> str | None:
    if row.secret is None:
        return "it has no key"
    if row.dropped is not None:
        return _dropped(connection, row)
    if bytes(row.secret) == NO_KEY:
        return "its key is gone, and its reports are not"
    if entry is None or entry.live.key is None:
        return "it cannot be read"
    live = entry.live
    scope = ("round", live.id) if live.training is None else ("training", live.training)
    found = recount(connection, live, seen[scope], deleted)
    if found.repeated:
        return f"{found.repeated} reports are of devices that reported before"
    if found.deleted:
        return f"{found.deleted} reports are of devices that were deleted"
    if found.malformed:
        return f"{found.malformed} reports are malformed"
    return None if found.is_tally else f"its tally is not that of its {found.reports} reports"


def _dropped(connection: Connection, row: Any) -> str | None:
    if bytes(row.secret) != NO_KEY:
        return "its reports were dropped, and its key is there"
    if row.emptied is not None and _rows_of(connection, row.id):
        return "its reports were removed, and some are there"
    return None


def _overdue(row: Any, now: float) -> str | None:
    """Say if reports should have been dropped long ago; those of a training wait for its end."""
    if row.training is None and row.dropped is None and row.closed is not None:
        late = (now - row.closed) / DAY - row.retention
        if late > LATE_DAYS:
            return f"its reports should have been dropped {late:.0f} days ago: no server looks"
    return None


def _rows_of(connection: Connection, number: int) -> bool:
    table = "chunks" if connection.dialect.name == "sqlite" else "reports"
    found = connection.execute(
        text(f"SELECT 1 FROM {table} WHERE round = :round LIMIT 1"), {"round": number}
    )
    return found.first() is not None


def _strays(connection: Connection) -> str | None:
    stored = "chunks" if connection.dialect.name == "sqlite" else "reports"
    for table in (stored, "counts", "totals", "steps"):
        found = connection.execute(
            text(
                f"SELECT count(*) FROM {table} WHERE NOT EXISTS "
                f"(SELECT 1 FROM rounds WHERE rounds.id = {table}.round)"
            )
        ).scalar_one()
        if found:
            return f"{found} in {table!r}"
    return None
