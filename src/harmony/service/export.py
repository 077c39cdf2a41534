"""Stored reports as Parquet: one file as `Survey.randomize` returns them, or files of a log.

Devices have pseudonyms, the ids as they are sealed in the database: of one round, and good for
nothing once its key is thrown away.  Reports are in the order of these, not in that in which they
came, which would tell more.  Ids as they are go only to an admin who asks for them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from harmony.engines import LogWriter
from harmony.errors import HarmonyError
from harmony.reports import cell_columns, pseudonymous_schema, reports_batch, reports_schema
from harmony.rounds import Round
from harmony.survey import Survey

from .activity import REPORTS_EXPORTED, Actor, note
from .catalogue import Catalogue
from .database import Database
from .ingest.blocks import TIER, LiveRound, Reports, device_words
from .problems import Problem
from .stores import open_store

AT_ONCE = 500_000
"""Reports that are put in order together, and written as one group of rows."""


def write_parquet(file: IO[bytes], live: LiveRound, blocks: Iterable[Reports], *, raw: bool) -> int:
    """Write blocks of a round's reports to a file; return how many there were."""
    written = 0
    with pq.ParquetWriter(file, _schema(live, raw)) as writer:
        for batch in batches(live, blocks, raw=raw):
            writer.write_batch(batch)
            written += len(batch)
    return written


def batches(
    live: LiveRound, blocks: Iterable[Reports], *, raw: bool, at_once: int = AT_ONCE
) -> Iterator[pa.RecordBatch]:
    """Yield a round's reports in the order of their ids or pseudonyms, in memory that is bounded.

    They are divided by their first byte into files that nobody else can open.
    """
    schema = _schema(live, raw)
    with _Divided(at_once) as divided:
        for reports in blocks:
            divided.add(reports if raw else _under_pseudonyms(live, reports))
        for rows in divided.in_order():
            yield _batch(schema, live, rows)


class _Divided:
    """Rows of bytes, held in memory until there are many, and then in files by their first byte."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._held: list[Reports] = []
        self._rows = 0
        self._width = 0
        self._files: dict[int, IO[bytes]] = {}

    def add(self, rows: Reports) -> None:
        self._width = rows.shape[1]
        self._held.append(rows)
        self._rows += len(rows)
        if self._rows >= self._at_once:
            self._divide()

    def _divide(self) -> None:
        rows = np.concatenate(self._held)
        self._held, self._rows = [], 0
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        firsts, starts = np.unique(rows[:, 0], return_index=True)
        for first, part in zip(firsts.tolist(), np.split(rows, starts[1:]), strict=True):
            if first not in self._files:
                self._files[first] = TemporaryFile()  # noqa: SIM115  closed by __exit__
            self._files[first].write(part.tobytes())

    def in_order(self) -> Iterator[Reports]:
        if not self._files:
            if self._held:
                yield _sorted(np.concatenate(self._held))
            return
        if self._held:
            self._divide()
        for first in sorted(self._files):
            file = self._files[first]
            file.seek(0)
            yield _sorted(np.frombuffer(file.read(), np.uint8).reshape(-1, self._width))

    def __enter__(self) -> _Divided:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()


def _sorted(rows: Reports) -> Reports:
    """Return rows in the order of their first sixteen bytes."""
    words = np.ascontiguousarray(rows[:, :TIER]).view(">u8")
    return rows[np.lexsort((words[:, 1], words[:, 0]))]


def _under_pseudonyms(live: LiveRound, reports: Reports) -> Reports:
    """Return reports with pseudonyms, and the cells that these do not tell any more."""
    cells = np.ascontiguousarray(live.locate(reports), "<i8").view(np.uint8)
    return np.concatenate([live.seal(reports), cells.reshape(len(reports), -1)], axis=1)


def _schema(live: LiveRound, raw: bool) -> pa.Schema:
    return (reports_schema if raw else pseudonymous_schema)(live.survey, live.round)


def _batch(schema: pa.Schema, live: LiveRound, rows: Reports) -> pa.RecordBatch:
    reports = rows[:, : live.size]
    tiers = np.ascontiguousarray(reports[:, TIER])
    plain = reports_schema(live.survey, live.round)
    batch = reports_batch(live.survey, plain, device_words(reports), tiers, live.symbols(reports))
    columns = list(batch.columns)
    if rows.shape[1] > live.size:
        cells = np.ascontiguousarray(rows[:, live.size :]).view("<i8")
        columns += [pa.array(cells[:, answer]) for answer in range(len(cell_columns(live.survey)))]
    return pa.record_batch(columns, schema)


def record_export(
    database: Database, now: float, by: Actor, live: LiveRound, reports: int, *, raw: bool
) -> None:
    """Record that reports were handed out, before they are."""
    subject = f"{live.survey.name} {live.round.label}"
    told: dict[str, Any] = {"ids": "raw" if raw else "pseudonyms", "reports": reports}
    with database.write() as connection:
        note(connection, by, now, REPORTS_EXPORTED, subject, **told)


def add_to_log(
    database: str,
    survey: Survey,
    label: str | None,
    root: Path,
    day: date | None,
    *,
    raw: bool,
    by: Actor,
) -> tuple[Round, int]:
    """Add a round's stored reports to a log; return the round and their number."""
    source = Database(database)
    try:
        source.migrate()
        catalogue = Catalogue(source, time.time)
        catalogue.reload()
        try:
            live = catalogue.round(survey.name, label).live
        except Problem as problem:
            raise HarmonyError(f"{source.url.render_as_string()}: {problem.detail}") from None
        if live.survey != survey:
            raise HarmonyError(f"the server's survey {survey.name!r} is another than the file's")
        store, written = open_store(source), 0
        try:
            with LogWriter(root, live.survey, live.round, day) as log:
                for batch in batches(live, store.stored(live), raw=raw):
                    log.write_table(pa.Table.from_batches([batch]))
                    written += len(batch)
                record_export(source, time.time(), by, live, written, raw=raw)
        finally:
            store.close()
        return live.round, written
    finally:
        source.close()
