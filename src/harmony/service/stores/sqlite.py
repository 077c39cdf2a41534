"""The embedded store: reports in append-only chunks, and an index of their devices.

A round's reports are numbered 0, 1, 2...; a chunk holds those that one commit added, end to
end, under the number of its first.  A B-tree of random device ids would rewrite most of its
pages in every large commit; a chunk is written once.

One report a device: within the write lock (BEGIN IMMEDIATE) the store first reads every chunk
that it has not seen, then adds only devices that its index lacks, under the next free number.
The database's primary key (round, first) refuses a chunk from anyone who has not seen the last.
The index is memory only and is thrown away whenever a transaction fails, so it never holds a
device that the database does not.

A chunk and its counts are one statement.  After each statement this thread queues for Python's
lock with an event loop that is busy, which takes longer than the statement.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from harmony.service.blocks import TIER, LiveRound, Reports, device_words
from harmony.service.database import BUSY_SECONDS
from harmony.service.index import DeviceIndex
from harmony.service.outcomes import ACCEPTED, CONFLICT, DUPLICATE, Outcomes
from harmony.tally import Counts
from harmony_device.coins import ID_BYTES

from .base import Store, StoreError

SHARD = 0
"""SQLite has one writer at a time, so one shard is enough."""

ADDING = f"""
    CREATE TEMP VIEW added (round, first, reports, cells, tiers) AS SELECT 0, 0, 0, 0, 0;
    CREATE TEMP TRIGGER adding INSTEAD OF INSERT ON added BEGIN
        INSERT INTO chunks (round, first, reports)
            SELECT NEW.round, NEW.first, NEW.reports WHERE NEW.reports IS NOT NULL;
        INSERT INTO counts (round, shard, cell, count)
            SELECT NEW.round, {SHARD}, CAST(key AS INTEGER), value
            FROM json_each(NEW.cells) WHERE true
            ON CONFLICT (round, shard, cell) DO UPDATE SET count = count + excluded.count;
        INSERT INTO totals (round, shard, tier, reports)
            SELECT NEW.round, {SHARD}, CAST(key AS INTEGER), value
            FROM json_each(NEW.tiers) WHERE true
            ON CONFLICT (round, shard, tier) DO UPDATE SET reports = reports + excluded.reports;
    END;
