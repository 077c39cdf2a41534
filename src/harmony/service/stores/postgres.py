"""The store for several servers: one row a report, in PostgreSQL.

The primary key (round, device) keeps one report a device whatever the servers do at once.
Each server's store holds a shard number of its own (an advisory lock, free again when its
connection ends) and counts in that shard, so that servers never wait for each other's cells.

Reports travel as one value, which the database cuts into rows, and what nobody waits for is sent
with the next question: a commit of one block takes four round trips, whatever its size.
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

CUT = f"""
    SELECT place, substr(packed, size * place + 1, {ID_BYTES}) AS device,
        substr(packed, size * place + {ID_BYTES + 1}, size - {ID_BYTES}) AS body
    FROM (SELECT %s::bytea AS packed, %s::int AS size) AS sent,
        generate_series(0, length(packed) / size - 1) AS place
"""
"""Reports that were sent end to end, as rows; its values are those and a report's bytes."""


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
            with self._connected().pipeline():
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

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            self._connection = psycopg.connect(self._url, autocommit=True, connect_timeout=10)
            self._execute("SET synchronous_commit = on")
            self._execute(f"SET statement_timeout = {STATEMENT_SECONDS * 1000}")
            self._shard = self._free_shard()
        return self._connection

    def _free_shard(self) -> int:
        for shard in range(MOST_SHARDS):
            ((taken,),) = self._rows("SELECT pg_try_advisory_lock(%s, %s)", SHARDS, shard)
            if taken:
                return shard
        raise StoreError(f"PostgreSQL: more than {MOST_SHARDS} servers share the database")

    def _execute(self, statement: str, *values: Any) -> psycopg.Cursor[Any]:
        """Send a statement; within a transaction its result comes with the next that is read."""
        assert self._connection is not None
        return self._connection.execute(statement, values, binary=True)

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        """Send a statement and read its rows."""
        return self._execute(statement, *values).fetchall()

    def _open_rounds(self, now: float) -> set[int]:
        rows = self._rows(
            "SELECT id FROM rounds WHERE closed IS NULL AND (closes IS NULL OR closes > %s)", now
        )
        return {number for (number,) in rows}

    def _forgotten(self, reports: Reports) -> NDArray[np.bool_]:
        rows = self._rows(
            f"SELECT place FROM ({CUT}) AS new JOIN forgotten USING (device)",
            reports.tobytes(), reports.shape[1],
        )  # fmt: skip
        gone = np.zeros(len(reports), np.bool_)
        gone[[place for (place,) in rows]] = True
        return gone

    def _append(self, live: LiveRound, reports: Reports) -> Outcomes:
        # Sorted, so that two servers with the same devices never wait for each other in a circle.
        ((packed,),) = self._rows(
            "WITH added AS (INSERT INTO reports (round, device, body) "
            f"SELECT %s, device, body FROM ({CUT}) AS new ORDER BY device, place "
            "ON CONFLICT DO NOTHING RETURNING device, body) "
            "SELECT coalesce(string_agg(device || body, ''), '') FROM added",
            live.id, reports.tobytes(), live.size,
        )  # fmt: skip
        if len(packed) == reports.size:
            return np.full(len(reports), ACCEPTED, np.uint8)
        sent, added = _by_device(reports), dict(_by_device(live.rows(packed)))
        before = [device for device, _ in sent if device not in added]
        rows = self._rows(
            "SELECT device, body FROM reports WHERE round = %s AND device = ANY(%s)",
            live.id, before,
        )  # fmt: skip
        stored = added | {bytes(device): bytes(body) for device, body in rows}
        return _compared(sent, added, stored)

    def _add_tally(
        self,
        round_id: int,
        cells: Counts,
        times: Counts,
        tiers: NDArray[np.uint8],
        reports: Counts,
    ) -> None:
        self._execute(
            "WITH counted AS (INSERT INTO counts (round, shard, cell, count) "
            "SELECT %s, %s, * FROM unnest(%s::int[], %s::bigint[]) "
            "ON CONFLICT (round, shard, cell) DO UPDATE SET count = counts.count + excluded.count) "
            "INSERT INTO totals (round, shard, tier, reports) "
            "SELECT %s, %s, * FROM unnest(%s::int[], %s::bigint[]) "
            "ON CONFLICT (round, shard, tier) "
            "DO UPDATE SET reports = totals.reports + excluded.reports",
            round_id, self._shard, cells.tolist(), times.tolist(),
            round_id, self._shard, tiers.tolist(), reports.tolist(),
        )  # fmt: skip

    def _refuse(self, device: bytes) -> None:
        self._execute("INSERT INTO forgotten (device) VALUES (%s) ON CONFLICT DO NOTHING", device)

    def _remove(self, live: LiveRound, device: bytes) -> bytes | None:
        rows = self._rows(
            "DELETE FROM reports WHERE round = %s AND device = %s RETURNING body", live.id, device
        )
        return device + bytes(rows[0][0]) if rows else None


def _by_device(reports: Reports) -> list[tuple[bytes, bytes]]:
    return [(row[:ID_BYTES].tobytes(), row[ID_BYTES:].tobytes()) for row in reports]


def _compared(
    sent: list[tuple[bytes, bytes]], added: dict[bytes, bytes], stored: dict[bytes, bytes]
) -> Outcomes:
    """Return the outcomes: a device's first report here is accepted if the database added it."""
    outcomes = np.empty(len(sent), np.uint8)
    unclaimed = set(added)
    for place, (device, body) in enumerate(sent):
        if device in unclaimed and added[device] == body:
            unclaimed.remove(device)
            outcomes[place] = ACCEPTED
        else:
            outcomes[place] = DUPLICATE if stored[device] == body else CONFLICT
    return outcomes
