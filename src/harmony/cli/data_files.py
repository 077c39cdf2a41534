"""Data files: tables in CSV, Parquet and JSON files, read a part at a time.

Errors name the file, the column and the fix.  What the readers below say themselves is
dropped: they quote the value that they stumbled over, and it may be somebody's.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import DataError
from ..near_names import did_you_mean

PART_BYTES = 1 << 26
LEAST_ROWS, MOST_ROWS = 1 << 16, 1 << 20
BLOCK_BYTES = 1 << 22
MISSING_WORDS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")

Columns = Mapping[str, pa.DataType]
"""The columns to read, and the type that text is read as."""

Batches = Iterator[tuple[pa.Table, float]]
"""Some rows, and the share of the file read by then."""


@dataclass(frozen=True)
class Part:
    """Some consecutive rows of a file: the first row's number, and the share read so far."""

    table: pa.Table
    first: int
    share: float


def read_parts(
    path: str | Path,
    columns: Columns,
    *,
    optional: Collection[str] = (),
    words: Collection[str] = (),
) -> Iterator[Part]:
    """Read `columns` of a file, in parts of bounded size.

    A column in `optional` may be left out of JSON objects.  In text files an empty field, "NA"
    and the like mean that a value is missing, except for those in `words`.
    """
    path = Path(path)
    batches = _batches(path, columns, optional, words)
    rows = max(LEAST_ROWS, min(MOST_ROWS, PART_BYTES // (8 * len(columns))))
    first = 0
    try:
        for table, share in _regrouped(batches, rows):
            yield Part(table, first, share)
            first += len(table)
    except pa.ArrowException as problem:
        raise DataError(f"{path}: {_without_values(problem, path)}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except OSError as problem:
        raise DataError(f"{path}: cannot be read ({problem.strerror or 'damaged'})") from None
    if not first:
        raise DataError(f"{path}: the file has no rows; one row is one device")


def _batches(
    path: Path, columns: Columns, optional: Collection[str], words: Collection[str]
) -> Batches:
    if path.suffix in (".csv", ".tsv"):
        return _csv_batches(path, columns, words)
    if path.suffix == ".parquet":
        return _parquet_batches(path, columns)
    if path.suffix in (".ndjson", ".jsonl"):
        return _line_batches(path, columns, optional)
    if path.suffix == ".json":
        return _json_batches(path, columns, optional)
    raise DataError(f"{path}: the name must end in .csv, .tsv, .parquet, .json, .ndjson or .jsonl")


def _regrouped(batches: Batches, rows: int) -> Batches:
    """Join small batches into tables of about `rows` rows."""
    waiting: list[pa.Table] = []
    share = 0.0
    for batch, share in batches:
        if len(batch):
            waiting.append(batch)
        if sum(map(len, waiting)) >= rows:
            yield pa.concat_tables(waiting), share
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting), share


def _csv_batches(path: Path, columns: Columns, words: Collection[str]) -> Batches:
    from pyarrow import csv as arrow_csv

    _need(path, columns, _csv_header(path), "the first line must name the columns")
    convert = arrow_csv.ConvertOptions(
        column_types=dict(columns),
        include_columns=list(columns),
        null_values=[word for word in MISSING_WORDS if word not in words],
        strings_can_be_null=True,
    )
    parse = arrow_csv.ParseOptions(delimiter=_delimiter(path), newlines_in_values=True)
    read = arrow_csv.ReadOptions(block_size=BLOCK_BYTES)
    with pa.OSFile(str(path)) as source:
        size = source.size()
        reader = arrow_csv.open_csv(source, read, parse, convert)
        for batch in reader:
            yield pa.Table.from_batches([batch]), source.tell() / size


def _parquet_batches(path: Path, columns: Columns) -> Batches:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as source:
        _need(path, columns, source.schema_arrow.names, "check the file's schema")
        rows, read = source.metadata.num_rows, 0
        for batch in source.iter_batches(LEAST_ROWS, columns=list(columns)):
            read += len(batch)
            table = pa.Table.from_batches([batch])
            yield table.replace_schema_metadata(source.schema_arrow.metadata), read / rows


def _line_batches(path: Path, columns: Columns, optional: Collection[str]) -> Batches:
    from pyarrow import json as arrow_json

    with path.open(encoding="utf-8") as lines:
        _need_fields(path, columns, optional, _json_or_none(next(lines, "")))
    parse = arrow_json.ParseOptions(
        explicit_schema=pa.schema(list(columns.items())), unexpected_field_behavior="ignore"
    )
    read = arrow_json.ReadOptions(block_size=BLOCK_BYTES)
    with pa.OSFile(str(path)) as source:
        size = source.size()
        for batch in arrow_json.open_json(source, read, parse):
            yield pa.Table.from_batches([batch]), source.tell() / size


def _json_batches(path: Path, columns: Columns, optional: Collection[str]) -> Batches:
    """Read a list of objects: whole, so for small files."""
    objects = _json_or_none(path.read_text(encoding="utf-8"))
    if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
        raise DataError(
            f"{path}: must hold a list of objects; for one object a line, name it .ndjson"
        )
    if not objects:
        return
    _need_fields(path, columns, optional, objects[0])
    arrays = {}
    for name, kind in columns.items():
        try:
            arrays[name] = pa.array([one.get(name) for one in objects], kind)
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            raise DataError(f"{path}: {_not_of_type(name)}") from None
    yield pa.table(arrays), 1.0


def _need(path: Path, columns: Columns, present: Iterable[str], fix: str) -> None:
    """Refuse a file without one of the columns, or with two of it."""
    names = list(present)
    for name in columns:
        if name not in names:
            # A first line that names none of the columns may hold somebody's values.
            near = did_you_mean(name, names) if columns.keys() & set(names) else ""
            raise DataError(f"{path}: column {name!r} is missing{near or f'; {fix}'}")
        if names.count(name) > 1:
            raise DataError(f"{path}: two columns are called {name!r}; keep one")


def _need_fields(path: Path, columns: Columns, optional: Collection[str], example: Any) -> None:
    if not isinstance(example, dict):
        raise DataError(f"{path}: the first line must be a JSON object with named values")
    needed = {name: kind for name, kind in columns.items() if name not in optional}
    _need(path, needed, example, "every object must name its values")


def _csv_header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return next(csv.reader(lines, delimiter=_delimiter(path)), [])


def _delimiter(path: Path) -> str:
    return "\t" if path.suffix == ".tsv" else ","


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def _without_values(problem: Exception, path: Path) -> str:
    """Say what is wrong by column and row, never by value."""
    said = str(problem)
    if found := re.search(r"In CSV column #(\d+)", said):
        return _not_of_type(_csv_header(path)[int(found[1])])
    if found := re.search(r"Expected (\d+) columns, got (\d+)", said):
        return f"a line has {found[2]} fields where the first has {found[1]}"
    if found := re.search(r"Column\(/([^)]*)\)", said):
        return _not_of_type(found[1])
    return f"is damaged, or not a {path.suffix} file"


def _not_of_type(column: str) -> str:
    return (
        f"column {column!r} holds a value of the wrong type; correct it, or leave it empty "
        "where the attribute has a value for 'missing'"
    )
