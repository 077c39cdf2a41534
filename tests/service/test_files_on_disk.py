"""What is left in the database's own files: never an id, and after the time no key to any.

SQLite's file and write-ahead log are searched byte by byte, free pages and the gaps within pages
included; of PostgreSQL the whole data directory, with its write-ahead log where that is not
recycled.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

import harmony as hm
from harmony.service.clock_jumps import STEADY_SECONDS
from harmony.service.retention import DAY, Retention
from harmony.service.sealing import seal
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import open_store

from .conftest import UNLIMITED, purge, recount
from .devices import any_report
from .postgres import Postgres

START = b"HrmnyDev"
"""What every id begins with here, so that one search looks for them all."""

ROUNDS = 5
SURVEYS = [hm.Survey(f"s{place}", [hm.Boolean("a")], epsilon=1.0) for place in range(3)]


class Filled:
    """A database with rounds whose reports were committed in turn, so that they share pages."""

    def __init__(self, place: str) -> None:
        self.now = 1_800_000_000.0
        self.steady = 0.0
        settings = Settings.load(database=place, **UNLIMITED)
        self.state = ServiceState(settings, clock=lambda: self.now)
        self.store = open_store(self.state.database)
        self.devices: dict[tuple[str, str], list[bytes]] = {}
        self.keys: dict[tuple[str, str], bytes] = {}

    def fill(self) -> None:
        from harmony.service.ingest.blocks import Block

        for number in range(ROUNDS):
            lives = []
            for survey in SURVEYS:
                self.state.catalogue.add(survey, None)
                lives.append(self.state.catalogue.open(survey.name, f"r{number}").live)
            for turn in range(120):
                live = lives[turn % len(lives)]
                some = [START + os.urandom(8) for _ in range(1 + (turn * 7) % 60)]
                packed = b"".join(any_report(live, one) for one in some)
                self.store.commit([Block(live, live.rows(packed))], self.now)
                where = live.survey.name, live.round.label
                self.devices.setdefault(where, []).extend(some)
            for live in lives:
                assert live.key is not None
                self.keys[live.survey.name, live.round.label] = live.key
                self.state.catalogue.close(live.survey.name, live.round.label)
            self.now += DAY

    def drop(self) -> None:
        """Let the time come, and what is due be dropped, removed and erased."""
        looking = Retention(self.state.database, lambda: self.now, lambda: self.steady)
        looking.look()
        self.steady += STEADY_SECONDS
        looking.look()
        purge(looking)
        assert self.store.erase()
        self.state.catalogue.reload()


@contextmanager
def filled(place: str) -> Iterator[Filled]:
    one = Filled(place)
    try:
        one.fill()
        yield one
    finally:
        one.store.close()
        one.state.database.close()


def check(one: Filled, content: Callable[[], bytes]) -> None:
    """Drop round after round, and look for what must not be there any more."""
    before = content()
    assert [key for key in one.keys.values() if key not in before] == []
    assert START not in before
    tallies = {
        where: one.state.catalogue.tally(one.state.catalogue.round(*where)) for where in one.keys
    }
    gone: list[tuple[str, str]] = []
    one.now += 30 * DAY - (ROUNDS + 1) * DAY
    for number in range(ROUNDS):
        one.now += DAY + 1
        one.drop()
        gone += [(survey.name, f"r{number}") for survey in SURVEYS]
        after = content()
        assert [where for where in gone if one.keys[where] in after] == []
        kept = [where for where in one.keys if where not in gone]
        assert [where for where in kept if one.keys[where] not in after] == []
        assert START not in after
        for where, tally in tallies.items():
            entry = one.state.catalogue.round(*where)
            assert one.state.catalogue.tally(entry) == tally
            stored = 0 if where in gone else tally.reports
            assert recount(one.state, entry.live).reports == stored


def test_sqlite_keeps_no_id_and_no_key_of_what_was_dropped(tmp_path: Path) -> None:
    place = tmp_path / "harmony.db"

    def content() -> bytes:
        return b"".join(path.read_bytes() for path in tmp_path.glob("harmony.db*"))

    with filled(str(place)) as one:
        check(one, content)
        sealed = [
            seal(device, one.keys[where]) for where, some in one.devices.items() for device in some
        ]
        after = content()
        left = sum(device in after for device in sealed[::10])
        assert left <= len(sealed) // 500  # rows that SQLite moved about, and nobody can read


def test_a_reader_delays_the_erasure_and_does_not_prevent_it(tmp_path: Path) -> None:
    place = tmp_path / "harmony.db"
    with filled(str(place)) as one:
        key = one.keys["s0", "r0"]
        reading = one.store.stored(one.state.catalogue.round("s1", "r4").live)
        next(reading)
        other = open_store(one.state.database)
        one.now += 31 * DAY
        looking = Retention(one.state.database, lambda: one.now, lambda: one.steady)
        looking.look()
        one.steady += STEADY_SECONDS
        assert looking.look() > 0
        assert not other.erase()
        reading.close()
        assert other.erase()
        other.close()
        assert key not in b"".join(path.read_bytes() for path in tmp_path.glob("harmony.db*"))


@pytest.fixture
def tidy_postgres() -> Iterator[Postgres]:
    """A PostgreSQL that removes old segments of its log instead of using them again."""
    with Postgres(options="-c wal_recycle=off -c min_wal_size=32MB -c max_wal_size=64MB") as server:
        yield server


def test_postgresql_keeps_no_id_and_no_key_of_what_was_dropped(tidy_postgres: Postgres) -> None:
    url = tidy_postgres.fresh()

    def content() -> bytes:
        """Read the data directory after two checkpoints, which end what went before."""
        with psycopg.connect(url, autocommit=True) as connection:
            for _ in range(2):
                connection.execute("SELECT pg_switch_wal()")
                connection.execute("CHECKPOINT")
        files = [path for path in tidy_postgres.folder.rglob("*") if path.is_file()]
        return b"".join(path.read_bytes() for path in files)

    with filled(url) as one:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ANALYZE")  # which copies samples of most columns elsewhere
        check(one, content)
