"""Passing rows on: JSON, CSV, pandas and Polars, the same way for everything that has rows."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..csv_table import csv_table
from ..frames import pandas_frame, polars_frame

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from .base import Row


class Exported(ABC):
    """Something with rows of the same `columns`, that people take elsewhere."""

    columns: Sequence[str]

    @abstractmethod
    def rows(self, confidence: float = 0.95, *, top: int | None = None) -> list[Row]:
        """Return the rows; with `top`, only so many of each attribute."""

    @abstractmethod
    def to_dict(self, confidence: float = 0.95, *, top: int | None = None) -> dict[str, Any]:
        """Return everything as plain values; what is not finite becomes None."""

    def to_json(self, confidence: float = 0.95, *, top: int | None = None) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(self.to_dict(confidence, top=top), indent=2, ensure_ascii=False)

    def to_csv(self, confidence: float = 0.95, *, top: int | None = None) -> str:
        """Return the rows as CSV text."""
        return csv_table(finite_rows(self.rows(confidence, top=top)), self.columns)

    def to_frame(self, confidence: float = 0.95) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame."""
        return pandas_frame(self.rows(confidence))

    def to_polars(self, confidence: float = 0.95) -> pl.DataFrame:
        """Return the rows as a Polars DataFrame."""
        return polars_frame(self.rows(confidence))


def finite_rows(rows: Sequence[Row]) -> list[Row]:
    """Return rows in which None stands for what is not finite, as JSON needs it.

    >>> finite_rows([{"value": "a", "low": float("nan")}])
    [{'value': 'a', 'low': None}]
    """
    return [{key: _finite(value) for key, value in row.items()} for row in rows]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def text_table(lines: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Return lines of aligned cells; `sides` has "<" or ">" for each column.

    >>> text_table([["name", "n"], ["a", "12"]], "<>")
    ['name   n', 'a     12']
    """
    widths = [max(len(line[place]) for line in lines) for place in range(len(sides))]
    return [
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
