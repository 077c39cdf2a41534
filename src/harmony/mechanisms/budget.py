"""A budget of time for designing: whoever designs for others says how long that may take."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import SurveyError

_end: ContextVar[float] = ContextVar("end", default=float("inf"))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Give what is designed inside so many seconds; after them, the next design is refused.

    >>> from fractions import Fraction
    >>> from harmony import Boolean
    >>> from harmony.mechanisms.choose import design_mechanism
    >>> with within(0.0):
    ...     design_mechanism(Boolean("wifi"), Fraction(1), "auto")
    Traceback (most recent call last):
    harmony.errors.SurveyError: 'attributes': their tables take too long to design here; ...
    """
    token = _end.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _end.reset(token)


def check() -> None:
    """Raise the error that the time is up, if it is."""
    if time.monotonic() > _end.get():
        raise SurveyError(
            "'attributes': their tables take too long to design here; write them with "
            "`harmony survey build` and send the whole document"
        )
