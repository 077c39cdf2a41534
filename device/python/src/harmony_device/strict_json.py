"""JSON as every SDK reads it: bounded before it is parsed, numbers as IEEE doubles.

A number that is an integer is one however it is written: 1.0 and 1e0 are 1, as in languages
that have one kind of number.
"""

from __future__ import annotations

from .errors import RefusedError
from .protocol import BYTES_A_CONTAINER, MOST_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

EXACT_DIGITS = 15
"""Integers of so many digits are the same as doubles."""


def parse_json(content: bytes, most_bytes: int = MOST_BYTES) -> Any:
    """Parse what a server sent, refusing what would hang or exhaust a device.

    >>> parse_json(b'{"coin": 1.0, "low": 1.5}')
    {'coin': 1, 'low': 1.5}
    >>> parse_json(b'{"low": NaN}')
    Traceback (most recent call last):
    ...
    harmony_device.errors.RefusedError: the document is not JSON: NaN is not a number
    """
    import json

    if len(content) > most_bytes:
        raise RefusedError(f"the document has more than {most_bytes} bytes")
    if content.count(b"[") + content.count(b"{") > most_bytes // BYTES_A_CONTAINER:
        raise RefusedError(
            f"the document has more than {most_bytes // BYTES_A_CONTAINER} arrays and objects"
        )
    try:
        return json.loads(
            content.decode("utf-8"),
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_refuse_constant,
        )
    except RefusedError:
        raise
    except RecursionError:
        raise RefusedError("the document is not JSON: it is nested too deeply") from None
    except UnicodeDecodeError:
        raise RefusedError("the document is not JSON: it is not UTF-8") from None
    except ValueError as problem:
        raise RefusedError(f"the document is not JSON: {problem}") from None


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= EXACT_DIGITS else _number(digits)


def _number(digits: str) -> int | float:
    number = float(digits)
    return int(number) if number.is_integer() else number


def _refuse_constant(constant: str) -> NoReturn:
    raise RefusedError(f"the document is not JSON: {constant} is not a number")
