"""What every store does: add blocks of reports and their counts in one transaction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harmony.arrays import Counts
from harmony.errors import HarmonyError
from harmony.service.ingest.blocks import TIER, Block, LiveRound, Reports, rows_of
from harmony.service.ingest.outcomes import ACCEPTED, CLOSED, FORBIDDEN, MALFORMED, Outcomes
from harmony.service.schema import SHARDS
from harmony.service.sealing import marks_of, seal

Rows = NDArray[np.intp]

FEW_PLACES = 4096
"""So many places are looked through sooner than a few values are sorted."""

Append = Callable[[LiveRound, Reports, float], Outcomes | None]
"""A way to store reports: see `Store._append`."""


class StoreError(HarmonyError):
    """The database did not take a transaction: nothing of it may be acknowledged."""


class ReportsDroppedError(HarmonyError):
    """The reports of a round were dropped: its tally is all that is left."""

    def __init__(self) -> None:
        super().__init__("the round's reports were dropped, as its retention says; its tally stays")


class Store(ABC):
    """Reports and counts, changed together or not at all.

    A store belongs to one thread.  Every method that changes something is one transaction:
    when it returns, the change is durable; when it raises `StoreError`, it may or may not have
    happened, and the store is ready for the next.
    """

    _shard = 0
    """Where it counts, among the shards of each stratum."""

    def commit(self, blocks: Sequence[Block], now: float) -> list[Outcomes]:
        """Add the reports that may be added; return what became of each, block by block."""
        with self._transaction():
            return self._add_blocks(blocks, now, self._append)

    def _add_blocks(self, blocks: Sequence[Block], now: float, append: Append) -> list[Outcomes]:
        # The same order in every server, so that none waits for another in a circle.
        order = sorted(range(len(blocks)), key=lambda place: blocks[place].round.id)
        outcomes = {place: self._add(blocks[place], now, append) for place in order}
        return [outcomes[place] for place in range(len(blocks))]

    def _add(self, block: Block, now: float, append: Append) -> Outcomes:
        live, reports = block.round, block.reports
        if live.key is None:  # its reports were dropped, which is after it closed
            return np.full(len(reports), CLOSED, np.uint8)
        cells, due = live.locate(reports), live.are_due(reports)
        outcomes = np.where(due, MALFORMED, FORBIDDEN).astype(np.uint8)
        rows = np.flatnonzero((cells[:, 0] >= 0) & due)
        became = append(live, rows_of(reports, rows), now)
        if became is None:
            return np.full(len(reports), CLOSED, np.uint8)
        outcomes[rows] = became
        self._count(live, reports, cells, np.flatnonzero(outcomes == ACCEPTED), 1)
        return outcomes

    def forget(self, device: bytes, rounds: Sequence[LiveRound]) -> int:
        """Remove a device's reports and their counts, and refuse it from now on."""
        removed = 0
        with self._transaction(alone=True):
            for live in rounds:
                if live.key is None:
                    continue
                report = self._remove(live, seal(device, live.key))
                if report is not None:
                    reports = live.unseal(live.rows(report))
                    self._count(live, reports, live.locate(reports), np.arange(1), -1)
                    removed += 1
            self._refuse(marks_of(device))
        return removed

    def _count(
        self, live: LiveRound, reports: Reports, cells: Counts, rows: Rows, step: int
    ) -> None:
        """Add `step` to the tally for each answer of these rows, in their devices' strata."""
        if not len(rows):
            return
        counted, cells = rows_of(reports, rows), rows_of(cells, rows)
        strata = live.strata(counted)
        found, touched, times = _counted_in(strata, cells, live.coins.cells)
        self._add_counts(live.id, SHARDS * found + self._shard, touched, times * step)
        tiers = counted[:, TIER : TIER + 1].astype(np.int64)
        found, touched, times = _counted_in(strata, tiers, len(live.survey.tiers))
        self._add_totals(live.id, SHARDS * found + self._shard, touched, times * step)

    def erase(self) -> bool:
        """Overwrite in the files what was removed; False if a reader is in the way for now."""
        return True

    @abstractmethod
    def probe(self) -> None:
        """Commit something that changes nothing, to find out whether reports can be committed."""

    @abstractmethod
    def stored(self, live: LiveRound) -> Iterator[Reports]:
        """Read back a round's reports as devices sent them, some thousands at a time.

        They are those of one moment.  Raises `ReportsDroppedError` if there are none any more.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def _transaction(self, *, alone: bool = False) -> AbstractContextManager[None]:
        """Begin, and commit at the end; `alone` waits for commits under way elsewhere."""

    @abstractmethod
    def _append(self, live: LiveRound, reports: Reports, now: float) -> Outcomes | None:
        """Store the reports that may be stored and say what became of each; None if none may.

        None may if the round is not open as this transaction sees it.  Of the others, those of
        devices that were forgotten may not, nor those of devices that have one in this round.
        """

    @abstractmethod
    def _add_counts(self, round_id: int, shards: Counts, cells: Counts, times: Counts) -> None:
        """Add to cells, each of a shard."""

    @abstractmethod
    def _add_totals(self, round_id: int, shards: Counts, tiers: Counts, reports: Counts) -> None:
        """Add to the reports of tiers, each of a shard."""

    @abstractmethod
    def _refuse(self, mark: bytes) -> None:
        """Remember that the device of this mark may not report again."""

    @abstractmethod
    def _remove(self, live: LiveRound, sealed: bytes) -> bytes | None:
        """Take the report of a sealed id out of a round and return it as stored, if it is there."""


def _counted_in(strata: Counts, places: Counts, width: int) -> tuple[Counts, Counts, Counts]:
    """Return which places below `width` the rows have, stratum by stratum, and how many of each.

    >>> [found.tolist() for found in _counted_in(np.array([9, 5, 9]), np.array([[1], [0], [1]]), 2)]
    [[5, 9], [0, 1], [1, 2]]
    """
    if not strata.any():
        touched, times = _counted(places.reshape(-1))
        return np.zeros_like(touched), touched, times
    present, _ = _counted(strata)
    together = width * np.searchsorted(present, strata)[:, None] + places
    touched, times = _counted(together.reshape(-1))
    return present[touched // width], touched % width, times


def _counted(values: NDArray[np.integer[Any]]) -> tuple[Counts, Counts]:
    """Return which values there are, in order, and how many of each.

    >>> [found.tolist() for found in _counted(np.array([7, 2, 7]))]
    [[2, 7], [1, 2]]
    """
    if values.max() < FEW_PLACES + len(values):  # which spares them the sorting
        times = np.bincount(values)
        touched = np.flatnonzero(times)
        return touched, times[touched]
    return np.unique(values, return_counts=True)
