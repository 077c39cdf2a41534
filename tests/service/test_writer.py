"""The writer: nothing is acknowledged before its commit, and never after a failed one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from harmony.service.catalogue import Catalogue
from harmony.service.database import Database
from harmony.service.ingest.blocks import Block, LiveRound
from harmony.service.ingest.outcomes import ACCEPTED, Outcomes
from harmony.service.ingest.writer import Writer
from harmony.service.metrics import Metrics
from harmony.service.problems import OverloadedError
from harmony.service.stores import StoreError
from harmony.service.stores.sqlite import SqliteStore

from .conftest import SURVEY, Service
from .devices import any_report, report_body

Start = Callable[..., Service]


class HeldStore(SqliteStore):
    """A store whose commits wait until they are let through."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.gate = threading.Event()
        self.sizes: list[int] = []

    def commit(self, blocks: Sequence[Block], now: float) -> list[Outcomes]:
        assert self.gate.wait(30)
        self.sizes.append(sum(len(block.reports) for block in blocks))
        return super().commit(blocks, now)


@pytest.fixture
def live(tmp_path: Path) -> LiveRound:
    database = Database(str(tmp_path / "harmony.db"))
    database.migrate()
    catalogue = Catalogue(database, lambda: 1.0)
    catalogue.add(SURVEY, None)
    live = catalogue.open(SURVEY.name, "week1").live
    database.close()
    return live


@pytest.fixture
def store(live: LiveRound, tmp_path: Path) -> HeldStore:
    return HeldStore(str(tmp_path / "harmony.db"))


def writer_on(store: SqliteStore, **settings: float) -> Writer:
    chosen = {"batch_reports": 100, "batch_seconds": 0.01, "queue_reports": 1000} | settings
    writer = Writer(store, **chosen, clock=lambda: 1.0, metrics=Metrics())  # type: ignore[arg-type]
    writer.start()
    return writer


def reports(live: LiveRound, count: int) -> list[bytes]:
    return [any_report(live, number.to_bytes(16, "big")) for number in range(count)]


def test_nothing_is_acknowledged_before_its_commit(live: LiveRound, store: HeldStore) -> None:
    async def scenario() -> None:
        writer = writer_on(store)
        waiting = [writer.submit(live, report) for report in reports(live, 5)]
        done, _ = await asyncio.wait(waiting, timeout=0.1)
        assert not done
        assert writer.depth == 5
        store.gate.set()
        assert await asyncio.gather(*waiting) == [ACCEPTED] * 5
        await writer.close()

    asyncio.run(scenario())


def test_reports_that_arrive_during_a_commit_share_the_next(
    live: LiveRound, store: HeldStore
) -> None:
    async def scenario() -> None:
        writer = writer_on(store, batch_seconds=0.0)
        waiting = [writer.submit(live, report) for report in reports(live, 50)]
        store.gate.set()
        await asyncio.gather(*waiting)
        assert store.sizes == [1, 49]
        await writer.close()

    asyncio.run(scenario())


def test_a_full_queue_takes_no_more(live: LiveRound, store: HeldStore) -> None:
    async def scenario() -> None:
        writer = writer_on(store, queue_reports=10)
        sent = reports(live, 11)
        waiting = [writer.submit(live, report) for report in sent[:10]]
        with pytest.raises(OverloadedError, match="too many reports wait"):
            writer.submit(live, sent[10])
        store.gate.set()
        await asyncio.gather(*waiting)
        assert await writer.submit(live, sent[10]) == ACCEPTED
        await writer.close()

    asyncio.run(scenario())


def test_closing_commits_what_waits_and_takes_no_more(live: LiveRound, store: HeldStore) -> None:
    async def scenario() -> None:
        writer = writer_on(store, batch_seconds=60.0)
        sent = reports(live, 8)
        waiting = [writer.submit(live, report) for report in sent[:7]]
        closing = asyncio.create_task(writer.close())
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError, match="shutting down"):
            writer.submit(live, sent[7])
        store.gate.set()
        await closing
        assert [one.result() for one in waiting] == [ACCEPTED] * 7

    asyncio.run(scenario())


def test_a_failed_commit_acknowledges_nobody(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, device = service.open(), service.enrol()
    body = report_body("week1", any_report(live, device.device))

    def broken(*_: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(service.state.writer._store, "_add_totals", broken)
        response = service.send(device, body)
        assert response.status_code == 503
        assert response.json()["type"] == "/problems/overloaded"
        assert int(response.headers["retry-after"]) > 0
        assert service.client.delete("/v1/devices/me", headers=device.headers).status_code == 204
    assert service.recount().reports == service.tally().reports == 0
    other = service.enrol()
    body = report_body("week1", any_report(live, other.device))
    assert service.send(other, body).status_code == 201
    assert "harmony_failed_commits_total 1.0" in service.client.get("/metrics").text


def test_a_bug_in_a_commit_acknowledges_nobody_and_does_not_end_the_writer(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, device = service.open(), service.enrol()
    body = report_body("week1", any_report(live, device.device))
    with monkeypatch.context() as patch:
        patch.setattr(service.state.writer._store, "_add", lambda *_: 1 / 0)
        assert service.send(device, body).status_code == 503
    assert service.send(device, body).status_code == 201
    assert service.tally() == service.recount()


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_full_disk_refuses_reports_until_there_is_room(service: Service) -> None:
    live, gateway = service.open(), service.bearer("gateway")
    connection = service.state.writer._store._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    bodies = [report_body("week1", report) for report in reports(live, 2000)]
    path = f"/v1/surveys/{SURVEY.name}/reports"
    assert service.client.post(path, json=bodies, headers=gateway).status_code == 503
    assert service.tally().reports == service.recount().reports == 0
    connection.execute("PRAGMA max_page_count = 1000000")
    response = service.client.post(path, json=bodies, headers=gateway)
    assert response.json()["results"] == ["accepted"] * 2000
    assert service.tally() == service.recount()
