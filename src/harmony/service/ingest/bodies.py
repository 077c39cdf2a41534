"""Reports as JSON: one of a device, or a list of a gateway."""

from __future__ import annotations

import msgspec

from ..problems import Problem


class ReportBody(msgspec.Struct):
    """One report as JSON."""

    round: str
    report: str


_decode_report = msgspec.json.Decoder(ReportBody).decode
_decode_list = msgspec.json.Decoder(list[ReportBody]).decode


_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a body that is no JSON raises, or one of brackets within brackets without end."""


def parse_report(body: bytes) -> ReportBody:
    """Read one report, or raise the problem with it.

    >>> parse_report(b'{"round": "w1", "report": "00"}').round
    'w1'
    """
    try:
        return _decode_report(body)
    except _UNREADABLE as raised:
        raise _malformed(raised) from None


def parse_list(body: bytes) -> list[ReportBody]:
    """Read a list of reports, or raise the problem with it.

    >>> len(parse_list(b'[{"round": "w1", "report": "00"}]'))
    1
    """
    try:
        return _decode_list(body)
    except _UNREADABLE as raised:
        raise _malformed(raised) from None


def _malformed(raised: Exception) -> Problem:
    """Return what is wrong with a body, without repeating it."""
    if isinstance(raised, msgspec.ValidationError):
        return Problem("malformed", f"the body: {raised}")
    return Problem("malformed", "the body must be JSON with 'round' and 'report'")
