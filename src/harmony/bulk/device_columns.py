"""Columns in which every row has an answer, as every record has on a device.

Which values are usable, and what stands for the others, is what `harmony_device.attributes` says:
of another type, NaN, infinite or null is missing; a usable value that is not listed is unlisted;
where nothing stands for those, a place is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harmony_device.attributes import single_from_document

from ..attributes import Attribute, Numeric, Signed
from .coded import (
    as_integers,
    coded_arrow,
    coded_dictionary,
    coded_integers,
    coded_signed,
    coded_strings,
    floats,
    is_text,
    is_whole,
    number_rows,
    placed,
    searched,
    stand_ins_of,
)
from .columns import CodeColumn, Column, InPlace, NumberColumn, Slice
from .sources import Objects


def device_column(source: Any, attribute: Attribute) -> Column:
    """Return a table's column for an attribute, whatever its type.

    >>> from harmony import Categorical
    >>> shop = Categorical("shop", ["A", "B", "rest"], unlisted="rest")
    >>> column = device_column(pa.chunked_array([["B", "Z", None]]), shop)
    >>> column.places(column.rows(0, 3)).tolist()
    [1, 2, -1]
    """
    if isinstance(attribute, Numeric):
        return NumberColumn(attribute, _numbers(source, attribute), drawn=True)
    if isinstance(source, Objects):
        return placed(_object_places(source), attribute, drawn=True)
    if isinstance(attribute, Signed):
        return _signed(source, attribute)
    return _coded(source, attribute)


def _numbers(source: Any, attribute: Numeric) -> Slice:
    if isinstance(source, Objects):
        return _object_numbers(source)
    if isinstance(source, np.ndarray):
        if source.dtype.kind == "f" and source.dtype.itemsize > 8:
            return lambda start, stop: source[start:stop].astype(np.float64)
        usable = source.dtype.kind in "iuf"
    else:
        if pa.types.is_dictionary(source.type):
            source = source.cast(source.type.value_type)
        usable = _is_number(source.type)
    return number_rows(source, attribute) if usable else _constant(np.nan)


def _object_numbers(source: Objects) -> Slice:
    read = _device_reading(source.attribute)

    def rows(start: int, stop: int) -> NDArray[Any]:
        part = source.slice_as_is(start, stop - start)
        if part is not None and _is_number(part.type):
            return number_rows(part, source.attribute)(0, stop - start)
        answers = [read(value) for value in source.values[start:stop]]
        return np.array([np.nan if one is None else one for one in answers], np.float64)

    return rows


def _object_places(source: Objects) -> Slice:
    read, attribute = _device_reading(source.attribute), source.attribute

    def rows(start: int, stop: int) -> NDArray[Any]:
        part = source.slice_as_is(start, stop - start)
        signed = isinstance(attribute, Signed)
        if part is not None and not signed and _is_asked(part.type, attribute):
            column = _coded(part, attribute)
            return column.places(column.rows(0, stop - start))
        answers = [read(value) for value in source.values[start:stop]]
        return np.array([-1 if one is None else one for one in answers], np.int32)

    return rows


def _coded(source: Any, attribute: Attribute) -> CodeColumn:
    """Return the column of a categorical attribute."""
    stand_ins, of = stand_ins_of(attribute, drawn=True), type(attribute.values[0])
    if isinstance(source, np.ndarray):
        if (of is bool and source.dtype == bool) or (of is int and source.dtype.kind in "iu"):
            return coded_integers(InPlace(as_integers(source)), attribute, stand_ins)
        if of is int and source.dtype.kind == "f":
            return searched(InPlace(source), attribute, stand_ins)
    elif pa.types.is_dictionary(source.type):
        return coded_dictionary(source, attribute, stand_ins, _device_reading(attribute))
    elif _is_asked(source.type, attribute):
        if of is str:
            return coded_strings(source, attribute, stand_ins)
        if not pa.types.is_floating(source.type):
            return coded_arrow(source, attribute, stand_ins)
        return searched(lambda start, stop: floats(source, start, stop), attribute, stand_ins)
    return placed(_constant(stand_ins.missing), attribute, drawn=True)


def _signed(source: Any, attribute: Signed) -> CodeColumn:
    if is_whole(source):
        return coded_signed(source, attribute, drawn=True)
    return placed(_constant(-1), attribute, drawn=True)


def _constant(value: float) -> Slice:
    """Return rows that all hold the same: those of a column in which nothing is usable."""
    return lambda start, stop: np.full(stop - start, value)


def _is_number(kind: pa.DataType) -> bool:
    """Whether Arrow holds numbers in a column of this type."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _is_asked(kind: pa.DataType, attribute: Attribute) -> bool:
    """Whether a column of this type holds what a categorical attribute asks for."""
    of = type(attribute.values[0])
    if of is str:
        return is_text(kind)
    return _is_number(kind) if of is int else bool(pa.types.is_boolean(kind))


def _device_reading(attribute: Attribute) -> Callable[[Any], float | int | None]:
    """Return how a device reads one value of this attribute."""
    document = attribute.to_document()
    document.pop("bins", None)  # the number itself, which is put into its bin later
    read = single_from_document(document).read
    return lambda value: read(bool(value) if isinstance(value, np.bool_) else value)
