"""The writer: nothing is acknowledged before its commit, and never after a failed one.

Most of it is tested on a store that only keeps a record, whose commits wait until they are let
through.  Every scenario has a deadline, so that a writer that forgets someone fails the test.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from structlog.testing import capture_logs

from harmony.rounds import Round
from harmony.service.ingest import writer as writer_module
from harmony.service.ingest.blocks import Block, LiveRound
from harmony.service.ingest.outcomes import ACCEPTED, CONFLICT, DUPLICATE, Outcomes
from harmony.service.ingest.writer import Writer
from harmony.service.metrics import Metrics
from harmony.service.problems import OverloadedError
from harmony.service.stores import StoreError

from .conftest import SURVEY, Service
from .devices import any_report, report_body
from .waiting import STUCK_SECONDS

FIRST = LiveRound(1, SURVEY, Round("week1", bytes(16)), 0.0)
SECOND = LiveRound(2, SURVEY, Round("week2", bytes(16)), 0.0)

Commit = list[tuple[int, list[bytes]]]
"""Each block's round and devices."""


class RecordingStore:
    """A store that accepts everything, once its gate is open, and remembers what it was given."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.commits: list[Commit] = []
        self.moments: list[float] = []
        self.forgotten: list[tuple[bytes, list[int], str]] = []
        self.outcome: Callable[[bytes], int] = lambda device: ACCEPTED
        self.fault: Exception | None = None
        self.closed = False

    def commit(self, blocks: Sequence[Block], now: float) -> list[Outcomes]:
        assert self.gate.wait(STUCK_SECONDS)
        if self.fault is not None:
            raise self.fault
        devices = [[row[:16].tobytes() for row in block.reports] for block in blocks]
        rounds = [block.round.id for block in blocks]
        self.commits.append(list(zip(rounds, devices, strict=True)))
        self.moments.append(now)
        return [np.array([self.outcome(one) for one in block], np.uint8) for block in devices]

    def forget(self, device: bytes, rounds: Sequence[LiveRound]) -> int:
        assert self.gate.wait(STUCK_SECONDS)
        if self.fault is not None:
            raise self.fault
        thread = threading.current_thread().name
        self.forgotten.append((device, [one.id for one in rounds], thread))
        return len(rounds)

    def close(self) -> None:
        self.closed = True

    @property
    def sizes(self) -> list[int]:
        """How many reports each commit had."""
        return [sum(len(devices) for _, devices in commit) for commit in self.commits]


class RecordingLoop:
    """The running loop, with timers that go off when the test says so."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.timers: list[Timer] = []
        self.deadlines: list[Timer] = []
        """The timers of commits."""

    def call_later(self, delay: float, callback: Callable[..., None], *values: Any) -> Timer:
        made = Timer(delay, partial(callback, *values))
        (self.deadlines if delay == STUCK_SECONDS else self.timers).append(made)
        return made

    def call_soon_threadsafe(self, *call: Any) -> None:
        self._loop.call_soon_threadsafe(*call)


class Timer:
    """A timer of `RecordingLoop`."""

    def __init__(self, delay: float, go_off: Callable[[], None]) -> None:
        self.delay, self.go_off = delay, go_off
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


def device(number: int) -> bytes:
    return number.to_bytes(16, "big")


def report(number: int, live: LiveRound = FIRST) -> bytes:
    return any_report(live, device(number))


def rows(live: LiveRound, *numbers: int) -> Any:
    return live.rows(b"".join(report(number, live) for number in numbers))


Scenario = Callable[[Writer, RecordingStore], Awaitable[None]]


def run(scenario: Scenario, start: bool = True, **settings: Any) -> Metrics:
    """Run a scenario with a writer, against the clock; return the metrics."""
    metrics = Metrics()

    async def main() -> None:
        store = RecordingStore()
        chosen = {"batch_reports": 100, "batch_seconds": 0.001, "queue_reports": 1000}
        chosen |= {"commit_seconds": STUCK_SECONDS} | settings
        writer = Writer(store, **chosen, clock=lambda: 123.0, metrics=metrics)  # type: ignore[arg-type]
        if start:
            writer.start()
        await asyncio.wait_for(scenario(writer, store), STUCK_SECONDS)

    asyncio.run(main())
    return metrics


