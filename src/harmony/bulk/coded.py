"""Columns of the type that their attribute asks for: numbers, and codes for values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..attributes import Attribute, Numeric, Signed
from ..errors import DataError
from ..questions import Part
from .columns import (
    CodeColumn,
    Column,
    InPlace,
    NumberColumn,
    Slice,
    StandIns,
    wrong_type,
)

MAX_LOOKUP = 1 << 22
SMALL_LOOKUP = 1 << 10
"""Integers between the least value and the greatest, up to which a lookup is kept."""


def coded_column(source: Any, attribute: Attribute) -> Column:
    """Return a table's column for an attribute, or refuse its type."""
    if isinstance(attribute, Numeric):
        return NumberColumn(attribute, number_rows(source, attribute))
    if isinstance(attribute, Signed):
        return coded_signed(source, attribute)
    stand_ins, text = stand_ins_of(attribute, drawn=False), isinstance(attribute.values[0], str)
    if isinstance(source, np.ndarray):
        if text or source.dtype.kind not in "iub":
            raise DataError(wrong_type(attribute, str(source.dtype)))
        return coded_integers(InPlace(as_integers(source)), attribute, stand_ins)
    kind = source.type
    if pa.types.is_dictionary(kind):
        places = {value: place for place, value in enumerate(attribute.values)}
        return coded_dictionary(
            source, attribute, stand_ins, lambda entry: places.get(entry, stand_ins.unlisted)
        )
    if text and is_text(kind):
        return coded_strings(source, attribute, stand_ins)
    if pa.types.is_null(kind):
        raise DataError(f"{attribute.source}: the column holds no values")
    if not text and (pa.types.is_boolean(kind) or pa.types.is_integer(kind)):
        return coded_arrow(source, attribute, stand_ins)
    raise DataError(wrong_type(attribute, str(kind)))


def number_rows(source: Any, attribute: Numeric) -> Slice:
    """Return the rows of a column of numbers, or refuse its type."""
    if isinstance(source, np.ndarray):
        if source.dtype.kind not in "iuf" or source.dtype.itemsize > 8:
            raise DataError(wrong_type(attribute, str(source.dtype)))
        if source.dtype == np.float16 or not source.dtype.isnative:
            return lambda start, stop: source[start:stop].astype(np.float64)
        return InPlace(source)
    if not (pa.types.is_integer(source.type) or pa.types.is_floating(source.type)):
        raise DataError(wrong_type(attribute, str(source.type)))
    if is_plain(source):
        return InPlace(to_numpy(source))

    def rows(start: int, stop: int) -> NDArray[Any]:
        part = source.slice(start, stop - start)
        if part.null_count:
            part = part.cast(pa.float64(), safe=False).fill_null(float("nan"))
        return to_numpy(part)

    return rows


def as_integers(source: NDArray[Any]) -> NDArray[Any]:
    """Return booleans as integers, where they lie, and integers as they are."""
    return source.view(np.int8) if source.dtype == bool else source


def coded_signed(source: Any, attribute: Signed, drawn: bool = False) -> CodeColumn:
    """A level, plus `size` where its sign is negative: the numbers that a training computes."""
    if not is_whole(source):
        raise DataError(f"{attribute.source}: the column must hold integers, level and sign in one")
    levels, size = len(attribute.values), attribute.size
    lookup = np.arange(size + levels + drawn, dtype=np.int32)
    lookup[levels:size] = lookup[size + levels :] = -1
    rows: Slice
    if isinstance(source, np.ndarray):
        rows = InPlace(source)
    elif is_plain(source):
        rows = InPlace(to_numpy(source))
    else:
        rows = lambda start, stop: to_numpy(source.slice(start, stop - start))  # noqa: E731
    return CodeColumn(attribute, rows, 0, lookup, StandIns(drawn=drawn))


def coded_arrow(source: Any, attribute: Attribute, stand_ins: StandIns) -> CodeColumn:
    """Integers or booleans that Arrow holds, or will hold."""
    if is_plain(source) and pa.types.is_integer(source.type):
        return coded_integers(InPlace(to_numpy(source)), attribute, stand_ins)
    takes_unlisted = stand_ins.drawn or stand_ins.unlisted >= 0
    null_is_another = takes_unlisted and attribute.missing is None
    if getattr(source, "null_count", True) and (null_is_another or source.type == pa.uint64()):
        return searched(lambda start, stop: floats(source, start, stop), attribute, stand_ins)
    # Without a value for it, a null becomes an integer that is not listed, which is refused.
    filler = min(attribute.values) - 1 if attribute.missing is None else attribute.missing  # type: ignore[operator]  # no text

    def rows(start: int, stop: int) -> NDArray[Any]:
        part = source.slice(start, stop - start)
        if part.null_count:
            part = part.cast(pa.int64()).fill_null(int(filler))
        return as_integers(to_numpy(part))

    return coded_integers(rows, attribute, stand_ins)


def coded_integers(rows: Slice, attribute: Attribute, stand_ins: StandIns) -> CodeColumn:
    """Integers that are looked up, or searched for where they lie far apart."""
    base, last = int(min(attribute.values)), int(max(attribute.values))
    if last - base >= MAX_LOOKUP:
        return searched(rows, attribute, stand_ins)
    # One more entry for all that is not listed, if anything stands for it.
    end = last + (stand_ins.drawn or stand_ins.unlisted >= 0)
    lookup = _small_lookup if end - base < SMALL_LOOKUP else _lookup
    found = lookup(attribute.values, base, end, stand_ins.unlisted)
    return CodeColumn(attribute, rows, base, found, stand_ins)


