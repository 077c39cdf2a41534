"""Texts that cannot be written: half of a surrogate pair, which JSON can escape but not UTF-8; and
a zero in an address, which PostgreSQL does not take."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .problems import Problem

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def check_address(path: str, query: bytes) -> None:
    r"""Raise the problem that an address holds a zero: nothing that it could name does.

    >>> check_address("/v1/surveys/phones", b"round=100%25")
    >>> check_address("/v1/surveys/\0", b"")
    Traceback (most recent call last):
    harmony.service.problems.Problem: the address holds a zero byte (%00)
    """
    if "\0" in path or b"%00" in query:
        raise Problem("not-found", "the address holds a zero byte (%00)")


def check_texts(body: bytes) -> None:
    r"""Raise the problem that a body holds a text with half of a surrogate pair, if it is JSON.

    >>> check_texts(b'{"name": "\\ud83d\\ude00"}')
    >>> check_texts(b'{"attributes": [{"name": "\\ud800"}]}')
    Traceback (most recent call last):
    harmony.service.problems.Problem: 'attributes.0.name': the text is not Unicode: ...
    """
    if not _ESCAPED_SURROGATE.search(body):
        return
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return  # it is refused, or read as something else, later
    for field, text in _texts(document):
        if not _is_unicode(text):
            raise Problem(
                "malformed",
                f"'{field}': the text is not Unicode: it holds half of a surrogate pair",
            )


def _texts(document: Any) -> Iterator[tuple[str, str]]:
    """Yield every text of a document, names of fields too, with the path of the field it is in."""
    left: list[tuple[str, Any]] = [("body", document)]
    while left:
        where, value = left.pop()
        inside = "" if where == "body" else f"{where}."
        if isinstance(value, str):
            yield where, value
        elif isinstance(value, dict):
            for name, one in value.items():
                yield where, name
                left.append((f"{inside}{name}", one))
        elif isinstance(value, list):
            left += [(f"{inside}{place}", one) for place, one in enumerate(value)]


def _is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
