"""Killed at random moments under load: what was acknowledged is stored, exactly once.

Clients keep sending until each report is acknowledged, as devices do.  At the end every
acknowledged report must be stored with its exact bytes, no device twice, and the tally must
equal a recount.
"""

from __future__ import annotations

import http.client
import os
import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import harmony as hm
from harmony.service.ingest.blocks import LiveRound
from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import open_store

from .conftest import recount
from .devices import any_report, report_body
from .postgres import Postgres
from .server_process import Connection, ServerProcess
from .waiting import STUCK_SECONDS, wait_until

CLIENTS = 6
KILLS = int(os.environ.get("HARMONY_KILLS", "12"))
SURVEY = hm.Survey("phones", [hm.Numeric("battery", 0, 100), hm.Boolean("wifi")], epsilon=1.0)
PATH = "/v1/surveys/phones/reports"

pytestmark = pytest.mark.timeout(1200)  # it takes a minute or two, and longer if others work too


class Load:
    """Clients that send single reports and packed batches until each is acknowledged."""

    def __init__(self, state: ServiceState, live: LiveRound, ports: list[int]) -> None:
        self._state, self._live, self._ports = state, live, ports
        self._gateway = {
            "Authorization": f"Bearer {state.tokens.create('gateway', 'gateway')[0]}",
            "Content-Type": MEDIA_TYPE,
        }
        self._ending = threading.Event()
        self.acknowledged: list[bytes] = []
        self.maybe: list[bytes] = []
        self.responses: dict[int, int] = {}
        self.unknown = 0
        self.failures: list[BaseException] = []
        work = [self._gateway_client] + [self._client] * (CLIENTS - 1)
        self._threads = [
            threading.Thread(target=self._work, args=(one, number))
            for number, one in enumerate(work)
        ]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(STUCK_SECONDS)
            assert not thread.is_alive(), "a client hangs"
        assert self.failures == []

    def wait_for(self, reports: int) -> None:
        """Wait until so many more reports are acknowledged."""
        wanted = len(self.acknowledged) + reports
        wait_until(
            lambda: self.failures or len(self.acknowledged) >= wanted,
            "reports to be acknowledged",
            progress=lambda: len(self.acknowledged),
        )

    def _work(self, client: Callable[[int], None], number: int) -> None:
        try:
            client(number)
        except BaseException as problem:
            self.failures.append(problem)

    def _client(self, number: int) -> None:
        while not self._ending.is_set():
            device = os.urandom(16)
            report = any_report(self._live, device, symbol=device[0] % 2)
            credential = self._state.credentials.issue(device, 0)
            headers = {"Authorization": f"Harmony {device.hex()}.{credential}"}
            body = report_body(self._live.round.label, report)

            def send(connection: Connection, body=body, headers=headers) -> int:
                return connection.request("POST", PATH, body, headers)[0]

            self._until_acknowledged(number, send, [report])

    def _gateway_client(self, number: int) -> None:
        while not self._ending.is_set():
            reports = [any_report(self._live, os.urandom(16)) for _ in range(200)]
            label = self._live.round.label
            body = pack(SURVEY.fingerprint, label, b"".join(reports), self._live.size)

            def send(connection: Connection, body=body) -> int:
                raw = connection._connection
                try:
                    raw.request("POST", PATH, body, self._gateway)
                    response = raw.getresponse()
                    response.read()
                except (OSError, http.client.HTTPException):
                    raw.close()
                    raise
                return response.status

            self._until_acknowledged(number, send, reports)

    def _until_acknowledged(
        self, number: int, send: Callable[[Connection], int], reports: list[bytes]
    ) -> None:
        tries = number
        connection: Connection | None = None
        while True:
            try:
                if connection is None:
                    connection = Connection(self._ports[tries % len(self._ports)])
                status = send(connection)
            except (OSError, http.client.HTTPException):
                self.unknown += 1
                connection, tries = None, tries + 1
                status = 0
            self.responses[status] = self.responses.get(status, 0) + 1
            if status in (200, 201):
                self.acknowledged += reports
                break
            assert status in (0, 503), f"unexpected status {status}"
            if self._ending.is_set():
                self.maybe += reports
                break
            self._ending.wait(0.01)  # as a device backs off, but sooner
        if connection is not None:
            connection.close()


