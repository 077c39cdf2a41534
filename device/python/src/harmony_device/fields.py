"""Fields of documents that a server sends: names, numbers, seeds and texts, checked."""

from __future__ import annotations

from math import isfinite

from .coins import SEED_BYTES
from .errors import RefusedError
from .protocol import MAX_NAME


def checked_name(name: object, field: str, extra: str = "._-", most: int = MAX_NAME) -> str:
    """Return a survey's name or a round's label, or raise RefusedError.

    >>> checked_name("../../etc/passwd", "name")
    Traceback (most recent call last):
    ...
    harmony_device.errors.RefusedError: 'name' must be 1 to 100 letters, digits or '._-', ...
    """
    if isinstance(name, str) and _is_plain(name, extra) and len(name) <= most:
        return name
    raise RefusedError(
        f"'{field}' must be 1 to {most} letters, digits or '{extra}', "
        "starting with a letter or digit"
    )


def _is_plain(name: str, extra: str) -> bool:
    plain = name.isascii() and all(one.isalnum() or one in extra for one in name)
    return plain and name[:1].isalnum()


def checked_number(number: object, field: str) -> float:
    """Return a finite number of a document, or raise RefusedError."""
    if type(number) in (float, int):
        try:
            if isfinite(number):  # type: ignore[arg-type]  # a number
                return float(number)  # type: ignore[arg-type]
        except OverflowError:
            pass
    raise RefusedError(f"'{field}' must be a finite number")


def checked_seed(seed: object) -> bytes:
    """Return a round's seed, or raise RefusedError.

    >>> checked_seed("00 " * 16)
    Traceback (most recent call last):
    ...
    harmony_device.errors.RefusedError: 'seed' must be 32 hexadecimal digits
    """
    if isinstance(seed, str) and len(seed) == 2 * SEED_BYTES:
        try:
            read = bytes.fromhex(seed)
        except ValueError:
            read = b""
        if len(read) == SEED_BYTES:  # fewer if there was white space
            return read
    raise RefusedError(f"'seed' must be {2 * SEED_BYTES} hexadecimal digits")


def is_well_formed(text: str) -> bool:
    """Whether a text is Unicode: JSON's escapes can spell half of a surrogate pair.

    >>> is_well_formed("größer"), is_well_formed(chr(0xD800))
    (True, False)
    """
    return text.isascii() or not any("\ud800" <= one <= "\udfff" for one in text)
