"""The bulk path: randomise many devices' values, and count them, in chunks and on all cores.

A chunk goes through the flow of one device, an array at a time: coins, then each attribute's
code and table for the devices that were assigned it, then the counts.  Random bits come from
AES-256 in counter mode, keyed by the operating system; answer number i uses block i, so the
result for a seed does not depend on how the work is divided.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..arrays import NO_TIERS, Counts, Symbols, Tiers, Words
from ..errors import ClippedWarning, DataError
from ..progress import progress_bar
from ..reports import reports_batch, reports_schema, tier_reports
from ..rounds import Round, derive
from ..tally import Tally
from .backend import backend
from .buffers import Buffers
from .coins import Coins, device_ids
from .columns import Column, TableLike
from .fields import Cells, Order
from .layout import lay_out
from .read_table import read_columns
from .reader import Reader
from .threads import cores, share_out

if TYPE_CHECKING:
    from ..survey import Survey

CHUNK = 1 << 16
"""Devices that go through the flow together: few enough for the cache, and enough that threads
seldom meet at the interpreter's lock."""

WIDE = 64
"""So many attributes more make an answer cost the reference as much again."""


@dataclass(frozen=True)
class Chunk:
    """Some devices' reports, and how many values of each column were clipped."""

    ids: Words
    tiers: Tiers
    order: Order
    ordered: Symbols
    clipped: Counts

    @property
    def symbols(self) -> Symbols:
        """The symbols as they are sent: device after device."""
        symbols = np.empty_like(self.ordered)
        symbols[self.order.places] = self.ordered
        return symbols


