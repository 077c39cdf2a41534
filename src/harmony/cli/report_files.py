"""Files of reports: Parquet, which also says the survey and the round, or CSV and NDJSON.

Text files say them in three more columns: the round's label, its seed and the survey's
fingerprint, the same on every line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from ..arrays import Counts
from ..errors import DataError, TallyError
from ..reports import METADATA, cell_columns, has_pseudonyms, reports_schema, said_by
from ..rounds import Round
from ..survey import Survey
from ..tally import Tally
from .data_files import Part, read_parts
from .loading import LOG, REPORTS
from .terminal import meter

ABOUT = ("round", "seed", "fingerprint")


class Writer(Protocol):
    """What takes tables of reports, one after the other."""

    def write_table(self, table: pa.Table) -> Any: ...


@contextmanager
def writing_reports(path: Path, survey: Survey, round: Round) -> Iterator[Writer]:
    """Yield a writer; the file (or the log's) appears when everything is written, or not at all."""
    if path.suffix == LOG:
        from ..engines import LogWriter

        with LogWriter(path, survey, round) as log:
            yield log
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with _writer(temporary, path.suffix, reports_schema(survey, round)) as writer:
            yield writer
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _writer(path: Path, suffix: str, schema: pa.Schema) -> Iterator[Writer]:
    if suffix == ".parquet":
        from pyarrow import parquet

        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            yield writer
    elif suffix == ".csv":
        from pyarrow import csv

        with csv.CSVWriter(path, _as_text(schema.empty_table()).schema) as writer:
            yield _TextWriter(writer)
    else:
        with path.open("w", encoding="utf-8") as lines:
            yield _LineWriter(lines)


class _TextWriter:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def write_table(self, table: pa.Table) -> None:
        self._writer.write_table(_as_text(table))


class _LineWriter:
    def __init__(self, lines: Any) -> None:
        self._lines = lines

    def write_table(self, table: pa.Table) -> None:
        for batch in _as_text(table).to_batches(1 << 14):
            self._lines.writelines(f"{json.dumps(one)}\n" for one in batch.to_pylist())


def _as_text(reports: pa.Table) -> pa.Table:
    """Write ids as hexadecimal, and what the metadata say as columns."""
    about = json.loads(reports.schema.metadata[METADATA])
    ids = pa.array([one.hex() for one in reports["device"].to_pylist()], pa.string())
    reports = reports.set_column(0, "device", ids)
    for name in ABOUT:
        reports = reports.append_column(name, pa.repeat(pa.scalar(about[name]), len(reports)))
    return reports.replace_schema_metadata(None)


def count_reports(survey: Survey, paths: Sequence[Path], round: Round | None) -> Tally:
    """Count the reports of all files; `round` is for files that do not say their own."""
    devices = Devices()
    tallies: list[Tally] = []
    with meter("Counting reports") as show:
        for place, path in enumerate(paths):
            for part in _read_reports(path, survey):
                if round is None and METADATA not in (part.table.schema.metadata or {}):
                    raise TallyError(f"{path}: does not say its round; give --round, --round-seed")
                try:
                    counted = survey.tally(part.table, round)
                except TallyError as problem:
                    raise TallyError(f"{path}: {problem}") from None
                tallies = [sum(tallies, counted)]
                devices.add(part.table["device"])
                show((place + part.share) / len(paths))
    devices.refuse_twice(lambda: _all_ids(paths, survey))
    return tallies[0]


def reports_and_round(survey: Survey, paths: Sequence[Path]) -> tuple[Round, Iterator[pa.Table]]:
    """Return the round of some files of reports, and their tables one after the other."""
    tables = (part.table for path in paths for part in _read_reports(path, survey))
    first = next(tables)
    round = _round_of(survey, first)

    def checked() -> Iterator[pa.Table]:
        for table in chain([first], tables):
            if _round_of(survey, table) != round:
                raise TallyError("the files belong to different rounds; export each by itself")
            yield table

    return round, checked()


def _round_of(survey: Survey, reports: pa.Table) -> Round:
    said = said_by(reports.schema)
    if said is None or said[0] != survey.fingerprint:
        raise TallyError(f"reports: do not say that they belong to survey {survey.name!r}")
    return said[1]


def _all_ids(paths: Sequence[Path], survey: Survey) -> Iterator[pa.ChunkedArray]:
    for path in paths:
        for part in _read_reports(path, survey):
            yield part.table["device"]


def _read_reports(path: Path, survey: Survey) -> Iterator[Part]:
    columns = {field.name: field.type for field in reports_schema(survey, Round("any", bytes(16)))}
    if path.suffix == ".parquet":
        if _has_pseudonyms(path):
            columns |= dict.fromkeys(cell_columns(survey), pa.int64())
        yield from read_parts(path, columns)
        return
    if path.suffix not in REPORTS:
        raise DataError(f"{path}: reports come from {', '.join(REPORTS)}; tallies from .tally")
    columns |= {"device": pa.string()} | dict.fromkeys(ABOUT, pa.string())
    for part in read_parts(path, columns):
        yield Part(_from_text(path, part.table), part.first, part.share)


def _has_pseudonyms(path: Path) -> bool:
    """Whether a file's devices have pseudonyms; one that cannot be read is refused later."""
    from pyarrow import parquet

    try:
        return has_pseudonyms(parquet.read_schema(path))
    except (pa.ArrowException, OSError):
        return False


def _from_text(path: Path, reports: pa.Table) -> pa.Table:
    about = {}
    for name in ABOUT:
        said = reports[name].unique().to_pylist()
        if len(said) != 1 or said[0] is None:
            raise TallyError(f"{path}: column {name!r} must say the same on every line")
        about[name] = said[0]
    ids = reports["device"].to_pylist()
    try:
        if any(len(one) != 32 for one in ids):
            raise ValueError
        packed = bytes.fromhex("".join(ids))
    except (TypeError, ValueError):
        raise TallyError(f"{path}: column 'device' must hold 32 hexadecimal digits") from None
    buffers = [None, pa.py_buffer(packed)]
    device = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(ids), buffers)
    reports = reports.drop_columns(list(ABOUT)).set_column(0, "device", device)
    return reports.replace_schema_metadata({METADATA: json.dumps(about).encode()})


