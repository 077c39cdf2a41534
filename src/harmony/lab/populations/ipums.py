"""A user's own IPUMS extract: a CSV or fixed-column file, and a mapping file that explains it.

The mapping is YAML or JSON:

    name: US
    attributes:
      - {name: age, kind: numeric, column: AGE, low: 16, high: 95}
      - {name: income, kind: numeric, column: INCTOT, low: 0, high: 150000, missing: [9999999]}
      - {name: sex, kind: categorical, column: SEX, values: {1: male, 2: female}}
    fixed: {AGE: [55, 57], INCTOT: [91, 97], SEX: [54, 54]}     # only for fixed columns, from 1

Numbers are clipped to [low, high] (a top code).  Rows with a `missing` code, or a code that
`values` does not list, are left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...attributes import Attribute, Categorical, Numeric
from ...errors import DataError
from ...files import read_structured

CHUNK_BYTES = 1 << 24
FIXED_ROWS = 1 << 16


@dataclass(frozen=True)
class Field:
    """One attribute of the mapping file."""

    attribute: Attribute
    column: str
    codes: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()

    def read(self, column: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return the values (numbers, or places among the codes) and which rows have one."""
        known = np.isfinite(column) & ~np.isin(column, self.missing)
        if isinstance(self.attribute, Numeric):
            clipped = np.clip(np.nan_to_num(column), self.attribute.low, self.attribute.high)
            return clipped.astype(np.int32), known
        codes = np.array(self.codes)
        order = np.argsort(codes)
        found = np.minimum(np.searchsorted(codes, column, sorter=order), len(codes) - 1)
        places = order[found]
        return places.astype(np.int32), known & (codes[places] == column)


@dataclass
class Extract:
    """An extract on disk, read in chunks; `dropped` counts the rows left out so far."""

    name: str
    path: Path
    fields: list[Field]
    fixed: dict[str, tuple[int, int]] = field(default_factory=dict)
    dropped: int = 0

    @property
    def attributes(self) -> list[Attribute]:
        """The attributes that a survey of these people asks; categories are codes 0..k-1."""
        return [
            one.attribute
            if isinstance(one.attribute, Numeric)
            else Categorical(one.attribute.name, range(len(one.codes)))
            for one in self.fields
        ]

    def chunks(self) -> Iterator[dict[str, NDArray[np.int32]]]:
        """Yield the complete rows in order."""
        for raw in self._fixed_columns() if self.fixed else self._csv_columns():
            read = {
                one.attribute.name: one.read(raw[one.column].astype(np.float64))
                for one in self.fields
            }
            whole = np.logical_and.reduce([known for _, known in read.values()])
            self.dropped += int((~whole).sum())
            if whole.any():
                yield {name: values[whole] for name, (values, _) in read.items()}

    def _csv_columns(self) -> Iterator[dict[str, NDArray[Any]]]:
        import pyarrow as pa
        import pyarrow.csv as arrow_csv

        wanted = sorted({one.column for one in self.fields})
        try:
            reader = arrow_csv.open_csv(
                self.path,
                read_options=arrow_csv.ReadOptions(block_size=CHUNK_BYTES),
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=wanted,
                    column_types=dict.fromkeys(wanted, pa.float64()),
                ),
            )
            for batch in reader:
                yield {name: batch[name].to_numpy(zero_copy_only=False) for name in wanted}
        except (pa.ArrowInvalid, pa.ArrowKeyError) as problem:
            raise DataError(f"{self.path.name}: {str(problem).splitlines()[0]}") from None

    def _fixed_columns(self) -> Iterator[dict[str, NDArray[Any]]]:
        with self.path.open("rb") as file:
            width = len(file.readline())
            file.seek(0)
            while block := file.read(width * FIXED_ROWS):
                if len(block) % width:
                    raise DataError(f"{self.path.name}: the lines differ in length")
                lines = np.frombuffer(block, np.uint8).reshape(-1, width)
                yield {name: _digits(lines[:, a - 1 : b]) for name, (a, b) in self.fixed.items()}


def load_extract(data: str | Path, mapping: str | Path) -> Extract:
    """Open the extract at `data` as the file `mapping` explains it."""
    document = read_structured(mapping)
    where = Path(mapping).name
    entries = document.get("attributes") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not entries:
        raise DataError(f"{where}: 'attributes' must list the extract's attributes")
    fields = [_field(entry, where) for entry in entries]
    fixed = {str(name): tuple(span) for name, span in (document.get("fixed") or {}).items()}
    if fixed and (lost := {one.column for one in fields} - fixed.keys()):
        raise DataError(f"{where}: 'fixed' does not place column {min(lost)!r}")
    return Extract(str(document.get("name", "extract")), Path(data), fields, fixed)


def _field(entry: Any, where: str) -> Field:
    try:
        name, kind, column = entry["name"], entry["kind"], entry["column"]
        missing = tuple(int(code) for code in entry.get("missing", ()))
        if kind == "numeric":
            return Field(Numeric(name, entry["low"], entry["high"]), column, missing=missing)
        values = {int(code): str(text) for code, text in entry["values"].items()}
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise DataError(f"{where}: an attribute lacks or misstates {problem}") from None
    if kind != "categorical":
        raise DataError(f"{where}: {name}: 'kind' must be numeric or categorical")
    return Field(Categorical(name, list(values.values())), column, tuple(values), missing)


def _digits(block: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Read a column of right-aligned digits; blanks are missing."""
    text = np.ascontiguousarray(block).view(f"S{block.shape[1]}")[:, 0]
    stripped = np.char.strip(text)
    return np.where(stripped == b"", b"nan", stripped).astype(np.float64)