def stored_reports(state: ServiceState, live: LiveRound) -> set[bytes]:
    store = open_store(state.database)
    try:
        return {report.tobytes() for reports in store.stored(live) for report in reports}
    finally:
        store.close()


def opened(place: str) -> tuple[ServiceState, LiveRound]:
    state = ServiceState(Settings.load(database=place))
    state.catalogue.add(SURVEY, None)
    return state, state.catalogue.open("phones", "week1").live


def check(state: ServiceState, live: LiveRound, load: Load) -> None:
    """Everything acknowledged is stored, nothing else is, and the tally is a recount."""
    stored = stored_reports(state, live)
    assert set(load.acknowledged) <= stored
    assert stored <= set(load.acknowledged) | set(load.maybe)
    assert len(load.acknowledged) == len(set(load.acknowledged))
    tally = state.catalogue.tally(state.catalogue.round("phones", "week1"))
    assert tally == recount(state, live)
    assert tally.reports == len(stored)


def kill_often(load: Load, servers: list[ServerProcess], seed: int, kills: int) -> None:
    """Kill one server after another, each after a random number of reports, and start it again."""
    chance = random.Random(seed)
    for number in range(kills):
        load.wait_for(chance.randrange(1, 500))
        victim = servers[number % len(servers)]
        victim.kill()
        victim.start()
    load.wait_for(1000)


def test_a_server_killed_often_loses_and_repeats_nothing(place: str, tmp_path: Path) -> None:
    state, live = opened(place)
    with ServerProcess(place, tmp_path / "server.log") as server:
        with Load(state, live, [server.port]) as load:
            kill_often(load, [server], seed=0, kills=KILLS)
        assert server.stop() == 0
    check(state, live, load)
    assert load.unknown > 0, "no request was ever cut off"
    state.database.close()


def test_two_servers_share_one_postgres_while_either_is_killed(
    postgres: Postgres, tmp_path: Path
) -> None:
    place = postgres.fresh()
    state, live = opened(place)
    with (
        ServerProcess(place, tmp_path / "one.log") as one,
        ServerProcess(place, tmp_path / "two.log") as two,
        Load(state, live, [one.port, two.port]) as load,
    ):
        kill_often(load, [one, two], seed=1, kills=12)
    check(state, live, load)
    assert load.unknown > 0, "no request was ever cut off"
    state.database.close()


def test_a_postgres_that_restarts_under_load_loses_and_repeats_nothing(
    postgres: Postgres, tmp_path: Path
) -> None:
    place = postgres.fresh()
    state, live = opened(place)
    with ServerProcess(place, tmp_path / "server.log") as server:
        with Load(state, live, [server.port]) as load:
            for stops in range(1, 4):
                load.wait_for(500)
                postgres.stop()
                wait_until(lambda stops=stops: load.responses.get(503, 0) >= stops, "a refusal")
                postgres.start()
            load.wait_for(500)
        assert server.stop() == 0
    check(state, live, load)
    state.database.close()


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_server_told_to_stop_responds_to_everything_under_way(place: str, tmp_path: Path) -> None:
    state, live = opened(place)
    server = ServerProcess(place, tmp_path / "server.log", batch_milliseconds=500).start()
    devices = [os.urandom(16) for _ in range(20)]
    statuses: list[int] = []

    def report(device: bytes) -> None:
        headers = {"Authorization": f"Harmony {device.hex()}.{state.credentials.issue(device, 0)}"}
        body = report_body("week1", any_report(live, device))
        statuses.append(Connection(server.port).request("POST", PATH, body, headers)[0])

    threads = [threading.Thread(target=report, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    wait_until(lambda: handed_in(server.port) == len(devices), "all reports to be handed in")
    os.kill(server.process.pid, signal.SIGTERM)
    for thread in threads:
        thread.join(STUCK_SECONDS)
    assert server.stop() == 0
    assert statuses == [201] * len(devices)
    assert {report[:16] for report in stored_reports(state, live)} == set(devices)
    state.database.close()


def handed_in(port: int) -> float:
    """Read from the metrics how many reports have been handed to the writer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=STUCK_SECONDS)
    connection.request("GET", "/metrics")
    page = connection.getresponse().read().decode()
    connection.close()
    wanted = ("harmony_queue_reports ", 'harmony_reports_total{outcome="accepted"} ')
    lines = [line for line in page.splitlines() if line.startswith(wanted)]
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines)
