"""The store for several servers: one row a report, in PostgreSQL.

The primary key (round, device) keeps one report a device whatever the servers do at once, and
the unique index (training, device) one report a device in all steps of a training.
Each server's store holds a shard number of its own (an advisory lock, free again when its
connection ends) and counts in that shard, so that servers never wait for each other's cells.
The ids are sealed (`sealing`).

Reports travel as one value, which the database cuts into rows.  A commit is optimistic at first:
all of it is sent at once, and the database commits or, at the first report that may not be added,
does nothing.  Then it is done again, carefully: one statement adds the reports that may be added,
and the database is asked about the others.  Repeated reports seldom come alone, and anyone can
repeat one, so the next commits are careful from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import psycopg

from harmony.arrays import Counts
from harmony.service.database import GATE
from harmony.service.ingest.blocks import Block, LiveRound, Reports, id_bytes
from harmony.service.ingest.outcomes import ACCEPTED, CONFLICT, DUPLICATE, UNAUTHORIZED, Outcomes
from harmony.service.patience import DATABASE_SECONDS, Silence
from harmony.service.patient_connection import connector
from harmony.service.schema import SHARDS
from harmony.service.sealing import marks_of
from harmony_device.coins import ID_BYTES

from .base import ReportsDroppedError, Store, StoreError
from .pipeline import TRUE, Pipeline

SHARD_LOCKS = 0x53484152
"""The space of advisory locks whose numbers are shards."""

READ_REPORTS = 10_000

SETTINGS = (
    "synchronous_commit = on",
    # Plans are made once, and tables that are small by then will not stay so.
    "plan_cache_mode = force_generic_plan",
    "enable_seqscan = off",
)

CUT = f"""
    SELECT place, substr(packed, size * place + 1, {ID_BYTES}) AS device,
        substr(packed, size * place + {ID_BYTES + 1}, size - {2 * ID_BYTES}) AS body,
        substr(packed, size * place + size - {ID_BYTES - 1}, {ID_BYTES}) AS mark
    FROM (SELECT $1::bytea AS packed, $2::int AS size) AS sent,
        generate_series(0, length(packed) / size - 1) AS place
"""
"""Reports that were sent end to end, as rows; its values are those and the bytes of one.

Each is the sealed id, the tier and symbols, and the mark by which a deleted device is known."""

OPEN = "FROM rounds WHERE id = {id} AND closed IS NULL AND (closes IS NULL OR closes > {now})"

GONE = "(SELECT new.device FROM forgotten WHERE mark = new.mark)"

# Sorted, so that two servers with the same devices never wait for each other in a circle.
INSERT = f"""
    INSERT INTO reports (round, training, device, body)
    SELECT $3, $4, device, body FROM ({CUT}) AS new
    WHERE EXISTS (SELECT {OPEN.format(id="$3", now="$5")}) AND {GONE} IS NULL
    ORDER BY device, place
"""

ADD = f"""
    WITH added AS ({INSERT} ON CONFLICT DO NOTHING RETURNING device, body)
    SELECT coalesce(string_agg(device || body, ''), '') FROM added
"""
"""Adds the reports that may be added, and returns them."""

ADD_ALL = f"""
    WITH added AS ({INSERT} ON CONFLICT DO NOTHING RETURNING 1)
    SELECT 1 / (count(*) = $6 AND $6 > 0)::int FROM added
"""
"""Adds every report, of which there are $6, or fails with `NotAll`, where `ADD_ALL_QUICKLY` cannot.

A unique violation would put the device that it is about into PostgreSQL's log; not to have one
takes PostgreSQL half as long again.
"""

ADD_ALL_QUICKLY = "SELECT pg_temp.harmony_add_all($1, $2, $3, $4, $5, $6)"
"""Does the same by a function of the session, which catches the violation before it is logged."""

FUNCTION = f"""
    CREATE FUNCTION pg_temp.harmony_add_all(bytea, int, int, int, double precision, int)
    RETURNS void LANGUAGE plpgsql AS $function$
    DECLARE
        added bigint;
    BEGIN
        {INSERT};
        GET DIAGNOSTICS added = ROW_COUNT;
        PERFORM 1 / (added = $6 AND $6 > 0)::int;
    EXCEPTION WHEN unique_violation THEN
        PERFORM 1 / 0;
    END
    $function$
