"""The program of a survey: codes and tables laid out flat, as the kernel reads them.

The kernel answers all attributes of a chunk in one call, so what they need cannot stay in
Python objects.  `shapes` has a row for each tier and attribute, which says where in the flat
arrays its parts begin and how large they are; `codes` has one for each column.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harmony_device.tables import Table

from ..arrays import Counts, Symbols
from ..attributes import Numeric
from ..mechanisms import Grid, Linear, SignedLinear
from .coins import Cells, Order
from .columns import Column, InPlace, NumberColumn
from .kernels import answer as answering

if TYPE_CHECKING:
    from ..survey import Survey

_NUMBER_KINDS = {np.dtype(kind): number for number, kind in enumerate(answering.NUMBER_KINDS)}
_CODE_KINDS = {
    np.dtype(kind): number
    for number, kind in enumerate(answering.CODE_KINDS, len(answering.NUMBER_KINDS))
}


class _Flat:
    """Arrays joined end to end, each known by where it begins; equal ones lie there once."""

    def __init__(self, kind: type) -> None:
        self._kind = kind
        self._parts: list[NDArray[Any]] = []
        self._starts: dict[bytes, int] = {}
        self._length = 0

    def add(self, part: NDArray[Any]) -> int:
        """Append a part, unless it is there, and return where it begins."""
        flat: NDArray[Any] = part.astype(self._kind, copy=False).reshape(-1)
        start = self._starts.setdefault(flat.tobytes(), self._length)
        if start == self._length:
            self._parts.append(flat)
            self._length += flat.size
        return start

    def joined(self) -> NDArray[Any]:
        return np.concatenate([np.empty(0, self._kind), *self._parts])


Layout = tuple[NDArray[Any], ...]
"""Numbers, shapes, running sums, guides, multipliers, vectors and indices: see `lay_out`."""


@lru_cache(maxsize=16)
def lay_out(survey: Survey) -> Layout:
    """Return what does not depend on the columns; surveys that are asked again need it again."""
    attributes = survey.attributes
    numbers = np.zeros((len(attributes), 3))
    for place, attribute in enumerate(attributes):
        if isinstance(attribute, Numeric):
            missing = np.nan if attribute.missing is None else attribute.missing
            numbers[place] = attribute.low, attribute.high, missing
    running, guide = _Flat(np.uint64), _Flat(np.uint16)
    multipliers, vectors, indices = _Flat(np.uint64), _Flat(np.uint64), _Flat(np.uint16)
    tables: dict[Table, tuple[int, int]] = {}
    shapes = np.zeros((len(survey.tiers) * len(attributes), answering.FIELDS), np.int64)
    for shape, mechanism in zip(shapes, chain.from_iterable(survey.mechanisms), strict=True):
        table = mechanism.table
        if table not in tables:
            sums = np.cumsum(np.atleast_2d(np.array(table.counts, np.uint64)), 1, np.uint64)
            tables[table] = running.add(sums), guide.add(_guide(sums))
        shape[answering.POINTS] = table.inputs
        shape[answering.WIDTH] = table.symbols
        shape[answering.CIRCULANT] = table.kind == "circulant"
        shape[answering.RUNNING], shape[answering.GUIDE] = tables[table]
        if not isinstance(mechanism, Grid):
            code, known = mechanism.code, _indices(mechanism)
            shape[answering.MULTIPLIER] = multipliers.add(np.array(code.multipliers))
            shape[answering.VECTOR] = vectors.add(np.array([*map(code.vector, range(code.points))]))
            shape[answering.VECTORS] = code.points
            shape[answering.INDEX] = indices.add(known)
            shape[answering.VALUES] = known.shape[1]
    flat = running, guide, multipliers, vectors, indices
    return numbers, shapes, *(part.joined() for part in flat)


class Program:
    """How to answer a survey from given columns."""

    def __init__(self, survey: Survey, columns: Sequence[Column]) -> None:
        self._columns = columns
        lie = [_lies(column) for column in columns]
        self._moved = [place for place, where in enumerate(lie) if where is None]
        self._addresses, self._sizes, self._kinds = np.array(
            [where or (0, 0, 0) for where in lie], np.uint64
        ).T.copy()
        self._laid_out = lay_out(survey) + _codes(columns)

    def run(self, start: int, stop: int, order: Order, cells: Cells, symbols: Symbols) -> Counts:
        """Fill `symbols`, in that order, from rows `start` to `stop`, and count them.

        Returns how many values of each column were clipped.
        """
        addresses, kinds = self._addresses + np.uint64(start) * self._sizes, self._kinds.copy()
        kept = []  # until the kernel has read them
        for place in self._moved:
            values, kinds[place] = _readable(self._columns[place], start, stop)
            addresses[place] = _address(values)
            kept.append(values)
        clipped = np.zeros(len(kinds), np.int64)
        trusted, good = np.zeros((2, len(kinds)), np.bool_)
        answers = np.uint64(len(symbols) // (stop - start))
        chunk, program = (order.starts, answers, order.answers), self._laid_out

        def answer() -> None:
            answering.answer(
                addresses, kinds, stop - start, trusted, chunk, program, cells, symbols, good
            )

        answer()
        if not good.all():
            for place in np.flatnonzero(~good).tolist():
                column = self._columns[place]
                values, kinds[place] = _readable(column, start, stop)
                values, clipped[place] = column.examine(values, start)
                addresses[place] = _address(values)
                kept.append(values)
            trusted[:] = True
            answer()
        return clipped


def _codes(columns: Sequence[Column]) -> tuple[Counts, NDArray[np.int32]]:
    """Return where each column's lookup lies and what it knows, and all lookups end to end."""
    lookups = _Flat(np.int32)
    complete: dict[int, bool] = {}
    codes = [(0, 0, 0, False)] * len(columns)
    for place, column in enumerate(columns):
        if not isinstance(column, NumberColumn):
            start, size = lookups.add(column.lookup), len(column.lookup)
            if start not in complete:
                complete[start] = bool(column.lookup.min() >= 0)
            codes[place] = column.base, start, size, complete[start]
    return np.array(codes, np.int64), lookups.joined()


