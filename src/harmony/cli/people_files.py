"""Files of people's values, read a part at a time, with each row's tier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..attributes import Numeric
from ..errors import DataError
from ..text import TextPlaces
from .data_files import Part, read_parts
from .terminal import meter

if TYPE_CHECKING:
    from ..questions import Part as Read
    from ..survey import Survey


def value_columns(attributes: Sequence[Read]) -> dict[str, pa.DataType]:
    """Return the column that each attribute is read from, and its type.

    >>> from harmony import Boolean, Numeric
    >>> value_columns([Numeric("battery", 0, 100), Boolean("wifi")])
    {'battery': DataType(double), 'wifi': DataType(bool)}
    """
    types = {str: pa.string(), int: pa.int64(), bool: pa.bool_()}
    return {
        one.source: pa.float64() if isinstance(one, Numeric)
        else pa.string() if isinstance(one, TextPlaces)
        else types[type(one.values[0])]
        for one in attributes
    }  # fmt: skip


def category_words(attributes: Sequence[Read]) -> set[str]:
    """Return the text that stands for a value, so that "NA" may mean Namibia."""
    return {
        value
        for one in attributes
        if not isinstance(one, Numeric)
        for value in one.values
        if isinstance(value, str)
    }


def value_parts(survey: Survey, path: Path, tier_column: str) -> Iterator[tuple[Part, Any]]:
    """Read the values a part at a time, with each row's tier where the survey has several."""
    columns = value_columns(survey.readings)
    tiered = len(survey.tiers) > 1
    if tiered and tier_column in columns:
        raise DataError(f"{tier_column!r} is an attribute; name another --tier-column")
    if tiered:
        columns[tier_column] = pa.int64()
    optional = [one.source for one in survey.readings if one.missing is not None]
    words = category_words(survey.readings)
    with meter("Randomising") as show:
        for part in read_parts(path, columns, optional=optional, words=words):
            yield part, _tiers(part, tier_column) if tiered else None
            show(part.share)


def _tiers(part: Part, column: str) -> Any:
    tiers = part.table[column]
    if tiers.null_count:
        raise DataError(f"column {column!r}: a row has no tier; every row needs its number")
    return tiers.to_numpy()
