"""Records: people's features and labels as a training reads them, a slice at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..attributes import Attribute
from ..bulk.columns import AS_DEVICES, CodeColumn, Column, NumberColumn, TableLike
from ..bulk.read_table import read_columns
from ..errors import DataError
from .crosses import columns_of


class Records:
    """The features of many devices, and their labels if there are any: one row a device.

    Numbers are scaled to [-1, 1] and clipped; a missing one is 0.  Values are numbered; one
    that is missing or that the feature does not list is -1, unless the feature names a value for
    it.  Labels must be there, and columns of the type that is asked for, unless rows are taken
    `as_devices` take their records: then what is unusable is missing, and a missing label is NaN.
    Columns are read in place.  `order` is a permutation of the rows.

    >>> from harmony import Boolean, Numeric
    >>> table = {"age": np.array([0.0, 75.0, np.nan]), "wifi": np.array([True, False, True])}
    >>> records = Records(table, [Numeric("age", 0, 100), Boolean("wifi")])
    >>> records.numbers(0, 0, 3).tolist(), records.levels(1, 0, 3).tolist()
    ([-1.0, 0.5, 0.0], [1, 0, 1])
    """

    def __init__(
        self,
        table: TableLike,
        features: Sequence[Attribute],
        label: Attribute | None = None,
        order: NDArray[np.int64] | None = None,
        as_devices: bool = False,
    ) -> None:
        parts = [columns_of(feature) for feature in features]
        asked = [column for each in parts for column in each]
        columns, self.devices = read_columns(
            table, asked if label is None else [*asked, label], as_devices
        )
        self._raw = list({id(one): one for one in columns[: len(asked)]}.values())
        if order is not None:
            columns = [_ordered(column, order) for column in columns]
        read = iter(columns)
        self._columns = [list(zip(each, read, strict=False)) for each in parts]
        self._label = None if label is None else columns[-1]
        self._plain = {id(one) for one in columns if _codes_are_levels(one)}

    def raw_features(self) -> Iterator[NDArray[Any]]:
        """Yield each column's numbers, or the places of its values, in the table's own order."""
        for column in self._raw:
            rows = column.rows(0, self.devices)
            yield column.places(rows) if isinstance(column, CodeColumn) else rows

    def numbers(
        self, place: int, start: int, stop: int, seen_as: Attribute | None = None
    ) -> Floats:
        """Return a numeric feature's values, scaled: in its domain, or in the range of another."""
        ((_, column),) = self._columns[place]
        assert isinstance(column, NumberColumn)
        return _scaled(column, start, stop, 0.0, seen_as)

    def levels(self, place: int, start: int, stop: int) -> NDArray[Any]:
        """Return the numbers of a feature's values, bins or pairs, -1 where there is none."""
        first, *rest = (
            self._levels(column, start, stop)
            if isinstance(column, CodeColumn)
            else _bins(part, column, start, stop)
            for part, column in self._columns[place]
        )
        if not rest:
            return first
        (second,), size = rest, len(self._columns[place][1][0].values)
        pairs = first.astype(np.int32) * np.int32(size) + second
        return np.where((first < 0) | (second < 0), np.int32(-1), pairs)

    def labels(self, start: int, stop: int, seen_as: Attribute | None = None) -> Floats:
        """Return the labels: scaled to [-1, 1], or -1 and 1 for the first and second value.

        Seen as the label of one class, that is 1 and all others are -1.
        """
        column = self._label
        if isinstance(column, NumberColumn):
            labels = _scaled(column, start, stop, np.nan, seen_as)
        elif isinstance(column, CodeColumn):
            levels = self._levels(column, start, stop)
            one = 1 if seen_as is None else column.attribute.values.index(seen_as.values[1])
            labels = np.where(levels < 0, np.nan, np.where(levels == one, 1.0, -1.0))
        else:
            raise DataError("the records have no label")
        missing = np.isnan(labels)
        if missing.any() and not column.drawn:
            count = int(np.count_nonzero(missing))
            raise DataError(
                f"{column.attribute.name}: row {start + int(missing.argmax())} holds no usable "
                f"label ({count:,} of rows {start:,} to {stop - 1:,} hold none); remove such rows, "
                f"give the label another domain, or {AS_DEVICES}"
            )
        return labels

    def _levels(self, column: CodeColumn, start: int, stop: int) -> NDArray[Any]:
        codes = column.rows(start, stop)
        is_plain = id(column) in self._plain and len(codes)
        if not (is_plain and codes.min() >= 0 and codes.max() < len(column.lookup)):
            return column.places(codes)
        if codes.dtype.kind == "u":
            return codes.astype(np.int64 if codes.dtype.itemsize > 2 else np.int32)
        return codes


def _scaled(
    column: NumberColumn, start: int, stop: int, missing: float, seen_as: Any = None
) -> Floats:
    attribute = seen_as or column.attribute
    half = (attribute.high - attribute.low) / 2
    middle = attribute.low + half
    numbers = _numbers(column, start, stop, middle + half * missing, attribute)
    numbers -= middle
    numbers /= half
    return np.clip(numbers, -1, 1, out=numbers)


def _bins(number: Any, column: NumberColumn, start: int, stop: int) -> NDArray[np.int32]:
    """Return the bins that numbers lie in, those outside the first or the last; -1 for none."""
    numbers = _numbers(column, start, stop, np.nan, number)
    bins = np.searchsorted(np.array(number.edges[1:-1]), numbers, side="right").astype(np.int32)
    bins[np.isnan(numbers)] = -1
    return bins


def _numbers(column: NumberColumn, start: int, stop: int, missing: float, attribute: Any) -> Floats:
    """Return the numbers of rows, with what stands for missing ones: the attribute's, or this."""
    numbers = column.rows(start, stop).astype(np.float64)
    if not np.isfinite(numbers.sum()):
        if not column.drawn and np.isinf(numbers).any():
            row = start + int(np.isinf(numbers).argmax())
            raise DataError(f"{attribute.name}: row {row} holds no finite number")
        instead = missing if attribute.missing is None else attribute.missing
        numbers[~np.isfinite(numbers)] = instead
    return numbers


def _codes_are_levels(column: Column) -> bool:
    if not isinstance(column, CodeColumn) or column.base:
        return False
    return np.array_equal(column.lookup, np.arange(len(column.lookup)))


def _ordered(column: Column, order: NDArray[np.int64]) -> Column:
    whole = column.rows(0, len(order))
    return replace(column, rows=lambda start, stop: whole[order[start:stop]])
