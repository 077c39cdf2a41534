"""The server as a process of its own, to be talked to, killed and started again."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import secrets
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import logs_read
from .conftest import UNLIMITED
from .waiting import STUCK_SECONDS, wait_until

PORTS = (15_000, 32_000)
"""Below those that the system gives to outgoing connections, which would get in the way."""


def free_port() -> int:
    """Return a port that nobody uses now."""
    while True:
        port = secrets.choice(range(*PORTS))
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


FORKSERVER = multiprocessing.get_context("forkserver")
"""Starts processes that have Harmony imported already."""
FORKSERVER.set_forkserver_preload(["tests.service.preloaded"])


def run_server(log: str, settings: dict[str, Any]) -> None:
    """Serve, in a process of its own, with its output in a file."""
    from harmony.service import Settings, serve

    with open(log, "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    serve(Settings.load(**settings))


class ServerProcess:
    """A server on one port, forked from a process that has Harmony imported already."""

    def __init__(
        self,
        place: str,
        log: Path,
        port: int | None = None,
        target: Callable[[str, dict[str, Any]], None] = run_server,
        **settings: Any,
    ) -> None:
        self.port = port or free_port()
        self._target = target
        self._settings = {**UNLIMITED, "database": place, "port": self.port, **settings}
        self._log = log
        self.process: Any = None

    def start(self) -> ServerProcess:
        """Start it, and come back when it takes requests."""
        is_alone = self._settings.get("workers", 1) == 1  # a daemon may not have workers
        self.process = FORKSERVER.Process(
            target=self._target, args=(str(self._log), self._settings), daemon=is_alone
        )
        self.process.start()
        self.wait_until_ready()
        return self

    def wait_until_ready(self) -> None:
        def is_ready() -> bool:
            assert self.process.is_alive(), self._log.read_text()
            return responds(self.port)

        wait_until(is_ready, "the server to start")

    def kill(self) -> None:
        """End it without warning."""
        self._signal(signal.SIGKILL)

    def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        return self._signal(signal.SIGTERM)

    def _signal(self, number: int) -> int:
        if self.process.is_alive():
            os.kill(self.process.pid, number)
        self.process.join(STUCK_SECONDS)
        assert not self.process.is_alive(), "the server did not end"
        logs_read.take_in(self._log)
        return int(self.process.exitcode)

    def __enter__(self) -> ServerProcess:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()


def processes_of(process: int) -> list[int]:
    """Return a process and those that it started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *map(int, children)]


def memory_of(process: int) -> float:
    """Return how many MiB a process and those that it started hold."""
    held = [Path(f"/proc/{one}/statm").read_text().split()[1] for one in processes_of(process)]
    return sum(map(int, held)) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def responds(port: int, seconds: float = STUCK_SECONDS) -> bool:
    """Whether a server at this port says that it is ready, within so many seconds."""
    connection = Connection(port, seconds)
    try:
        return connection.request("GET", "/readyz")[0] == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


class Connection:
    """A keep-alive connection that speaks JSON; a response is a status and a document."""

    def __init__(self, port: int, timeout: float = STUCK_SECONDS) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """Send a request; OSError or HTTPException means that nothing is known."""
        content = None if body is None else json.dumps(body)
        sent = {"Content-Type": "application/json", **(headers or {})}
        try:
            self._connection.request(method, path, content, sent)
            response = self._connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise
        return response.status, json.loads(text) if text else None

    def close(self) -> None:
        self._connection.close()
