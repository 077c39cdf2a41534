"""The store for several servers: one row a report, in PostgreSQL.

The primary key (round, device) keeps one report a device whatever the servers do at once, and
the unique index (training, device) one report a device in all steps of a training.
Each server's store holds a shard number of its own (an advisory lock, free again when its
connection ends) and counts in that shard, so that servers never wait for each other's cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from harmony.service.blocks import LiveRound, Reports
from harmony.service.database import GATE
from harmony.service.outcomes import ACCEPTED, CONFLICT, DUPLICATE, Outcomes
from harmony.tally import Counts
from harmony_device.coins import ID_BYTES

from .base import Store, StoreError

SHARDS = 0x53484152
"""The space of advisory locks whose numbers are shards."""

MOST_SHARDS = 1024
STATEMENT_SECONDS = 30
READ_REPORTS = 10_000


class PostgresStore(Store):
    """The store of one PostgreSQL database, which it reconnects to when the connection breaks."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: psycopg.Connection[Any] | None = None
        self._shard = 0

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def stored(self, live: LiveRound) -> Iterator[Reports]:
        with (
            psycopg.connect(self._url) as connection,
            connection.cursor("stored", binary=True) as cursor,
        ):
            cursor.execute("SELECT device, body FROM reports WHERE round = %s", (live.id,))
            while rows := cursor.fetchmany(READ_REPORTS):
                yield live.rows(b"".join(device + body for device, body in rows))

    @contextmanager
    def _transaction(self, *, alone: bool = False) -> Iterator[None]:
        lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
        try:
            self._connect()
            self._execute("BEGIN")
            self._execute(f"SELECT {lock}(%s)", GATE)
            yield
            self._execute("COMMIT")
        except BaseException as problem:
            # Whether the database took the commit is unknown: start afresh.
            self.close()
            if isinstance(problem, psycopg.Error):
                raise StoreError(f"PostgreSQL: {problem}") from problem
            raise

    def _connect(self) -> None:
        if self._connection is not None:
            return
        # Unprepared: a reconnect or a proxy between must never meet an unknown statement.
        self._connection = psycopg.connect(self._url, autocommit=True, connect_timeout=10)
        self._execute("SET synchronous_commit = on")
        self._execute(f"SET statement_timeout = {STATEMENT_SECONDS * 1000}")
        self._shard = self._free_shard()

    def _free_shard(self) -> int:
        for shard in range(MOST_SHARDS):
            ((taken,),) = self._execute("SELECT pg_try_advisory_lock(%s, %s)", SHARDS, shard)
            if taken:
                return shard
        raise StoreError(f"PostgreSQL: more than {MOST_SHARDS} servers share the database")

    def _execute(self, statement: str, *values: Any) -> list[Any]:
        assert self._connection is not None
        cursor = self._connection.execute(statement, values, binary=True)
        return cursor.fetchall() if cursor.description else []

    def _open_rounds(self, now: float) -> set[int]:
        rows = self._execute(
            "SELECT id FROM rounds WHERE closed IS NULL AND (closes IS NULL OR closes > %s)", now
        )
        return {number for (number,) in rows}

    def _forgotten(self, reports: Reports) -> NDArray[np.bool_]:
        devices = _devices(reports)
        rows = self._execute("SELECT device FROM forgotten WHERE device = ANY(%s)", devices)
        gone = {bytes(device) for (device,) in rows}
        return np.array([device in gone for device in devices], np.bool_)

    def _append(self, live: LiveRound, reports: Reports) -> Outcomes:
        devices = _devices(reports)
        bodies = [row.tobytes() for row in reports[:, ID_BYTES:]]
        # Sorted, so that two servers with the same devices never wait for each other in a circle.
        rows = self._execute(
            "INSERT INTO reports (round, training, device, body) "
            "SELECT %s, %s::int, device, body FROM unnest(%s::bytea[], %s::bytea[]) "
            "WITH ORDINALITY AS new (device, body, place) ORDER BY device, place "
            "ON CONFLICT DO NOTHING RETURNING device, body",
            live.id, live.training, devices, bodies,
        )  # fmt: skip
        added = {bytes(device): bytes(body) for device, body in rows}
        if len(added) == len(devices):
            return np.full(len(devices), ACCEPTED, np.uint8)
        before = [device for device in devices if device not in added]
        rows = self._execute(
            "SELECT device, body FROM reports WHERE round = %s AND device = ANY(%s)",
            live.id, before,
        )  # fmt: skip
        stored = added | {bytes(device): bytes(body) for device, body in rows}
        return _compared(devices, bodies, added, stored)

    def _add_counts(self, round_id: int, cells: Counts, times: Counts) -> None:
        self._execute(
            "INSERT INTO counts (round, shard, cell, count) "
            "SELECT %s, %s, * FROM unnest(%s::int[], %s::bigint[]) "
            "ON CONFLICT (round, shard, cell) DO UPDATE SET count = counts.count + excluded.count",
            round_id, self._shard, cells.tolist(), times.tolist(),
        )  # fmt: skip

    def _add_totals(self, round_id: int, tiers: NDArray[np.uint8], reports: Counts) -> None:
        self._execute(
            "INSERT INTO totals (round, shard, tier, reports) "
            "SELECT %s, %s, * FROM unnest(%s::int[], %s::bigint[]) "
            "ON CONFLICT (round, shard, tier) "
            "DO UPDATE SET reports = totals.reports + excluded.reports",
            round_id, self._shard, tiers.tolist(), reports.tolist(),
        )  # fmt: skip

    def _refuse(self, device: bytes) -> None:
        self._execute("INSERT INTO forgotten (device) VALUES (%s) ON CONFLICT DO NOTHING", device)

    def _remove(self, live: LiveRound, device: bytes) -> bytes | None:
        rows = self._execute(
            "DELETE FROM reports WHERE round = %s AND device = %s RETURNING body", live.id, device
        )
        return device + bytes(rows[0][0]) if rows else None


def _devices(reports: Reports) -> list[bytes]:
    return [row.tobytes() for row in reports[:, :ID_BYTES]]


def _compared(
    devices: list[bytes], bodies: list[bytes], added: dict[bytes, bytes], stored: dict[bytes, bytes]
) -> Outcomes:
    """Return the outcomes: a device's first report here is accepted if the database added it.

    A device that is neither added nor stored in this round reported in another step.
    """
    outcomes = np.empty(len(devices), np.uint8)
    unclaimed = set(added)
    for place, (device, body) in enumerate(zip(devices, bodies, strict=True)):
        if device in unclaimed and added[device] == body:
            unclaimed.remove(device)
            outcomes[place] = ACCEPTED
        else:
            outcomes[place] = DUPLICATE if stored.get(device) == body else CONFLICT
    return outcomes
