"""A database of an earlier version goes on with what it has, and keeps nobody's id as it was."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, text

from harmony.service.clock_jumps import STEADY_SECONDS
from harmony.service.database import Database
from harmony.service.ingest.blocks import Block
from harmony.service.ingest.outcomes import by_name
from harmony.service.retention import DAY, Retention
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import open_store

from .conftest import SURVEY, recount
from .devices import any_report
from .old_databases import DELETED, LISTED, TRAINING, write_old_database
from .server_process import FORKSERVER

ROUNDS = ((SURVEY.name, "week1"), (SURVEY.name, "week2"), (TRAINING.name, "charging:1"))


@pytest.mark.parametrize("version", ["0001", "0002", "0003", "0004"])
def test_every_report_and_tally_of_an_old_database_is_there(place: str, version: str) -> None:
    old = write_old_database(place, version)
    state = ServiceState(Settings.load(database=place), clock=lambda: 100.0)
    store = open_store(state.database)
    for name, label in ROUNDS:
        if label not in old.devices:
            continue
        entry = state.catalogue.round(name, label)
        assert state.catalogue.tally(entry) == old.tallies[label] == recount(state, entry.live)
        again = [any_report(entry.live, device) for device in old.devices[label]]
        outcomes = store.commit([Block(entry.live, entry.live.rows(b"".join(again)))], 0.0)[0]
        became = "closed" if label == "week1" else "duplicate"
        assert by_name(outcomes) == {became: len(again)}
    live = state.catalogue.round(SURVEY.name, "week2").live
    for device, became in ((DELETED, "unauthorized"), (bytes(16), "accepted")):
        report = live.rows(any_report(live, device))
        assert by_name(store.commit([Block(live, report)], 0.0)[0]) == {became: 1}
    one = old.devices["week1"][0]
    assert store.forget(one, [state.catalogue.round(SURVEY.name, "week1").live]) == 1
    assert state.catalogue.tally(state.catalogue.round(SURVEY.name, "week1")).reports == 7
    store.close()
    state.database.close()


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_no_id_is_left_in_the_file_after_the_upgrade(place: str) -> None:
    old = write_old_database(place)
    ids = [device for devices in old.devices.values() for device in devices] + [DELETED]
    before = Path(place).read_bytes()
    assert all(device in before for device in ids)
    ServiceState(Settings.load(database=place)).database.close()
    after = b"".join(one.read_bytes() for one in Path(place).parent.glob("harmony.db*"))
    assert [device for device in ids if device in after] == []
    assert LISTED in after  # only its entry could seal it, when it enrols again


def test_what_was_closed_before_is_kept_from_the_upgrade_on(place: str) -> None:
    """Nobody chose a time for it, so nothing is dropped by surprise on the first start."""
    write_old_database(place)
    state = ServiceState(Settings.load(database=place))
    steady = [0.0]
    for days, dropped in ((29, 0), (32, 1)):
        now = state.clock() + days * DAY
        looking = Retention(state.database, lambda now=now: now, lambda: steady[0])
        looking.look()
        steady[0] += STEADY_SECONDS
        assert looking.look() == dropped
    state.database.close()


def test_an_entry_of_an_old_list_keeps_its_id_and_seals_it(place: str) -> None:
    write_old_database(place)
    state = ServiceState(Settings.load(database=place, enrolment="list"))
    with state.database.write() as connection:
        from harmony.service.enrolment import _digest

        entry = text("UPDATE allowed SET digest = :digest")
        connection.execute(entry, {"digest": _digest("serial-1")})
    for _ in range(2):
        assert state.enrolment.enrol("serial-1").device == LISTED
        with state.database.read() as connection:
            stored = connection.execute(text("SELECT device FROM allowed")).scalar_one()
            assert bytes(stored) != LISTED
    state.enrolment.forget(LISTED)
    with state.database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM allowed")).scalar_one() == 0
    state.database.close()


def migrate_until(place: str, moment: str) -> None:
    """Migrate in a process that is killed at a statement, or when it would write files anew."""

    def kill(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def kill_at(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if moment in statement:
            kill()

    if moment == "compact":
        Database.compact = kill  # type: ignore[method-assign]
    event.listen(Engine, "before_cursor_execute", kill_at)
    Database(place).migrate()


@pytest.mark.parametrize(
    "moment",
    ["CREATE TABLE round_keys", "UPDATE alembic_version", "compact", "CREATE TABLE strata"],
)
def test_an_upgrade_that_was_killed_is_finished_by_the_next_start(place: str, moment: str) -> None:
    old = write_old_database(place)
    killed = FORKSERVER.Process(target=migrate_until, args=(place, moment))
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    state = ServiceState(Settings.load(database=place))
    for name, label in ROUNDS:
        entry = state.catalogue.round(name, label)
        assert state.catalogue.tally(entry) == old.tallies[label] == recount(state, entry.live)
    state.database.close()
    if state.database.is_sqlite:
        after = b"".join(one.read_bytes() for one in Path(place).parent.glob("harmony.db*"))
        ids = [device for devices in old.devices.values() for device in devices] + [DELETED]
        assert [device for device in ids if device in after] == []


def test_files_are_written_anew_also_if_the_version_could_not_be_read_at_first(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_old_database(place)
    written: list[str] = []
    compact = Database.compact

    def note(database: Database) -> None:
        written.append(database.url.get_backend_name())
        compact(database)

    monkeypatch.setattr(Database, "version", lambda _: None)  # as when the database is busy
    monkeypatch.setattr(Database, "compact", note)
    database = Database(place)
    database.migrate()
    database.migrate()
    database.close()
    assert len(written) == 1
