"""What servers and databases logged while the tests ran: it must hold nothing that was sent.

Every log is taken in when its process ends, and read when the suite does.  A log may hold no token,
and nothing that could be a part of a device's id, of a credential or of a report.
"""

from __future__ import annotations

import re
from pathlib import Path

_MEANT = [
    re.compile(r"/claim\?code=hmy_\S+"),
    re.compile(r"Failing row contains \(\d+, \d+, [\w.:-]+, \\x[0-9a-f]{32}, [\d.]+,"),
]
"""What is there on purpose: the first admin's code, on the terminal, which these files are for a
test; a round with its seed, which is public, where PostgreSQL refuses one of a deleted survey."""

# A token's id, which may be logged, has 16 digits; a device's has 32, and a report more.
_PRIVATE = [
    re.compile(r"hmy_[0-9A-Za-z]+_[0-9A-Za-z_-]+"),
    re.compile(r"\\x[0-9a-f]{2}(?:.{0,3}\\x[0-9a-f]{2}){3}"),
]
"""One by one, with a beginning to look for each: the logs of a suite have 200 MB."""

_LONG_NUMBER = re.compile(r"[0-9A-Fa-f]{17,}")
_DIGITS_ALIKE = bytes.maketrans(b"123456789ABCDEFabcdef", b"0" * 21)

_taken: dict[str, str] = {}
"""Texts by the name of the log."""


def take_in(log: Path) -> None:
    """Keep what a log holds now: its folder may go."""
    if log.exists():
        _taken[str(log)] = log.read_text(errors="backslashreplace")


def private_parts(text: str) -> list[str]:
    r"""Return what looks like a secret, a device or a report.

    >>> private_parts("path=/claim?code=hmy_... id=... reports=40000 device=00112233445566778899")
    ['00112233445566778899']
    >>> len(private_parts(str(bytes(range(200, 216)))))
    4
    """
    for meant in _MEANT:
        text = meant.sub("", text)
    patterns = [*_PRIVATE, *([_LONG_NUMBER] if _has_long_number(text) else [])]
    return [part for pattern in patterns for part in pattern.findall(text)]


def _has_long_number(text: str) -> bool:
    """Say whether `_LONG_NUMBER` is anywhere, without trying it at every letter."""
    return b"0" * 17 in text.encode("ascii", "replace").translate(_DIGITS_ALIKE)


def check() -> int:
    """Read all logs; return how many there were."""
    for name, text in _taken.items():
        told = private_parts(text)
        assert not told, f"{name}: {told[:3]}"
    return len(_taken)
