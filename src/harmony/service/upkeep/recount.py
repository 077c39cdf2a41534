"""Recounting: a round's reports, read in somebody's snapshot, against its tally."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, text

from harmony.arrays import Counts
from harmony.service.ingest.blocks import TIER, LiveRound, Reports, device_words, id_bytes
from harmony.service.round_rows import read_tallies
from harmony.service.sealing import marks_of
from harmony.service.stores.device_index import DeviceIndex
from harmony.service.stores.sqlite import NO_REPORT
from harmony.tally import Tally
from harmony_device.coins import ID_BYTES

AT_ONCE = 10_000


@dataclass(frozen=True)
class Recounted:
    """What a recount of one round found."""

    reports: int
    is_tally: bool
    """Whether they are what its tally counts, stratum by stratum."""
    repeated: int
    """Reports of devices that reported before: in the round, or in another step."""
    deleted: int
    """Reports of devices that were deleted."""
    malformed: int


def stored_reports(connection: Connection, live: LiveRound) -> Iterator[Reports]:
    """Read a round's reports within a transaction, as devices sent them."""
    number = {"round": live.id}
    if connection.dialect.name == "sqlite":
        chunks = text("SELECT reports FROM chunks WHERE round = :round ORDER BY first")
        for (packed,) in connection.execute(chunks, number):
            rows = live.rows(packed)
            present = rows[rows[:, TIER] != NO_REPORT]
            if len(present):
                yield live.unseal(present)
        return
    stored = text("SELECT device, body FROM reports WHERE round = :round")
    streamed = stored.execution_options(stream_results=True, max_row_buffer=AT_ONCE)
    for some in connection.execute(streamed, number).partitions(AT_ONCE):
        packed = b"".join(bytes(row.device) + bytes(row.body) for row in some)
        yield live.unseal(live.rows(packed))


def recount(
    connection: Connection, live: LiveRound, seen: DeviceIndex, deleted: frozenset[bytes]
) -> Recounted:
    """Recount a round; `seen` has the devices of the other steps, and `deleted` the marks."""
    counts: dict[int, Counts] = defaultdict(lambda: np.zeros(live.coins.cells, np.int64))
    tiers: dict[int, Counts] = defaultdict(lambda: np.zeros(len(live.survey.tiers), np.int64))
    reports = repeated = gone = malformed = 0
    for rows in stored_reports(connection, live):
        reports += len(rows)
        repeated += int((seen.claim(device_words(rows)) >= 0).sum())
        if deleted:
            gone += sum(mark in deleted for mark in cut(marks_of(id_bytes(rows))))
        cells = live.locate(rows)
        good = cells[:, 0] >= 0
        malformed += int((~good).sum())
        strata = live.strata(rows)
        for stratum in np.unique(strata[good]).tolist():
            here = good & (strata == stratum)
            np.add.at(counts[stratum], cells[here].reshape(-1), 1)
            np.add.at(tiers[stratum], rows[here, TIER], 1)
    counted = {
        stratum: Tally.of(live.survey, live.round, counts[stratum], tuple(mine.tolist()))
        for stratum, mine in tiers.items()
    }
    kept = {
        stratum: one
        for stratum, one in read_tallies(connection, live).items()
        if one.reports or one.counts.any()  # all its devices may have been deleted
    }
    return Recounted(reports, counted == kept, repeated, gone, malformed)


def cut(ids: bytes) -> list[bytes]:
    """Cut ids, or marks, that lie end to end."""
    return [ids[start : start + ID_BYTES] for start in range(0, len(ids), ID_BYTES)]
