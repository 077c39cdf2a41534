"""Connections to PostgreSQL that give up in time.

A PostgreSQL that is stopped, or behind a broken network, does not refuse: it says nothing, and
libpq waits for ever.  Here every wait has a deadline, after which the connection is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import psycopg
from psycopg.abc import PQGen

from .patience import DATABASE_SECONDS, Silence

LEAST_CONNECT_SECONDS = 2
"""Less is not possible with libpq."""

Result = TypeVar("Result")


class PatientConnection(psycopg.Connection[Any]):
    """A connection whose every wait has a deadline."""

    seconds: ClassVar[float] = DATABASE_SECONDS
    silence: ClassVar[Silence] = Silence()

    def wait(
        self, gen: PQGen[Result], interval: float = 0.1, timeout: float | None = None
    ) -> Result:
        """Run what talks to the database; when the time is up, the connection is lost."""
        started = time.monotonic()
        try:
            return super().wait(gen, interval, self.seconds if timeout is None else timeout)
        except psycopg.OperationalError as problem:
            if timeout is not None or time.monotonic() - started < self.seconds:
                raise
            self.pgconn.finish()  # or ending the transaction would wait as long again
            self.silence.note()
            raise psycopg.OperationalError(f"no response within {self.seconds:g} s") from problem


def connector(url: str, seconds: float, silence: Silence) -> Callable[[], PatientConnection]:
    """Return what opens connections to this database that give up after so many seconds."""
    parts = {"seconds": seconds, "silence": silence}
    kind: type[PatientConnection] = type("PatientConnection", (PatientConnection,), parts)
    connect_seconds = max(LEAST_CONNECT_SECONDS, round(seconds))

    def connect() -> PatientConnection:
        try:
            return kind.connect(url, connect_timeout=connect_seconds)
        except psycopg.errors.ConnectionTimeout:
            silence.note()
            raise

    return connect
