"""A session in pipeline mode: prepared statements sent end to end, on psycopg's libpq.

A commit is a handful of short statements, many times a second: a cursor for each costs the
server more than it costs PostgreSQL to run them.  Here a statement is one call, and only
`fetch` and `sync` wait.
"""

from __future__ import annotations

import select
import time
from itertools import count

import psycopg
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGresult

Value = bytes | int | float | list[int] | None

TEXT, BINARY = 0, 1

TRUE = b"\1"
"""What `fetch` returns for true."""

_FAILED = (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED)


class Pipeline:
    """Statements to one PostgreSQL session, each prepared when it is first sent.

    When a statement fails, those after it are skipped.  `sync` takes in all that was sent, so the
    session can go on; after any other failure what was sent may or may not have happened: close
    the session.
    """

    def __init__(self, connection: psycopg.Connection[object], seconds: float) -> None:
        self._connection = connection
        self._seconds = seconds
        self.start_clock()
        self._libpq = connection.pgconn
        self._libpq.enter_pipeline_mode()
        self._poll = select.poll()
        self._names: dict[str, bytes] = {}
        self._numbers = count()
        self._new: list[str] = []
        """Statements that are being prepared."""
        self._due = 0

    def start_clock(self) -> None:
        """Give all that is sent from now on its time: after it, the session is lost."""
        self._deadline = time.monotonic() + self._seconds

    def close(self) -> None:
        """End the session."""
        self._connection.close()

    def execute(self, statement: str, *values: Value) -> None:
        """Send a statement; if it fails, the next `fetch` or `sync` says so."""
        name = self._names.get(statement)
        if name is None:
            name = self._names[statement] = b"s%d" % next(self._numbers)
            self._libpq.send_prepare(name, statement.encode())
            self._new.append(statement)
            self._due += 1
        formats = [BINARY if isinstance(value, bytes) else TEXT for value in values]
        self._libpq.send_query_prepared(name, [_sent(value) for value in values], formats, BINARY)
        self._due += 1

    def fetch(self, statement: str, *values: Value) -> bytes | None:
        """Send a statement and return its one value, in binary; None without a row."""
        self.execute(statement, *values)
        self._libpq.send_flush_request()
        while True:
            result = self._next_result()
            if result.status in _FAILED:
                raise error_from_result(result)
            if not self._due:
                return result.get_value(0, 0) if result.ntuples else None

    def sync(self) -> None:
        """Wait until all that was sent is done, or skipped because a statement failed."""
        self._libpq.pipeline_sync()
        self._due += 1
        failed = None
        while self._due:
            result = self._next_result()
            if failed is None and result.status in _FAILED:
                failed = result
        new, self._new = self._new, []
        if failed is not None:
            for statement in new:  # it may be among those that were skipped
                del self._names[statement]
            raise error_from_result(failed)

    def _next_result(self) -> PGresult:
        """Wait for the next result that is due."""
        while True:
            while self._libpq.is_busy():
                self._wait()
            result = self._libpq.get_result()
            if result is not None:
                self._due -= 1
                return result
            # None stands between two statements' results, and comes for ever if nobody is there.
            if self._libpq.status != ConnStatus.OK:
                raise psycopg.OperationalError("the connection is lost")

    def _wait(self) -> None:
        """Send what the session has room for, and wait until it sends something or has more."""
        unsent = self._libpq.flush()
        self._poll.register(self._libpq.socket, select.POLLIN | (select.POLLOUT if unsent else 0))
        left = max(0.0, self._deadline - time.monotonic())
        if not self._poll.poll(left * 1000):
            raise psycopg.OperationalError(f"no response within {self._seconds:g} s")
        self._libpq.consume_input()


def _sent(value: Value) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, list):
        return b"{%s}" % ",".join(map(str, value)).encode()
    return str(value).encode()