class Randomizer:
    """Everything that turns the rows of a table into symbols, a chunk at a time.

    Row i is device number `first` + i.  Given a number of `devices`, they take the rows in
    turn, over and over: a simulation larger than its table.  With `as_devices` every row has an
    answer, as every record has on a device; else rows without one are refused.
    """

    def __init__(
        self,
        survey: Survey,
        table: TableLike,
        seed: int | None = None,
        *,
        round: Round | None = None,
        tiers: Any = None,
        first: int = 0,
        devices: int | None = None,
        strict: bool = False,
        as_devices: bool = False,
    ) -> None:
        if type(first) is not int or not 0 <= first < 1 << 62:
            raise DataError("'first' must be the number of the first row's device, 0 or more")
        self.survey = survey
        columns, self.rows = read_columns(table, survey.readings, as_devices)
        self.devices = self.rows if devices is None else devices
        self.tiers = _read_tiers(survey, tiers, self.rows)
        self.first = first
        self.strict = strict
        self.round, self.key = _randomness(seed, round)
        self.coins = Coins(survey, self.round)
        self._reader = Reader(list(dict.fromkeys(columns)), self.rows, len(survey.attributes))
        self._layout = lay_out(survey, columns)

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are read, each once."""
        return self._reader.columns

    @property
    def work(self) -> int:
        """How many answers there are to give, counted several times if attributes are many."""
        return self.devices * self.survey.answers * (1 + len(self.survey.attributes) // WIDE)

    def chunk(
        self, start: int, stop: int, buffers: Buffers | None = None, cells: Cells | None = None
    ) -> Chunk:
        """Randomise devices `start` to `stop`, whose rows must not start over in between.

        The chunk lies in the buffers, until the next one does.  Given `cells`, it is counted, too.
        """
        buffers, cells = buffers or Buffers(), cells or self.coins.lanes(0)
        ids = device_ids(self.first + start, stop - start, buffers)
        row = start % self.rows
        tiers = self.tiers[row : row + stop - start]
        answers = self.survey.answers
        first, count = (self.first + start) * answers, (stop - start) * answers
        words = keystream(self.key, first, count, buffers)
        symbols = buffers.array("symbols", count, np.uint16)
        places = buffers.array("places", count, np.int32)
        order = self.coins.ask(ids, tiers, words, buffers)
        columns = self._reader.chunk(row, row + stop - start)
        answer = partial(
            backend().answer_columns, columns, order, self._layout, cells, places, symbols
        )
        answer()
        clipped = columns.examine()
        if not columns.answered.all():
            answer()
        return Chunk(ids, tiers, order, symbols, clipped)

    def chunks(
        self, start: int = 0, stop: int | None = None, workers: int = 1
    ) -> Iterator[tuple[int, int]]:
        """Cut devices `start` to `stop` (or all) into chunks, equally many for each worker."""
        stop = self.devices if stop is None else stop
        number = workers * -(-(stop - start) // (workers * CHUNK))
        size = -(-(stop - start) // max(1, number))
        while start < stop:
            end = min(start + size, stop, start + self.rows - start % self.rows)
            yield start, end
            start = end

    def count(self, chunks: Iterable[tuple[int, int]]) -> tuple[Counts, Counts]:
        """Randomise and count chunks; return the flat counts, and the values clipped."""
        cells = self.coins.lanes()
        clipped = np.zeros(len(self.columns), np.int64)
        with Buffers.borrow() as buffers:
            for start, stop in chunks:
                clipped += self.chunk(start, stop, buffers, cells).clipped
        return cells.lanes.sum(axis=0), clipped

    def tally(self, counts: Counts, clipped: Counts) -> Tally:
        """Return the tally of all devices with these counts, and warn of clipped values."""
        self.report_clipped(clipped)
        over, rest = divmod(self.devices, self.rows)
        tiers = len(self.survey.tiers)
        whole = np.array(tier_reports(self.tiers, self.rows, tiers))
        part = np.array(tier_reports(self.tiers[:rest], rest, tiers))
        reports = tuple((over * whole + part).tolist())
        return Tally.of(self.survey, self.round, counts, reports)

    def report_clipped(self, clipped: Counts) -> None:
        """Warn of so many clipped values in each column, or refuse them."""
        for column, number in zip(self.columns, clipped.tolist(), strict=True):
            if number:
                name = column.attribute.source
                if self.strict:
                    raise DataError(
                        f"{name}: {number} values lie outside its range; widen the range, "
                        "or collect without 'strict' to clip them"
                    )
                warnings.warn(ClippedWarning(name, number), stacklevel=5)


def collect(devices: Randomizer, progress: bool | None, threads: int | None) -> Tally:
    """Randomise and count every row; see `Survey.collect`."""
    if devices.survey.every is not None:  # few of the rows report, which counting knows nothing of
        return devices.survey.tally(randomize(devices, progress))
    backend(devices.work)
    workers = threads or min(cores(), -(-devices.devices // CHUNK))
    with progress_bar("collecting", devices.devices, progress) as advance:
        chunks = _advancing(devices.chunks(workers=workers), advance)
        parts = share_out(chunks, workers, devices.count)
    counts = np.sum([part for part, _ in parts], axis=0)
    clipped = np.sum([part for _, part in parts], axis=0)
    return devices.tally(counts, clipped)


def randomize(devices: Randomizer, progress: bool | None) -> pa.Table:
    """Randomise every row into a report; see `Survey.randomize`."""
    schema = reports_schema(devices.survey, devices.round)
    return pa.Table.from_batches(report_batches(devices, progress), schema)


def report_batches(devices: Randomizer, progress: bool | None) -> Iterator[pa.RecordBatch]:
    """Yield the reports of a chunk of devices after the other."""
    survey = devices.survey
    schema = reports_schema(survey, devices.round)
    clipped = np.zeros(len(devices.columns), np.int64)
    backend(devices.work)
    with (
        Buffers.borrow() as buffers,
        progress_bar("randomising", devices.devices, progress) as advance,
    ):
        for start, stop in _advancing(devices.chunks(), advance):
            chunk = devices.chunk(start, stop, buffers)
            clipped += chunk.clipped
            batch = reports_batch(survey, schema, chunk.ids, chunk.tiers, chunk.symbols)
            yield batch if survey.every is None else batch.filter(devices.coins.are_due(chunk.ids))
    devices.report_clipped(clipped)


def keystream(key: bytes, first: int, count: int, buffers: Buffers | None = None) -> Words:
    """Return blocks first..first+count of the AES-256-CTR keystream, as pairs of words."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = Cipher(algorithms.AES(key), modes.CTR(first.to_bytes(16, "big")))
    stream = (buffers or Buffers()).array("keystream", 16 * count + 15, np.uint8)
    zeros = memoryview(_zeros((16 * count).bit_length()))[: 16 * count]
    written = cipher.encryptor().update_into(zeros, stream.data)
    if written != 16 * count:  # what lies there from the last chunk must never be used again
        raise RuntimeError(f"the cipher gave {written} bytes of {16 * count}")
    return stream[: 16 * count].view("<u8").reshape(count, 2)


@lru_cache(maxsize=4)
def _zeros(bits: int) -> bytes:
    return bytes(1 << bits)


def _randomness(seed: int | None, round: Round | None) -> tuple[Round, bytes]:
    """Return the round and the key: from the system, or from a simulation's seed."""
    if seed is None:
        return round or Round.open("simulation"), os.urandom(32)
    return round or Round.simulated(seed), derive(seed, "answers")


def _read_tiers(survey: Survey, tiers: Any, devices: int) -> Tiers:
    if tiers is None:
        if len(survey.tiers) > 1:
            raise DataError("the survey offers tiers: pass tiers=, the number of each row's tier")
        return NO_TIERS
    chosen = np.asarray(tiers)
    if chosen.shape != (devices,) or chosen.dtype.kind not in "iu":
        raise DataError("'tiers' must be an array with the number of each row's tier")
    if chosen.min() < 0 or chosen.max() >= len(survey.tiers):
        raise DataError(f"'tiers' must be between 0 and {len(survey.tiers) - 1}")
    return chosen.astype(np.uint8, copy=False) if len(survey.tiers) > 1 else NO_TIERS


def _advancing(
    chunks: Iterator[tuple[int, int]], advance: Callable[[int], None]
) -> Iterator[tuple[int, int]]:
    for start, stop in chunks:
        yield start, stop
        advance(stop - start)
