"""The embedded store: its lock, its index of devices, and what several stores on one file see."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from harmony.service.database import Database
from harmony.service.ingest.blocks import Block, LiveRound
from harmony.service.ingest.outcomes import NAMES
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import StoreError
from harmony.service.stores.sqlite import NO_REPORT, SqliteStore
from harmony.service.training.lifecycle import Trainings

from .conftest import SURVEY, recount
from .devices import any_report
from .training import SMALL, open_step


@dataclass
class File:
    """A database in a file, and stores on it as each process would have one."""

    path: str
    state: ServiceState

    def __post_init__(self) -> None:
        self.opened: list[SqliteStore] = []

    def store(self) -> SqliteStore:
        self.opened.append(SqliteStore(self.path))
        return self.opened[-1]

    def open(self, label: str = "week1", closes: float | None = None) -> LiveRound:
        self.state.catalogue.add(SURVEY, None)
        return self.state.catalogue.open(SURVEY.name, label, closes).live

    def check(self, live: LiveRound, reports: int) -> None:
        """The tally is that of a recount, and of so many reports."""
        tally = self.state.catalogue.tally(self.state.catalogue.round("phones", live.round.label))
        assert tally == recount(self.state, live)
        assert tally.reports == reports

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        """A connection that waits for nobody."""
        with closing(sqlite3.connect(self.path, timeout=0, isolation_level=None)) as connection:
            yield connection

    def is_locked(self) -> bool:
        """Whether someone holds the lock that writers need."""
        with self.connected() as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
            connection.execute("ROLLBACK")
            return False


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    path = str(tmp_path / "harmony.db")
    file = File(path, ServiceState(Settings.load(database=path), clock=lambda: 100.0))
    yield file
    for store in file.opened:
        store.close()
    file.state.database.close()


def device(number: int) -> bytes:
    return number.to_bytes(16, "big")


def commit(
    store: SqliteStore, live: LiveRound, *numbers: int, symbol: int = 0, now: float = 100.0
) -> list[str]:
    """Commit a report of each of these devices as one block; return what became of each."""
    reports = b"".join(any_report(live, device(number), symbol=symbol) for number in numbers)
    (outcomes,) = store.commit([Block(live, live.rows(reports))], now)
    return [NAMES[outcome] for outcome in outcomes]


def test_a_transaction_holds_the_write_lock_from_its_beginning(file: File) -> None:
    store = file.store()
    assert not file.is_locked()
    with store._transaction():
        assert file.is_locked()
    assert not file.is_locked()


def test_a_write_of_the_catalogue_holds_the_lock_and_a_reading_does_not(file: File) -> None:
    database = Database(file.path)
    with database.write():
        assert file.is_locked()
    with database.read():
        assert not file.is_locked()
    database.close()


@pytest.mark.parametrize(
    ("raised", "told"),
    [(sqlite3.OperationalError("full"), StoreError), (ZeroDivisionError(), ZeroDivisionError)],
)
def test_a_transaction_that_fails_lets_go_of_the_lock_and_of_all_that_it_remembers(
    file: File, raised: Exception, told: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, live = file.store(), file.open()
    assert commit(store, live, 1) == ["accepted"]

    def fail(*_: object) -> None:
        raise raised

    with monkeypatch.context() as patch:
        patch.setattr(store, "_add_totals", fail)
        with pytest.raises(told):
            commit(store, live, 2)
    assert not file.is_locked()
    assert store._indexes == {}
    assert commit(store, live, 1, 2) == ["duplicate", "accepted"]
    file.check(live, reports=2)


def test_stores_on_one_file_see_each_others_reports(file: File) -> None:
    one, other, live = file.store(), file.store(), file.open()
    assert commit(one, live, 1, 2) == ["accepted"] * 2
    assert commit(other, live, 2, 3) == ["duplicate", "accepted"]
    assert commit(one, live, 3, 4, 1) == ["duplicate", "accepted", "duplicate"]
    assert commit(other, live, 4, 3, symbol=1) == ["conflict"] * 2
    assert commit(file.store(), live, 1, 2, 3, 4, 5) == ["duplicate"] * 4 + ["accepted"]
    file.check(live, reports=5)


def test_rounds_are_separate(file: File) -> None:
    store, first = file.store(), file.open("week1")
    assert commit(store, first, 1) == ["accepted"]
    file.state.catalogue.close(SURVEY.name, "week1")
    second = file.open("week2")
    assert commit(store, second, 1, 1, symbol=1) == ["accepted", "duplicate"]
    assert commit(store, first, 2) == ["closed"]
    file.check(first, reports=1)
    file.check(second, reports=1)


def test_a_round_takes_reports_until_the_moment_that_it_closes(file: File) -> None:
    store, live = file.store(), file.open(closes=200.0)
    assert commit(store, live, 1, now=199.9) == ["accepted"]
    assert commit(store, live, 2, now=200.0) == ["closed"]
    assert commit(store, live, 1, now=200.0) == ["closed"]
    file.check(live, reports=1)


def test_a_round_that_closed_is_not_kept_in_memory(file: File) -> None:
    store, first = file.store(), file.open("week1")
    commit(store, first, 1)
    assert list(store._indexes) == [("round", first.id)]
    file.state.catalogue.close(SURVEY.name, "week1")
    second = file.open("week2")
    commit(store, second, 1)
    assert list(store._indexes) == [("round", second.id)]


def test_what_nobody_else_changed_is_not_read_again(file: File) -> None:
    store, live = file.store(), file.open()
    commit(store, live, 1)
    commit(store, live, 2)
    asked: list[str] = []
    store._connection.set_trace_callback(asked.append)
    commit(store, live, 3)
    assert not [one for one in asked if one.startswith("SELECT") and "json_each" not in one]
    file.check(live, reports=3)


def test_a_device_is_refused_once_another_store_has_forgotten_it(file: File) -> None:
    one, other, live = file.store(), file.store(), file.open()
    assert commit(one, live, 1, 2, 3) == ["accepted"] * 3
    assert other.forget(device(2), [live]) == 1
    assert commit(one, live, 1, 2) == ["duplicate", "unauthorized"]
    assert other.forget(device(1), [live]) == 1
    assert other.forget(device(1), [live]) == 0
    assert commit(one, live, 1, 2, 4) == ["unauthorized", "unauthorized", "accepted"]
    assert commit(other, live, 3, 2) == ["duplicate", "unauthorized"]
    file.check(live, reports=2)


def test_a_device_is_found_by_the_index_of_an_open_round(file: File) -> None:
    store, live = file.store(), file.open()
    commit(store, live, 1, 2)
    commit(store, live, 3)
    asked: list[str] = []
    store._connection.set_trace_callback(asked.append)
    assert store.forget(device(4), [live]) == 0
    assert not [one for one in asked if "chunks" in one]
    assert store.forget(device(2), [live]) == 1
    assert not [one for one in asked if "instr" in one]
    file.check(live, reports=2)


def test_a_device_leaves_every_round_and_only_its_own_reports(file: File) -> None:
    store, first = file.store(), file.open("week1")
    assert commit(store, first, 1, 2) == ["accepted"] * 2
    assert commit(store, first, 3, 4) == ["accepted"] * 2
    file.state.catalogue.close(SURVEY.name, "week1")
    second = file.open("week2")
    assert commit(store, second, 4, 5) == ["accepted"] * 2
    assert store.forget(device(4), [first, second]) == 2
    assert store.forget(device(6), [first, second]) == 0
    left = {row[:16].tobytes() for rows in store.stored(first) for row in rows}
    assert left == {device(1), device(2), device(3)}
    file.check(first, reports=3)
    file.check(second, reports=1)


def test_an_id_that_only_looks_like_a_part_of_other_reports_removes_nothing(file: File) -> None:
    store, live = file.store(), file.open()
    reports = [any_report(live, device(number)) for number in (0x11, 0x22)]
    assert commit(store, live, 0x11, 0x22) == ["accepted"] * 2
    across = (reports[0] + reports[1])[8:24]  # the end of one report and the beginning of another
    assert store.forget(across, [live]) == 0
    assert store.forget(device(0x11), [live]) == 1
    assert store.forget(bytes(16), [live]) == 0  # as what is left of a removed report
    assert commit(store, live, 0x22, 0x33) == ["duplicate", "accepted"]
    file.check(live, reports=2)


def test_places_of_removed_reports_keep_the_numbers_of_the_others(file: File) -> None:
    store, live = file.store(), file.open()
    assert commit(store, live, 1, 2, 3) == ["accepted"] * 3
    assert commit(store, live, 4, 5) == ["accepted"] * 2
    for gone in (1, 3, 5):
        store.forget(device(gone), [live])
    fresh = file.store()
    assert commit(fresh, live, 2, 4) == ["duplicate"] * 2
    assert commit(fresh, live, 2, 4, symbol=1) == ["conflict"] * 2
    assert commit(fresh, live, 6, 7) == ["accepted"] * 2
    assert commit(store, live, 6, 7, 2, 4) == ["duplicate"] * 4
    with file.connected() as connection:
        chunks = connection.execute("SELECT first, reports FROM chunks ORDER BY first").fetchall()
    assert [first for first, _ in chunks] == [0, 3, 5]
    tiers = [[row[16] for row in live.rows(packed)] for _, packed in chunks]
    assert tiers == [[NO_REPORT, 0, NO_REPORT], [0, NO_REPORT], [0, 0]]
    file.check(live, reports=4)


def test_a_round_whose_reports_were_all_removed_has_none(file: File) -> None:
    store, live = file.store(), file.open()
    commit(store, live, 1)
    store.forget(device(1), [live])
    assert list(store.stored(live)) == []
    file.check(live, reports=0)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM chunks WHERE first = 0",
        "UPDATE chunks SET reports = substr(reports, 1, length(reports) / 2) WHERE first = 0",
        "UPDATE chunks SET first = 3 WHERE first = 2",
    ],
)
def test_a_chunk_that_is_damaged_or_missing_is_noticed(file: File, damage: str) -> None:
    store, live = file.store(), file.open()
    commit(store, live, 1, 2)
    commit(store, live, 3)
    with file.connected() as connection:
        connection.execute(damage)
    with pytest.raises(StoreError, match="damaged or missing"):
        commit(file.store(), live, 4)


def test_a_device_reports_once_in_all_steps_of_a_training(file: File) -> None:
    state, store = file.state, file.store()
    state.trainings.create(SMALL.to_document(), step_seconds=3600.0, least=1)
    first = open_step(state).live
    assert commit(store, first, 1, 2) == ["accepted"] * 2
    close(state.trainings)
    second = open_step(state).live
    assert commit(store, second, 1, 3, 3) == ["conflict", "accepted", "duplicate"]
    for fresh in (file.store(), store):
        assert commit(fresh, second, 2, 3, 1) == ["conflict", "duplicate", "conflict"]
    assert commit(file.store(), second, 4) == ["accepted"]
    assert commit(store, second, 4) == ["duplicate"]
    assert store.forget(device(1), [first, second]) == 1


def close(trainings: Trainings) -> None:
    """Close the open step of the training."""
    entry = trainings.training(SMALL.name)
    step = entry.open_step
    assert step is not None
    trainings._close(entry, step)
