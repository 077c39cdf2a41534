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

import structlog

from ..metrics import Metrics
from ..problems import OverloadedError
from ..stores import Store, StoreError
from .batch import Batch, Waiter
from .blocks import Block, LiveRound, Reports
from .outcomes import Outcomes

log = structlog.get_logger(__name__)

CLOSE_SECONDS = 4.0
"""How long the last commit may take when the server stops: requests have had their time by then."""

ERASE_SECONDS = 1.0
"""How often the database's files are cleared of what was deleted, if anything was."""


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
        commit_seconds: float,
        clock: Callable[[], float],
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._commit_seconds = commit_seconds
        self._batch_reports = batch_reports
        self._batch_seconds = batch_seconds
        self._queue_reports = queue_reports
        self._clock = clock
        self._metrics = metrics
        self._metrics.waiting = lambda: self.depth
        self._batch = Batch()
        self._committing = 0
        self._enough = 1
        self._timer: asyncio.TimerHandle | None = None
        self._overdue: asyncio.TimerHandle | None = None
        self.trouble = ""
        """Why reports cannot be committed, as far as the last commit or probe tells."""
        self._hangs = False
        self._probing = False
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
        try:
            async with asyncio.timeout(2 * self._commit_seconds):  # one may be under way
                return await asyncio.wrap_future(removed)
        except TimeoutError:
            raise OverloadedError("the database does not respond in time; ask again") from None

    def probe(self) -> None:
        """Find out whether commits are possible again, if the last was not."""
        if self.trouble and self._running and not self._probing and not self._committing:
            self._probing = True
            self._work.put(self._probe)

    def erase_soon(self) -> None:
        """Clear the database's files of what was removed by somebody else (call it on the loop)."""
        if self._running:
            self._plan_erasing()

    async def close(self) -> None:
        """Take nothing more, commit what waits, and end the thread, or leave it if it hangs."""
        self._running = False
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                if self.depth:
                    self._flush()
                    await self._drained.wait()
                self._work.put(None)
                await self._ended.wait()
        except TimeoutError:
            log.error("the last commit did not end in time", reports=self.depth)
            self._batch.fail(OverloadedError("the server is shutting down"))
        else:
            self._store.close()

    def _take(self, reports: int) -> None:
        """Make room for so many reports in the batch, or raise why there is none."""
        self._check_running()
        if self._hangs:
            raise OverloadedError("the database does not respond")
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
        batch, self._batch = self._batch, Batch()
        self._committing = batch.reports
        self._overdue = self._loop.call_later(self._commit_seconds, self._give_up, batch)
        self._work.put(lambda: self._commit(batch))

    def _give_up(self, batch: Batch) -> None:
        """Let nobody wait any longer (on the loop) for a commit that hangs on its thread.

        What was sent may or may not be stored: to send it again is right.
        """
        self._hangs, self.trouble = True, "a commit hangs"
        self._metrics.failed_commits.inc()
        log.error("a commit hangs", reports=batch.reports, seconds=self._commit_seconds)
        gathered, self._batch = self._batch, Batch()
        for waiting in (batch, gathered):
            waiting.fail(OverloadedError("the database does not respond in time"))

    def _run(self) -> None:
        """Work until there is no more (on the writer's thread)."""
        while (work := self._work.get()) is not None:
            work()
        self._tell_loop(self._ended.set)

    def _tell_loop(self, what: Callable[..., None], *values: object) -> None:
        """Have something done on the loop (from the writer's thread), if it has not ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what, *values)

    def _commit(self, batch: Batch) -> None:
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
        self._tell_loop(self._finish, batch, outcomes)

    def _finish(self, batch: Batch, outcomes: list[Outcomes] | None) -> None:
        """Tell every waiter (on the loop), and start on what gathered meanwhile."""
        # Those who hear of it now may soon be back: wait for as many, but not for long.
        self._enough = min(self.depth, self._batch_reports)
        self._committing = 0
        if self._overdue is not None:
            self._overdue.cancel()
        self._hangs = False
        self.trouble = "the last commit failed" if outcomes is None else ""
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

    def _probe(self) -> None:
        """Try a commit (on the writer's thread) and report back to the loop."""
        worked = False
        try:
            self._store.probe()
            worked = True
        except StoreError as problem:
            log.debug("commits are still not possible", problem=str(problem))
        except Exception as problem:
            log.error("a probe failed", exc_info=problem)
        self._tell_loop(self._finish_probe, worked)

    def _finish_probe(self, worked: bool) -> None:
        self._probing = False
        if worked and self.trouble:
            self.trouble = ""
            log.info("commits are possible again")

    def _forget(
        self, device: bytes, rounds: Sequence[LiveRound], removed: ThreadFuture[int]
    ) -> None:
        """Remove a device (on the writer's thread) and report back."""
        if not removed.set_running_or_notify_cancel():
            return  # nobody waits any more
        try:
            removed.set_result(self._store.forget(device, rounds))
        except StoreError as problem:
            log.error("a device could not be removed", problem=str(problem))
            removed.set_exception(OverloadedError("the change could not be committed"))
        except Exception as problem:
            removed.set_exception(problem)
        else:
            self._tell_loop(self._plan_erasing)

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
        self._tell_loop(self._finish_erasing, erased)

    def _finish_erasing(self, erased: bool) -> None:
        self._erasing, self._erased = None, self._loop.time()
        if not erased:
            self._plan_erasing()