async def let_through(store: RecordingStore, *waiting: Awaitable[Any]) -> list[Any]:
    """Open the store's gate and wait for the outcomes."""
    store.gate.set()
    return list(await asyncio.gather(*waiting))


def test_nothing_is_acknowledged_before_its_commit() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        assert writer.depth == 0
        waiting = [writer.submit(FIRST, report(number)) for number in range(5)]
        done, _ = await asyncio.wait(waiting, timeout=0.1)
        assert not done
        assert writer.depth == 5
        assert await let_through(store, *waiting) == [ACCEPTED] * 5
        assert writer.depth == 0
        assert store.moments[0] == 123.0

    run(scenario)


def test_a_lone_report_is_committed_at_once_and_those_that_come_meanwhile_share_the_next() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        waiting = [writer.submit(FIRST, report(number)) for number in range(50)]
        await let_through(store, *waiting)
        assert store.sizes == [1, 49]
        assert store.commits[1] == [(FIRST.id, [device(number) for number in range(1, 50)])]

    run(scenario)


def test_each_report_of_a_mixed_commit_hears_its_own_outcome() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        store.outcome = lambda one: (ACCEPTED, DUPLICATE, CONFLICT)[one[-1] % 3]
        first = writer.submit(FIRST, report(0))
        singles = [
            writer.submit(live, report(number, live))
            for number, live in ((1, FIRST), (2, SECOND), (3, FIRST), (4, SECOND))
        ]
        blocks = [
            writer.submit_block(SECOND, rows(SECOND, 5, 6)),
            writer.submit_block(FIRST, rows(FIRST, 7)),
        ]
        await let_through(store, first, *singles, *blocks)
        assert store.commits[1] == [
            (FIRST.id, [device(1), device(3)]),
            (SECOND.id, [device(2), device(4)]),
            (SECOND.id, [device(5), device(6)]),
            (FIRST.id, [device(7)]),
        ]
        assert [one.result() for one in singles] == [DUPLICATE, CONFLICT, ACCEPTED, DUPLICATE]
        assert [one.result().tolist() for one in blocks] == [[CONFLICT, ACCEPTED], [DUPLICATE]]

    run(scenario)


async def after_a_commit_of(reports: int, writer: Writer, store: RecordingStore) -> RecordingLoop:
    """Commit so many reports together; return a loop whose timers the test has in hand."""
    await let_through(store, writer.submit_block(FIRST, rows(FIRST, *range(reports))))
    writer._loop = loop = RecordingLoop()  # type: ignore[assignment]
    store.gate.clear()
    return loop


def test_a_batch_waits_for_as_many_as_last_time_but_not_for_long() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        loop = await after_a_commit_of(4, writer, store)
        store.gate.set()
        waiting = [writer.submit(FIRST, report(number)) for number in range(10, 13)]
        assert [timer.delay for timer in loop.timers] == [7.0]
        await asyncio.sleep(0)
        assert writer.depth == 3
        waiting.append(writer.submit(FIRST, report(13)))
        assert loop.timers[0].cancelled
        await asyncio.gather(*waiting)
        assert store.sizes == [4, 4]
        lone = writer.submit(FIRST, report(14))
        assert [timer.cancelled for timer in loop.timers] == [True, False]
        assert writer.depth == 1
        loop.timers[1].go_off()
        assert await lone == ACCEPTED
        assert store.sizes == [4, 4, 1]
        assert await writer.submit(FIRST, report(15)) == ACCEPTED
        assert len(loop.timers) == 2

    run(scenario, batch_seconds=7.0)


def test_what_gathers_during_a_commit_counts_as_being_there() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        loop = await after_a_commit_of(1, writer, store)
        waiting = [writer.submit(FIRST, report(number)) for number in range(10, 13)]
        assert loop.timers == []  # the commit under way is what they wait for
        store.gate.set()
        assert await waiting[0] == ACCEPTED
        # Three were there when it ended, so the next two wait for a third.
        assert [timer.delay for timer in loop.timers] == [7.0]
        waiting.append(writer.submit(FIRST, report(13)))
        await asyncio.gather(*waiting)
        assert store.sizes == [1, 1, 3]

    run(scenario, batch_seconds=7.0)


