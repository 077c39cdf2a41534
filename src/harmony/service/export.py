"""Stored reports as Parquet: one file as `Survey.randomize` returns them, or files of a log."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from harmony.engines import LogWriter
from harmony.errors import HarmonyError
from harmony.reports import reports_batch, reports_schema
from harmony.rounds import Round
from harmony.survey import Survey

from .catalogue import Catalogue
from .database import Database
from .ingest.blocks import TIER, LiveRound, Reports, device_words
from .problems import Problem
from .stores import open_store

ROW_GROUP = 100_000


def write_parquet(path: str, live: LiveRound, blocks: Iterable[Reports]) -> int:
    """Write blocks of a round's reports to a file; return how many there were."""
    schema = reports_schema(live.survey, live.round)
    written, waiting, held = 0, [], 0
    with pq.ParquetWriter(path, schema) as writer:
        for reports in blocks:
            waiting.append(reports)
            held += len(reports)
            if held >= ROW_GROUP:
                writer.write_batch(_batch(schema, live, np.concatenate(waiting)))
                written, waiting, held = written + held, [], 0
        if waiting:
            writer.write_batch(_batch(schema, live, np.concatenate(waiting)))
    return written + held


def add_to_log(
    database: str, survey: Survey, label: str | None, root: Path, day: date | None
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
        schema = reports_schema(live.survey, live.round)
        try:
            with LogWriter(root, live.survey, live.round, day) as log:
                for reports in store.stored(live):
                    log.write_table(pa.Table.from_batches([_batch(schema, live, reports)]))
                    written += len(reports)
        finally:
            store.close()
        return live.round, written
    finally:
        source.close()


def _batch(schema: pa.Schema, live: LiveRound, reports: Reports) -> pa.RecordBatch:
    tiers = np.ascontiguousarray(reports[:, TIER])
    return reports_batch(live.survey, schema, device_words(reports), tiers, live.symbols(reports))
