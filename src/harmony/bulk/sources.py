"""Sources: any column of any table as a NumPy array, an Arrow array or Python objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from ..attributes import Numeric
from ..errors import DataError
from ..questions import Part
from ..text import TextPlaces
from .columns import SpelledTexts, wrong_type

_NOT_CONVERTED = (pa.ArrowException, ValueError, TypeError, OverflowError)
_PLAIN_NUMBERS = {float, int, type(None), np.float64}


class Objects:
    """Python objects or NumPy text, brought to Arrow a slice at a time."""

    def __init__(self, values: Any, attribute: Part) -> None:
        self.values = values
        self.attribute: Any = attribute
        self.type = _arrow_type(attribute)

    def __len__(self) -> int:
        return len(self.values)

    def slice(self, start: int, length: int) -> pa.ChunkedArray:
        """Return rows as the attribute's type, or raise DataError."""
        part = self.values[start : start + length]
        try:
            return pa.chunked_array([_arrow_of(part, self.type)])
        except _NOT_CONVERTED:
            raise DataError(wrong_type(self.attribute, self._other_types(start, part))) from None

    def slice_as_is(self, start: int, length: int) -> pa.ChunkedArray | None:
        """Return rows as the type that all of them have, or None."""
        try:
            part = self.values[start : start + length]
            array = _arrow_of(part)
        except _NOT_CONVERTED:
            return None
        # Among floats, Arrow takes an unsigned 2**64 - 1 for -1.
        is_plain = not pa.types.is_floating(array.type) or {*map(type, part)} <= _PLAIN_NUMBERS
        return pa.chunked_array([array]) if is_plain else None

    def _other_types(self, start: int, part: Any) -> str:
        wrong = [value for value in part if not self._converts(value)]
        rows = f"rows {start:,} to {start + len(part) - 1:,}"
        return f"values of another type ({len(wrong):,} in {rows})"

    def _converts(self, value: Any) -> bool:
        try:
            _arrow_of([value], self.type)
        except _NOT_CONVERTED:
            return False
        return True


def _arrow_of(values: Any, kind: pa.DataType | None = None) -> pa.Array:
    """Bring objects to Arrow, which takes `True` among floats for 1.0: here that is an error."""
    array = pa.array(values, kind, from_pandas=True)
    is_float = pa.types.is_floating(array.type)
    if is_float and any(isinstance(one, (bool, np.bool_)) for one in values):
        raise TypeError("a boolean is not a number")
    return array


def source_of(values: Any, attribute: Part, as_devices: bool = False) -> Any:
    """Bring any column to a NumPy or an Arrow array, without copying numbers."""
    if isinstance(values, SpelledTexts):
        return values
    if isinstance(values, pa.ChunkedArray):
        return _unified(values) if pa.types.is_dictionary(values.type) else values
    if isinstance(values, pa.Array):
        return pa.chunked_array([values])
    if hasattr(values, "to_arrow"):  # Polars
        return source_of(values.to_arrow(), attribute, as_devices)
    if hasattr(values, "dtype") and hasattr(values, "iloc"):  # pandas
        if not isinstance(values.dtype, np.dtype):
            return source_of(_arrow(values, attribute, as_devices), attribute, as_devices)
        values = values.to_numpy()
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{attribute.source}: the column must have one dimension")
    return Objects(array, attribute) if array.dtype.kind in "OU" else array


def _unified(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column whose pieces have one dictionary, or none."""
    try:
        return values.unify_dictionaries()
    except pa.ArrowException:  # one of them holds a null
        return values.cast(values.type.value_type)


def _arrow(values: Any, attribute: Part, as_devices: bool) -> Any:
    """Bring a pandas column of an extension type to Arrow, mostly without a copy."""
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        if as_devices:
            return values.to_numpy(object)
        raise DataError(wrong_type(attribute, str(values.dtype))) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _arrow_type(attribute: Part) -> pa.DataType:
    if isinstance(attribute, Numeric):
        return pa.float64()
    if isinstance(attribute, TextPlaces):
        return pa.string()
    return {str: pa.string(), int: pa.int64(), bool: pa.bool_()}[type(attribute.values[0])]