"""

NotAll = psycopg.errors.DivisionByZero

CAREFUL_COMMITS = 100
"""How many commits are careful after one that could not add every report."""


class PostgresStore(Store):
    """The store of one PostgreSQL database, which it reconnects to when the connection breaks."""

    def __init__(self, url: str, seconds: float = DATABASE_SECONDS) -> None:
        self._connect = connector(url, seconds, Silence())
        self._seconds = seconds
        self._pipeline: Pipeline | None = None
        self._careful = 0
        self._add_all = ADD_ALL

    def commit(self, blocks: Sequence[Block], now: float) -> list[Outcomes]:
        if self._careful:
            self._careful -= 1
        else:
            outcomes = self._commit_all(blocks, now)
            if outcomes is not None:
                return outcomes
            self._careful = CAREFUL_COMMITS
        return super().commit(blocks, now)

    def _commit_all(self, blocks: Sequence[Block], now: float) -> list[Outcomes] | None:
        """Commit every report in one trip; if one may not be added, add none and return None."""
        with self._session() as pipeline:
            self._begin(pipeline)
            outcomes = self._add_blocks(blocks, now, self._append_all)
            pipeline.execute("COMMIT")
            try:
                pipeline.sync()
            except NotAll:
                pipeline.execute("ROLLBACK")
                return None
        return outcomes

    def close(self) -> None:
        if self._pipeline is not None:
            self._pipeline.close()
            self._pipeline = None

    def probe(self) -> None:
        with self._session() as pipeline:
            pipeline.execute("SELECT pg_logical_emit_message(true, 'harmony', '')")
            pipeline.sync()

    def stored(self, live: LiveRound) -> Iterator[Reports]:
        with _own_errors(), self._connect() as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            kept = connection.execute(
                "SELECT 1 FROM rounds WHERE id = %s AND dropped IS NULL", (live.id,)
            ).fetchone()
            if kept is None or live.key is None:
                raise ReportsDroppedError
            yield from self._read(connection, live)

    def _read(
        self, connection: psycopg.Connection[tuple[bytes, bytes]], live: LiveRound
    ) -> Iterator[Reports]:
        with connection.cursor("stored", binary=True) as cursor:
            cursor.execute("SELECT device, body FROM reports WHERE round = %s", (live.id,))
            while rows := cursor.fetchmany(READ_REPORTS):
                stored = live.rows(b"".join(device + body for device, body in rows))
                yield live.unseal(stored)

    @contextmanager
    def _transaction(self, *, alone: bool = False) -> Iterator[None]:
        with self._session() as pipeline:
            self._begin(pipeline, alone=alone)
            yield
            pipeline.execute("COMMIT")
            pipeline.sync()

    def _begin(self, pipeline: Pipeline, *, alone: bool = False) -> None:
        lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
        pipeline.execute("BEGIN")
        pipeline.execute(f"SELECT {lock}({GATE})")

    @contextmanager
    def _session(self) -> Iterator[Pipeline]:
        """Give the session, and end it if anything fails."""
        with _own_errors():
            try:
                pipeline = self._connected()
                pipeline.start_clock()
                yield pipeline
            except BaseException:
                # Whether the database took the commit is unknown: start afresh.
                self.close()
                raise

    def _connected(self) -> Pipeline:
        if self._pipeline is None:
            connection = self._connect()
            connection.autocommit = True
            self._add_all = _way_to_add_all(connection)
            self._pipeline = Pipeline(connection, self._seconds)
            for setting in (*SETTINGS, f"statement_timeout = {round(self._seconds * 1000)}"):
                self._pipeline.execute(f"SET {setting}")
            self._shard = _free_shard(self._pipeline)
            self._pipeline.sync()
        return self._pipeline

    def _append(self, live: LiveRound, reports: Reports, now: float) -> Outcomes | None:
        pipeline, marked = self._connected(), _marked(live, reports)
        packed = pipeline.fetch(ADD, *_sent(marked), live.id, live.training, now)
        assert packed is not None
        if len(packed) == reports.size > 0:
            return np.full(len(reports), ACCEPTED, np.uint8)
        if pipeline.fetch(f"SELECT id {OPEN.format(id='$1', now='$2')}", live.id, now) is None:
            return None
        return self._compare(live, marked, packed)

    def _append_all(self, live: LiveRound, reports: Reports, now: float) -> Outcomes:
        """Store every report; if one may not be stored, the transaction fails when it ends."""
        sent = _sent(_marked(live, reports))
        self._connected().execute(self._add_all, *sent, live.id, live.training, now, len(reports))
        return np.full(len(reports), ACCEPTED, np.uint8)

    def _compare(self, live: LiveRound, marked: Reports, packed: bytes) -> Outcomes:
        """Return the outcomes of reports of which only those in `packed` could be added."""
        added = dict(_by_device(live.rows(packed)))
        sent = _by_device(marked[:, : live.size])
        left = np.array([device not in added for device, _ in sent], np.bool_)
        others = _sent(marked[left])
        pipeline = self._connected()
        gone = pipeline.fetch(
            f"SELECT coalesce(string_agg({GONE}, ''), '') FROM ({CUT}) AS new", *others
        )
        there = pipeline.fetch(
            "SELECT coalesce(string_agg(device || (SELECT body FROM reports "
            f"WHERE round = $3 AND device = new.device), ''), '') FROM ({CUT}) AS new",
            *others, live.id,
        )  # fmt: skip
        assert gone is not None
        assert there is not None
        stored = added | dict(_by_device(live.rows(there)))
        refused = {gone[place : place + ID_BYTES] for place in range(0, len(gone), ID_BYTES)}
        return _outcomes(sent, added, stored, refused)

    def _add_counts(self, round_id: int, shards: Counts, cells: Counts, times: Counts) -> None:
        self._connected().execute(
            "INSERT INTO counts (round, shard, cell, count) "
            "SELECT $1, * FROM unnest($2::int[], $3::int[], $4::bigint[]) "
            "ON CONFLICT (round, shard, cell) DO UPDATE SET count = counts.count + excluded.count",
            round_id, shards.tolist(), cells.tolist(), times.tolist(),
        )  # fmt: skip

    def _add_totals(self, round_id: int, shards: Counts, tiers: Counts, reports: Counts) -> None:
        self._connected().execute(
            "INSERT INTO totals (round, shard, tier, reports) "
            "SELECT $1, * FROM unnest($2::int[], $3::int[], $4::bigint[]) "
            "ON CONFLICT (round, shard, tier) "
            "DO UPDATE SET reports = totals.reports + excluded.reports",
            round_id, shards.tolist(), tiers.tolist(), reports.tolist(),
        )  # fmt: skip

    def _refuse(self, mark: bytes) -> None:
        self._connected().execute(
            "INSERT INTO forgotten (mark) VALUES ($1) ON CONFLICT DO NOTHING", mark
        )

    def _remove(self, live: LiveRound, sealed: bytes) -> bytes | None:
        body = self._connected().fetch(
            "DELETE FROM reports WHERE round = $1 AND device = $2 RETURNING body", live.id, sealed
        )
        return None if body is None else sealed + body


def _way_to_add_all(connection: psycopg.Connection[object]) -> str:
    """Return the statement that adds every report: the quick one if the session may have it."""
    try:
        connection.execute(FUNCTION)
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedObject):
        return ADD_ALL  # no temporary objects, or no PL/pgSQL
    return ADD_ALL_QUICKLY


def _free_shard(pipeline: Pipeline) -> int:
    for shard in range(SHARDS):
        if pipeline.fetch("SELECT pg_try_advisory_lock($1, $2)", SHARD_LOCKS, shard) == TRUE:
            return shard
    raise StoreError(f"PostgreSQL: more than {SHARDS} servers share the database")


@contextmanager
def _own_errors() -> Iterator[None]:
    """Raise as a `StoreError` what the database raises."""
    try:
        yield
    except psycopg.Error as problem:
        said = problem.diag.message_primary or problem  # without details, which quote
        raise StoreError(f"PostgreSQL: {said}") from problem


def _marked(live: LiveRound, reports: Reports) -> Reports:
    """Return reports as they are sent to the database: sealed, each with its device's mark."""
    marks = np.frombuffer(marks_of(id_bytes(reports)), np.uint8).reshape(-1, ID_BYTES)
    return np.concatenate([live.seal(reports), marks], axis=1)


def _sent(marked: Reports) -> tuple[bytes, int]:
    return marked.tobytes(), marked.shape[1]


def _by_device(reports: Reports) -> list[tuple[bytes, bytes]]:
    return [(row[:ID_BYTES].tobytes(), row[ID_BYTES:].tobytes()) for row in reports]


def _outcomes(
    sent: list[tuple[bytes, bytes]],
    added: dict[bytes, bytes],
    stored: dict[bytes, bytes],
    gone: set[bytes],
) -> Outcomes:
    """Return the outcomes: a device's first report here is accepted if the database added it.

    A device that is neither added nor stored in this round reported in another step.
    """
    outcomes = np.empty(len(sent), np.uint8)
    unclaimed = set(added)
    for place, (device, body) in enumerate(sent):
        if device in unclaimed and added[device] == body:
            unclaimed.remove(device)
            outcomes[place] = ACCEPTED
        elif device in gone:
            outcomes[place] = UNAUTHORIZED
        else:
            outcomes[place] = DUPLICATE if stored.get(device) == body else CONFLICT
    return outcomes