def test_a_batch_waits_for_no_more_than_it_may_hold() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        loop = await after_a_commit_of(9, writer, store)
        store.gate.set()
        waiting = [writer.submit(FIRST, report(number)) for number in range(10, 12)]
        assert len(loop.timers) == 1
        waiting.append(writer.submit(FIRST, report(12)))
        await asyncio.gather(*waiting)
        assert store.sizes == [9, 3]

    run(scenario, batch_reports=3, batch_seconds=7.0)


def test_a_writer_that_may_not_wait_commits_whatever_is_there() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        loop = await after_a_commit_of(9, writer, store)
        store.gate.set()
        assert await writer.submit(FIRST, report(10)) == ACCEPTED
        assert store.sizes == [9, 1]
        assert loop.timers == []

    run(scenario, batch_seconds=0.0)


def test_a_full_queue_takes_no_more() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        waiting = [writer.submit(FIRST, report(number)) for number in range(10)]
        with pytest.raises(OverloadedError, match="too many reports wait"):
            writer.submit(FIRST, report(10))
        with pytest.raises(OverloadedError, match="too many reports wait"):
            writer.submit_block(FIRST, rows(FIRST, 10))
        assert writer.depth == 10
        await let_through(store, *waiting)
        assert await writer.submit(FIRST, report(10)) == ACCEPTED
        assert store.sizes == [1, 9, 1]

    run(scenario, queue_reports=10, batch_seconds=0.0)


def test_a_block_must_fit_the_queue_unless_the_queue_is_empty() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        large = writer.submit_block(FIRST, rows(FIRST, *range(11)))
        with pytest.raises(OverloadedError, match="too many reports wait"):
            writer.submit(FIRST, report(11))
        assert (await let_through(store, large))[0].tolist() == [ACCEPTED] * 11
        store.gate.clear()
        first = writer.submit_block(FIRST, rows(FIRST, 12, 13, 14))
        with pytest.raises(OverloadedError, match="too many reports wait"):
            writer.submit_block(FIRST, rows(FIRST, *range(20, 28)))
        second = writer.submit_block(FIRST, rows(FIRST, *range(20, 27)))
        await let_through(store, first, second)
        assert store.sizes == [11, 3, 7]

    run(scenario, queue_reports=10, batch_seconds=0.0)


def test_a_writer_takes_nothing_before_it_is_started() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        with pytest.raises(OverloadedError, match="shutting down"):
            writer.submit(FIRST, report(1))
        with pytest.raises(OverloadedError, match="shutting down"):
            await writer.forget(device(1), [FIRST])
        assert writer.depth == 0

    run(scenario, start=False)


def test_closing_commits_what_waits_and_takes_no_more() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        waiting = [writer.submit(FIRST, report(number)) for number in range(7)]
        closing = asyncio.create_task(writer.close())
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError, match="shutting down"):
            writer.submit(FIRST, report(7))
        with pytest.raises(OverloadedError, match="shutting down"):
            await writer.forget(device(1), [FIRST])
        assert not closing.done()
        assert not store.closed
        assert await let_through(store, *waiting) == [ACCEPTED] * 7
        await closing
        assert store.closed
        assert store.sizes == [1, 6]

    run(scenario)


def test_closing_does_not_wait_for_a_batch_to_fill() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        loop = await after_a_commit_of(9, writer, store)
        waiting = writer.submit(FIRST, report(10))
        store.gate.set()
        await writer.close()
        assert waiting.result() == ACCEPTED
        assert [timer.cancelled for timer in loop.timers] == [True]

    run(scenario, batch_seconds=7.0)


def test_closing_waits_for_a_device_that_is_being_forgotten() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        forgetting = asyncio.create_task(writer.forget(device(1), [FIRST]))
        await asyncio.sleep(0)
        closing = asyncio.create_task(writer.close())
        await asyncio.sleep(0.05)  # it would be closed by now
        assert not store.closed
        assert await let_through(store, forgetting, closing) == [1, None]
        assert store.closed

    run(scenario)


def test_a_writer_with_nothing_to_do_closes_at_once() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        await writer.close()
        assert store.closed
        assert store.sizes == []

    run(scenario)


