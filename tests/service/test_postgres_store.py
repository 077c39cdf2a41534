"""The store on PostgreSQL: optimistic and careful commits, shards, and its pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from sqlalchemy import text

from harmony.service.database import GATE, postgres_url
from harmony.service.ingest.outcomes import Outcomes
from harmony.service.sealing import marks_of
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import StoreError, open_store
from harmony.service.stores import postgres as postgres_store
from harmony.service.stores.pipeline import Pipeline
from harmony.service.stores.postgres import (
    ADD,
    ADD_ALL,
    ADD_ALL_QUICKLY,
    INSERT,
    SETTINGS,
    SHARD_LOCKS,
    PostgresStore,
    _way_to_add_all,
)

from .conftest import SURVEY
from .postgres import Postgres
from .stored import MALFORMED_TIER, Stored, stored_in
from .waiting import STUCK_SECONDS, wait_until


@pytest.fixture
def stored(postgres: Postgres) -> Iterator[Stored]:
    with stored_in(postgres.fresh()) as stored:
        yield stored


def url_of(stored: Stored) -> str:
    """Return where the database is."""
    return postgres_url(stored.state.database.url)


def test_each_store_counts_in_a_shard_of_its_own_which_is_free_when_it_closes(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shards() -> set[int]:
        with stored.state.database.read() as connection:
            return set(connection.execute(text("SELECT shard FROM totals")).scalars())

    def is_free(shard: int) -> bool:
        held = text(f"SELECT 1 FROM pg_locks WHERE classid = {SHARD_LOCKS} AND objid = {shard}")
        with stored.state.database.read() as connection:
            return connection.execute(held).first() is None

    other = Stored(stored.state, open_store(stored.state.database), stored.live)
    stored.commit(stored.report(1))
    assert shards() == {0}
    other.commit(stored.report(2))
    assert shards() == {0, 1}
    monkeypatch.setattr(postgres_store, "SHARDS", 2)
    third = Stored(stored.state, open_store(stored.state.database), stored.live)
    with pytest.raises(StoreError, match="more than 2 servers"):
        third.commit(stored.report(3))
    stored.store.close()
    wait_until(lambda: is_free(0), "PostgreSQL to end the session")
    assert third.commit(stored.report(3)) == ["accepted"]
    assert shards() == {0, 1}
    stored.check(reports=3)
    for one in (other, third):
        one.store.close()


@pytest.mark.parametrize("alone", [False, True])
def test_commits_share_the_gate_and_a_removal_has_it_alone(stored: Stored, alone: bool) -> None:
    assert isinstance(stored.store, PostgresStore)
    with (
        psycopg.connect(url_of(stored), autocommit=True) as other,
        stored.store._transaction(alone=alone),
    ):
        stored.store._connected().fetch("SELECT 1")
        shared = other.execute("SELECT pg_try_advisory_lock_shared(%s)", (GATE,)).fetchone()
        assert shared == (not alone,)
        other.execute("SELECT pg_advisory_unlock_all()")
        own = other.execute("SELECT pg_try_advisory_lock(%s)", (GATE,)).fetchone()
        assert own == (False,)


def test_a_store_whose_session_was_lost_opens_another(stored: Stored) -> None:
    assert isinstance(stored.store, PostgresStore)
    stored.commit(stored.report(1))
    with psycopg.connect(url_of(stored), autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 100000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with pytest.raises(StoreError, match="PostgreSQL: "):
        stored.commit(stored.report(2))
    assert stored.commit(stored.report(2)) == ["accepted"]
    stored.check(reports=2)


def test_a_statement_that_fails_takes_nothing_with_it_and_the_next_commit_works(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    def divide(self: PostgresStore, *_: object) -> None:
        self._connected().execute("SELECT 1 / $1::int", 0)

    with monkeypatch.context() as patch:
        patch.setattr(PostgresStore, "_add_totals", divide)
        with pytest.raises(StoreError, match="division by zero"):
            stored.commit(stored.report(1))
    stored.check(reports=0)
    assert stored.commit(stored.report(1)) == ["accepted"]
    stored.check(reports=1)


def test_commits_are_careful_for_a_while_after_a_report_that_could_not_be_added(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    optimistic: list[bool] = []
    commit_all = PostgresStore._commit_all

    def counting(self: PostgresStore, *commit: Any) -> list[Outcomes] | None:
        outcomes = commit_all(self, *commit)
        optimistic.append(outcomes is not None)
        return outcomes

    monkeypatch.setattr(PostgresStore, "_commit_all", counting)
    monkeypatch.setattr(postgres_store, "CAREFUL_COMMITS", 2)
    report = stored.report
    assert stored.commit(report(1), report(2)) == ["accepted"] * 2
    assert stored.commit(report(3), report(1), report(4)) == ["accepted", "duplicate", "accepted"]
    assert optimistic == [True, False]
    assert stored.commit(report(5)) == stored.commit(report(6)) == ["accepted"]
    assert optimistic == [True, False]
    assert stored.commit(report(7), report(8)) == ["accepted"] * 2
    assert optimistic == [True, False, True]
    stored.check(reports=8)


@pytest.mark.parametrize("kind", ["repeated", "forgotten", "malformed", "closed", "fine"])
def test_optimistic_and_careful_commits_come_to_the_same(stored: Stored, kind: str) -> None:
    assert isinstance(stored.store, PostgresStore)
    report = stored.report
    sent = [report(1), report(2), report(3, tier=MALFORMED_TIER if kind == "malformed" else 0)]
    if kind == "repeated":
        sent.append(report(2, symbol=1))
    if kind == "forgotten":
        stored.store.forget(report(2)[:16], [stored.live])
    if kind == "closed":
        stored.state.catalogue.close(SURVEY.name, "week1")
    found = stored.commit(*sent)
    stored.check(reports=found.count("accepted"))
    for device in (1, 2, 3):
        stored.store.forget(report(device)[:16], [stored.live])
    with psycopg.connect(url_of(stored)) as connection:
        connection.execute("DELETE FROM forgotten WHERE mark <> %s", (_gone(report, kind),))
    stored.store._careful = 1
    assert stored.commit(*sent) == found
    assert stored.store._careful == 0
    stored.check(reports=found.count("accepted"))


def _gone(report: Callable[[int], bytes], kind: str) -> bytes:
    return marks_of(report(2)[:16]) if kind == "forgotten" else b""


def test_a_session_that_may_have_no_function_adds_all_the_same(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = postgres.fresh()
    with psycopg.connect(place, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute("DROP ROLE IF EXISTS limited")
        connection.execute("CREATE ROLE limited")
        connection.execute(f"REVOKE TEMP ON DATABASE {name} FROM PUBLIC")
        assert _way_to_add_all(connection) == ADD_ALL_QUICKLY
        connection.execute("SET ROLE limited")
        assert _way_to_add_all(connection) == ADD_ALL
    monkeypatch.setattr(f"{PostgresStore.__module__}._way_to_add_all", lambda _: ADD_ALL)
    with stored_in(place) as stored:
        assert stored.commit(stored.report(1), stored.report(2)) == ["accepted"] * 2
        assert stored.commit(stored.report(3), stored.report(1)) == ["accepted", "duplicate"]
        stored.check(reports=3)


@pytest.mark.parametrize("statement", [ADD, ADD_ALL, INSERT])
def test_plans_made_for_empty_tables_use_the_indexes(postgres: Postgres, statement: str) -> None:
    place = postgres.fresh()
    ServiceState(Settings.load(database=place)).database.close()
    with psycopg.connect(place, autocommit=True) as connection:
        for setting in SETTINGS:
            connection.execute(f"SET {setting}")
        connection.execute(f"PREPARE add AS {statement}")
        values = "'', 19, 1, NULL, 0" + (", 1" if statement is ADD_ALL else "")
        plan = connection.execute(f"EXPLAIN EXECUTE add ({values})").fetchall()
    lines = "\n".join(line for (line,) in plan)
    assert "Seq Scan" not in lines
    assert "uq_forgotten_mark on forgotten" in lines


def test_a_session_returns_what_is_fetched_in_order(postgres: Postgres) -> None:
    pipeline = Pipeline(psycopg.connect(postgres.fresh(), autocommit=True), STUCK_SECONDS)
    packed = np.arange(256, dtype=np.uint8).tobytes() * 20_000
    pipeline.execute("CREATE TEMP TABLE kept (value bytea)")
    pipeline.execute("INSERT INTO kept VALUES ($1)", packed)
    assert pipeline.fetch("SELECT value FROM kept") == packed
    assert pipeline.fetch("SELECT value FROM kept WHERE length(value) = $1", 1) is None
    pipeline.sync()
    pipeline.execute("SELECT sum(one)::text FROM unnest($1::int[]) AS one", [1, 2, 3])
    pipeline.execute("SELECT 1 / $1::int", 0)
    with pytest.raises(psycopg.errors.DivisionByZero):
        pipeline.sync()
    pipeline.close()


def test_a_session_goes_on_after_a_statement_that_failed(postgres: Postgres) -> None:
    pipeline = Pipeline(psycopg.connect(postgres.fresh(), autocommit=True), STUCK_SECONDS)
    pipeline.execute("BEGIN")
    pipeline.execute("CREATE TABLE gone (value int)")
    pipeline.execute("SELECT 1 / $1::int", 0)
    pipeline.execute("SELECT $1::text", b"skipped, and not prepared")
    pipeline.execute("COMMIT")
    with pytest.raises(psycopg.errors.DivisionByZero):
        pipeline.sync()
    pipeline.execute("ROLLBACK")
    assert pipeline.fetch("SELECT to_regclass('gone')::text") is None
    assert pipeline.fetch("SELECT $1::text", b"prepared now") == b"prepared now"
    pipeline.sync()
    pipeline.close()


def test_a_session_whose_server_is_gone_says_so(postgres: Postgres) -> None:
    place = postgres.fresh()
    connection = psycopg.connect(place, autocommit=True)
    process = connection.info.backend_pid
    pipeline = Pipeline(connection, STUCK_SECONDS)
    with psycopg.connect(place, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 100000)", (process,))
    pipeline.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError):
        pipeline.sync()
    pipeline.close()