def _lookup(values: Sequence[Any], base: int, end: int, unlisted: int) -> NDArray[np.int32]:
    """Return the place of each integer from `base` to `end` among `values`, or `unlisted`."""
    lookup = np.full(end - base + 1, unlisted, dtype=np.int32)
    lookup[np.array(values, dtype=np.int64) - base] = np.arange(len(values))
    return lookup


_small_lookup = lru_cache(maxsize=1024)(_lookup)


def searched(rows: Slice, attribute: Attribute, stand_ins: StandIns) -> CodeColumn:
    """Numbers of any type, NaN where missing, among which an attribute's integers are found."""
    values = np.array(attribute.values, dtype=np.float64)  # exact: they lie within 2^53
    order = np.argsort(values)

    def places(start: int, stop: int) -> NDArray[np.int32]:
        numbers = rows(start, stop).astype(np.float64)
        found = order[np.minimum(np.searchsorted(values, numbers, sorter=order), len(values) - 1)]
        other = np.where(np.isfinite(numbers), stand_ins.unlisted, stand_ins.missing)
        return np.where(values[found] == numbers, found, other).astype(np.int32)

    return placed(places, attribute, stand_ins.drawn)


def placed(places: Slice, attribute: Part, drawn: bool) -> CodeColumn:
    """Rows that are places already, with everything that stands for others, and -1 for none."""
    values = len(attribute.values) + (attribute.size if isinstance(attribute, Signed) else 0)
    first = -1 if drawn else 0
    lookup = np.arange(first, values, dtype=np.int32)
    return CodeColumn(attribute, places, first, lookup, StandIns(drawn=drawn))


def coded_dictionary(
    source: pa.ChunkedArray,
    attribute: Attribute,
    stand_ins: StandIns,
    place_of: Callable[[Any], Any],
) -> CodeColumn:
    """Use the dictionary's own indices, and look its entries up once."""
    dictionary = source.chunk(0).dictionary.to_pylist() if source.num_chunks else []
    found = [stand_ins.missing if entry is None else place_of(entry) for entry in dictionary]
    lookup = np.array([stand_ins.missing, *(-1 if one is None else one for one in found)], np.int32)
    if is_plain(source):
        indices = source.chunk(0).indices.to_numpy()
        return CodeColumn(attribute, InPlace(indices), -1, lookup, StandIns(drawn=stand_ins.drawn))

    def rows(start: int, stop: int) -> NDArray[Any]:
        parts = [chunk.indices for chunk in source.slice(start, stop - start).chunks]
        indices = pa.chunked_array(parts)
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(-1)
        return to_numpy(indices)

    return CodeColumn(attribute, rows, -1, lookup, StandIns(drawn=stand_ins.drawn))


def coded_strings(source: Any, attribute: Attribute, stand_ins: StandIns) -> CodeColumn:
    """Text that Arrow holds, or will hold."""
    values = pa.array(attribute.values, type=source.type)
    last = len(values)
    lookup = np.array([stand_ins.missing, *range(last), stand_ins.unlisted], dtype=np.int32)

    def rows(start: int, stop: int) -> NDArray[Any]:
        part = source.slice(start, stop - start)
        found = pc.index_in(part, value_set=values).fill_null(last)
        if part.null_count:
            found = pc.if_else(part.is_null(), pa.scalar(-1, pa.int32()), found)
        return to_numpy(found)

    return CodeColumn(attribute, rows, -1, lookup, stand_ins)


def stand_ins_of(attribute: Attribute, drawn: bool) -> StandIns:
    """Return the places that a categorical attribute names for missing and unlisted values."""
    values: list[Any] = list(attribute.values)
    missing, unlisted = attribute.missing, getattr(attribute, "unlisted", None)
    return StandIns(
        -1 if missing is None else values.index(missing),
        -1 if unlisted is None else values.index(unlisted),
        drawn,
    )


def floats(source: pa.ChunkedArray, start: int, stop: int) -> NDArray[np.float64]:
    """Return integers or booleans as numbers, NaN where missing."""
    part = source.slice(start, stop - start)
    part = part.cast(pa.int8()) if pa.types.is_boolean(part.type) else part
    return to_numpy(part.cast(pa.float64(), safe=False).fill_null(float("nan")))


def is_whole(source: Any) -> bool:
    """Whether a column holds integers, and one in every row."""
    if isinstance(source, np.ndarray):
        return source.dtype.kind in "iu"
    return bool(pa.types.is_integer(source.type) and not source.null_count)


def is_plain(source: Any) -> bool:
    """Whether a column is one Arrow array without nulls, which NumPy reads where it lies."""
    return isinstance(source, pa.ChunkedArray) and source.num_chunks == 1 and not source.null_count


def to_numpy(part: pa.ChunkedArray) -> NDArray[Any]:
    """Return part of an Arrow column as NumPy holds it, copied only if it lies in pieces."""
    if part.num_chunks == 1:
        whole: NDArray[Any] = part.chunk(0).to_numpy(zero_copy_only=False)
        return whole
    joined: NDArray[Any] = part.to_numpy()
    return joined


def is_text(kind: pa.DataType) -> bool:
    """Whether Arrow holds text in a column of this type."""
    view = hasattr(pa.types, "is_string_view") and pa.types.is_string_view(kind)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or view)
