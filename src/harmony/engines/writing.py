"""Writing report logs: a day's reports of a round, added as new files."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..bulk.coins import Coins
from ..errors import TallyError
from ..reports import cell_columns, has_pseudonyms, pseudonymous, read_batch, reports_schema
from ..rounds import Round
from ..survey import Survey
from .log import HIGH, LOW, NUMBER, SUFFIX, day_folder

GROUP_ROWS = 1 << 20
FILE_ROWS = 1 << 25


class LogWriter:
    """Adds reports to a log; the files appear when everything is written, or not at all.

    `day` is today (UTC) unless given.  `first` is the number of the first report among the
    day's; without it they go on after those that are there.

    >>> import tempfile, harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> reports = survey.randomize({"wifi": [True, False, True]}, seed=7)
    >>> with tempfile.TemporaryDirectory() as root:
    ...     with LogWriter(root, survey, hm.Round.simulated(7), date(2026, 11, 15)) as log:
    ...         log.write_table(reports)
    ...     print(*(path.relative_to(root) for path in Path(root).rglob("*.parquet")))
    survey=phones/round=simulation/day=2026-11-15/part-000000000000.parquet
    """

    def __init__(
        self,
        root: str | Path,
        survey: Survey,
        round: Round,
        day: date | None = None,
        first: int | None = None,
    ) -> None:
        self._survey = survey
        self._folder = Path(root) / day_folder(survey, round, day or datetime.now(UTC).date())
        self._coins = Coins(survey, round)
        self._schema = _schema(survey, round, self._coins.cells)
        self._pseudonyms: bool | None = None
        self._number = _next_number(self._folder) if first is None else first
        self._written: list[tuple[Path, Path]] = []
        self._file: pq.ParquetWriter | None = None
        self._waiting: list[pa.RecordBatch] = []
        self._held = self._in_file = 0

    def write_table(self, reports: pa.Table) -> None:
        """Add reports, in the shape that `Survey.randomize` returns, or with pseudonyms."""
        self._name_devices(pseudonyms=has_pseudonyms(reports.schema))
        for batch in reports.to_batches(max_chunksize=GROUP_ROWS):
            self._waiting.append(self._logged(batch))
            self._number += len(batch)
            self._held += len(batch)
            if self._held >= GROUP_ROWS:
                self._write_group()

    def _name_devices(self, *, pseudonyms: bool) -> None:
        """Note what devices are called, which is the same in all of a round's reports."""
        if self._pseudonyms is None:
            self._pseudonyms = pseudonyms
            if pseudonyms:
                metadata = pseudonymous(self._schema.metadata)
                self._schema = self._schema.with_metadata(metadata)
        elif self._pseudonyms != pseudonyms:
            raise TallyError("reports: some have pseudonyms of devices and some their ids")

    def _write_group(self) -> None:
        """Write what waits as one group of rows, large enough to be read quickly."""
        if not self._held:
            return
        if self._file is None or self._in_file >= FILE_ROWS:
            self._next_file()
        assert self._file is not None
        group = pa.Table.from_batches(self._waiting, self._schema)
        self._file.write_table(group, row_group_size=len(group))
        self._in_file += self._held
        self._waiting, self._held = [], 0

    def _logged(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        ids, tiers, symbols = read_batch(batch, self._survey)
        if self._pseudonyms:
            named = [batch.column(name).to_numpy() for name in cell_columns(self._survey)]
            cells = np.stack(named, axis=1).astype(np.int64).reshape(-1)
        else:
            sent = np.stack(symbols, axis=1).astype(np.uint16).reshape(-1)
            cells = self._coins.locate(ids, tiers, sent)
        if cells.min() < 0 or cells.max() >= self._coins.cells:
            raise TallyError("reports: a symbol is not in its attribute's table")
        low, high = ids.view(np.int64)
        numbers = np.arange(self._number, self._number + len(batch))
        columns = [low, high, numbers, *cells.reshape(len(batch), -1).T]
        fields = zip(columns, self._schema, strict=True)
        arrays = [pa.array(column).cast(field.type) for column, field in fields]
        return pa.record_batch(arrays, schema=self._schema)

    def _next_file(self) -> None:
        self._close_file()
        self._folder.mkdir(parents=True, exist_ok=True)
        final = self._folder / f"part-{self._number - self._held:012d}{SUFFIX}"
        while final.exists():  # another writer's, with the same numbers
            final = final.with_name(f"{final.stem}-{os.urandom(4).hex()}{SUFFIX}")
        temporary = self._folder / f".{final.name}.{os.getpid()}"
        self._written.append((temporary, final))
        self._file = pq.ParquetWriter(temporary, self._schema, **_encoding(self._survey))
        self._in_file = 0

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: object, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._write_group()
            self._close_file()
            if kind is None:
                for temporary, final in self._written:
                    temporary.replace(final)
        finally:
            for temporary, _ in self._written:
                temporary.unlink(missing_ok=True)


def _schema(survey: Survey, round: Round, cells: int) -> pa.Schema:
    """Return the columns of a log; its metadata name the survey and the round."""
    cell = pa.int32() if cells < 1 << 31 else pa.int64()
    types = dict.fromkeys((LOW, HIGH, NUMBER), pa.int64())
    types |= dict.fromkeys(cell_columns(survey), cell)
    fields = [pa.field(name, kind, nullable=False) for name, kind in types.items()]
    return pa.schema(fields, metadata=reports_schema(survey, round).metadata)


def _encoding(survey: Survey) -> dict[str, Any]:
    """Ids are random, so they are stored as they are; numbers run on; cells repeat."""
    return {
        "compression": {NUMBER: "zstd"},
        "use_dictionary": cell_columns(survey),
        "column_encoding": {LOW: "PLAIN", HIGH: "PLAIN", NUMBER: "DELTA_BINARY_PACKED"},
        "write_statistics": [NUMBER],
    }


def _next_number(folder: Path) -> int:
    """Return the number after the last of a day's reports."""
    parts = folder.glob(f"[!._]*{SUFFIX}")
    return sum(pq.read_metadata(part).num_rows for part in parts)
