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
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from ..metrics import Metrics
from ..problems import OverloadedError
from ..stores import Store, StoreError
from .blocks import Block, LiveRound, Reports
from .outcomes import Outcomes

log = structlog.get_logger(__name__)

ERASE_SECONDS = 1.0
"""How often the database's files are cleared of what was deleted, if anything was."""


class Waiter(Protocol):
    """Who waits for the outcome of one report: a future, or what stands in for one."""

    def done(self) -> bool:
        """Whether nobody waits any more."""

    def set_result(self, outcome: int, /) -> None:
        """Tell what became of the report."""

    def set_exception(self, problem: Exception, /) -> None:
        """Tell why the report was not taken."""


@dataclass(slots=True)
class _Batch:
    """What the next commit takes: single reports by round, then whole blocks."""

    singles: dict[LiveRound, tuple[list[bytes], list[Waiter]]] = field(default_factory=dict)
    blocks: list[tuple[Block, asyncio.Future[Outcomes]]] = field(default_factory=list)
    reports: int = 0

    def to_blocks(self) -> list[Block]:
        """Return all of it as blocks: one for each round of single reports, then the others."""
        singles = [
            Block(live, live.rows(b"".join(reports))) for live, (reports, _) in self.singles.items()
        ]
        return singles + [block for block, _ in self.blocks]

    def tell(self, outcomes: Sequence[Outcomes]) -> None:
        """Tell everyone who still waits what became of the reports, block by block."""
        singles = len(self.singles)
        for (_, waiters), became in zip(self.singles.values(), outcomes[:singles], strict=True):
            for waiter, outcome in zip(waiters, became.tolist(), strict=True):
                if not waiter.done():
                    waiter.set_result(outcome)
        for (_, future), became in zip(self.blocks, outcomes[singles:], strict=True):
            if not future.done():
                future.set_result(became)

    def fail(self, problem: Exception) -> None:
        """Tell everyone who still waits why the reports were not taken."""
        waiting: list[Waiter | asyncio.Future[Outcomes]] = [future for _, future in self.blocks]
        for _, waiters in self.singles.values():
            waiting += waiters
        for waiter in waiting:
            if not waiter.done():
                waiter.set_exception(problem)


class Writer:
    """Gathers reports from the event loop and commits them on one thread."""

    _loop: asyncio.AbstractEventLoop

    def __init__(
        self,
        store: Store,
        *,
        batch_reports: int,
        batch_seconds: float,
        queue_reports: int,
        clock: Callable[[], float],
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._batch_reports = batch_reports
        self._batch_seconds = batch_seconds
        self._queue_reports = queue_reports
        self._clock = clock
        self._metrics = metrics
        self._metrics.waiting = lambda: self.depth
        self._batch = _Batch()
        self._committing = 0
        self._enough = 1
        self._timer: asyncio.TimerHandle | None = None
        self._erasing: asyncio.TimerHandle | None = None
        self._erased = 0.0
        self._running = False
        self._drained = asyncio.Event()
        self._ended = asyncio.Event()
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="harmony-writer", daemon=True)

    @property
    def depth(self) -> int:
        """How many reports wait for their commit."""
        return self._batch.reports + self._committing

    def start(self) -> None:
        """Start the thread; call it on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        self._running = True

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
        """Remove a device's reports and counts, between two commits; return how many."""
        self._check_running()
        removed: ThreadFuture[int] = ThreadFuture()
        self._work.put(lambda: self._forget(device, rounds, removed))
        return await asyncio.wrap_future(removed)

    async def close(self) -> None:
        """Take nothing more, commit what waits, and end the thread."""
        self._running = False
        if self.depth:
            self._flush()
            await self._drained.wait()
        self._work.put(None)
        await self._ended.wait()
        self._store.close()

    def _take(self, reports: int) -> None:
        """Make room for so many reports in the batch, or raise why there is none."""
        self._check_running()
        if self.depth and self.depth + reports > self._queue_reports:
            raise OverloadedError("too many reports wait to be committed")
        self._batch.reports += reports

    def _check_running(self) -> None:
        if not self._running:
            raise OverloadedError("the server is shutting down")

    def _grew(self) -> None:
        """Flush when the batch is full; otherwise when its first report has waited enough."""
        if self._committing or not self._batch.reports:
            return  # the next batch gathers during the commit under way
        if self._batch.reports >= self._enough or not self._batch_seconds:
            self._flush()
        elif self._timer is None:
            self._timer = self._loop.call_later(self._batch_seconds, self._flush)

    def _flush(self) -> None:
        """Let the thread commit the batch, unless it is at the one before."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._committing or not self._batch.reports:
            return
        batch, self._batch = self._batch, _Batch()
        self._committing = batch.reports
        self._work.put(lambda: self._commit(batch))

    def _run(self) -> None:
        """Work until there is no more (on the writer's thread)."""
        while (work := self._work.get()) is not None:
            work()
        self._loop.call_soon_threadsafe(self._ended.set)

    def _commit(self, batch: _Batch) -> None:
        """Commit a batch (on the writer's thread) and report back to the loop."""
        outcomes: list[Outcomes] | None = None
        started = time.perf_counter()
        try:
            blocks = batch.to_blocks()
            outcomes = self._store.commit(blocks, self._clock())
            self._metrics.committed(blocks, outcomes, time.perf_counter() - started)
        except StoreError as problem:
            self._metrics.failed_commits.inc()
            log.error("commit failed", reports=batch.reports, problem=str(problem))
        except Exception:
            self._metrics.failed_commits.inc()
            log.exception("commit failed", reports=batch.reports)
        self._loop.call_soon_threadsafe(self._finish, batch, outcomes)

    def _finish(self, batch: _Batch, outcomes: list[Outcomes] | None) -> None:
        """Tell every waiter (on the loop), and start on what gathered meanwhile."""
        # Those who hear of it now may soon be back: wait for as many, but not for long.
        self._enough = min(self.depth, self._batch_reports)
        self._committing = 0
        if outcomes is None:
            batch.fail(OverloadedError("the reports could not be committed"))
        else:
            batch.tell(outcomes)
        if self._running:
            self._grew()
        else:
            self._flush()
            if not self.depth:
                self._drained.set()

    def _forget(
        self, device: bytes, rounds: Sequence[LiveRound], removed: ThreadFuture[int]
    ) -> None:
        """Remove a device (on the writer's thread) and report back."""
        try:
            removed.set_result(self._store.forget(device, rounds))
        except StoreError as problem:
            log.error("a device could not be removed", problem=str(problem))
            removed.set_exception(OverloadedError("the change could not be committed"))
        except Exception as problem:
            removed.set_exception(problem)
        else:
            self._loop.call_soon_threadsafe(self._plan_erasing)

    def _plan_erasing(self) -> None:
        """Erase what was removed (on the loop): soon, but once for all that were removed lately."""
        if self._erasing is None:
            wait = max(0.0, self._erased + ERASE_SECONDS - self._loop.time())
            self._erasing = self._loop.call_later(wait, self._work.put, self._erase)

    def _erase(self) -> None:
        """Erase what was removed (on the writer's thread), and again later if that cannot be."""
        erased = False
        try:
            erased = self._store.erase()
        except Exception as problem:
            log.error("deleted reports could not be erased", exc_info=problem)
        with suppress(RuntimeError):  # the loop has ended, and with it the wish to try again
            self._loop.call_soon_threadsafe(self._finish_erasing, erased)

    def _finish_erasing(self, erased: bool) -> None:
        self._erasing, self._erased = None, self._loop.time()
        if not erased:
            self._plan_erasing()
