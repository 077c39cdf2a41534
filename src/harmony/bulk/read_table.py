"""Reading tables: a dict of arrays, or a pandas, Polars or Arrow table, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..attributes import Numeric
from ..errors import DataError
from ..near_names import did_you_mean
from ..questions import Part
from ..text import TextPlaces
from .coded import coded_column
from .columns import Column, TableLike
from .device_columns import device_column
from .sources import source_of
from .text_places import coded_text


def read_columns(
    table: TableLike, parts: Sequence[Part], as_devices: bool = False
) -> tuple[list[Column], int]:
    """Return the column that each part reads, and how many rows the table has.

    Parts that read the same of the same column, such as the levels of a distribution, get the
    same column.  Columns of another type are refused, unless every value is answered `as_devices`
    do.
    """
    names = _names(table)
    distinct: dict[Any, Part] = {}
    for part in parts:
        distinct.setdefault(_reading(part), part)
    sources = {
        reading: source_of(_pick(table, names, part.source), part, as_devices)
        for reading, part in distinct.items()
    }
    lengths = {distinct[reading].source: len(source) for reading, source in sources.items()}
    shortest = min(lengths, key=lengths.__getitem__)
    longest = max(lengths, key=lengths.__getitem__)
    if lengths[shortest] != lengths[longest]:
        raise DataError(
            f"columns {shortest!r} and {longest!r} differ in length "
            f"({lengths[shortest]} and {lengths[longest]} rows)"
        )
    if not lengths[shortest]:
        raise DataError("the table has no rows; one row is one device")
    columns = {
        reading: _column(source, distinct[reading], as_devices)
        for reading, source in sources.items()
    }
    return [columns[_reading(part)] for part in parts], lengths[shortest]


def _reading(part: Part) -> Any:
    """What a column is read as: parts of which this is equal can share one."""
    if isinstance(part, TextPlaces):
        return part
    if isinstance(part, Numeric):
        return part.source, part.low, part.high, part.missing
    return type(part), part.source, part.values, part.missing, part.unlisted


def _column(source: Any, attribute: Part, as_devices: bool) -> Column:
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
