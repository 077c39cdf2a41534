"""From an Arrow table of reports to a tally."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..errors import TallyError
from ..reports import (
    cell_columns,
    has_pseudonyms,
    id_words,
    read_batch,
    reports_schema,
    said_by,
    tier_reports,
)
from ..rounds import Round
from ..tally import Tally
from .counter import Counter

if TYPE_CHECKING:
    from ..survey import Survey

CHUNK = 1 << 16


def tally_reports(survey: Survey, reports: pa.Table, round: Round | None = None) -> Tally:
    """Count an Arrow table of reports; see `Survey.tally`."""
    round = _reports_round(survey, reports, round)
    counter = Counter(survey, round)
    totals = np.zeros(len(survey.tiers), np.int64)
    _refuse_duplicates(reports)
    by_cells = has_pseudonyms(reports.schema)
    for batch in reports.to_batches(max_chunksize=CHUNK):
        if not len(batch):
            continue
        (low, high), tiers, symbols = read_batch(batch, survey)
        if by_cells:
            for name in cell_columns(survey):
                counter.add_cells(batch.column(name).to_numpy(zero_copy_only=False))
        else:
            counter.add(low, high, tiers, symbols)
        totals += tier_reports(tiers, len(batch), len(survey.tiers))
    if counter.invalid:
        raise TallyError("reports: a symbol is not in its attribute's table")
    return Tally.of(survey, round, counter.counts, tuple(totals.tolist()))


def _reports_round(survey: Survey, reports: pa.Table, round: Round | None) -> Round:
    if not isinstance(reports, pa.Table):
        raise TallyError("reports must be an Arrow table, as survey.randomize returns")
    needed = set(reports_schema(survey, Round.simulated(0)).names)
    if has_pseudonyms(reports.schema):
        needed |= set(cell_columns(survey))
    if missing := needed - set(reports.column_names):
        raise TallyError(f"reports: column {min(missing)!r} is missing")
    described = said_by(reports.schema)
    if described is None:
        if round is None:
            raise TallyError("reports do not say their round; pass round=")
        return round
    fingerprint, stored = described
    if fingerprint != survey.fingerprint:
        raise TallyError(f"reports belong to another survey, not to {survey.name!r}")
    if round is not None and round != stored:
        raise TallyError(f"reports belong to round {stored.label!r}, not to {round.label!r}")
    return stored


def _refuse_duplicates(reports: pa.Table) -> None:
    """A device reports once a round: two reports of one device are refused."""
    if not len(reports):
        return
    low, high = np.concatenate([id_words(chunk) for chunk in reports["device"].chunks], axis=1)
    mixed = low * np.uint64(0x9E3779B97F4A7C15) ^ high * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed.sort()
    if (mixed[1:] == mixed[:-1]).any() and len(np.unique([low, high], axis=1)[0]) < len(low):
        raise TallyError("reports: a device reported twice in the round; keep the first of each")
