"""Reports as JSON: one of a device, or a list of a gateway."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from ..problems import Problem

Parsed = TypeVar("Parsed")


class ReportBody(msgspec.Struct):
    """One report as JSON."""

    round: str
    report: str


_decode_report = msgspec.json.Decoder(ReportBody).decode
_decode_list = msgspec.json.Decoder(list[ReportBody]).decode


def parse_report(body: bytes) -> ReportBody:
    """Read one report, or raise the problem with it.

    >>> parse_report(b'{"round": "w1", "report": "00"}').round
    'w1'
    """
    return _parsed(_decode_report, body)


def parse_list(body: bytes) -> list[ReportBody]:
    """Read a list of reports, or raise the problem with it.

    >>> len(parse_list(b'[{"round": "w1", "report": "00"}]'))
    1
    """
    return _parsed(_decode_list, body)


def _parsed(decode: Callable[[bytes], Parsed], body: bytes) -> Parsed:
    """Decode a body, or say what is wrong with it without repeating it."""
    try:
        return decode(body)
    except msgspec.ValidationError as problem:
        raise Problem("malformed", f"the body: {problem}") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        detail = "the body must be JSON with 'round' and 'report'"
        raise Problem("malformed", detail) from None
