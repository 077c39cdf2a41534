"""Findings: the strings that an exploration found, with shares and intervals, and the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..csv_table import csv_table
from ..errors import HarmonyError
from ..frames import pandas_frame, polars_frame
from ..html_table import html_table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

COLUMNS = ("string", "share", "low", "high", "cut")
REST = "(other)"
SHOWN = 32


@dataclass(frozen=True)
class Found:
    """A string that was found, and its share with an interval that holds although it was picked."""

    text: str
    share: float
    low: float
    high: float
    is_cut: bool
    """Whether texts that begin so were not told apart."""

    @property
    def shown(self) -> str:
        """The text as it is shown: with three dots where it was cut."""
        return f"{self.text}..." if self.is_cut else self.text or "(empty)"


@dataclass(frozen=True, repr=False)
class Findings:
    """What an exploration found, the most common string first.

    `rest` is the share of all other texts, and of devices without one.  A string that the share
    `reach` of the devices has was found with a chance of 90%; `mistakes` is how many of the
    strings, on average and at most, nobody has.

    >>> import harmony as hm
    >>> words = ["apple"] * 40_000 + ["banana"] * 25_000 + [f"word {i}" for i in range(35_000)]
    >>> found = hm.explore({"word": words}, "word", epsilon=4.0, seed=1)
    >>> found
    exploration: 100,000 devices, epsilon 4
    string   share  95% interval
    apple    39.6%  39.0% .. 40.1%
    banana   25.1%  24.6% .. 25.5%
    (other)  35.4%  34.7% .. 36.0%
    found with a chance of 90%: strings that 0.95% have; by mistake: fewer than 0.1 strings
    >>> "apple" in found, found.strings[1].text
    (True, 'banana')
    """

    exploration: str
    epsilon: float
    devices: int
    mistakes: float
    reach: float
    strings: tuple[Found, ...]
    rest: float
    rest_low: float
    rest_high: float

    def __len__(self) -> int:
        return len(self.strings)

    def __iter__(self) -> Iterator[Found]:
        return iter(self.strings)

    def __contains__(self, text: object) -> bool:
        return any(one.text == text for one in self.strings)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each string, and one for all others."""
        found = [
            dict(zip(COLUMNS, (one.shown, one.share, one.low, one.high, one.is_cut), strict=True))
            for one in self.strings
        ]
        rest = (REST, self.rest, self.rest_low, self.rest_high, False)
        return [*found, dict(zip(COLUMNS, rest, strict=True))]

    def to_document(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self) | {"strings": [asdict(one) for one in self.strings]}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Findings:
        """Read findings back."""
        try:
            strings = tuple(Found(**one) for one in document["strings"])
            return cls(**{**document, "strings": strings})
        except (KeyError, TypeError):
            raise HarmonyError("this document does not hold an exploration's findings") from None

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_document(), indent=2, ensure_ascii=False)

    def to_csv(self) -> str:
        """Return the rows as CSV text."""
        return csv_table(self.rows(), COLUMNS)

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame."""
        return pandas_frame(self.rows())

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a Polars DataFrame."""
        return polars_frame(self.rows())

    def plot(self) -> Figure:
        """Draw every string's share with its interval, as a matplotlib figure."""
        from ..plots import plot_findings

        return plot_findings(self)

    @property
    def title(self) -> str:
        """What was asked, in a line."""
        return f"{self.exploration}: {self.devices:,} devices, epsilon {self.epsilon:g}"

    @property
    def promise(self) -> str:
        """What is found, and what is found by mistake, in a line."""
        return (
            f"found with a chance of 90%: strings that {self.reach:.2%} have; "
            f"by mistake: fewer than {self.mistakes:g} strings"
        )

    def written(self) -> list[list[str]]:
        """Return the rows for people: a string, its share and its interval."""
        digits = 1 if self.reach > 0.005 else 2
        return [
            [
                row["string"],
                f"{row['share']:.{digits}%}",
                f"{row['low']:.{digits}%} .. {row['high']:.{digits}%}",
            ]
            for row in self.rows()
        ]

    def _repr_html_(self) -> str:
        headings = ["string", ">share", ">95% interval"]
        return html_table(self.title, headings, self.written(), self.promise)

    def __repr__(self) -> str:
        rows = [["string", "share", "95% interval"], *self.written()]
        name, share = (max(len(row[place]) for row in rows) for place in (0, 1))
        lines = [f"{row[0]:<{name}}  {row[1]:>{share}}  {row[2]}" for row in rows]
        if len(lines) > SHOWN + 2:
            lines[SHOWN + 1 : -1] = [f"... {len(self) - SHOWN} more strings"]
        return "\n".join([self.title, *lines, self.promise])
