"""The embedded store: reports in append-only chunks, and an index of their devices.

A round's reports are numbered 0, 1, 2...; a chunk holds those that one commit added, end to
end, under the number of its first.  A B-tree of random device ids would rewrite most of its
pages in every large commit; a chunk is written once.

The ids in chunks and index are sealed (`sealing`).

One report a device: within the write lock (BEGIN IMMEDIATE) the store first reads every chunk
that it has not seen, then adds only devices that its index lacks, under the next free number.
The database's primary key (round, first) refuses a chunk from anyone who has not seen the last.
The index is memory only and is thrown away whenever a transaction fails, so it never holds a
device that the database does not.

The steps of a training are rounds that share one index and one numbering: a device that has
reported in one step is known in the next.  There the unique index (training, first) does what
the primary key does for a round.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import numpy as np
from numpy.typing import NDArray

from harmony.arrays import Counts
from harmony.service.ingest.blocks import TIER, LiveRound, Reports, device_words, id_bytes, rows_of
from harmony.service.ingest.outcomes import ACCEPTED, CONFLICT, DUPLICATE, UNAUTHORIZED, Outcomes
from harmony.service.patience import DATABASE_SECONDS
from harmony.service.same_file import MovedFileError, SameFile
from harmony.service.sealing import marks_of
from harmony.service.stores.device_index import DeviceIndex
from harmony_device.coins import ID_BYTES

from .base import ReportsDroppedError, Store, StoreError

Scope = tuple[str, int]

PLACE_BITS = 32
SHARD = f"CAST(key AS INTEGER) >> {PLACE_BITS}"
PLACE = f"CAST(key AS INTEGER) & {(1 << PLACE_BITS) - 1}"
"""A key of the JSON that is sent has a shard above a cell or a tier."""

ERASE_MILLISECONDS = 100
"""How long erasing may wait for readers, while reports wait for it."""

PROBES = 1 << 30
"""After so many probes their number, which nobody reads, starts anew."""

NO_REPORT = 0xFF
"""The tier of a place whose report was removed.  No survey has so many tiers."""


class RoundIndex:
    """The devices of a round, or of all steps of a training, and where the chunks start."""

    def __init__(self) -> None:
        self.devices = DeviceIndex()
        self.firsts: list[int] = []
        self.rounds: list[int] = []
        """The round of each chunk."""
        self.version = -1

    def add(self, first: int, round_id: int) -> None:
        """Note where a chunk starts, and of which round it is."""
        self.firsts.append(first)
        self.rounds.append(round_id)

    def read(self, first: int, round_id: int, reports: Reports) -> None:
        """Take in a chunk that is in the database."""
        start = 0
        for gap in np.flatnonzero(reports[:, TIER] == NO_REPORT).tolist():
            self.devices.claim(device_words(reports[start:gap]))
            self.devices.skip(1)
            start = gap + 1
        self.devices.claim(device_words(reports[start:]))
        if self.devices.numbers != first + len(reports):
            raise StoreError("SQLite: a chunk of reports is damaged or missing")
        self.add(first, round_id)


class SqliteStore(Store):
    """The store of one SQLite file, in WAL mode and with every commit synced to disk."""

    def __init__(self, path: str, seconds: float = DATABASE_SECONDS) -> None:
        self._seconds = seconds
        with _own_errors():
            self._connection = sqlite3.connect(
                path, timeout=seconds, isolation_level=None, check_same_thread=False
            )
            for pragma in (
                "journal_mode=WAL",
                "synchronous=FULL",
                "foreign_keys=OFF",
                "temp_store=MEMORY",
                "cache_size=-65536",
                "wal_autocheckpoint=2000",
                "secure_delete=ON",
            ):
                self._connection.execute(f"PRAGMA {pragma}")
        self._file = SameFile(path)
        self._start_afresh()

    def _start_afresh(self) -> None:
        """Start without any memory of what the database holds."""
        self._version = -1
        self._open: list[tuple[int, float | None]] = []
        self._open_scopes: set[Scope] = set()
        self._indexes: dict[Scope, RoundIndex] = {}
        self._forgotten_devices = DeviceIndex()
        self._forgotten_number = 0

    def close(self) -> None:
        self._connection.close()

    def erase(self) -> bool:
        # The log still has what was there before, until it is moved to the database and cut off.
        self._connection.execute(f"PRAGMA busy_timeout={ERASE_MILLISECONDS}")
        try:
            ((busy, _, _),) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError:  # another connection is at it
            return False
        finally:
            self._connection.execute(f"PRAGMA busy_timeout={round(self._seconds * 1000)}")
        return not busy

    def probe(self) -> None:
        with self._transaction():
            ((version,),) = self._connection.execute("PRAGMA user_version")
            self._connection.execute(f"PRAGMA user_version={(version + 1) % PROBES}")

    def stored(self, live: LiveRound) -> Iterator[Reports]:
        with _own_errors(), self._snapshot():
            kept = self._connection.execute(
                "SELECT 1 FROM rounds WHERE id = ? AND dropped IS NULL", (live.id,)
            ).fetchone()
            if kept is None or live.key is None:
                raise ReportsDroppedError
            rows = self._connection.execute(
                "SELECT reports FROM chunks WHERE round = ? ORDER BY first", (live.id,)
            )
            for (packed,) in rows:
                reports = live.rows(packed)
                present = reports[reports[:, TIER] != NO_REPORT]
                if len(present):
                    yield live.unseal(present)

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    @contextmanager
    def _transaction(self, *, alone: bool = False) -> Iterator[None]:
        with _own_errors():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._file.check()
                self._connection.execute("COMMIT")
            except BaseException:
                self._start_afresh()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _open_rounds(self, now: float) -> set[int]:
        """Return the rounds that are open, with memory as it is in this transaction."""
        self._refresh()
        return {number for number, closes in self._open if closes is None or closes > now}

    def _refresh(self) -> None:
        """Bring memory to what the database is in this transaction."""
        # The version changes when any other connection commits, so memory is as good until then.
        ((version,),) = self._connection.execute("PRAGMA data_version")
        if version != self._version:
            self._version = version
            rows = self._connection.execute(
                "SELECT id, closes, trainings.survey FROM rounds "
                "LEFT JOIN trainings ON trainings.survey = rounds.survey WHERE closed IS NULL"
            ).fetchall()
            self._open = [(number, closes) for number, closes, _ in rows]
            self._read_forgotten()
            self._open_scopes = {_scope(number, training) for number, _, training in rows}
            for scope in self._indexes.keys() - self._open_scopes:
                del self._indexes[scope]

    def _forgotten(self, reports: Reports) -> NDArray[np.bool_]:
        if not self._forgotten_devices.numbers:
            return np.zeros(len(reports), np.bool_)
        marks = np.frombuffer(marks_of(id_bytes(reports)), np.uint8).reshape(-1, ID_BYTES)
        return self._forgotten_devices.find(device_words(marks)) >= 0

    def _read_forgotten(self) -> None:
        rows = self._connection.execute(
            "SELECT number, mark FROM forgotten WHERE number > ? ORDER BY number",
            (self._forgotten_number,),
        ).fetchall()
        if rows:
            packed = b"".join(mark for _, mark in rows)
            marks = np.frombuffer(packed, np.uint8).reshape(-1, ID_BYTES)
            self._forgotten_devices.claim(device_words(marks))
            self._forgotten_number = rows[-1][0]

    def _append(self, live: LiveRound, reports: Reports, now: float) -> Outcomes | None:
        if live.id not in self._open_rounds(now):
            return None
        outcomes = np.full(len(reports), UNAUTHORIZED, np.uint8)
        rows = np.flatnonzero(~self._forgotten(reports))
        if len(rows):
            outcomes[rows] = self._append_chunk(live, live.seal(rows_of(reports, rows)))
        return outcomes

    def _append_chunk(self, live: LiveRound, reports: Reports) -> Outcomes:
        index = self._index(live)
        first = index.devices.numbers
        numbers = index.devices.claim(device_words(reports))
        added = rows_of(reports, np.flatnonzero(numbers < 0))
        if len(added):
            self._connection.execute(
                "INSERT INTO chunks (round, first, reports, training) VALUES (?, ?, ?, ?)",
                (live.id, first, added.tobytes(), live.training),
            )
            index.add(first, live.id)
        outcomes = np.full(len(reports), ACCEPTED, np.uint8)
        again = np.flatnonzero(numbers >= 0)
        if len(again):
            same = self._same(live, index, numbers[again], reports[again])
            outcomes[again] = np.where(same, DUPLICATE, CONFLICT)
        return outcomes

    def _index(self, live: LiveRound) -> RoundIndex:
        """Return the index that the round is in, with every chunk that is there by now."""
        scope = _scope(live.id, live.training)
        index = self._indexes.get(scope)
        if index is None:
            index = self._indexes[scope] = RoundIndex()
        if index.version == self._version:
            return index
        index.version = self._version
        if live.training is None:
            unseen = self._connection.execute(
                "SELECT round, first, reports, ? FROM chunks "
                "WHERE round = ? AND first >= ? ORDER BY first",
                (live.size, live.id, index.devices.numbers),
            )
        else:
            unseen = self._connection.execute(
                "SELECT chunks.round, first, reports, report_bytes FROM chunks "
                "JOIN steps ON steps.round = chunks.round "
                "WHERE training = ? AND first >= ? ORDER BY first",
                (live.training, index.devices.numbers),
            )
        for round_id, first, packed, size in unseen:
            index.read(first, round_id, np.frombuffer(packed, np.uint8).reshape(-1, size))
        return index

    def _same(
        self, live: LiveRound, index: RoundIndex, numbers: Counts, reports: Reports
    ) -> NDArray[np.bool_]:
        """Return which reports are stored in this round, under these numbers, byte for byte."""
        same = np.zeros(len(numbers), np.bool_)
        chunk_of = np.searchsorted(np.array(index.firsts), numbers, side="right") - 1
        for chunk in np.unique(chunk_of).tolist():
            if index.rounds[chunk] != live.id:
                continue  # these devices reported in another step
            first = index.firsts[chunk]
            ((packed,),) = self._connection.execute(
                "SELECT reports FROM chunks WHERE round = ? AND first = ?", (live.id, first)
            )
            here = np.flatnonzero(chunk_of == chunk)
            stored = live.rows(packed)[numbers[here] - first]
            same[here] = (stored == reports[here]).all(axis=1)
        return same

    def _add_counts(self, round_id: int, shards: Counts, cells: Counts, times: Counts) -> None:
        self._connection.execute(
            "INSERT INTO counts (round, shard, cell, count) "
            f"SELECT ?, {SHARD}, {PLACE}, value FROM json_each(?) WHERE true "
            "ON CONFLICT (round, shard, cell) DO UPDATE SET count = count + excluded.count",
            (round_id, _json(shards, cells, times)),
        )

    def _add_totals(self, round_id: int, shards: Counts, tiers: Counts, reports: Counts) -> None:
        self._connection.execute(
            "INSERT INTO totals (round, shard, tier, reports) "
            f"SELECT ?, {SHARD}, {PLACE}, value FROM json_each(?) WHERE true "
            "ON CONFLICT (round, shard, tier) DO UPDATE SET reports = reports + excluded.reports",
            (round_id, _json(shards, tiers, reports)),
        )

    def _refuse(self, mark: bytes) -> None:
        self._version = -1
        self._connection.execute(
            "INSERT INTO forgotten (mark) VALUES (?) ON CONFLICT DO NOTHING", (mark,)
        )

    def _remove(self, live: LiveRound, sealed: bytes) -> bytes | None:
        wanted = np.frombuffer(sealed, np.uint8)
        for first, packed in self._chunks_with(live, sealed):
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

    def _chunks_with(self, live: LiveRound, sealed: bytes) -> list[tuple[int, bytes]]:
        """Return the chunks of a round that may hold a sealed id's report, with their firsts."""
        self._refresh()
        if _scope(live.id, live.training) not in self._open_scopes:  # it has no index any more
            return self._connection.execute(
                "SELECT first, reports FROM chunks WHERE round = ? AND instr(reports, ?) > 0",
                (live.id, sealed),
            ).fetchall()
        index = self._index(live)
        ids = np.frombuffer(sealed, np.uint8).reshape(1, ID_BYTES)
        (number,) = index.devices.find(device_words(ids)).tolist()
        chunk = bisect_right(index.firsts, number) - 1
        if number < 0 or index.rounds[chunk] != live.id:
            return []
        return self._connection.execute(
            "SELECT first, reports FROM chunks WHERE round = ? AND first = ?",
            (live.id, index.firsts[chunk]),
        ).fetchall()


@contextmanager
def _own_errors() -> Iterator[None]:
    """Raise as a `StoreError` what the database raises."""
    try:
        yield
    except (sqlite3.Error, MovedFileError) as problem:
        raise StoreError(f"SQLite: {problem}") from problem


def _scope(round_id: int, training: int | None) -> Scope:
    """Return within what a device reports once: the round, or the training that it is a step of."""
    return ("round", round_id) if training is None else ("training", training)


def _json(shards: Counts, places: Counts, values: Counts) -> str:
    """Return one JSON object: SQLite reads it as rows, in one statement without the GIL."""
    keys = shards << PLACE_BITS | places
    return msgspec.json.encode(dict(zip(keys.tolist(), values.tolist(), strict=True))).decode()
