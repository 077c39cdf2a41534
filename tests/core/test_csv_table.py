"""CSV that a spreadsheet shows as it is, whatever the names are."""

from __future__ import annotations

import csv
import io
import re

import pytest

from harmony.csv_table import csv_table

BREAKS = ("\r", "\n", "\r\n")


@pytest.mark.parametrize("start", [*"=+-@\t\r\n", *"\uff1d\uff0b\uff0d\uff20"])
def test_no_cell_begins_like_a_formula(start: str) -> None:
    line = next(csv.reader(io.StringIO(csv_table([], [f"{start}1+1"]), newline="")))
    assert line == [f"'{start}1+1"]


@pytest.mark.parametrize("end", BREAKS)
def test_a_break_inside_a_cell_begins_no_line(end: str) -> None:
    """A spreadsheet that ends lines at a carriage return would read a formula in the next one."""
    written = csv_table([{"value": f"dark{end}=1+1", "count": 3}], ["value", "count"])
    outside_quotes = re.sub(r'"[^"]*"', "", written)
    assert outside_quotes == "value,count\n,3\n"
    read = list(csv.reader(io.StringIO(written, newline="")))
    assert read == [["value", "count"], [f"dark{end}=1+1", "3"]]
