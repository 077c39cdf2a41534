"""Durable ingest against a no-op route of the same server, and packed batches.

Each round measures all routes, one after the other, over the same number of connections; the
ratio is taken within a round.  Everything runs on this machine's loopback: server, client, this
process, and a PostgreSQL for the rows that say so.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import harmony as hm
from harmony.service.app import Application
from harmony.service.ingest.decision import ReportRequest
from harmony.service.ingest.outcomes import ACCEPTED
from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.service.ingest.writer import Waiter
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from . import page

NOTES = """
The no-op route reads the body, checks nothing, and responds as the durable one does, in the same
processes and on the same uvicorn, as an ASGI application. A report that comes in one piece takes
the fast path instead (`service/ingest/fast_path.py`); the fast no-op takes it too, up to where a
report is looked at. Ratios are to the no-op route. A durable response comes after a synced commit
(SQLite: WAL, synchronous=FULL; PostgreSQL: its defaults) of the report and its counts. Packed
batches hold random devices that the round has not seen; uniqueness is checked for every report.
Client, server and PostgreSQL share the machine's two cores: two seconds of CPU a second, divided
by what a report takes in all three, is the most that there can be.
"""

NO_OP = "/noop"
FAST_NO_OP = "/v1/surveys/noop/reports"
SURVEY = hm.Survey(
    "bench",
    [hm.Numeric("battery", 0, 100), hm.Categorical("theme", ["light", "dark", "auto"])],
    epsilon=1.0,
)
UNLIMITED = {"address_rate": 0, "credential_rate": 0, "enrolment_rate": 0}


def serve(place: str, port: int, workers: int) -> None:
    """Run the service with a no-op route in front, as `harmony serve` does."""
    from harmony.service.server import listen
    from harmony.service.workers import run_workers

    settings = Settings.load(database=place, port=port, workers=workers, **UNLIMITED)
    listeners = listen(settings)
    if workers == 1:
        work(settings, listeners[0])
    else:
        run_workers(work, settings, listeners)


def work(settings: Settings, listener: socket.socket) -> None:
    """Serve in this process."""
    from harmony.service.asgi import read_body
    from harmony.service.logs import configure_logs
    from harmony.service.server import serve_app

    configure_logs("console", "warning")
    app = Application(ServiceState(settings))
    _add_fast_no_op(app)
    body = b'{"result":"accepted"}'
    length = (b"content-length", str(len(body)).encode())
    start = {
        "type": "http.response.start",
        "status": 201,
        "headers": [(b"content-type", b"application/json"), length],
    }

    async def with_no_op(scope, receive, send):  # type: ignore[no-untyped-def]
        if scope["type"] == "http" and scope["path"] == NO_OP:
            await read_body(receive, scope["headers"], settings.body_bytes)
            await send(start)
            await send({"type": "http.response.body", "body": body})
        else:
            await app(scope, receive, send)

    serve_app(with_no_op, listener, app)


def _add_fast_no_op(app: Application) -> None:
    """Let one survey's reports be accepted, at the next turn of the loop, and not be looked at."""
    take = app.ingest.take

    def taking(request: ReportRequest, waiter: Waiter) -> Coroutine[Any, Any, None] | None:
        if request.survey == "noop":
            asyncio.get_running_loop().call_soon(waiter.set_result, ACCEPTED)
            return None
        return take(request, waiter)

    app.ingest.take = taking  # type: ignore[method-assign]