class Devices:
    """The devices seen so far, at eight bytes each, to refuse a second report of one."""

    def __init__(self) -> None:
        self._marks: list[Counts] = []

    def add(self, ids: pa.ChunkedArray) -> None:
        self._marks += [_marks(chunk) for chunk in ids.chunks]

    def refuse_twice(self, again: Any) -> None:
        """Refuse a device that was added twice; `again` reads all ids a second time."""
        if len(self._marks) < 2:
            return
        marks = np.concatenate(self._marks)
        marks.sort()
        shared = np.unique(marks[1:][marks[1:] == marks[:-1]])
        if not len(shared):
            return
        seen: set[bytes] = set()
        for ids in again():
            for chunk in ids.chunks:
                for one in chunk.filter(pa.array(np.isin(_marks(chunk), shared))).to_pylist():
                    if one in seen:
                        raise TallyError(
                            "a device reported twice in the round, maybe in two of the files; "
                            "keep the first report of each"
                        )
                    seen.add(one)


def _marks(ids: pa.FixedSizeBinaryArray) -> Counts:
    """Return a 64-bit hash of each id: equal for equal ids, and very rarely for others."""
    words = np.frombuffer(ids.buffers()[1], "<i8").reshape(-1, 2)
    low, high = words[ids.offset : ids.offset + len(ids)].T
    return np.asarray(low * np.int64(0x1E3779B97F4A7C15) ^ high * np.int64(0x42B2AE3D27D4EB4F))
