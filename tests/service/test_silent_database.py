"""A database that does not respond, or has no room: reports get 503 in time, and a stop stops."""

from __future__ import annotations

import resource
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from harmony.service.database import Database, DatabaseError
from harmony.service.http.connections import LOOK_SECONDS
from harmony.service.ingest.writer import CLOSE_SECONDS
from harmony.service.patience import QUIET_SECONDS
from harmony.service.server import LEAVE_SECONDS
from harmony.service.settings import Settings
from harmony.service.state import RESPONSE_SECONDS, ServiceState

from .conftest import SURVEY, recount
from .devices import Enrolled, any_report, report_body
from .postgres import Postgres
from .server_process import Connection, ServerProcess
from .waiting import STUCK_SECONDS, wait_until

PATH = f"/v1/surveys/{SURVEY.name}/reports"
DATABASE_SECONDS = 2.0
SLOW = 30.0
"""What a busy machine may add to any of the times."""

pytestmark = pytest.mark.timeout(600)


class Site:
    """A server on a database that a test can break."""

    def __init__(self, place: str, log: Path, **settings: Any) -> None:
        self.state = ServiceState(Settings.load(database=place))
        self.state.catalogue.add(SURVEY, None)
        self.live = self.state.catalogue.open(SURVEY.name, "week1").live
        self.admin = self.state.tokens.create("admin", "admin")[0]
        self.server = ServerProcess(place, log, database_seconds=DATABASE_SECONDS, **settings)

    def enrol(self) -> Enrolled:
        return Enrolled.of(self.ask("POST", "/v1/devices")[1])

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        connection = Connection(self.server.port)
        try:
            return connection.request(method, path, None, headers)
        finally:
            connection.close()

    def report(self, device: Enrolled) -> int:
        connection = Connection(self.server.port)
        body = report_body("week1", any_report(self.live, device.device))
        try:
            return connection.request("POST", PATH, body, device.headers)[0]
        finally:
            connection.close()

    def readiness(self) -> int:
        return self.ask("GET", "/readyz")[0]

    def check(self) -> int:
        """Hold the tally against the stored reports; return how many there are."""
        tally = self.state.catalogue.tally(self.state.catalogue.round(SURVEY.name, "week1"))
        assert tally == recount(self.state, self.live)
        return tally.reports


@contextmanager
def site(place: str, log: Path, **settings: Any) -> Iterator[Site]:
    made = Site(place, log, **settings)
    with made.server:
        yield made
    made.state.database.close()


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    started = time.monotonic()
    return call(), time.monotonic() - started


def test_a_silent_postgres_gives_503_in_time_and_all_is_well_when_it_speaks_again(
    tmp_path: Path,
) -> None:
    with Postgres() as postgres, site(postgres.fresh(), tmp_path / "server.log") as here:
        known, new = here.enrol(), here.enrol()
        assert here.report(known) == 201
        bearer = {"Authorization": f"Bearer {here.admin}"}
        with postgres.silent():
            status, seconds = timed(lambda: here.report(new))
            assert status == 503
            assert seconds < DATABASE_SECONDS + SLOW
            wait_until(lambda: here.readiness() == 503, "the server to be not ready")
            status, seconds = timed(lambda: here.report(new))
            assert status == 503, "reports are refused at once while a commit hangs"
            # Whatever needs the database is refused, too, and does not use the threads up.
            found: list[tuple[tuple[int, Any], float]] = []
            rounds = f"/v1/surveys/{SURVEY.name}/rounds/week1/tally"
            asking = [
                threading.Thread(
                    target=lambda: found.append(timed(lambda: here.ask("GET", rounds, bearer)))
                )
                for _ in range(60)
            ]
            for one in asking:
                one.start()
            for one in asking:
                one.join(STUCK_SECONDS)
            assert {status for (status, _), _ in found} == {503}
            assert max(seconds for _, seconds in found) < 3 * DATABASE_SECONDS + SLOW
            # What memory has is there, and quickly.
            assert here.ask("GET", "/healthz")[0] == 200
            assert here.ask("GET", "/v1/surveys")[0] == 200
            status, seconds = timed(here.readiness)
            assert (status, seconds < SLOW) == (503, True)
        wait_until(lambda: here.readiness() == 200, "the server to be ready again")
        wait_until(lambda: here.report(new) in (200, 201), "a report to be taken")
        assert here.report(known) == 200
        assert here.check() == 2
        assert here.server.stop() == 0


def test_a_server_stops_although_its_database_is_silent(tmp_path: Path) -> None:
    drain = 1.0
    with (
        Postgres() as postgres,
        site(postgres.fresh(), tmp_path / "server.log", drain_seconds=drain) as here,
    ):
        device = here.enrol()
        with postgres.silent():
            waiting = threading.Thread(target=lambda: _ignoring_loss(lambda: here.report(device)))
            waiting.start()
            _, seconds = timed(here.server.stop)
            assert seconds < drain + CLOSE_SECONDS + LEAVE_SECONDS + LOOK_SECONDS + SLOW
            waiting.join(STUCK_SECONDS)


def _ignoring_loss(call: Callable[[], Any]) -> None:
    with suppress(OSError, HTTPException):  # the server may end before it responds
        call()


def test_a_start_on_a_silent_database_ends_with_a_word(tmp_path: Path) -> None:
    with Postgres() as postgres:
        place = postgres.fresh()
        with postgres.silent():
            database = Database(place, seconds=2.0)
            with pytest.raises(DatabaseError, match="did not respond"):
                database.migrate()
            database.close()


def test_a_full_disk_gives_503_and_shows_in_readiness_until_there_is_room(
    tmp_path: Path,
) -> None:
    place = str(tmp_path / "harmony.db")
    with site(place, tmp_path / "server.log") as here:
        first, second = here.enrol(), here.enrol()
        assert here.report(first) == 201
        process, (soft, hard) = here.server.process.pid, resource.getrlimit(resource.RLIMIT_FSIZE)
        # Files that may not grow are a full disk, without one: the write-ahead log is below this.
        resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, hard))
        assert here.report(second) == 503
        # On a busy machine it may say for a moment that the database does not respond.
        wait_until(
            lambda: here.ask("GET", "/readyz")[1].get("detail") == "the last commit failed",
            "the server to be not ready",
        )
        assert here.ask("GET", "/v1/surveys")[0] == 200
        resource.prlimit(process, resource.RLIMIT_FSIZE, (soft, hard))
        wait_until(lambda: here.readiness() == 200, "a probe to find that there is room")
        assert here.report(second) == 201
        assert here.check() == 2
        assert here.server.stop() == 0


def test_a_database_that_someone_else_has_locked_gives_503_in_time(tmp_path: Path) -> None:
    place = str(tmp_path / "harmony.db")
    with site(place, tmp_path / "server.log") as here:
        device = here.enrol()
        other = sqlite3.connect(place, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        status, seconds = timed(lambda: here.report(device))
        assert status == 503
        assert seconds < DATABASE_SECONDS + SLOW
        wait_until(lambda: here.readiness() == 503, "the server to be not ready")
        other.execute("ROLLBACK")
        other.close()
        wait_until(lambda: here.readiness() == 200, "the server to be ready again")
        assert here.report(device) in (200, 201)
        assert here.check() == 1


def test_the_deadlines_are_those_that_the_documentation_adds_up() -> None:
    assert (RESPONSE_SECONDS, QUIET_SECONDS) == (5.0, 5.0)
    settings = Settings()
    assert settings.drain_seconds + CLOSE_SECONDS + LEAVE_SECONDS < 30