class Bench:
    """A server and a client process, and the requests between them."""

    def __init__(self, place: str, folder: Path, workers: int = 1) -> None:
        self.folder = folder
        state = ServiceState(Settings.load(database=place, **UNLIMITED))
        state.catalogue.add(SURVEY, None)
        self.live = state.catalogue.open(SURVEY.name, f"r{time.time_ns()}").live
        self.token = state.tokens.create("bench", "gateway")[0]
        self.issue = state.credentials.issue
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", __spec__.name, "--serve", place, str(self.port)]
        command.append(str(workers))
        self.server = subprocess.Popen(command, cwd=Path(__file__).parent.parent)
        client = Path(__file__).with_name("service_client.py")
        self.client = subprocess.Popen(
            [sys.executable, str(client)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the server did not start")

    def close(self) -> None:
        """End both processes."""
        self.client.stdin.close()  # type: ignore[union-attr]
        self.server.terminate()
        self.server.wait(30)
        self.client.wait(30)

    def requests_file(self, name: str, path: str, count: int) -> tuple[Path, int]:
        """Write `count` requests of different devices, all of one size."""
        file, size = self.folder / name, 0
        rest = bytes(self.live.size - 16).hex()
        with file.open("wb") as out:
            for _ in range(count):
                device = os.urandom(16)
                body = json.dumps({"round": self.live.round.label, "report": device.hex() + rest})
                request = (
                    f"POST {path} HTTP/1.1\r\nHost: localhost\r\n"
                    f"Authorization: Harmony {device.hex()}.{self.issue(device, 0)}\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
                ).encode()
                size = len(request)
                out.write(request)
        return file, size

    def measure(self, file: Path, size: int, connections: int, first: int, count: int) -> float:
        """Send requests `first`.. of a file; return how many had their responses a second."""
        command = {
            "port": self.port, "connections": connections, "file": str(file), "size": size,
            "first": first, "count": count,
        }  # fmt: skip
        assert self.client.stdin
        assert self.client.stdout
        self.client.stdin.write(json.dumps(command) + "\n")
        self.client.stdin.flush()
        result = json.loads(self.client.stdout.readline())
        if result["statuses"] != {"201": count}:
            raise SystemExit(f"unexpected responses: {result['statuses']}")
        return float(result["rate"])

    def singles(self, connections: int, rounds: int, requests: int) -> list[str]:
        """Measure the routes in turn; return a row of the table."""
        path = f"/v1/surveys/{SURVEY.name}/reports"
        durable = self.requests_file("durable", path, rounds * requests + 2000)
        no_op = self.requests_file("no-op", NO_OP, requests)
        fast_no_op = self.requests_file("fast-no-op", FAST_NO_OP, requests)
        self.measure(*durable, connections, rounds * requests, 2000)
        rates, ratios = [], []
        spent = np.zeros(3)
        for number in range(rounds):
            fast = self.measure(*fast_no_op, connections, 0, requests)
            plain = self.measure(*no_op, connections, 0, requests)
            before = self._cpu()
            stored = self.measure(*durable, connections, number * requests, requests)
            spent += self._cpu() - before
            rates.append((fast, plain, stored))
            ratios.append(stored / plain)
        middles = [statistics.median(column) for column in zip(*rates, strict=True)]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        middle = f"{statistics.median(ratios):.2f}"
        each = " + ".join(f"{cpu:.0f}" for cpu in spent / rounds / requests * 1e6)
        return [str(connections), *(f"{rate:,.0f}" for rate in middles), middle, spread, each]

    def batches(self, count: int, reports: int) -> list[str]:
        """Send packed batches of random devices; return a row of the table."""
        address = f"http://127.0.0.1:{self.port}/v1/surveys/{SURVEY.name}/reports"
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": MEDIA_TYPE}
        wall, cpu = 0.0, self._cpu()[1]
        for _ in range(count):
            packed = np.zeros((reports, self.live.size), np.uint8)
            packed[:, :16] = np.frombuffer(os.urandom(16 * reports), np.uint8).reshape(-1, 16)
            body = pack(SURVEY.fingerprint, self.live.round.label, packed.tobytes(), self.live.size)
            started = time.perf_counter()
            request = urllib.request.Request(address, body, headers)
            with urllib.request.urlopen(request, timeout=60) as response:
                accepted = json.load(response)["accepted"]
            wall += time.perf_counter() - started
            if accepted != reports:
                raise SystemExit(f"only {accepted} of {reports} reports were accepted")
        cpu = self._cpu()[1] - cpu
        total = count * reports
        return [f"{count} x {reports:,}", f"{total / wall:,.0f}", f"{total / cpu:,.0f}"]

    def _cpu(self) -> np.ndarray:
        """Seconds of processor time so far: of the client, the server and PostgreSQL."""
        server = str(self.server.pid)
        workers = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        return np.array([_cpu([str(self.client.pid)]), _cpu([server, *workers]), _cpu(_postgres())])


def _cpu(processes: list[str]) -> float:
    """Seconds of processor time that these processes have taken."""
    ticks = 0
    for process in processes:
        with suppress(FileNotFoundError):  # it has ended
            fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _postgres() -> list[str]:
    """The processes of PostgreSQL on this machine."""
    found = subprocess.run(["pgrep", "-x", "postgres"], capture_output=True, text=True)
    return found.stdout.split()


def run(tiny: bool = False) -> None:
    """Measure SQLite, and PostgreSQL with one worker and with two."""
    from tests.service.postgres import Postgres

    rounds, requests, batches = (2, 1000, 3) if tiny else (9, 20_000, 100)
    singles, packed = [], []
    with tempfile.TemporaryDirectory() as folder, Postgres(synced=True) as postgres:
        for database, place, workers in (
            ("SQLite", f"{folder}/bench.db", 1),
            ("PostgreSQL", postgres.fresh(), 1),
            ("PostgreSQL, 2 workers", postgres.fresh(), 2),
        ):
            bench = Bench(place, Path(folder), workers)
            try:
                singles += [
                    [database, *bench.singles(connections, rounds, requests)]
                    for connections in (64, 256)
                ]
                packed.append([database, *bench.batches(batches, 10_000)])
            finally:
                bench.close()
            batches = min(batches, 20)  # PostgreSQL takes longer
    head = ["database", "connections", "fast no-op/s", "no-op/s", "durable/s"]
    head += ["ratio, median", "range"]
    head.append("us of CPU a report: client + server + PostgreSQL")
    body = page.table(head, singles) + "\n\n"
    head = ["database", "packed batches", "reports/s, as the gateway waits"]
    body += page.table([*head, "reports/s of server CPU"], packed) + "\n" + NOTES
    print(body)
    if not tiny:
        page.write_section("service", "The collection service", body)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        run(tiny="--tiny" in sys.argv)
