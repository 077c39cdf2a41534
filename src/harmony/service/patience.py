"""How long a database may keep us waiting, and what follows when it does.

Every wait has a deadline.  Who comes in the seconds after one was missed is refused at once: soon
all threads would be waiting otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError

DATABASE_SECONDS = 30.0
"""How long the database may take for a statement, unless the settings say otherwise."""

QUIET_SECONDS = 5.0
"""For how long nobody else asks a database that did not respond."""


class SilentDatabaseError(SQLAlchemyError):
    """The database did not respond a moment ago, so it is not asked."""


class Silence:
    """Whether a database has lately let somebody wait in vain.

    >>> silence = Silence(clock=lambda: 100.0)
    >>> silence.check(); silence.note(); silence.check()
    Traceback (most recent call last):
    harmony.service.patience.SilentDatabaseError: the database did not respond a moment ago
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = 0.0

    def note(self) -> None:
        """Note that somebody waited in vain."""
        self._until = self._clock() + QUIET_SECONDS

    def check(self) -> None:
        """Raise the error if it is too soon to ask again."""
        if self._clock() < self._until:
            raise SilentDatabaseError("the database did not respond a moment ago")
