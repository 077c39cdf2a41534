"""Canonical JSON, as RFC 8785 (JCS) defines it: equal documents are equal bytes.

Every language that reads JSON can check a hash over such bytes, and one whose numbers are IEEE
doubles can write them again.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from .errors import SurveyError
from .finite import is_finite

MOST_PLAIN, LEAST_PLAIN = 21, -6
"""Places of the decimal point, from the first digit, between which no exponent is written."""


def canonical_json(document: Any) -> bytes:
    """Return a document's one form in bytes.

    >>> canonical_json({"b": [1.0, -0.0, 1e21, 0.1, 1e-7], "a": "größer", "€": True}).decode()
    '{"a":"größer","b":[1,0,1e+21,0.1,1e-7],"€":true}'
    """
    try:
        return _written(document).encode()
    except UnicodeEncodeError:
        raise SurveyError("a text is not Unicode: it holds half of a surrogate pair") from None


def _written(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, dict):
        fields = sorted(value.items(), key=lambda field: field[0].encode("utf-16-be"))
        return "{" + ",".join(f"{_written(key)}:{_written(one)}" for key, one in fields) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_written, value)) + "]"
    raise SurveyError(f"a document cannot hold a {type(value).__name__}")


def _number(number: float) -> str:
    """Write a number as ECMAScript does: the fewest digits that give the same double."""
    if not is_finite(number):
        raise SurveyError("a document cannot hold a number that is not finite")
    double = float(number)
    if double == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(double)).normalize().as_tuple()
    assert isinstance(exponent, int)
    written = "".join(map(str, digits))
    point = len(written) + exponent
    if len(written) <= point <= MOST_PLAIN:
        shown = written + "0" * (point - len(written))
    elif 0 < point <= MOST_PLAIN:
        shown = f"{written[:point]}.{written[point:]}"
    elif LEAST_PLAIN < point <= 0:
        shown = "0." + "0" * -point + written
    else:
        fraction = f".{written[1:]}" if len(written) > 1 else ""
        shown = f"{written[0]}{fraction}e{point - 1:+d}"
    return "-" + shown if sign else shown
