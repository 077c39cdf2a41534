"""Structured logs: one event a line, as JSON or for reading.  Never a device, a value or a token.

A traceback names files, lines and the kinds of exceptions.  It has no local variables, among which
there are credentials, and no messages but the system's, because a message may quote what was sent.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import structlog
from structlog.typing import EventDict, WrappedLogger

MOST_FRAMES = 50
"""Frames of a traceback, the innermost: an endless recursion has thousands."""

_TOKEN = re.compile(r"hmy_[0-9A-Za-z]+_[0-9A-Za-z_-]+")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}){16,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What would move a terminal's cursor, start a line or turn the direction of writing."""


def redact(line: str) -> str:
    r"""Return a line without tokens, and without what may be a device's id, credential or report.

    What would do something to the terminal that shows it, is written out.

    >>> redact("path=/claim?code=hmy_00ff_abc-_1 id=" + "0f" * 16)
    'path=/claim?code=hmy_... id=...'
    >>> print(redact("path=/\x1b[2J"))
    path=/\x1b[2J
    """
    return _CONTROL.sub(_escaped, _HEX.sub("...", _TOKEN.sub("hmy_...", line)))


def _escaped(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode()


def plain_traceback(raised: BaseException) -> str:
    """Return an exception's traceback and those of its causes, the innermost frames last.

    >>> plain_traceback(OSError(28, "No space left on device"))
    'OSError: [Errno 28] No space left on device'
    >>> plain_traceback(ValueError("what was sent"))
    'ValueError'
    """
    return "".join(_lines(raised)).rstrip()


def _lines(raised: BaseException) -> Iterator[str]:
    before = raised.__cause__ or (None if raised.__suppress_context__ else raised.__context__)
    if before is not None:
        yield from _lines(before)
        yield "then:\n"
    if isinstance(raised, BaseExceptionGroup):
        for one in raised.exceptions:
            yield from _lines(one)
    yield from traceback.format_tb(raised.__traceback__, limit=-MOST_FRAMES)
    said = f": {raised}" if isinstance(raised, OSError) else ""
    yield f"{type(raised).__name__}{said}\n"


def add_traceback(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Turn an event's exception into text."""
    found = event.pop("exc_info", None)
    if found is True:
        found = sys.exc_info()
    raised = found[1] if isinstance(found, tuple) else found
    if isinstance(raised, BaseException):
        event["exception"] = plain_traceback(raised)
    return event


def keep_logs_plain() -> None:
    """Show no locals where nobody has set logs up, as where tests or other programs serve.

    By itself structlog would render local variables, for seconds, and with what was sent.
    """
    if not structlog.is_configured():
        structlog.configure(
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                add_traceback,
                _console(),
                lambda _, __, line: redact(str(line)),
            ]
        )


def _console() -> structlog.dev.ConsoleRenderer:
    return structlog.dev.ConsoleRenderer(
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )


class _Formatter(structlog.stdlib.ProcessorFormatter):
    """Formats a line, and takes out what no log may hold."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def configure_logs(form: str, level: str) -> None:
    """Send the log lines of Harmony, uvicorn and asyncio to standard error in one form."""
    shared: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        add_traceback,
    ]
    last: Any = structlog.processors.JSONRenderer() if form == "json" else _console()
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        _Formatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
        )
    )
    for name in ("harmony", "uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level.upper())
