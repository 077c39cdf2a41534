"""Columns: people's values as numbers or codes, a slice at a time, never copied whole.

Every value is checked before any is randomised; errors tell the column, the row and the fix,
never the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attributes import Attribute, Numeric
from ..errors import DataError

TableLike = Any
"""A dict of arrays, a pandas or Polars DataFrame, or an Arrow table: one row a device."""

Slice = Callable[[int, int], NDArray[Any]]


@dataclass(frozen=True)
class InPlace:
    """Rows that lie in memory as they are, so that no slice of them needs a conversion."""

    values: NDArray[Any]

    def __call__(self, start: int, stop: int) -> NDArray[Any]:
        return self.values[start:stop]


@dataclass(frozen=True)
class NumberColumn:
    """Numbers, NaN where missing."""

    attribute: Numeric
    rows: Slice

    def examine(self, chunk: NDArray[Any], start: int) -> tuple[NDArray[Any], int]:
        """Refuse what is no number; return the rows, and how many the kernel will clip."""
        low, high = self.attribute.low, self.attribute.high
        if chunk.dtype.kind == "f":
            allowed = np.isnan(chunk) if self.attribute.missing is not None else False
            wrong = ~(np.isfinite(chunk) | allowed)
            if wrong.any():
                raise DataError(
                    f"{self.attribute.name}: row {start + int(wrong.argmax())} holds no finite "
                    "number (missing, NaN or infinite); remove such rows, or give the attribute "
                    "a value for 'missing'"
                )
        return chunk, int(np.count_nonzero((chunk < low) | (chunk > high)))


@dataclass(frozen=True)
class CodeColumn:
    """Integers that stand for values: `lookup[code - base]` is the value's number."""

    attribute: Attribute
    rows: Slice
    base: int
    lookup: NDArray[np.int32]

    def examine(self, chunk: NDArray[Any], start: int) -> tuple[NDArray[Any], int]:
        """Refuse what is none of the attribute's values; categories have nothing to clip."""
        known = (chunk >= self.base) & (chunk < self.base + len(self.lookup))
        known[known] = self.lookup[chunk[known].astype(np.int64) - self.base] >= 0
        if not known.all():
            raise DataError(not_a_value(self.attribute, start + int((~known).argmax())))
        return chunk, 0


@dataclass(frozen=True)
class BinColumn:
    """Numbers of which a histogram is asked: each stands for the bin that it falls in.

    Bins are numbered from 1; numbers outside the range fall before the first or after the last.
    """

    numbers: NumberColumn
    base: int
    lookup: NDArray[np.int32]

    @property
    def attribute(self) -> Numeric:
        return self.numbers.attribute

    def rows(self, start: int, stop: int) -> NDArray[Any]:
        """Return the bins of rows `start` to `stop`."""
        chunk = self.numbers.rows(start, stop)
        self.numbers.examine(chunk, start)
        if self.attribute.missing is not None:
            chunk = np.where(np.isnan(chunk), self.attribute.missing, chunk)
        return np.searchsorted(self._edges, chunk.astype(np.float64), side="right")

    @cached_property
    def _edges(self) -> NDArray[np.float64]:
        """The edges, the last moved up by a hair because the last bin is closed."""
        edges = np.array(self.attribute.edges)
        edges[-1] = np.nextafter(edges[-1], np.inf)
        return edges

    def examine(self, chunk: NDArray[Any], start: int) -> tuple[NDArray[Any], int]:
        """Return the rows with the nearest bin for what lies outside, and how many did."""
        inside = np.clip(chunk, 1, len(self.lookup))
        return inside, int(np.count_nonzero(inside != chunk))


Column = NumberColumn | CodeColumn | BinColumn


def wrong_type(attribute: Attribute, found: str) -> str:
    """Return what is said of a column whose values are of another type than the attribute's."""
    if isinstance(attribute, Numeric):
        wanted = "numbers"
    else:
        wanted = {str: "text", int: "integers", bool: "booleans"}[type(attribute.values[0])]
    return f"{attribute.name}: the column holds {found}, but the attribute takes {wanted}"


def not_a_value(attribute: Attribute, row: int) -> str:
    """Return what is said of a row that holds none of the attribute's values."""
    return (
        f"{attribute.name}: row {row} holds none of the attribute's {len(attribute.values)} "
        "values; add it to 'values', or give the attribute a value for 'missing'"
    )
