"""A session that sends prepared statements end to end, on psycopg's libpq.

A commit is a handful of short statements, many times a second: a cursor for each costs the
server more than it costs PostgreSQL to run them.  Here a statement is one call, and only
questions wait for an answer.
"""

from __future__ import annotations

import select

import psycopg
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

Value = bytes | int | float | list[int] | None

TEXT, BINARY = 0, 1

TRUE = b"\1"
"""What a question answers for true."""

_FAILED = (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED)


class Wire:
    """Statements to one PostgreSQL session, each prepared when it is first sent.

    When a method raises, what was sent before may or may not have happened: close the session.
    """

    def __init__(self, connection: psycopg.Connection[object]) -> None:
        self._connection = connection
        self._libpq = connection.pgconn
        self._libpq.enter_pipeline_mode()
        self._poll = select.poll()
        self._names: dict[str, bytes] = {}
        self._due = 0

    def close(self) -> None:
        """End the session."""
        self._connection.close()

    def tell(self, statement: str, *values: Value) -> None:
        """Send a statement; if it fails, the next `ask` or `finish` says so."""
        name = self._names.get(statement)
        if name is None:
            name = self._names[statement] = b"s%d" % len(self._names)
            self._libpq.send_prepare(name, statement.encode())
            self._due += 1
        formats = [BINARY if isinstance(value, bytes) else TEXT for value in values]
        self._libpq.send_query_prepared(name, [_sent(value) for value in values], formats, BINARY)
        self._due += 1

    def ask(self, statement: str, *values: Value) -> bytes | None:
        """Send a statement and return its one value, in binary; None without a row."""
        self.tell(statement, *values)
        self._libpq.send_flush_request()
        result = self._last_result()
        return result.get_value(0, 0) if result.ntuples else None

    def finish(self) -> None:
        """Wait until all that was sent is done."""
        self._libpq.pipeline_sync()
        self._due += 1
        self._last_result()

    def _last_result(self) -> PGresult:
        """Take in the results that are due and return the last."""
        while True:
            while self._libpq.is_busy():
                self._wait()
            result = self._libpq.get_result()
            if result is None:  # it stands between two statements' results
                continue
            if result.status in _FAILED:
                raise error_from_result(result)
            self._due -= 1
            if not self._due:
                return result

    def _wait(self) -> None:
        """Send what the session has room for, and wait until it sends something or has more."""
        unsent = self._libpq.flush()
        self._poll.register(self._libpq.socket, select.POLLIN | (select.POLLOUT if unsent else 0))
        self._poll.poll()
        self._libpq.consume_input()


def _sent(value: Value) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, list):
        return b"{%s}" % ",".join(map(str, value)).encode()
    return str(value).encode()
