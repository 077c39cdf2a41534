"""Several processes on one PostgreSQL: one port, one tally, and a worker that dies is replaced."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path

import pytest
from sqlalchemy import text

from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from . import logs_read
from .conftest import SURVEY, UNLIMITED, recount
from .devices import any_report, report_body
from .postgres import Postgres
from .server_process import Connection, free_port, responds
from .waiting import STUCK_SECONDS, wait_until

WORKERS = 2

pytestmark = pytest.mark.timeout(1200)  # it takes a minute or two, and longer if others work too


@contextmanager
def running(place: str, port: int, log: Path) -> Iterator[subprocess.Popen[str]]:
    """Run the command with workers until the test ends."""
    flags = {"database": place, "port": port, "workers": WORKERS, **UNLIMITED}
    given = [f"--{name.replace('_', '-')}={value}" for name, value in flags.items()]
    command = [sys.executable, "-m", "harmony.service", *given]
    with log.open("w") as file:
        server = subprocess.Popen(command, stderr=file, text=True)
    try:
        wait_until(
            lambda: len(children(server.pid)) == WORKERS and responds(port), "the workers to start"
        )
        yield server
    finally:
        server.kill()
        server.wait(STUCK_SECONDS)
        logs_read.take_in(log)


def children(process: int) -> list[int]:
    """Return the workers of a server: not the helper by which Python tracks what they share."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(one) for one in found if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


def send(state: ServiceState, port: int, devices: list[bytes]) -> None:
    """Send a report of each device, over a connection of its own, until it is acknowledged."""
    live = state.catalogue.round(SURVEY.name, "week1").live

    def one(device: bytes) -> None:
        headers = {"Authorization": f"Harmony {device.hex()}.{state.credentials.issue(device, 0)}"}
        body = report_body("week1", any_report(live, device))
        path = f"/v1/surveys/{SURVEY.name}/reports"

        def acknowledged() -> bool:
            try:
                return Connection(port).request("POST", path, body, headers)[0] in (200, 201)
            except (OSError, HTTPException):
                return False

        wait_until(acknowledged, "a report to be acknowledged")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, devices))


def test_workers_share_a_port_and_a_tally_and_are_replaced(
    postgres: Postgres, tmp_path: Path
) -> None:
    place, port = postgres.fresh(), free_port()
    state = ServiceState(Settings.load(database=place, **UNLIMITED))
    state.catalogue.add(SURVEY, None)
    entry = state.catalogue.open(SURVEY.name, "week1")
    devices = [number.to_bytes(16, "big") for number in range(120)]
    with running(place, port, tmp_path / "server.log") as server:
        send(state, port, devices[:60])
        assert len(shards(state)) == WORKERS, "only one worker got connections"
        accepted = metric(port, 'harmony_reports_total{outcome="accepted"}')
        assert accepted == 60, "the metrics are not those of all workers"
        lost = children(server.pid)[0]
        os.kill(lost, signal.SIGKILL)
        send(state, port, devices)
        wait_until(
            lambda: lost not in children(server.pid) and len(children(server.pid)) == WORKERS,
            "the worker to be replaced",
        )
        server.terminate()
        assert server.wait(STUCK_SECONDS) == 0
    tally = state.catalogue.tally(entry)
    assert tally == recount(state, entry.live)
    assert tally.reports == len(devices)
    state.database.close()


def shards(state: ServiceState) -> list[int]:
    """Return the shards that hold reports: one for each store that committed any."""
    with state.database.read() as connection:
        return list(connection.execute(text("SELECT DISTINCT shard FROM totals")).scalars())


def metric(port: int, name: str) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=STUCK_SECONDS) as page:
        found = re.search(rf"^{re.escape(name)} (\S+)$", page.read().decode(), re.MULTILINE)
    assert found
    return float(found[1])


def test_workers_end_with_their_parent(postgres: Postgres, tmp_path: Path) -> None:
    place, port = postgres.fresh(), free_port()
    with running(place, port, tmp_path / "server.log") as server:
        workers = children(server.pid)
        server.kill()
        wait_until(
            lambda: not any(Path(f"/proc/{one}").exists() for one in workers), "the workers to end"
        )


def test_connections_go_to_the_others_until_a_dead_worker_is_replaced(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.service.slow_worker", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        try:
            assert parent.stdout is not None
            address = ("127.0.0.1", int(parent.stdout.readline()))

            def responder() -> int:
                with socket.create_connection(address, timeout=STUCK_SECONDS) as connection:
                    return int(connection.recv(100))

            def started() -> set[int]:
                return {int(one.name) for one in tmp_path.iterdir()}

            wait_until(lambda: len(started()) == WORKERS, "the workers to start")
            lost = responder()
            others = started() - {lost}
            os.kill(lost, signal.SIGKILL)
            wait_until(lambda: len(started()) > WORKERS, "a worker to be replaced")
            assert {responder() for _ in range(40)} == others
        finally:
            parent.kill()


def test_sqlite_takes_one_worker(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "harmony.service", f"--database={tmp_path / 'x.db'}"]
    done = subprocess.run(
        [*command, "--workers=2"], capture_output=True, text=True, timeout=STUCK_SECONDS
    )
    assert done.returncode == 2
    assert "'workers' above 1 needs PostgreSQL" in done.stderr
    assert "Traceback" not in done.stderr
