"""The real application on real databases."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from starlette.testclient import TestClient

import harmony as hm
from harmony.service.app import Application
from harmony.service.database import Database
from harmony.service.ingest.blocks import LiveRound
from harmony.service.retention import Retention
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import open_store
from harmony.tally import Tally

from .devices import Enrolled
from .postgres import MEMORY, Postgres, name_of
from .waiting import wait_until

UNLIMITED: dict[str, Any] = {"address_rate": 0, "credential_rate": 0, "enrolment_rate": 0}

SURVEY = hm.Survey(
    "phones",
    [
        hm.Numeric("battery", 0, 100),
        hm.Categorical("theme", ["light", "dark", "auto"]),
        hm.Boolean("wifi"),
    ],
    epsilon=2.0,
    answers=2,
)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with Postgres(in_memory=True) as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the tables of this version, and nothing in them, to be copied."""
    place = tmp_path_factory.mktemp("tables") / "harmony.db"
    _make_tables(str(place))
    return place


@pytest.fixture(scope="session")
def postgres_tables(postgres: Postgres) -> str:
    """The same on PostgreSQL; returns its name."""
    place = postgres.fresh()
    _make_tables(place)
    return name_of(place)


def _make_tables(place: str) -> None:
    database = Database(place)
    database.migrate()
    database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a fresh database is, once for each kind of database.

    It is empty, but has its tables if the test starts the application on it: to make them
    takes longer than most of these tests do.
    """
    needs_tables = "serve" in request.fixturenames
    if request.param == "sqlite":
        place = str(tmp_path / "harmony.db")
        if needs_tables:
            shutil.copy(request.getfixturevalue("sqlite_tables"), place)
        yield place
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    tables = {"template": request.getfixturevalue("postgres_tables")} if needs_tables else {}
    place = postgres.fresh(**tables)
    yield place
    postgres.drop(place)


@pytest.fixture
def memory_folder() -> Iterator[Path]:
    """A folder in memory where the system has such, for tests that do not ask the disk."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)


class Service:
    """The application in this process, with a client and shortcuts for what tests often do."""

    def __init__(self, state: ServiceState, client: TestClient) -> None:
        self.state = state
        self.client = client
        self.admin = self.bearer("admin")

    def bearer(self, role: str) -> dict[str, str]:
        """Return the header of a fresh token of this role."""
        return {"Authorization": f"Bearer {self.state.tokens.create(role, role)[0]}"}

    def open(self, label: str = "week1", survey: hm.Survey = SURVEY) -> LiveRound:
        """Create the survey if it is new, and open a round of it."""
        self.state.catalogue.add(survey, None)
        return self.state.catalogue.open(survey.name, label).live

    def enrol(self) -> Enrolled:
        response = self.client.post("/v1/devices")
        assert response.status_code == 201
        return Enrolled.of(response.json())

    def send(self, device: Enrolled, body: Any, survey: str = SURVEY.name) -> Any:
        path = f"/v1/surveys/{survey}/reports"
        return self.client.post(path, json=body, headers=device.headers)

    def tally(self, label: str = "week1", survey: str = SURVEY.name) -> Tally:
        return self.state.catalogue.tally(self.state.catalogue.round(survey, label))

    def recount(self, label: str = "week1", survey: str = SURVEY.name) -> Tally:
        return recount(self.state, self.state.catalogue.round(survey, label).live)


def recount(state: ServiceState, live: LiveRound) -> Tally:
    """Count a round's stored reports again, from nothing."""
    tally = Tally.empty(live.survey, live.round)
    counts, tiers = tally.counts.copy(), [0] * len(live.survey.tiers)
    devices: set[bytes] = set()
    store = open_store(state.database)
    try:
        for reports in () if live.key is None else store.stored(live):
            for cell in live.locate(reports).reshape(-1).tolist():
                counts[cell] += 1
            for report in reports:
                devices.add(report[:16].tobytes())
                tiers[report[16]] += 1
    finally:
        store.close()
    assert len(devices) == sum(tiers), "a device is stored twice"
    return Tally.of(live.survey, live.round, counts, tuple(tiers))


def purge(looking: Retention) -> None:
    """Remove what was dropped, also while the server itself is at it, until nothing is left."""
    left = "SELECT count(*) FROM rounds WHERE dropped IS NOT NULL AND emptied IS NULL"

    def is_empty() -> bool:
        while looking.purge():
            continue
        with looking.database.read() as connection:
            return not connection.execute(text(left)).scalar_one()

    wait_until(is_empty, "the rows of dropped rounds to go")


@pytest.fixture
def serve(place: str) -> Iterator[Callable[..., Service]]:
    """Start the application in this process, with settings of the test's choice."""
    running: list[TestClient] = []

    def start(clock: Callable[[], float] | None = None, **settings: Any) -> Service:
        loaded = Settings.load(database=place, **{**UNLIMITED, **settings})
        state = ServiceState(loaded, clock) if clock else ServiceState(loaded)
        client = TestClient(Application(state), raise_server_exceptions=False)
        client.__enter__()
        running.append(client)
        return Service(state, client)

    yield start
    for client in running:
        client.__exit__(None, None, None)


@pytest.fixture
def service(serve: Callable[..., Service]) -> Service:
    return serve()


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("HARMONY_"):
            monkeypatch.delenv(name)
