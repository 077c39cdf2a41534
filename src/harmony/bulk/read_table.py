"""Reading tables: a dict of arrays, or a pandas, Polars or Arrow table, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..attributes import Attribute
from ..errors import DataError
from ..near_names import did_you_mean
from ..text import TextPlaces
from .coded import coded_column
from .columns import Column, TableLike
from .device_columns import device_column
from .sources import source_of
from .text_places import coded_text


def read_columns(
    table: TableLike, attributes: Sequence[Attribute], as_devices: bool = False
) -> tuple[list[Column], int]:
    """Return a column for each attribute, and how many rows the table has.

    Columns of another type are refused, unless every value is answered `as_devices` do.
    """
    names = _names(table)
    sources = {
        attribute.name: source_of(_pick(table, names, attribute.name), attribute, as_devices)
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
    columns = [_column(sources[one.name], one, as_devices) for one in attributes]
    return columns, lengths[shortest]


def _column(source: Any, attribute: Attribute, as_devices: bool) -> Column:
    if isinstance(attribute, TextPlaces):
        return coded_text(source, attribute, as_devices)
    return device_column(source, attribute) if as_devices else coded_column(source, attribute)


def pick_column(table: TableLike, name: str) -> Any:
    """Return the column of a table that is called `name`, or refuse the table."""
    return _pick(table, _names(table), name)


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
        raise DataError(f"column {name!r} is missing{did_you_mean(name, names)}")
    return table[name]
