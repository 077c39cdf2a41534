"""The local engine: Arrow decodes a log's row groups, which are counted on all cores.

Unless the log is trusted, every coin is recomputed from its id: what is counted is what the
devices were asked, whatever the log says.  Only the server can do that where ids are pseudonyms.
A device's first report counts: the earliest day, then the lowest number, then (should two writers
have given the same) the lowest cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..arrays import NO_TIERS, Counts, Symbols, Tiers, Words
from ..bulk.counter import Counter
from ..bulk.threads import cores, share_out
from ..errors import TallyError
from ..reports import cell_columns
from ..tally import cell_shapes
from . import unique
from .counted import Counted, counted
from .log import HIGH, LOW, NUMBER, Log, LogFile

Group = tuple[LogFile, int]
Ids = tuple[Words, Words]
Marks = list[list[Words]]
"""For each group of rows, the marks of its ids, share after share."""


def tally(log: Log, *, trusted: bool = False, threads: int | None = None) -> Counted:
    """Count a log; `trusted` says that its cells are right and each device is in it once."""
    workers = threads or cores()
    if trusted:
        return _trusted(log, workers)
    return _checked(log, workers)


def _trusted(log: Log, workers: int) -> Counted:
    names = cell_columns(log.survey)

    def count(groups: Iterator[Group]) -> Counter:
        counter = Counter(log.survey, log.round)
        for file, group in groups:
            table = log.read(file, group, names)
            for name in names:
                counter.add_cells(_numbers(table[name]))
        return counter

    total = _sum(log, share_out(_groups(log), workers, count))
    return counted(log, total.counts, total.invalid)


def _checked(log: Log, workers: int) -> Counted:
    passes = unique.passes(log.rows)
    meaning = _Meaning(log)
    repeats = Counter(log.survey, log.round)
    logged, recomputed = Counter(log.survey, log.round), Counter(log.survey, log.round)
    for number in range(passes):

        def look(groups: Iterator[Group], number: int = number) -> tuple[Counter, Counter, Marks]:
            """Count (in the first pass), and note this pass's marks."""
            as_logged, as_recomputed = (Counter(log.survey, log.round) for _ in range(2))
            found = []
            for file, group in groups:
                ids, cells = _reports(log, file, group, with_cells=number == 0)
                found.append(unique.spread(unique.marks(*ids), number, passes))
                if number == 0:
                    _count(as_logged, as_recomputed, meaning, ids, cells)
            return as_logged, as_recomputed, found

        parts = share_out(_groups(log), workers, look)
        logged += _sum(log, (part[0] for part in parts))
        recomputed += _sum(log, (part[1] for part in parts))
        suspects = unique.repeated([mark for part in parts for mark in part[2]], workers)
        if len(suspects):
            repeats += _repeats(log, suspects, meaning, workers)
    if not logged.invalid and not np.array_equal(logged.counts, recomputed.counts):
        raise TallyError(
            f"{log.folder}: its cells are not those of the round's coins; the log was not written "
            "from reports of this round"
        )
    recomputed -= repeats
    return counted(log, recomputed.counts, logged.invalid)


def _count(
    logged: Counter, recomputed: Counter, meaning: _Meaning, ids: Ids, cells: list[Counts]
) -> None:
    """Count reports by the cells that the log names, and by those that their coins name."""
    for column in cells:
        logged.add_cells(column)
    if logged.invalid:
        return  # the log is refused at the end
    if meaning.pseudonyms:
        for column in cells:
            recomputed.add_cells(column)
        return
    symbols = [meaning.symbols(column) for column in cells]
    recomputed.add(ids[0], ids[1], meaning.tiers(cells[0]), symbols)


def _repeats(log: Log, suspects: Words, meaning: _Meaning, workers: int) -> Counter:
    """Count the reports to leave out, among those whose marks occur more than once."""

    def gather(groups: Iterator[Group]) -> list[tuple[Ids, list[Counts]]]:
        found = []
        for file, group in groups:
            ids, cells = _reports(log, file, group, with_cells=True)
            place = np.searchsorted(suspects, mixed := unique.marks(*ids))
            chosen = suspects[np.minimum(place, len(suspects) - 1)] == mixed
            if chosen.any():
                number = _numbers(log.read(file, group, [NUMBER])[NUMBER])
                day = np.full(int(chosen.sum()), np.datetime64(file.day).astype(np.int64))
                order = [day, number[chosen], *(column[chosen] for column in cells)]
                found.append(((ids[0][chosen], ids[1][chosen]), order))
        return found

    parts = [part for parts in share_out(_groups(log), workers, gather) for part in parts]
    low, high = (np.concatenate(halves) for halves in zip(*(ids for ids, _ in parts), strict=True))
    order = [np.concatenate(columns) for columns in zip(*(part[1] for part in parts), strict=True)]
    again = unique.later_ones((low, high), order)
    repeats = Counter(log.survey, log.round)
    cells = [column[again] for column in order[2:]]
    _count(Counter(log.survey, log.round), repeats, meaning, (low[again], high[again]), cells)
    return repeats


class _Meaning:
    """The tier and the symbol that each cell of a survey stands for."""

    def __init__(self, log: Log) -> None:
        tiers, symbols = [], []
        for tier, shapes in enumerate(cell_shapes(log.survey)):
            for rows, width in shapes:
                tiers.append(np.full(rows * width, tier, np.uint8))
                symbols.append(np.tile(np.arange(width, dtype=np.uint16), rows))
        self.pseudonyms = log.pseudonyms
        self._several = len(log.survey.tiers) > 1
        self._tiers, self._symbols = np.concatenate(tiers), np.concatenate(symbols)

    def tiers(self, cells: Counts) -> Tiers:
        """Return the tiers of cells that exist; nothing where the survey has only one."""
        return self._tiers.take(cells) if self._several else NO_TIERS

    def symbols(self, cells: Counts) -> Symbols:
        """Return the symbols of cells that exist."""
        return self._symbols.take(cells)


def _reports(log: Log, file: LogFile, group: int, *, with_cells: bool) -> tuple[Ids, list[Counts]]:
    names = [LOW, HIGH, *(cell_columns(log.survey) if with_cells else [])]
    table = log.read(file, group, names)
    low, high, *cells = (_numbers(table[name]) for name in names)
    return (low.view(np.uint64), high.view(np.uint64)), cells


def _numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    if column.null_count:
        raise TallyError("a report in the log has a null; every field is needed")
    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    numbers: NDArray[np.int64] = whole.to_numpy()
    return numbers


def _groups(log: Log) -> Iterator[Group]:
    return ((file, group) for file in log.files for group in range(len(file.groups)))


def _sum(log: Log, counters: Iterable[Counter]) -> Counter:
    total = Counter(log.survey, log.round)
    for counter in counters:
        total += counter
    return total
