"""Reading tables: a dict of arrays, or a pandas, Polars or Arrow table, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..attributes import Attribute, Numeric, Signed
from ..errors import DataError
from .columns import (
    BinColumn,
    CodeColumn,
    Column,
    InPlace,
    NumberColumn,
    Slice,
    TableLike,
    not_a_value,
    wrong_type,
)

MAX_LOOKUP = 1 << 22
SMALL_LOOKUP = 1 << 10
"""Integers between the least value and the greatest, up to which a lookup is kept."""


class _Objects:
    """Python objects or NumPy text, brought to Arrow a slice at a time."""

    def __init__(self, values: Any, attribute: Attribute) -> None:
        self.values = values
        self.attribute = attribute
        self.type = _arrow_type(attribute)

    def __len__(self) -> int:
        return len(self.values)

    def slice(self, start: int, length: int) -> pa.ChunkedArray:
        part = self.values[start : start + length]
        try:
            return pa.chunked_array([pa.array(part, self.type, from_pandas=True)])
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            raise DataError(wrong_type(self.attribute, "values of another type")) from None


def read_columns(table: TableLike, attributes: Sequence[Attribute]) -> tuple[list[Column], int]:
    """Return a column for each attribute, and how many rows the table has."""
    names = _names(table)
    sources = {
        attribute.name: _arrow_or_numpy(_pick(table, names, attribute.name), attribute)
        for attribute in attributes
    }
    lengths = {name: len(source) for name, source in sources.items()}
    shortest = min(lengths, key=lengths.__getitem__)
    longest = max(lengths, key=lengths.__getitem__)
    if lengths[shortest] != lengths[longest]:
        raise DataError(
            f"columns {shortest!r} and {longest!r} differ in length "
            f"({lengths[shortest]} and {lengths[longest]} rows)"
        )
    if not lengths[shortest]:
        raise DataError("the table has no rows; one row is one device")
    columns = [_column(sources[attribute.name], attribute) for attribute in attributes]
    return columns, lengths[shortest]


def _names(table: TableLike) -> Any:
    """Return the names of a table's columns."""
    if isinstance(table, Mapping):
        return table.keys()
    names = getattr(table, "column_names", None)
    if names is None:
        names = getattr(table, "columns", None)
    if names is None:
        raise DataError("the table must be a dict of arrays, or a pandas, Polars or Arrow table")
    return names


def _pick(table: TableLike, names: Any, name: str) -> Any:
    if name not in names:
        raise DataError(f"column {name!r} is missing")
    return table[name]


def _arrow_or_numpy(values: Any, attribute: Attribute) -> Any:
    """Bring any column to a NumPy or an Arrow array, without copying numbers."""
    if isinstance(values, pa.ChunkedArray):
        return values.unify_dictionaries() if pa.types.is_dictionary(values.type) else values
    if isinstance(values, pa.Array):
        return pa.chunked_array([values])
    if hasattr(values, "to_arrow"):  # Polars
        return _arrow_or_numpy(values.to_arrow(), attribute)
    if hasattr(values, "dtype") and hasattr(values, "iloc"):  # pandas
        if not isinstance(values.dtype, np.dtype):
            return _arrow_or_numpy(_arrow(values, attribute), attribute)
        values = values.to_numpy()
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{attribute.name}: the column must have one dimension")
    return _Objects(array, attribute) if array.dtype.kind in "OU" else array


def _arrow(values: Any, attribute: Attribute) -> pa.ChunkedArray:
    """Bring a pandas column of an extension type to Arrow, mostly without a copy."""
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        raise DataError(wrong_type(attribute, str(values.dtype))) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _arrow_type(attribute: Attribute) -> pa.DataType:
    if isinstance(attribute, Numeric):
        return pa.float64()
    return {str: pa.string(), int: pa.int64(), bool: pa.bool_()}[type(attribute.values[0])]


def _column(source: Any, attribute: Attribute) -> Column:
    if isinstance(attribute, Numeric):
        numbers = NumberColumn(attribute, _number_rows(source, attribute))
        if not attribute.edges:
            return numbers
        return BinColumn(numbers, 1, np.arange(len(attribute.values), dtype=np.int32))
    if isinstance(attribute, Signed):
        return _coded_signed(source, attribute)
    if isinstance(source, np.ndarray):
        return _coded_numpy(source, attribute)
    kind = source.type
    missing = -1 if attribute.missing is None else list(attribute.values).index(attribute.missing)
    if pa.types.is_dictionary(kind):
        return _coded_dictionary(source, attribute, missing)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or _is_view(kind):
        return _coded_strings(source, attribute, missing)
    if pa.types.is_null(kind):
        raise DataError(f"{attribute.name}: the column holds no values")
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return _coded_arrow(source, attribute, missing)
    raise DataError(wrong_type(attribute, str(kind)))


def _number_rows(source: Any, attribute: Numeric) -> Slice:
    if isinstance(source, np.ndarray):
        if source.dtype.kind not in "iuf" or source.dtype.itemsize > 8:
            raise DataError(wrong_type(attribute, str(source.dtype)))
        if source.dtype == np.float16 or not source.dtype.isnative:
            return lambda start, stop: source[start:stop].astype(np.float64)
        return InPlace(source)
    if not (pa.types.is_integer(source.type) or pa.types.is_floating(source.type)):
        raise DataError(wrong_type(attribute, str(source.type)))
    if _is_plain(source):
        return InPlace(_to_numpy(source))

    def rows(start: int, stop: int) -> NDArray[Any]:
        part = source.slice(start, stop - start)
        if part.null_count:
            part = part.cast(pa.float64(), safe=False).fill_null(float("nan"))
        return _to_numpy(part)

    return rows


