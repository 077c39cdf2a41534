"""Stored reports as Parquet, in the same shape as `Survey.randomize` returns them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from harmony.reports import reports_batch, reports_schema

from .blocks import TIER, LiveRound, Reports, device_words

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


def _batch(schema: pa.Schema, live: LiveRound, reports: Reports) -> pa.RecordBatch:
    tiers = np.ascontiguousarray(reports[:, TIER])
    return reports_batch(live.survey, schema, device_words(reports), tiers, live.symbols(reports))