"""
"""What a row put into `added` does: a chunk, if there is one, its cells and its totals."""

NO_REPORT = 0xFF
"""The tier of a place whose report was removed.  No survey has so many tiers."""


class RoundIndex:
    """The devices of a round, and where its chunks start."""

    def __init__(self) -> None:
        self.devices = DeviceIndex()
        self.firsts: list[int] = []
        self.version = -1

    def read(self, first: int, reports: Reports) -> None:
        """Take in a chunk that is in the database."""
        start = 0
        for gap in np.flatnonzero(reports[:, TIER] == NO_REPORT).tolist():
            self.devices.claim(device_words(reports[start:gap]))
            self.devices.skip(1)
            start = gap + 1
        self.devices.claim(device_words(reports[start:]))
        if self.devices.numbers != first + len(reports):
            raise StoreError("SQLite: a chunk of reports is damaged or missing")
        self.firsts.append(first)


class SqliteStore(Store):
    """The store of one SQLite file, in WAL mode and with every commit synced to disk."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=OFF",
            "temp_store=MEMORY",
            "cache_size=-65536",
            "wal_autocheckpoint=2000",
        ):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.executescript(ADDING)
        self._start_afresh()

    def _start_afresh(self) -> None:
        """Start without any memory of what the database holds."""
        self._version = -1
        self._open: list[tuple[int, float | None]] = []
        self._rounds: dict[int, RoundIndex] = {}
        self._forgotten_devices = DeviceIndex()
        self._forgotten_number = 0
        self._chunk: tuple[int, bytes] | None = None

    def close(self) -> None:
        self._connection.close()

    def stored(self, live: LiveRound) -> Iterator[Reports]:
        rows = self._connection.execute(
            "SELECT reports FROM chunks WHERE round = ? ORDER BY first", (live.id,)
        )
        for (packed,) in rows:
            reports = live.rows(packed)
            present = reports[reports[:, TIER] != NO_REPORT]
            if len(present):
                yield present

    @contextmanager
    def _transaction(self, *, alone: bool = False) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as problem:
            self._start_afresh()
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(problem, sqlite3.Error):
                raise StoreError(f"SQLite: {problem}") from problem
            raise

    def _open_rounds(self, now: float) -> set[int]:
        # The version changes when any other connection commits, so memory is as good until then.
        ((version,),) = self._connection.execute("PRAGMA data_version")
        if version != self._version:
            self._version = version
            self._open = self._connection.execute(
                "SELECT id, closes FROM rounds WHERE closed IS NULL"
            ).fetchall()
            self._read_forgotten()
            still_open = {number for number, _ in self._open}
            for number in self._rounds.keys() - still_open:
                del self._rounds[number]
        return {number for number, closes in self._open if closes is None or closes > now}

    def _forgotten(self, reports: Reports) -> NDArray[np.bool_]:
        if not self._forgotten_devices.numbers:
            return np.zeros(len(reports), np.bool_)
        return self._forgotten_devices.find(device_words(reports)) >= 0

    def _read_forgotten(self) -> None:
        rows = self._connection.execute(
            "SELECT number, device FROM forgotten WHERE number > ? ORDER BY number",
            (self._forgotten_number,),
        ).fetchall()
        if rows:
            packed = b"".join(device for _, device in rows)
            ids = np.frombuffer(packed, np.uint8).reshape(-1, ID_BYTES)
            self._forgotten_devices.claim(device_words(ids))
            self._forgotten_number = rows[-1][0]

    def _append(self, live: LiveRound, reports: Reports) -> Outcomes:
        index = self._index(live)
        first = index.devices.numbers
        numbers = index.devices.claim(device_words(reports))
        added = reports[numbers < 0]
        if len(added):
            self._chunk = (first, added.tobytes())  # goes to the database with its counts
            index.firsts.append(first)
        outcomes = np.full(len(reports), ACCEPTED, np.uint8)
        again = np.flatnonzero(numbers >= 0)
        if len(again):
            same = (self._stored_at(live, index, numbers[again]) == reports[again]).all(axis=1)
            outcomes[again] = np.where(same, DUPLICATE, CONFLICT)
        return outcomes

    def _index(self, live: LiveRound) -> RoundIndex:
        """Return the round's index, with every chunk that is in the database by now."""
        index = self._rounds.get(live.id)
        if index is None:
            index = self._rounds[live.id] = RoundIndex()
        if index.version == self._version:
            return index
        index.version = self._version
        unseen = self._connection.execute(
            "SELECT first, reports FROM chunks WHERE round = ? AND first >= ? ORDER BY first",
            (live.id, index.devices.numbers),
        )
        for first, packed in unseen:
            index.read(first, live.rows(packed))
        return index

    def _stored_at(self, live: LiveRound, index: RoundIndex, numbers: Counts) -> Reports:
        """Return the reports with these numbers, reading each of their chunks once."""
        found = np.empty((len(numbers), live.size), np.uint8)
        chunk_of = np.searchsorted(np.array(index.firsts), numbers, side="right") - 1
        for chunk in np.unique(chunk_of).tolist():
            first = index.firsts[chunk]
            packed = self._packed(live, first)
            here = chunk_of == chunk
            found[here] = live.rows(packed)[numbers[here] - first]
        return found

    def _packed(self, live: LiveRound, first: int) -> bytes:
        """Return a chunk of a round, which may be the one that is being added."""
        if self._chunk is not None and self._chunk[0] == first:
            return self._chunk[1]
        ((packed,),) = self._connection.execute(
            "SELECT reports FROM chunks WHERE round = ? AND first = ?", (live.id, first)
        )
        return bytes(packed)

    def _add_tally(
        self,
        round_id: int,
        cells: Counts,
        times: Counts,
        tiers: NDArray[np.uint8],
        reports: Counts,
    ) -> None:
        first, packed = self._chunk or (None, None)
        self._chunk = None
        self._connection.execute(
            "INSERT INTO added VALUES (?, ?, ?, ?, ?)",
            (round_id, first, packed, _json(cells, times), _json(tiers, reports)),
        )

    def _refuse(self, device: bytes) -> None:
        self._version = -1
        self._connection.execute(
            "INSERT INTO forgotten (device) VALUES (?) ON CONFLICT DO NOTHING", (device,)
        )

    def _remove(self, live: LiveRound, device: bytes) -> bytes | None:
        chunks = self._connection.execute(
            "SELECT first, reports FROM chunks WHERE round = ? AND instr(reports, ?) > 0",
            (live.id, device),
        )
        wanted = np.frombuffer(device, np.uint8)
        for first, packed in chunks.fetchall():
            reports = live.rows(packed)
            same = (reports[:, :ID_BYTES] == wanted).all(axis=1) & (reports[:, TIER] != NO_REPORT)
            for place in np.flatnonzero(same)[:1].tolist():
                report: bytes = reports[place].tobytes()
                left = reports.copy()
                left[place] = 0
                left[place, TIER] = NO_REPORT
                self._connection.execute(
                    "UPDATE chunks SET reports = ? WHERE round = ? AND first = ?",
                    (left.tobytes(), live.id, first),
                )
                return report
        return None


def _json(keys: NDArray[Any], values: Counts) -> str:
    """Return one JSON object: SQLite reads it as rows, in one statement without the GIL."""
    return msgspec.json.encode(dict(zip(keys.tolist(), values.tolist(), strict=True))).decode()
