"""Backups, checks, upgrades and restored copies: the drill that an operator hopes never to need."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

import harmony as hm
from harmony.cli.app import app
from harmony.service.database import SCHEMA_VERSION, Database
from harmony.service.ingest.blocks import Block
from harmony.service.retention import DAY, Retention
from harmony.service.sealing import marks_of
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import open_store

from .conftest import SURVEY, Service, purge
from .devices import Enrolled, any_report, report_body
from .old_databases import DELETED, write_old_database
from .postgres import Postgres
from .training import SMALL, create, fill_step

Start = Callable[..., Service]


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def report(service: Service, label: str, devices: list[Enrolled]) -> None:
    live = service.state.catalogue.round(SURVEY.name, label).live
    for device in devices:
        body = report_body(label, any_report(live, device.device))
        assert service.send(device, body).status_code == 201


@pytest.fixture
def filled(service: Service) -> Service:
    """A service with a closed round, an open one, a training, and a deleted device."""
    devices = [service.enrol() for _ in range(12)]
    service.open("week1")
    report(service, "week1", devices)
    service.state.catalogue.close(SURVEY.name, "week1")
    service.open("week2")
    report(service, "week2", devices[:6])
    create(service)
    fill_step(service)
    service.client.delete("/v1/devices/me", headers=devices[0].headers)
    return service


def change(service: Service, statement: str, **values: Any) -> None:
    with service.state.database.write() as connection:
        connection.execute(text(statement), values)


def test_a_good_database_passes_while_its_server_runs(filled: Service, place: str) -> None:
    said = run("check", place)
    assert said.exit_code == 0, said.stdout
    assert "all is well" in said.stdout
    found = json.loads(run("check", place, "--json").stdout)
    assert found["problems"] == []
    assert found["checked"] >= 7


@pytest.mark.parametrize(
    ("statement", "where", "said"),
    [
        ("UPDATE totals SET reports = reports + 1", "round phones week1", "its tally is not that"),
        ("UPDATE counts SET count = count + 1", "round phones week2", "its tally is not that"),
        ("DELETE FROM totals", "round charging", "its tally is not that"),
        ("UPDATE rounds SET dropped = 5", "round phones week1", "its key is there"),
        ("UPDATE round_keys SET secret = :nothing", "round phones week1", "its key is gone"),
        ("DELETE FROM round_keys", "round phones", "it has no key"),
        ("UPDATE server_keys SET retires = 1", "server keys", "all have retired"),
        ("UPDATE server_keys SET secret = :short", "server keys", "does not have 32 bytes"),
        ("UPDATE surveys SET document = '{}' WHERE id = 1", "survey phones", "cannot be read"),
        ("UPDATE trainings SET trainer = '{}'", "training charging", "cannot be read"),
        ("UPDATE trainings SET ended = 5", "training charging", "1 open steps"),
        ("DELETE FROM rounds WHERE label = 'week1'", "rows without", " in '"),
        ("ALTER TABLE tokens RENAME TO others", "schema", "'tokens' is missing"),
        ("ALTER TABLE rounds DROP COLUMN emptied", "schema", "'emptied' of 'rounds' is missing"),
        ("UPDATE alembic_version SET version_num = '0004'", "schema", "harmony upgrade"),
    ],
)
def test_what_is_wrong_is_found(place: str, statement: str, where: str, said: str) -> None:
    at_rest(place)
    values = {"nothing": bytes(32), "short": b"short"}
    given = {name: value for name, value in values.items() if f":{name}" in statement}
    if "://" not in place:
        with closing(sqlite3.connect(place)) as plain, plain:  # which enforces no references
            plain.execute(statement, given)
    else:
        database = Database(place)
        with database.engine.begin() as connection:
            connection.execute(text("SET session_replication_role = replica"))
            connection.execute(text(statement), given)
        database.close()
    found = run("check", place)
    assert found.exit_code == 1, found.stdout
    lines = [line for line in found.stdout.splitlines() if line.startswith(where)]
    assert any(said in line for line in lines), found.stdout


def at_rest(place: str) -> None:
    """Write a database with a closed round, an open one and a training, and leave it alone."""
    state = ServiceState(Settings.load(database=place))
    store = open_store(state.database)
    state.catalogue.add(SURVEY, None)
    for label in ("week1", "week2"):
        live = state.catalogue.open(SURVEY.name, label).live
        reports = b"".join(any_report(live, bytes([number] * 16)) for number in range(9))
        store.commit([Block(live, live.rows(reports))], 0.0)
        if label == "week1":
            state.catalogue.close(SURVEY.name, label)
    step = state.trainings.create(SMALL.to_document(), 3600.0, None).open_step
    assert step is not None
    store.commit([Block(step.live, step.live.rows(any_report(step.live, b"x" * 16)))], 0.0)
    store.close()
    state.database.close()


def test_reports_of_deleted_devices_and_second_reports_are_found(
    filled: Service, place: str
) -> None:
    live = filled.state.catalogue.round(SURVEY.name, "week2").live
    rows = live.rows(any_report(live, b"somebody's 16 b."))
    sealed = live.seal(rows).tobytes()
    is_sqlite = filled.state.database.is_sqlite
    if is_sqlite:
        insert = "INSERT INTO chunks (round, first, reports) VALUES (:round, :first, :reports)"
        values: dict[str, Any] = {"round": live.id, "first": 6, "reports": sealed + sealed}
    else:
        insert = "INSERT INTO reports (round, device, body) VALUES (:round, :device, :body)"
        values = {"round": live.id, "device": sealed[:16], "body": sealed[16:]}
    change(filled, insert, **values)
    said = run("check", place).stdout
    assert ("reported before" if is_sqlite else "its tally is not that") in said
    if is_sqlite:
        change(filled, "UPDATE chunks SET reports = :one WHERE first = 6", one=sealed)
    mark = marks_of(rows[0, :16].tobytes())
    change(filled, "INSERT INTO forgotten (mark) VALUES (:mark)", mark=mark)
    assert "devices that were deleted" in run("check", place).stdout


def test_reports_that_nobody_dropped_are_found(filled: Service, place: str) -> None:
    change(filled, "UPDATE rounds SET closed = 1000 WHERE label = 'week1'")
    assert "should have been dropped" in run("check", place).stdout


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_backup_is_made_under_load_and_is_of_one_moment(
    filled: Service, place: str, tmp_path: Path
) -> None:
    stop = threading.Event()

    def load() -> None:
        while not stop.is_set():
            report(filled, "week2", [filled.enrol()])

    thread = threading.Thread(target=load)
    thread.start()
    try:
        for number in range(4):
            copy = tmp_path / f"copy{number}.db"
            said = run("backup", place, copy)
            assert said.exit_code == 0, said.stderr
            assert stat.S_IMODE(copy.stat().st_mode) == 0o600
            assert run("check", copy).exit_code == 0
    finally:
        stop.set()
        thread.join()
    assert run("check", place).exit_code == 0
    assert [one.name for one in tmp_path.glob(".*")] == []


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_backup_never_overwrites_and_leaves_nothing_half_made(
    filled: Service, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "there.db"
    target.write_text("mine")
    said = run("backup", place, target)
    assert said.exit_code == 2
    assert "is there already" in said.stderr
    assert target.read_text() == "mine"
    said = run("backup", place, tmp_path / "nowhere" / "copy.db")
    assert said.exit_code == 2

    def damaged(_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("harmony.service.upkeep.backup.check_file", damaged)
    assert run("backup", place, tmp_path / "new.db").exit_code == 2
    assert sorted(one.name for one in tmp_path.iterdir() if "new" in one.name) == []
    assert run("backup", tmp_path / "nothing.db", tmp_path / "x.db").exit_code == 2
    (tmp_path / "text.db").write_text("no database" * 100)
    assert "not a database of Harmony" in run("check", tmp_path / "text.db").stderr


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_postgresql_is_sent_to_its_own_means(filled: Service, place: str, tmp_path: Path) -> None:
    said = run("backup", place, tmp_path / "copy")
    assert said.exit_code == 2
    assert "pg_dump" in said.stderr


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_backup_while_retention_runs_has_the_round_whole_or_not_at_all(
    serve: Start, place: str, tmp_path: Path
) -> None:
    service = serve()
    service.state.catalogue.add(SURVEY, None, retention=0)
    for number in range(6):
        service.open(f"round{number}")
        report(service, f"round{number}", [service.enrol() for _ in range(5)])
        service.state.catalogue.close(SURVEY.name, f"round{number}")
        copying = threading.Thread(target=run, args=("backup", place, tmp_path / f"c{number}.db"))
        copying.start()
        purge(service.state.retention)
        copying.join()
    for number in range(6):
        said = run("check", tmp_path / f"c{number}.db")
        assert said.exit_code == 0, said.stdout


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_the_restore_drill(serve: Start, place: str, tmp_path: Path) -> None:
    """Back up, go on, lose the file, restore, apply the deletions, check, and go on again."""
    service = serve()
    devices = [service.enrol() for _ in range(20)]
    service.open("week1")
    report(service, "week1", devices)
    throwaway = hm.Survey("throwaway", [hm.Boolean("x")], epsilon=1.0)
    service.open("only", throwaway)
    service.open("r1", hm.Survey("other", [hm.Boolean("x")], epsilon=1.0))
    copy, deletions = tmp_path / "copy.db", tmp_path / "deletions.json"
    assert run("backup", place, copy).exit_code == 0
    for device in devices[:3]:
        service.client.delete("/v1/devices/me", headers=device.headers)
    service.client.delete("/v1/surveys/throwaway?confirm=throwaway", headers=service.admin)
    service.client.delete("/v1/surveys/other/rounds/r1?confirm=r1", headers=service.admin)
    report(service, "week1", [service.enrol() for _ in range(5)])
    assert run("deletions", "save", place, deletions).exit_code == 0
    ids = [device.device for device in devices]
    assert not any(one.hex() in deletions.read_text() for one in ids)
    restored = str(tmp_path / "restored.db")
    os.rename(copy, restored)
    said = run("deletions", "apply", restored, deletions)
    assert said.exit_code == 0, said.stderr
    assert "3 devices deleted with 3 reports; 1 round, 1 survey" in said.stdout
    assert run("check", restored).exit_code == 0
    again = run("deletions", "apply", restored, deletions)
    assert "0 devices deleted with 0 reports; 0 rounds, 0 surveys" in again.stdout
    state = ServiceState(Settings.load(database=restored))
    other = Service(state, service.client)
    assert other.tally("week1").reports == 17
    assert other.tally("week1") == other.recount("week1")
    assert set(state.catalogue.surveys) == {SURVEY.name, "other"}
    assert state.catalogue.surveys["other"].rounds == {}
    assert state.enrolment.is_forgotten(devices[0].device)
    entries = [one for one in state.activity.entries() if one.act == "deletions applied"]
    assert len(entries) == 2
    state.database.close()


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_restored_backup_catches_up_with_its_retention(
    serve: Start, place: str, tmp_path: Path
) -> None:
    now = [1_800_000_000.0]
    service = serve(clock=lambda: now[0])
    service.open("week1")
    report(service, "week1", [service.enrol() for _ in range(3)])
    service.state.catalogue.close(SURVEY.name, "week1")
    assert run("backup", place, tmp_path / "copy.db").exit_code == 0
    now[0] += 31 * DAY
    state = ServiceState(Settings.load(database=str(tmp_path / "copy.db")), clock=lambda: now[0])
    steady = [0.0]
    looking = Retention(state.database, state.clock, lambda: steady[0])
    looking.look()
    steady[0] += 601
    assert looking.look() == 1
    state.database.close()


def test_deletions_of_either_database_are_applied(
    filled: Service, place: str, tmp_path: Path
) -> None:
    device = filled.enrol()
    report(filled, "week2", [device])
    listed = tmp_path / "deletions.json"
    assert run("deletions", "save", place, listed).exit_code == 0
    document = json.loads(listed.read_text())
    document["devices"].append(marks_of(device.device).hex())
    listed.write_text(json.dumps(document))
    before = filled.tally("week2").reports
    assert run("deletions", "apply", place, listed).exit_code == 0
    assert filled.tally("week2").reports == before - 1
    assert filled.tally("week2") == filled.recount("week2")
    for wrong in ("", "[]", '{"format": "other"}', '{"format": "harmony-deletions/1"}'):
        listed.write_text(wrong)
        said = run("deletions", "apply", place, listed)
        assert said.exit_code == 2
        assert "is not a list of deletions" in said.stderr


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_an_old_database_is_upgraded_with_a_copy_beside(place: str, tmp_path: Path) -> None:
    write_old_database(place)
    said = run("upgrade", place)
    assert said.exit_code == 0, said.stdout + said.stderr
    assert f"version {SCHEMA_VERSION}, was version 0003" in said.stdout
    copy = Path(f"{place}.version-0003")
    assert copy.exists()
    assert DELETED in copy.read_bytes()
    assert DELETED not in Path(place).read_bytes()
    with closing(sqlite3.connect(copy)) as old:
        assert old.execute("SELECT version_num FROM alembic_version").fetchone() == ("0003",)
    assert run("check", place).exit_code == 0
    assert "is there already" in run("upgrade", place).stdout
    assert "harmony upgrade" in run("deletions", "save", copy, tmp_path / "x").stderr


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_an_old_postgresql_is_upgraded_once_it_is_backed_up(place: str) -> None:
    write_old_database(place)
    said = run("upgrade", place)
    assert said.exit_code == 2
    assert "--backed-up" in said.stderr
    said = run("upgrade", place, "--backed-up", "--json")
    assert said.exit_code == 0, said.stderr
    assert json.loads(said.stdout) == {
        "from": "0003", "to": SCHEMA_VERSION, "copy": None, "problems": [],
    }  # fmt: skip


def test_compacting_leaves_all_that_is_there(filled: Service, place: str) -> None:
    before = filled.tally("week1"), filled.tally("week2")
    assert run("compact", place).exit_code == 0
    assert (filled.tally("week1"), filled.tally("week2")) == before
    assert run("check", place).exit_code == 0
    report(filled, "week2", [filled.enrol()])


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_a_dump_of_postgresql_is_restored_and_checked(
    filled: Service, place: str, tmp_path: Path, postgres: Postgres
) -> None:
    """What the docs say: pg_dump, a new database, the deletions, a check."""
    copy = postgres.fresh()
    dump = str(tmp_path / "dump")
    postgres.run("pg_dump", "--format=custom", f"--file={dump}", place)
    postgres.run("pg_restore", f"--dbname={copy}", "--no-owner", dump)
    assert run("check", copy).exit_code == 0
    device = filled.enrol()
    report(filled, "week2", [device])
    filled.client.delete("/v1/devices/me", headers=device.headers)
    assert run("deletions", "save", place, tmp_path / "list.json").exit_code == 0
    assert run("deletions", "apply", copy, tmp_path / "list.json").exit_code == 0
    assert run("check", copy).exit_code == 0