@pytest.mark.parametrize("fault", [StoreError("the disk is full"), ZeroDivisionError()])
def test_a_failed_commit_acknowledges_nobody_and_the_next_is_as_good(fault: Exception) -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        store.fault = fault
        single = writer.submit(FIRST, report(1))
        others = [writer.submit(SECOND, report(2, SECOND)), writer.submit(FIRST, report(3))]
        block = writer.submit_block(FIRST, rows(FIRST, 4, 5))
        store.gate.set()
        with capture_logs() as lines:
            found = await asyncio.gather(single, *others, block, return_exceptions=True)
        assert [str(one) for one in found] == ["the reports could not be committed"] * 4
        assert all(isinstance(one, OverloadedError) for one in found)
        assert [(one["event"], one["reports"]) for one in lines] == [
            ("commit failed", 1),
            ("commit failed", 4),
        ]
        assert ("exc_info" in lines[0]) == isinstance(fault, ZeroDivisionError)
        store.fault = None
        assert await writer.submit(FIRST, report(1)) == ACCEPTED
        await writer.close()
        assert store.sizes == [1]

    metrics = run(scenario, batch_seconds=0.0)
    assert b"harmony_failed_commits_total 2.0" in metrics.page()


@pytest.mark.parametrize("fault", [None, StoreError("the disk is full")])
def test_those_who_no_longer_wait_do_not_keep_the_others_from_hearing(
    fault: Exception | None,
) -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        store.fault = fault
        singles = [writer.submit(FIRST, report(number)) for number in range(3)]
        blocks = [writer.submit_block(FIRST, rows(FIRST, number)) for number in (3, 4)]
        for gone in (singles[1], blocks[0]):
            gone.cancel()
        store.gate.set()
        await asyncio.wait([singles[0], singles[2], blocks[1]])
        heard = [one.exception() is None for one in (singles[0], singles[2], blocks[1])]
        assert heard == [fault is None] * 3
        assert writer.depth == 0

    run(scenario)


def test_a_device_is_forgotten_on_the_writers_thread_between_two_commits() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        waiting = writer.submit(FIRST, report(1))
        forgetting = asyncio.create_task(writer.forget(device(1), [FIRST, SECOND]))
        await asyncio.sleep(0)
        assert store.forgotten == []
        await let_through(store, waiting)
        assert await forgetting == 2
        assert store.forgotten == [(device(1), [FIRST.id, SECOND.id], "harmony-writer")]

    run(scenario)


def test_a_device_that_could_not_be_forgotten_is_told_so() -> None:
    async def scenario(writer: Writer, store: RecordingStore) -> None:
        store.gate.set()
        store.fault = StoreError("the disk is full")
        with (
            capture_logs() as lines,
            pytest.raises(OverloadedError, match="the change could not be committed"),
        ):
            await writer.forget(device(1), [FIRST])
        assert [one["problem"] for one in lines] == ["the disk is full"]
        store.fault = ZeroDivisionError()
        with pytest.raises(ZeroDivisionError):
            await writer.forget(device(1), [FIRST])
        store.fault = None
        assert await writer.forget(device(1), [FIRST]) == 1

    run(scenario)


def test_metrics_tell_how_commits_went(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([10.0, 12.5, 20.0, 21.0])
    clock = SimpleNamespace(perf_counter=lambda: next(moments))
    monkeypatch.setattr(writer_module, "time", clock)

    async def scenario(writer: Writer, store: RecordingStore) -> None:
        first = writer.submit(FIRST, report(1))
        block = writer.submit_block(FIRST, rows(FIRST, 2, 3))
        waiting = writer._metrics.page()
        assert b"harmony_queue_reports 3.0" in waiting
        await let_through(store, first, block)

    page = run(scenario).page()
    assert b"harmony_commit_seconds_sum 3.5" in page
    assert b"harmony_commit_reports_sum 3.0" in page
    assert b'harmony_reports_total{outcome="accepted"} 3.0' in page
    assert b"harmony_queue_reports 0.0" in page


def test_a_failed_commit_changes_nothing_and_gets_503(
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


def test_a_bug_in_a_commit_changes_nothing_and_does_not_end_the_writer(
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
    bodies = [report_body("week1", report(number, live)) for number in range(2000)]
    path = f"/v1/surveys/{SURVEY.name}/reports"
    assert service.client.post(path, json=bodies, headers=gateway).status_code == 503
    assert service.tally().reports == service.recount().reports == 0
    connection.execute("PRAGMA max_page_count = 1000000")
    response = service.client.post(path, json=bodies, headers=gateway)
    assert response.json()["results"] == ["accepted"] * 2000
    assert service.tally() == service.recount()
