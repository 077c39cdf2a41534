"""Columns: people's values as numbers or codes, a slice at a time, never copied whole.

Every value is checked before any is randomised; errors tell the column, the rows and the fix,
never the value.  Columns that do as devices do have an answer for everything instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harmony_device.record import TEXT

from ..arrays import Words
from ..attributes import Numeric
from ..questions import Part
from .type_words import in_words

TableLike = Any
"""A dict of arrays, a pandas or Polars DataFrame, or an Arrow table: one row a device."""

AS_DEVICES = "do as devices do with as_devices=True"
"""The last of the fixes that a refusal offers."""

Slice = Callable[[int, int], NDArray[Any]]


@dataclass(frozen=True)
class InPlace:
    """Rows that lie in memory as they are, so that no slice of them needs a conversion."""

    values: NDArray[Any]

    def __call__(self, start: int, stop: int) -> NDArray[Any]:
        return self.values[start:stop]


@dataclass(frozen=True)
class SpelledTexts:
    """The code of each row's text, its first bit the highest of 64, and which rows have one."""

    bits: Words
    told: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.bits)

    def __getitem__(self, rows: Any) -> SpelledTexts:
        return SpelledTexts(self.bits[rows], self.told[rows])


class StandIns(NamedTuple):
    """The places of the values that stand for missing and for unlisted ones, -1 where none does.

    `drawn` says what becomes of -1: a place is drawn, as on a device, or the table is refused.
    """

    missing: int = -1
    unlisted: int = -1
    drawn: bool = False


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """Numbers, NaN where missing; attributes with the same range and `missing` share it."""

    attribute: Numeric
    rows: Slice
    drawn: bool = False

    def wrong(self, chunk: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which rows have no answer but a drawn one."""
        if chunk.dtype.kind != "f":
            return np.zeros(len(chunk), np.bool_)
        found: NDArray[np.bool_] = np.isinf(chunk)
        return found if self.attribute.missing is not None else found | np.isnan(chunk)

    def refusal(self, row: int, others: int) -> str:
        """Return what is said of a table with such rows."""
        return (
            f"{self.attribute.source}: row {row} holds no finite number (missing, NaN or infinite)"
            f"{_and_others(others)}; remove such rows, give the attribute a value for 'missing', "
            f"or {AS_DEVICES}"
        )

    def examine(self, chunk: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Return the rows, NaN where there is no number, and how many will be clipped."""
        if self.drawn and chunk.dtype.kind == "f":
            chunk = np.where(np.isinf(chunk), chunk.dtype.type(np.nan), chunk)
        low, high = self.attribute.low, self.attribute.high
        return chunk, int(np.count_nonzero((chunk < low) | (chunk > high)))


@dataclass(frozen=True, eq=False)
class CodeColumn:
    """Integers that stand for values: `lookup[code - base]` is the value's place, or -1.

    Where there is something for unlisted values, the last entry of `lookup` is that.
    """

    attribute: Part
    rows: Slice
    base: int
    lookup: NDArray[np.int32]
    stand_ins: StandIns

    @property
    def drawn(self) -> bool:
        return self.stand_ins.drawn

    def places(self, chunk: NDArray[Any]) -> NDArray[np.int32]:
        """Return the places of the rows' values among the attribute's, -1 for none."""
        if len(chunk) and chunk.min() >= self.base and chunk.max() < self.base + len(self.lookup):
            return self.lookup[chunk.astype(np.int64) - self.base]
        inside = self._inside(chunk)
        found = np.full(len(chunk), self.stand_ins.unlisted, np.int32)
        found[inside] = self.lookup[chunk[inside].astype(np.int64) - self.base]
        return found

    def wrong(self, chunk: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which rows have no answer but a drawn one."""
        return self.places(chunk) < 0

    def refusal(self, row: int, others: int) -> str:
        """Return what is said of a table with such rows."""
        return (
            f"{self.attribute.source}: row {row} holds none of the attribute's "
            f"{len(self.attribute.values)} values{_and_others(others)}; list what is there in "
            "'values', name one of them as 'unlisted' (for values that are not listed) or as "
            f"'missing' (for no value), or {AS_DEVICES}"
        )

    def examine(self, chunk: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Return the rows, unlisted where the lookup ends; categories have nothing to clip."""
        if self.stand_ins.unlisted < 0 and not self.drawn:
            return chunk, 0
        codes = chunk.astype(np.int64)
        codes[~self._inside(chunk)] = self.base + len(self.lookup) - 1
        return codes, 0

    def _inside(self, chunk: NDArray[Any]) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = (chunk >= self.base) & (chunk < self.base + len(self.lookup))
        return inside


Column = NumberColumn | CodeColumn


def wrong_type(attribute: Part, found: str) -> str:
    """Return what is said of a column whose values are of another type than the attribute's."""
    if isinstance(attribute, Numeric):
        wanted = "numbers"
    elif attribute.asks == TEXT:
        wanted = "text"
    else:
        wanted = {int: "integers", bool: "booleans"}[type(attribute.values[0])]
    return (
        f"{attribute.source}: the column holds {in_words(found)}, but the attribute takes "
        f"{wanted}; convert the column, or {AS_DEVICES}, for whom such values are missing"
    )


def _and_others(count: int) -> str:
    if count == 1:
        return ", and so does 1 other row"
    return f", and so do {count:,} other rows" if count else ""
