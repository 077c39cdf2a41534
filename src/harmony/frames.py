"""Rows as data frames: pandas and Polars, where they are installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import HarmonyError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Rows = Sequence[Mapping[str, Any]]


def pandas_frame(rows: Rows) -> pd.DataFrame:
    """Return rows as a pandas DataFrame.

    >>> pandas_frame([{"value": "dark", "estimate": 0.3}]).shape
    (1, 2)
    """
    try:
        import pandas as pd
    except ImportError:
        raise HarmonyError("to_frame needs pandas: pip install 'harmony-ldp[frames]'") from None
    return pd.DataFrame(list(rows))


def polars_frame(rows: Rows) -> pl.DataFrame:
    """Return rows as a Polars DataFrame; a column of several types becomes text.

    >>> polars_frame([{"value": True, "n": 3}, {"value": "dark", "n": 4}])["value"].to_list()
    ['True', 'dark']
    """
    try:
        import polars as pl
    except ImportError:
        raise HarmonyError("to_polars needs Polars: pip install 'harmony-ldp[frames]'") from None
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return pl.DataFrame({name: _of_one_type(values) for name, values in columns.items()})


def _of_one_type(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2 or kinds <= {int, float}:
        return values
    return [None if value is None else str(value) for value in values]
