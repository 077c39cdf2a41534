"""A table in HTML, for notebooks: nothing to load, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], note: str = ""
) -> str:
    """Return a table; headings that start with ">" stand over numbers, "<" over plain HTML.

    >>> html_table("a & b", ["name", ">n"], [["x", "3"]]).count("&amp;")
    1
    """
    sides = ["right" if heading.startswith(">") else "left" for heading in headings]
    plain = [heading.startswith("<") for heading in headings]
    head = "".join(
        f'<th style="text-align:{side}">{escape(heading.lstrip("<>"))}</th>'
        for heading, side in zip(headings, sides, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{side}">{cell if as_is else escape(cell)}</td>'
            for cell, side, as_is in zip(row, sides, plain, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    below = f"<div>{escape(note)}</div>" if note else ""
    return (
        f"<div><strong>{escape(title)}</strong></div>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
    )
