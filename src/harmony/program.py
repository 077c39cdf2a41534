"""The program of a survey: codes and tables laid out flat, as the kernel reads them.

The kernel answers all attributes of a chunk in one call, so what they need cannot stay in
Python objects.  `shapes` has a row for each tier and attribute, which says where in the flat
arrays its parts begin and how large they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harmony_device.tables import Table

from . import kernels
from .coins import Order, Symbols
from .columns import Column, InPlace, NumberColumn
from .mechanisms import Grid, Linear, Mechanism, SignedLinear
from .survey import Survey
from .tally import Counts

_NUMBER_KINDS = {np.dtype(kind): number for number, kind in enumerate(kernels.NUMBER_KINDS)}
_CODE_KINDS = {
    np.dtype(kind): number
    for number, kind in enumerate(kernels.CODE_KINDS, len(kernels.NUMBER_KINDS))
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


class Program:
    """How to answer a survey from given columns."""

    def __init__(self, survey: Survey, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._addresses, self._sizes = np.zeros((2, len(columns)), np.uint64)
        self._kinds = np.zeros(len(columns), np.int64)
        self._moved = [place for place in range(len(columns)) if not self._stays(place)]
        groups = len(survey.tiers) * len(columns)
        self._numbers = np.zeros((len(columns), 3))
        self._shapes = np.zeros((groups, kernels.FIELDS), np.int64)
        self._running, self._guide = _Flat(np.uint64), _Flat(np.uint16)
        self._multipliers, self._vectors = _Flat(np.uint64), _Flat(np.uint64)
        self._indices, self._lookup = _Flat(np.uint16), _Flat(np.int32)
        self._tables: dict[Table, tuple[int, int]] = {}
        for place, column in enumerate(columns):
            self._add_column(place, column)
        for tier, mechanisms in enumerate(survey.mechanisms):
            for place, mechanism in enumerate(mechanisms):
                self._add_mechanism(self._shapes[tier * len(columns) + place], mechanism)
        self._laid_out = (
            self._numbers,
            self._shapes,
            self._running.joined(),
            self._guide.joined(),
            self._multipliers.joined(),
            self._vectors.joined(),
            self._indices.joined(),
            self._lookup.joined(),
        )

    def _stays(self, place: int) -> bool:
        """Note where a column lies if the kernel can read it there; tell whether it can."""
        column = self._columns[place]
        if not isinstance(column.rows, InPlace):
            return False
        values = column.rows.values
        kind = _kinds(column).get(values.dtype)
        if kind is None or not values.flags.c_contiguous:
            return False
        self._addresses[place], self._sizes[place] = _address(values), values.itemsize
        self._kinds[place] = kind
        return True

    def _add_column(self, place: int, column: Column) -> None:
        if isinstance(column, NumberColumn):
            attribute = column.attribute
            missing = np.nan if attribute.missing is None else attribute.missing
            self._numbers[place] = attribute.low, attribute.high, missing
            return
        every = self._shapes[place :: len(self._columns)]
        every[:, kernels.BASE] = column.base
        every[:, kernels.LOOKUP] = self._lookup.add(column.lookup)
        every[:, kernels.LOOKUPS] = len(column.lookup)
        every[:, kernels.COMPLETE] = column.lookup.min() >= 0

    def _add_mechanism(self, shape: Counts, mechanism: Mechanism) -> None:
        table = mechanism.table
        if table not in self._tables:
            counts = np.atleast_2d(np.array(table.counts, np.uint64))
            running = np.cumsum(counts, axis=1, dtype=np.uint64)
            self._tables[table] = self._running.add(running), self._guide.add(_guide(running))
        shape[kernels.POINTS] = table.inputs
        shape[kernels.WIDTH] = table.symbols
        shape[kernels.CIRCULANT] = table.kind == "circulant"
        shape[kernels.RUNNING], shape[kernels.GUIDE] = self._tables[table]
        if isinstance(mechanism, Grid):
            return
        code = mechanism.code
        vectors = np.array([code.vector(point) for point in range(code.points)])
        indices = _indices(mechanism)
        shape[kernels.MULTIPLIER] = self._multipliers.add(np.array(code.multipliers))
        shape[kernels.VECTOR] = self._vectors.add(vectors)
        shape[kernels.VECTORS] = len(vectors)
        shape[kernels.INDEX] = self._indices.add(indices)
        shape[kernels.VALUES] = indices.shape[1]

    def run(self, start: int, stop: int, order: Order, symbols: Symbols) -> Counts:
        """Fill `symbols`, in that order, from rows `start` to `stop`; return how many clipped."""
        addresses, kinds = self._addresses + np.uint64(start) * self._sizes, self._kinds.copy()
        kept = []  # until the kernel has read them
        for place in self._moved:
            values, kinds[place] = _readable(self._columns[place], start, stop)
            addresses[place] = _address(values)
            kept.append(values)
        clipped = np.zeros(len(kinds), np.int64)
        trusted, good = np.zeros((2, len(kinds)), np.bool_)
        answers = np.uint64(len(symbols) // (stop - start))
        chunk = order.starts, answers, order.answers

        def answer() -> None:
            kernels.answer(
                addresses, kinds, stop - start, trusted, chunk, self._laid_out, symbols, good
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
    address: int = chunk.__array_interface__["data"][0]
    return address


def _guide(running: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return, for each row and each value of a draw's highest bits, the first place it can be."""
    starts = np.arange(kernels.GUIDES, dtype=np.uint64) << np.uint64(53 - kernels.GUIDE_BITS)
    return np.stack([np.searchsorted(row, starts, side="right") for row in running])


def _indices(linear: Linear | SignedLinear) -> NDArray[np.uint16]:
    """Return the index of every row and value where that is a small table, else nothing."""
    return np.empty((0, 0), np.uint16) if linear.indices is None else linear.indices
