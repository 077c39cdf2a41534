"""CSV that spreadsheets show as it is: a text that looks like a formula is marked as text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

_FORMULA = re.compile("[-=+@\t\r\n\uff0d\uff1d\uff0b\uff20]")
"""What makes a spreadsheet calculate a cell; the last four are the wide forms of the first."""

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def csv_table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Write rows as CSV, with a line of headings.

    >>> csv_table([{"value": "=1+1", "count": -3}, {"value": "-5", "count": 2}], ["value", "count"])
    "value,count\\n'=1+1,-3\\n-5,2\\n"
    """
    buffer = io.StringIO()
    writer = csv.writer(_Lines(buffer), lineterminator=_END)
    writer.writerow([_cell(column) for column in columns])
    writer.writerows([_cell(row.get(column, "")) for column in columns] for row in rows)
    return buffer.getvalue()


_END = "\r\n"
"""What Python's writer ends lines with, so that it quotes a cell that holds either letter."""


class _Lines:
    """Takes lines, which end as `_END` says, and writes them with a line feed at their ends."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, line: str) -> int:
        return self._file.write(line.removesuffix(_END) + "\n")


def _cell(value: Any) -> Any:
    """Return a cell's content: an apostrophe stands before a text that would be calculated."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