def _lies(column: Column) -> tuple[int, int, int] | None:
    """Return the address, the size of a value and the kind, where the kernel can read in place."""
    if not isinstance(column.rows, InPlace):
        return None
    values = column.rows.values
    kind = _kinds(column).get(values.dtype)
    if kind is None or not values.flags.c_contiguous:
        return None
    return _address(values), values.itemsize, kind


def _kinds(column: Column) -> dict[np.dtype[Any], int]:
    return _NUMBER_KINDS if isinstance(column, NumberColumn) else _CODE_KINDS


def _readable(column: Column, start: int, stop: int) -> tuple[NDArray[Any], int]:
    """Return a column's rows, end to end and of a type that the kernel reads, and its kind."""
    chunk, kinds = column.rows(start, stop), _kinds(column)
    kind = kinds.get(chunk.dtype)
    if kind is None:
        numeric = isinstance(column, NumberColumn)
        if not numeric:
            column.examine(chunk, start)  # before a large code could wrap around
        chunk = chunk.astype(np.float64 if numeric else np.int64)
        kind = kinds[chunk.dtype]
    return (chunk if chunk.flags.c_contiguous else np.ascontiguousarray(chunk)), kind


def _address(chunk: NDArray[Any]) -> int:
    address: int = pa.py_buffer(chunk).address  # NumPy takes several times as long to tell
    return address


def _guide(running: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return, for each row and each value of a draw's highest bits, the first place it can be."""
    starts = np.arange(answering.GUIDES, dtype=np.uint64) << np.uint64(53 - answering.GUIDE_BITS)
    return np.stack([np.searchsorted(row, starts, side="right") for row in running])


def _indices(linear: Linear | SignedLinear) -> NDArray[np.uint16]:
    """Return the index of every row and value where that is a small table, else nothing."""
    return np.empty((0, 0), np.uint16) if linear.indices is None else linear.indices
