"""Handing columns to the reference or the kernels, a chunk of rows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..arrays import Counts, Words
from ..errors import DataError
from .columns import Column, InPlace, NumberColumn
from .fields import CODE_KINDS, NUMBER_KINDS, UNKNOWN, UNUSUAL, USUAL

_NUMBER_KINDS = {np.dtype(kind): number for number, kind in enumerate(NUMBER_KINDS)}
_CODE_KINDS = {np.dtype(kind): number for number, kind in enumerate(CODE_KINDS, len(NUMBER_KINDS))}
_WIDER = {
    np.dtype(np.uint8): np.int16,
    np.dtype(np.uint16): np.int32,
    np.dtype(np.uint32): np.int64,
}
STEP = 1 << 16
"""Rows that are looked at together where a column is counted."""


class Reader:
    """Reads the columns of a table: in place where they lie as the kernels need them."""

    def __init__(self, columns: Sequence[Column], rows: int, attributes: int) -> None:
        self.columns = columns
        self.attributes = attributes
        self._rows = rows
        found = [_in_place(column) for column in columns]
        self.moved = [place for place, where in enumerate(found) if where is None]
        self.addresses, self.sizes, self.kinds = np.array(
            [where or (0, 0, 0) for where in found], np.uint64
        ).T.copy()

    def chunk(self, start: int, stop: int) -> ChunkColumns:
        """Return rows `start` to `stop` of all columns."""
        return ChunkColumns(self, start, stop)

    def refusal(self, place: int) -> DataError:
        """Return the error that says how many rows of a column have no answer."""
        column, first, count = self.columns[place], None, 0
        for start in range(0, self._rows, STEP):
            wrong = column.wrong(column.rows(start, min(start + STEP, self._rows)))
            if first is None and wrong.any():
                first = start + int(wrong.argmax())
            count += int(np.count_nonzero(wrong))
        assert first is not None
        return DataError(column.refusal(first, count - 1))


class ChunkColumns:
    """The same rows of all columns: their addresses for the kernels, arrays for the reference."""

    def __init__(self, reader: Reader, start: int, stop: int) -> None:
        self._reader = reader
        self._start, self._stop = start, stop
        self._arrays: dict[int, NDArray[Any]] = {}
        self.devices = stop - start
        self.addresses: Words = reader.addresses + np.uint64(start) * reader.sizes
        self.kinds: Words = reader.kinds.copy()
        self.states = np.full(len(reader.columns), UNKNOWN, np.uint8)
        """What is known of each column."""
        self.answered = np.zeros(reader.attributes, np.bool_)
        for place in reader.moved:
            self._move(place, self._readable(place))

    def array(self, place: int) -> NDArray[Any]:
        """Return the rows of one column."""
        moved = self._arrays.get(place)
        return self._reader.columns[place].rows(self._start, self._stop) if moved is None else moved

    def examine(self) -> Counts:
        """Examine unusual columns value by value; return how many were clipped in each.

        Rows without an answer are refused, unless one is drawn for them.
        """
        clipped = np.zeros(len(self.states), np.int64)
        for place in np.flatnonzero(self.states == UNUSUAL).tolist():
            values, clipped[place] = self._examined(place, self.array(place))
            self._move(place, values)
            self.states[place] = USUAL
        return clipped

    def _examined(self, place: int, chunk: NDArray[Any]) -> tuple[NDArray[Any], int]:
        column = self._reader.columns[place]
        if not column.drawn and column.wrong(chunk).any():
            raise self._reader.refusal(place)
        return column.examine(chunk)

    def _readable(self, place: int) -> NDArray[Any]:
        """Return a column's rows, end to end and of a type that the kernels read."""
        column = self._reader.columns[place]
        chunk = column.rows(self._start, self._stop)
        if chunk.dtype not in _kinds(column):
            if isinstance(column, NumberColumn):
                chunk = chunk.astype(np.float64)
            elif chunk.dtype in _WIDER:
                chunk = chunk.astype(_WIDER[chunk.dtype])
            else:
                chunk, _ = self._examined(place, chunk)  # before a large code could wrap around
                chunk = chunk.astype(np.int64)
        return np.require(chunk, requirements=["C", "A"])

    def _move(self, place: int, values: NDArray[Any]) -> None:
        self._arrays[place] = values
        self.kinds[place] = _kinds(self._reader.columns[place])[values.dtype]
        self.addresses[place] = _address(values)


def _in_place(column: Column) -> tuple[int, int, int] | None:
    """Return a column's address, the size of a value and its kind, if it can be read in place."""
    if not isinstance(column.rows, InPlace):
        return None
    values = column.rows.values
    kind = _kinds(column).get(values.dtype)
    if kind is None or not (values.flags.c_contiguous and values.flags.aligned):
        return None
    return _address(values), values.itemsize, kind


def _kinds(column: Column) -> dict[np.dtype[Any], int]:
    return _NUMBER_KINDS if isinstance(column, NumberColumn) else _CODE_KINDS


def _address(chunk: NDArray[Any]) -> int:
    address: int = pa.py_buffer(chunk).address  # NumPy takes several times as long to tell
    return address
