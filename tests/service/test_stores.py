"""The stores: what becomes of each report of a block, however they are mixed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import psycopg
import pytest

from harmony.service.blocks import Block, LiveRound
from harmony.service.outcomes import NAMES
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import Store, StoreError, open_store
from harmony.service.stores.postgres import ADD, SETTINGS, PostgresStore
from harmony.service.stores.wire import Wire

from .conftest import SURVEY, recount
from .devices import any_report
from .postgres import Postgres

MALFORMED_TIER = 9


@dataclass
class Stored:
    """A store and an open round in it."""

    state: ServiceState
    store: Store
    live: LiveRound

    def commit(self, *reports: bytes, now: float = 0.0) -> list[str]:
        """Commit the reports as one block; return what became of each."""
        block = Block(self.live, self.live.rows(b"".join(reports)))
        return [NAMES[outcome] for outcome in self.store.commit([block], now)[0]]

    def report(self, device: int, symbol: int = 0, tier: int = 0) -> bytes:
        """Return a report of a device of this number."""
        return any_report(self.live, device.to_bytes(16, "big"), tier, symbol)

    def check(self, reports: int) -> None:
        """The tally is that of a recount, and of so many reports."""
        tally = self.state.catalogue.tally(self.state.catalogue.round(SURVEY.name, "week1"))
        assert tally == recount(self.state, self.live)
        assert tally.reports == reports


@pytest.fixture
def stored(place: str) -> Iterator[Stored]:
    state = ServiceState(Settings.load(database=place))
    state.catalogue.add(SURVEY, None)
    live = state.catalogue.open(SURVEY.name, "week1").live
    store = open_store(state.database)
    yield Stored(state, store, live)
    store.close()
    state.database.close()


def test_every_report_of_a_mixed_block_gets_its_own_outcome(stored: Stored) -> None:
    report = stored.report
    assert stored.commit(report(1), report(2), report(3)) == ["accepted"] * 3
    stored.store.forget(report(3)[:16], [stored.live])
    mixed = {
        report(4, symbol=1): "accepted",
        report(1): "duplicate",
        report(5, tier=MALFORMED_TIER): "malformed",
        report(2, symbol=1): "conflict",
        report(3): "unauthorized",
        report(6): "accepted",
        report(6, symbol=1): "conflict",
    }
    assert stored.commit(*mixed, report(4, symbol=1)) == [*mixed.values(), "duplicate"]
    stored.check(reports=4)


def test_a_closed_round_closes_the_whole_block(stored: Stored) -> None:
    wrong = stored.report(7, tier=MALFORMED_TIER)
    stored.state.catalogue.close(SURVEY.name, "week1")
    assert stored.commit(stored.report(1), wrong) == ["closed", "closed"]
    assert stored.commit(wrong) == ["closed"]
    stored.check(reports=0)


def test_a_block_larger_than_any_buffer_is_taken_whole(stored: Stored) -> None:
    many = [stored.report(device) for device in range(20_000)]
    assert set(stored.commit(*many)) == {"accepted"}
    assert set(stored.commit(*many)) == {"duplicate"}
    stored.check(reports=len(many))


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_a_statement_that_fails_takes_nothing_with_it_and_the_next_commit_works(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    def divide(self: PostgresStore, *_: object) -> None:
        self._connected().tell("SELECT 1 / $1::int", 0)

    with monkeypatch.context() as patch:
        patch.setattr(PostgresStore, "_add_totals", divide)
        with pytest.raises(StoreError, match="division by zero"):
            stored.commit(stored.report(1))
    stored.check(reports=0)
    assert stored.commit(stored.report(1)) == ["accepted"]
    stored.check(reports=1)


def test_plans_made_for_empty_tables_use_the_indexes(postgres: Postgres) -> None:
    place = postgres.fresh()
    ServiceState(Settings.load(database=place)).database.close()
    with psycopg.connect(place, autocommit=True) as connection:
        for setting in SETTINGS:
            connection.execute(f"SET {setting}")
        connection.execute(f"PREPARE add AS {ADD}")
        plan = connection.execute("EXPLAIN EXECUTE add ('', 19, 1, NULL, 0)").fetchall()
    lines = "\n".join(line for (line,) in plan)
    assert "Seq Scan" not in lines
    assert "uq_forgotten_device on forgotten" in lines


def test_a_session_answers_questions_in_order(postgres: Postgres) -> None:
    wire = Wire(psycopg.connect(postgres.fresh(), autocommit=True))
    packed = np.arange(256, dtype=np.uint8).tobytes() * 20_000
    wire.tell("CREATE TEMP TABLE kept (value bytea)")
    wire.tell("INSERT INTO kept VALUES ($1)", packed)
    assert wire.ask("SELECT value FROM kept") == packed
    assert wire.ask("SELECT value FROM kept WHERE length(value) = $1", 1) is None
    wire.finish()
    wire.tell("SELECT sum(one)::text FROM unnest($1::int[]) AS one", [1, 2, 3])
    wire.tell("SELECT 1 / $1::int", 0)
    with pytest.raises(psycopg.errors.DivisionByZero):
        wire.finish()
    wire.close()