def _coded_numpy(source: NDArray[Any], attribute: Attribute) -> CodeColumn:
    if source.dtype.kind not in "iub" or isinstance(attribute.values[0], str):
        raise DataError(wrong_type(attribute, str(source.dtype)))
    plain = source.view(np.int8) if source.dtype == bool else source
    return _coded_integers(InPlace(plain), attribute)


def _coded_signed(source: Any, attribute: Signed) -> CodeColumn:
    """A level, plus `size` where its sign is negative: the numbers that a training computes."""
    if isinstance(source, np.ndarray):
        whole = source.dtype.kind in "iu"
    else:
        whole = pa.types.is_integer(source.type) and not source.null_count
    if not whole:
        raise DataError(f"{attribute.name}: the column must hold integers, level and sign in one")
    levels, size = len(attribute.values), attribute.size
    lookup = np.arange(size + levels, dtype=np.int32)
    lookup[levels:size] = -1
    rows: Slice
    if isinstance(source, np.ndarray):
        rows = InPlace(source)
    elif _is_plain(source):
        rows = InPlace(_to_numpy(source))
    else:
        rows = lambda start, stop: _to_numpy(source.slice(start, stop - start))  # noqa: E731
    return CodeColumn(attribute, rows, 0, lookup)


def _coded_arrow(source: pa.ChunkedArray, attribute: Attribute, missing: int) -> CodeColumn:
    if isinstance(attribute.values[0], str):
        raise DataError(wrong_type(attribute, str(source.type)))
    if _is_plain(source) and pa.types.is_integer(source.type):
        return _coded_integers(InPlace(_to_numpy(source)), attribute)
    filler = None if missing < 0 else int(attribute.values[missing])

    def rows(start: int, stop: int) -> NDArray[Any]:
        part = source.slice(start, stop - start)
        if part.null_count:
            if filler is None:
                nulls = _to_numpy(part.is_null())
                raise DataError(not_a_value(attribute, start + int(nulls.argmax())))
            part = part.cast(pa.int64()).fill_null(filler)
        values = _to_numpy(part)
        return values.view(np.int8) if values.dtype == bool else values

    return _coded_integers(rows, attribute)


def _coded_integers(rows: Slice, attribute: Attribute) -> CodeColumn:
    base, last = int(min(attribute.values)), int(max(attribute.values))
    if last - base < MAX_LOOKUP:
        lookup = _small_lookup if last - base < SMALL_LOOKUP else _lookup
        return CodeColumn(attribute, rows, base, lookup(attribute.values, base, last))
    values = np.array(attribute.values, dtype=np.int64)
    order = np.argsort(values)

    def searched(start: int, stop: int) -> NDArray[np.int64]:
        chunk = rows(start, stop).astype(np.int64)
        found = np.minimum(np.searchsorted(values, chunk, sorter=order), len(values) - 1)
        return np.where(values[order[found]] == chunk, order[found], -1)

    return CodeColumn(attribute, searched, 0, np.arange(len(values), dtype=np.int32))


def _lookup(values: Sequence[Any], base: int, last: int) -> NDArray[np.int32]:
    """Return the number of each integer from `base` to `last` among `values`, or -1."""
    lookup = np.full(last - base + 1, -1, dtype=np.int32)
    lookup[np.array(values, dtype=np.int64) - base] = np.arange(len(values))
    return lookup


_small_lookup = lru_cache(maxsize=1024)(_lookup)


def _coded_dictionary(source: pa.ChunkedArray, attribute: Attribute, missing: int) -> CodeColumn:
    """Use the dictionary's own indices, and look its entries up once."""
    dictionary = source.chunk(0).dictionary.to_pylist() if source.num_chunks else []
    number = {value: place for place, value in enumerate(attribute.values)}
    lookup = np.array([missing] + [number.get(entry, -1) for entry in dictionary], dtype=np.int32)
    if _is_plain(source):
        indices = source.chunk(0).indices.to_numpy()
        return CodeColumn(attribute, InPlace(indices), -1, lookup)

    def rows(start: int, stop: int) -> NDArray[Any]:
        parts = [chunk.indices for chunk in source.slice(start, stop - start).chunks]
        indices = pa.chunked_array(parts)
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(-1)
        return _to_numpy(indices)

    return CodeColumn(attribute, rows, -1, lookup)


def _coded_strings(source: pa.ChunkedArray, attribute: Attribute, missing: int) -> CodeColumn:
    if not isinstance(attribute.values[0], str):
        raise DataError(wrong_type(attribute, str(source.type)))
    values = pa.array(attribute.values, type=source.type)
    lookup = np.array([missing, *range(len(values)), -1], dtype=np.int32)

    def rows(start: int, stop: int) -> NDArray[Any]:
        part = source.slice(start, stop - start)
        found = pc.index_in(part, value_set=values).fill_null(len(values))
        if part.null_count:
            found = pc.if_else(part.is_null(), pa.scalar(-1, pa.int32()), found)
        return _to_numpy(found)

    return CodeColumn(attribute, rows, -1, lookup)


def _is_plain(source: Any) -> bool:
    """Whether a column is one Arrow array without nulls, which NumPy reads where it lies."""
    return isinstance(source, pa.ChunkedArray) and source.num_chunks == 1 and not source.null_count


def _to_numpy(part: pa.ChunkedArray) -> NDArray[Any]:
    if part.num_chunks == 1:
        whole: NDArray[Any] = part.chunk(0).to_numpy(zero_copy_only=False)
        return whole
    joined: NDArray[Any] = part.to_numpy()
    return joined


def _is_view(kind: pa.DataType) -> bool:
    return hasattr(pa.types, "is_string_view") and bool(pa.types.is_string_view(kind))
