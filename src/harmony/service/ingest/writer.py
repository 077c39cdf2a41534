"""The writer: the one way by which reports reach the database.

Requests hand in reports and wait.  The writer gathers them until there are enough, or until
they have waited long enough, commits them in one transaction on a thread of its own, and only
then tells each what became of its report.  If the transaction fails, nobody is told that
anything was accepted.

Enough is as many as last time: a lone report is committed at once, and under load a batch
takes in all who send one report after another.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future as ThreadFuture
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog

from ..metrics import Metrics
from ..stores import Store, StoreError
from .blocks import Block, LiveRound, Reports
from .outcomes import Outcomes

log = structlog.get_logger(__name__)


class OverloadedError(Exception):
    """The report was not taken: the queue is full, the commit failed, or the server is ending."""


class Waiter(Protocol):
    """Who waits for the outcome of one report: a future, or what stands in for one."""

    def done(self) -> bool:
        """Say whether nobody waits any more."""

    def set_result(self, outcome: int, /) -> None:
        """Tell what became of the report."""

    def set_exception(self, problem: OverloadedError, /) -> None:
        """Tell that the report was not taken."""


@dataclass(slots=True)
class _Batch:
    """What the next commit takes: single reports by round, then whole blocks."""

    singles: dict[LiveRound, tuple[list[bytes], list[Waiter]]] = field(default_factory=dict)
    blocks: list[tuple[Block, asyncio.Future[Outcomes]]] = field(default_factory=list)
    reports: int = 0


class Writer:
    """Gathers reports from the event loop and commits them on one thread."""

    def __init__(
        self,
        store: Store,
        *,
        batch_reports: int,
        batch_seconds: float,
        queue_reports: int,
        clock: Callable[[], float] = time.time,
        metrics: Metrics | None = None,
    ) -> None:
        self._store = store
        self._batch_reports = batch_reports
        self._batch_seconds = batch_seconds
        self._queue_reports = queue_reports
        self._clock = clock
        self._metrics = metrics or Metrics()
        self._metrics.waiting = lambda: self.depth
        self._batch = _Batch()
        self._committing = 0
        self._enough = 1
        self._timer: asyncio.TimerHandle | None = None
        self._ending = False
        self._drained: asyncio.Event | None = None
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="harmony-writer", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def depth(self) -> int:
        """How many reports wait for their commit."""
        return self._batch.reports + self._committing

    def start(self) -> None:
        """Start the thread; call it on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def has_room(self, reports: int) -> bool:
        """Say whether so many reports would be taken now."""
        return not self._problem(reports)

    def submit(self, live: LiveRound, report: bytes) -> asyncio.Future[int]:
        """Hand in one report; the future gives its outcome once it is committed."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.hand_in(live, report, future)
        return future

    def hand_in(self, live: LiveRound, report: bytes, waiter: Waiter) -> None:
        """Hand in one report; the waiter is told, on the loop, once it is committed."""
        self._take(1)
        waiting = self._batch.singles.get(live)
        if waiting is None:
            self._batch.singles[live] = ([report], [waiter])
        else:
            waiting[0].append(report)
            waiting[1].append(waiter)
        self._grew()

    def submit_block(self, live: LiveRound, reports: Reports) -> asyncio.Future[Outcomes]:
        """Hand in a block; the future gives its outcomes once it is committed."""
        self._take(len(reports))
        future: asyncio.Future[Outcomes] = asyncio.get_running_loop().create_future()
        self._batch.blocks.append((Block(live, reports), future))
        self._grew()
        return future

    async def forget(self, device: bytes, rounds: Sequence[LiveRound]) -> int:
        """Remove a device's reports and counts, between two commits."""
        return await self._alone(lambda: self._store.forget(device, rounds))

    async def close(self) -> None:
        """Take nothing more, commit what waits, and end the thread."""
        self._ending = True
        if self.depth:
            self._drained = asyncio.Event()
            self._flush()
            await self._drained.wait()
        self._work.put(None)
        await asyncio.to_thread(self._thread.join)
        self._store.close()

    def _take(self, reports: int) -> None:
        problem = self._problem(reports)
        if problem:
            raise OverloadedError(problem)
        self._batch.reports += reports

    def _problem(self, reports: int) -> str:
        """Return why so many reports cannot be taken now, if they cannot."""
        if self._ending or self._loop is None:
            return "the server is shutting down"
        if self.depth + reports > self._queue_reports and self.depth:
            return "too many reports wait to be committed"
        return ""

    def _grew(self) -> None:
        """Flush when the batch is full; otherwise when its first report has waited enough."""
        if self._committing:
            return  # the next batch gathers during the commit under way
        if self._batch.reports >= self._enough or not self._batch_seconds:
            self._flush()
        elif self._timer is None:
            assert self._loop is not None
            self._timer = self._loop.call_later(self._batch_seconds, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._committing or not self._batch.reports:
            return
        batch, self._batch = self._batch, _Batch()
        self._committing = batch.reports
        self._work.put(lambda: self._commit(batch))

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()

    def _commit(self, batch: _Batch) -> None:
        """Commit a batch (on the writer's thread) and report back to the loop."""
        blocks = [
            Block(live, live.rows(b"".join(reports)))
            for live, (reports, _) in batch.singles.items()
        ]
        blocks += [block for block, _ in batch.blocks]
        started = time.perf_counter()
        outcomes: list[Outcomes] | None = None
        try:
            outcomes = self._store.commit(blocks, self._clock())
            self._metrics.committed(blocks, outcomes, time.perf_counter() - started)
        except StoreError as problem:
            self._metrics.failed_commits.inc()
            log.error("commit failed", reports=batch.reports, problem=str(problem))
        except Exception:
            self._metrics.failed_commits.inc()
            log.exception("commit failed", reports=batch.reports)
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._answer, batch, outcomes)

    def _answer(self, batch: _Batch, outcomes: list[Outcomes] | None) -> None:
        """Tell every waiter (on the loop), and start on what gathered meanwhile."""
        # Those who are answered now may soon be back: wait for as many, but not for long.
        self._enough = min(self._committing + self._batch.reports, self._batch_reports)
        self._committing = 0
        if outcomes is None:
            failed = OverloadedError("the reports could not be committed")
            for _, waiters in batch.singles.values():
                _fail(waiters, failed)
            _fail([future for _, future in batch.blocks], failed)
        else:
            self._tell(batch, outcomes)
        if self._drained is not None and not self._batch.reports:
            self._drained.set()
        elif self._ending:
            self._flush()
        elif self._batch.reports:
            self._grew()

    def _tell(self, batch: _Batch, outcomes: list[Outcomes]) -> None:
        answers = iter(outcomes)
        for (_, waiters), answer in zip(batch.singles.values(), answers, strict=False):
            for waiter, outcome in zip(waiters, answer.tolist(), strict=True):
                if not waiter.done():
                    waiter.set_result(outcome)
        for (_, block_future), answer in zip(batch.blocks, answers, strict=True):
            if not block_future.done():
                block_future.set_result(answer)

    async def _alone(self, work: Callable[[], int]) -> int:
        """Run other work on the writer's thread."""
        if self._ending:
            raise OverloadedError("the server is shutting down")
        done: ThreadFuture[int] = ThreadFuture()

        def run() -> None:
            try:
                done.set_result(work())
            except StoreError as problem:
                log.error("change failed", problem=str(problem))
                done.set_exception(OverloadedError("the change could not be committed"))
            except Exception as problem:
                done.set_exception(problem)

        self._work.put(run)
        return await asyncio.wrap_future(done)


def _fail(waiters: Sequence[Waiter | asyncio.Future[Any]], problem: OverloadedError) -> None:
    for waiter in waiters:
        if not waiter.done():
            waiter.set_exception(problem)
