"""The bulk path: randomise many devices' values, and count them, in chunks and on all cores.

A chunk goes through the flow of one device, an array at a time: coins, then each attribute's
code and table for the devices that were assigned it, then the counts.  Random bits come from
AES-256 in counter mode, keyed by the operating system; answer number i uses block i, so the
result for a seed does not depend on how the work is divided.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from .coins import NO_TIERS, Assignment, Coins, Symbols, Tiers, Words, device_ids
from .columns import TableLike, read_columns
from .errors import ClippedWarning, DataError
from .program import Program
from .progress import progress_bar
from .reports import reports_batch, reports_schema, tier_reports
from .rounds import Round, derive
from .survey import Survey
from .tally import Counts, Tally

CHUNK = 1 << 16


@dataclass(frozen=True)
class Chunk:
    """Some devices' reports, with what they were asked and how many values were clipped."""

    ids: Words
    tiers: Tiers
    assigned: Assignment
    symbols: Symbols
    clipped: Counts


class Answers:
    """Everything that turns the rows of a table into symbols, a chunk at a time."""

    def __init__(
        self,
        survey: Survey,
        table: TableLike,
        seed: int | None = None,
        *,
        round: Round | None = None,
        tiers: Any = None,
        first: int = 0,
        strict: bool = False,
    ) -> None:
        if type(first) is not int or not 0 <= first < 1 << 62:
            raise DataError("'first' must be the number of the first row's device, 0 or more")
        self.survey = survey
        columns, self.devices = read_columns(table, survey.attributes)
        self.tiers = _read_tiers(survey, tiers, self.devices)
        self.first = first
        self.strict = strict
        self.round, self.key = _randomness(seed, round)
        self.coins = Coins(survey, self.round)
        self.program = Program(survey, columns)

    def chunk(self, start: int, stop: int) -> Chunk:
        """Randomise rows `start` to `stop`."""
        ids = device_ids(self.first + start, stop - start)
        tiers = self.tiers[start:stop]
        answers = self.survey.answers
        words = keystream(self.key, (self.first + start) * answers, (stop - start) * answers)
        symbols = np.empty(len(words), np.uint16)
        assigned = self.coins.assign(ids, tiers)
        order, starts = self.coins.sort(assigned)
        clipped = self.program.run(start, stop, assigned, order, starts, words, symbols)
        return Chunk(ids, tiers, assigned, symbols, clipped)


def collect(answers: Answers, progress: bool | None, threads: int | None) -> Tally:
    """Randomise and count every row; see `Survey.collect`."""
    survey = answers.survey
    workers = threads or min(cores(), -(-answers.devices // CHUNK))

    def work(chunks: Iterator[tuple[int, int]]) -> tuple[Counts, Counts]:
        counts = np.zeros(answers.coins.cells, np.int64)
        clipped = np.zeros(len(survey.attributes), np.int64)
        for start, stop in chunks:
            chunk = answers.chunk(start, stop)
            clipped += chunk.clipped
            answers.coins.count(chunk.assigned, chunk.symbols, counts)
        return counts, clipped

    with progress_bar("collecting", answers.devices, progress) as advance:
        chunks = _shared(_chunks(answers.devices, advance))
        with ThreadPoolExecutor(workers) as pool:
            parts = list(pool.map(work, [chunks] * workers))
    counts = np.sum([part for part, _ in parts], axis=0)
    clipped = np.sum([part for _, part in parts], axis=0)
    _report_clipped(survey, clipped, answers.strict)
    reports = tier_reports(answers.tiers, answers.devices, len(survey.tiers))
    return Tally.of(survey, answers.round, counts, reports)


def randomize(answers: Answers, progress: bool | None) -> pa.Table:
    """Randomise every row into a report; see `Survey.randomize`."""
    survey = answers.survey
    schema = reports_schema(survey, answers.round)
    clipped = np.zeros(len(survey.attributes), np.int64)
    batches = []
    with progress_bar("randomising", answers.devices, progress) as advance:
        for start, stop in _chunks(answers.devices, advance):
            chunk = answers.chunk(start, stop)
            clipped += chunk.clipped
            batches.append(reports_batch(survey, schema, chunk.ids, chunk.tiers, chunk.symbols))
    _report_clipped(survey, clipped, answers.strict)
    return pa.Table.from_batches(batches, schema)


def keystream(key: bytes, first: int, count: int) -> Words:
    """Return blocks first..first+count of the AES-256-CTR keystream, as pairs of words."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = Cipher(algorithms.AES(key), modes.CTR(first.to_bytes(16, "big")))
    stream = np.empty(16 * count + 15, np.uint8)
    cipher.encryptor().update_into(_zeros(16 * count), stream.data)
    return stream[: 16 * count].view("<u8").reshape(count, 2)


@lru_cache(maxsize=4)
def _zeros(count: int) -> bytes:
    return bytes(count)


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


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _chunks(devices: int, advance: Callable[[int], None]) -> Iterator[tuple[int, int]]:
    for start in range(0, devices, CHUNK):
        stop = min(start + CHUNK, devices)
        yield start, stop
        advance(stop - start)


def _shared(chunks: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Let several threads take chunks from one iterator."""
    from threading import Lock

    lock = Lock()

    def take() -> tuple[int, int] | None:
        with lock:
            return next(chunks, None)

    return iter(take, None)


def _report_clipped(survey: Survey, clipped: Counts, strict: bool) -> None:
    for attribute, number in zip(survey.attributes, clipped.tolist(), strict=True):
        if number:
            if strict:
                raise DataError(
                    f"{attribute.name}: {number} values lie outside its range; widen the range, "
                    "or collect without 'strict' to clip them"
                )
            warnings.warn(ClippedWarning(attribute.name, number), stacklevel=4)
