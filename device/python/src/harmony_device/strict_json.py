"""JSON as every SDK reads it: bounded before it is parsed, numbers as IEEE doubles.

A number that is an integer is one however it is written: 1.0 and 1e0 are 1 (see `whole`), as in
languages that have one kind of number.
"""

from __future__ import annotations

from .errors import RefusedError
from .protocol import BYTES_A_MARK, MARKS, MAX_DIGITS, MOST_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_DIGITS_ALONE = bytes(ord("0") if byte in b"0123456789" else 0 for byte in range(256))
_TOO_LONG = b"0" * (MAX_DIGITS + 1)


def parse_json(content: bytes, most_bytes: int = MOST_BYTES) -> Any:
    """Parse what a server sent, refusing what would hang or exhaust a device.

    >>> parse_json(b'{"low": NaN}')
    Traceback (most recent call last):
    ...
    harmony_device.errors.RefusedError: the document is not JSON: NaN is not a number
    """
    import json

    if len(content) > most_bytes:
        raise RefusedError(f"the document has more than {most_bytes} bytes")
    if sum(map(content.count, MARKS)) > most_bytes // BYTES_A_MARK:
        raise RefusedError(
            f"the document has more than {most_bytes // BYTES_A_MARK} brackets, colons and commas"
        )
    if _TOO_LONG in content.translate(_DIGITS_ALONE):
        raise RefusedError(f"the document has a number of more than {MAX_DIGITS} digits")
    try:
        return json.loads(content.decode("utf-8"), parse_constant=refuse_constant)
    except RefusedError:
        raise
    except RecursionError:
        raise RefusedError("the document is not JSON: it is nested too deeply") from None
    except UnicodeDecodeError:
        raise RefusedError("the document is not JSON: it is not UTF-8") from None
    except ValueError as problem:
        raise RefusedError(f"the document is not JSON: {problem}") from None


def whole(number: object) -> Any:
    """Return a number that is an integer as one, and anything else as it is.

    >>> whole(3), whole(3.0), whole(3.5), whole("3"), whole(True)
    (3, 3, 3.5, '3', True)
    """
    return int(number) if type(number) is float and number.is_integer() else number


def refuse_constant(constant: str) -> NoReturn:
    """Refuse what Python's parser takes for a number and JSON does not: NaN and Infinity."""
    raise RefusedError(f"the document is not JSON: {constant} is not a number")
