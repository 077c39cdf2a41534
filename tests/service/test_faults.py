"""Random histories against the writer and the store, with faults put in.

In the spirit of Janus: each history enrols devices, sends, replays and alters reports, loses
requests and responses, fails commits, jumps the clock, closes rounds and restarts the server.
The survey has 1,023 rows, so that hardly two devices share a cell of the tally: a report
counted twice shows.  A model of what may be stored is kept beside, and compared at the end.

`HISTORIES=10000 pytest tests/service/test_faults.py` runs more of them.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import harmony as hm
from harmony.service.catalogue import Catalogue
from harmony.service.database import Database
from harmony.service.ingest.blocks import LiveRound
from harmony.service.ingest.outcomes import ACCEPTED, CLOSED, CONFLICT, DUPLICATE, UNAUTHORIZED
from harmony.service.ingest.writer import Writer
from harmony.service.metrics import Metrics
from harmony.service.problems import OverloadedError
from harmony.service.stores import Store, StoreError, open_store
from harmony.service.stores.sqlite import SqliteStore
from harmony.tally import Tally

from .waiting import STUCK_SECONDS

HISTORIES = int(os.environ.get("HISTORIES", "240"))
STEPS = 30
DEVICES = 12
SHARED = 20
"""How many histories follow each other in one database."""

SURVEY = hm.Survey(
    "phones",
    [hm.Categorical("code", [f"v{number}" for number in range(1024)])],
    epsilon=1.0,
    mechanism="harmony",
)


class FaultyStore(SqliteStore):
    """The real store, of which a transaction can be made to fail before or after its commit."""

    fault = ""
    spared = 0
    """How many transactions come before the one that fails."""

    def fail(self, fault: str, spared: int = 0) -> None:
        """Put in a fault, "before" or "after" a commit; "" takes it out."""
        self.fault, self.spared = fault, spared

    @contextmanager
    def _transaction(self, *, alone: bool = False) -> Iterator[None]:
        fault = ""
        if self.spared:
            self.spared -= 1
        else:
            fault, self.fault = self.fault, ""
        with super()._transaction(alone=alone):
            yield
            if fault == "before":
                raise sqlite3.OperationalError("disk I/O error")
        if fault == "after":
            self._start_afresh()
            raise StoreError("the connection broke after the commit")


class History:
    """One random history, and the model of what must and what may be stored."""

    def __init__(self, database: Database, seed: int) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.now = 1_000_000.0
        self.database = database
        self.catalogue = Catalogue(database, lambda: self.now)
        self.rounds: list[LiveRound] = []
        self.closed: set[str] = set()
        self.acknowledged: dict[tuple[str, bytes], bytes] = {}
        self.possible: dict[tuple[str, bytes], set[bytes]] = {}
        self.forgotten: set[bytes] = set()
        self.devices: list[bytes] = []
        self.live = self._open_round()

    def _open_round(self) -> LiveRound:
        label = f"{self.seed}.{len(self.rounds)}"
        closes = self.now + self.chance.choice([50.0, 500.0])
        self.rounds.append(self.catalogue.open("phones", label, closes).live)
        return self.rounds[-1]

    async def run(self) -> None:
        self._start()
        steps = [
            self.report, self.report, self.report, self.crowd, self.replay, self.replay,
            self.alter, self.lose_response, self.fail_commit, self.jump, self.close_round,
            self.restart, self.forget, self.enrol,
        ]  # fmt: skip
        for _ in range(STEPS):
            await self.chance.choice(steps)()
        await self.writer.close()
        self.catalogue.close("phones", self.live.round.label)

    def _start(self) -> None:
        self.store = FaultyStore(str(self.database.url.database))
        self.writer = Writer(
            self.store,
            batch_reports=self.chance.choice([1, 3, 100]),
            batch_seconds=0.0,
            queue_reports=1000,
            commit_seconds=STUCK_SECONDS,
            clock=lambda: self.now,
            metrics=Metrics(),
        )
        self.writer.start()

    async def enrol(self) -> None:
        self.devices.append(self.chance.randbytes(16))

    async def report(self) -> None:
        await self._send(self._device(), self._symbol())

    async def crowd(self) -> None:
        """Many reports at once, some of the same device, some in one block."""
        sent = [(self._device(), self._symbol()) for _ in range(self.chance.randrange(2, 8))]
        block = [(self._device(), self._symbol()) for _ in range(self.chance.randrange(1, 5))]
        await asyncio.gather(*(self._send(*one) for one in sent), self._send_block(block))

    async def replay(self) -> None:
        known = [key for key in self.acknowledged if key[0] == self.live.round.label]
        if known:
            label, device = self.chance.choice(known)
            await self._send(device, self.acknowledged[label, device][-1])

    async def alter(self) -> None:
        known = [key for key in self.acknowledged if key[0] == self.live.round.label]
        if known:
            label, device = self.chance.choice(known)
            await self._send(device, self.acknowledged[label, device][-1] ^ 1)

    async def lose_response(self) -> None:
        """The commit happens, but the device never hears of it."""
        self.store.fail("after")
        await self._send(self._device(), self._symbol())

    async def fail_commit(self) -> None:
        self.store.fail(self.chance.choice(["before", "after"]), self.chance.randrange(2))
        await self.crowd()
        self.store.fail("")

    async def jump(self) -> None:
        self.now += self.chance.choice([-40.0, 1.0, 60.0, 600.0])

    async def close_round(self) -> None:
        self.catalogue.close("phones", self.live.round.label)
        self.closed.add(self.live.round.label)
        if self.chance.random() < 0.3:
            await self._send(self._device(), self._symbol())
        self.live = self._open_round()

    async def restart(self) -> None:
        """Drain the server or let it die, and start another on the same database."""
        if self.chance.random() < 0.5:
            await self.writer.close()
        else:
            self.store.fail(self.chance.choice(["before", "after"]))
            dying = asyncio.create_task(self._send(self._device(), self._symbol()))
            await dying
            await self.writer.close()
        self._start()

    async def forget(self) -> None:
        if self.chance.random() < 0.5:
            return
        device = self._device()
        self.store.fail(self.chance.choice(["", "", "before"]))
        try:
            await self.writer.forget(device, self.rounds)
        except OverloadedError:
            return
        self.forgotten.add(device)
        for key in [key for key in self.possible if key[1] == device]:
            del self.possible[key]
            self.acknowledged.pop(key, None)

    def _device(self) -> bytes:
        if len(self.devices) < DEVICES and self.chance.random() < 0.4:
            self.devices.append(self.chance.randbytes(16))
        return self.chance.choice(self.devices) if self.devices else self.chance.randbytes(16)

    def _symbol(self) -> int:
        return self.chance.randrange(2)

    async def _send(self, device: bytes, symbol: int) -> None:
        live, report = self.live, device + bytes([0, symbol])
        key = (live.round.label, device)
        if self.chance.random() < 0.1:
            return  # the request is lost
        try:
            outcome = await self.writer.submit(live, report)
        except OverloadedError:
            self.possible.setdefault(key, set()).add(report)
            return
        self._check(live, device, report, outcome)

    async def _send_block(self, sent: list[tuple[bytes, int]]) -> None:
        live = self.live
        reports = [device + bytes([0, symbol]) for device, symbol in sent]
        try:
            outcomes = await self.writer.submit_block(live, live.rows(b"".join(reports)))
        except OverloadedError:
            for report in reports:
                self.possible.setdefault((live.round.label, report[:16]), set()).add(report)
            return
        for report, outcome in zip(reports, outcomes.tolist(), strict=True):
            self._check(live, report[:16], report, outcome)

    def _check(self, live: LiveRound, device: bytes, report: bytes, outcome: int) -> None:
        """Hold what the server said against what it said before."""
        key = (live.round.label, device)
        before = self.acknowledged.get(key)
        if outcome == ACCEPTED:
            assert before is None, "a device was accepted twice"
            assert device not in self.forgotten
            assert live.round.label not in self.closed
            self.acknowledged[key] = report
            self.possible.setdefault(key, set()).add(report)
        elif outcome == DUPLICATE:
            assert before in (None, report), "another report was called the same"
            assert report in self.possible[key]
            self.acknowledged[key] = report
        elif outcome == CONFLICT:
            assert before != report, "the same report was called another"
            assert self.possible[key] - {report}
        elif outcome == UNAUTHORIZED:
            assert device in self.forgotten
        else:
            assert outcome == CLOSED
            closes = self.catalogue.round("phones", live.round.label).closes
            assert live.round.label in self.closed or (closes or 0) <= self.now

    def check_end(self) -> None:
        """Compare the database with the model: exactly once, and the tally is a recount."""
        store = open_store(self.database)
        for live in self.rounds:
            stored = [report.tobytes() for rows in store.stored(live) for report in rows]
            devices = [report[:16] for report in stored]
            assert len(set(devices)) == len(devices), "a device is stored twice"
            for report in stored:
                key = (live.round.label, report[:16])
                assert report in self.possible.get(key, set()), "a report came from nowhere"
                assert self.acknowledged.get(key, report) == report
            for (label, device), report in self.acknowledged.items():
                if label == live.round.label:
                    assert report in stored, f"an acknowledged report of {device.hex()} is lost"
            self._check_tally(store, live)
        store.close()

    def _check_tally(self, store: Store, live: LiveRound) -> None:
        counts = np.zeros(live.coins.cells, np.int64)
        reports = 0
        for rows in store.stored(live):
            np.add.at(counts, live.locate(rows).reshape(-1), 1)
            reports += len(rows)
        expected = Tally.of(live.survey, live.round, counts, (reports,))
        assert self.catalogue.tally(self.catalogue.round("phones", live.round.label)) == expected


@pytest.fixture
def database(memory_folder: Path) -> Iterator[Database]:
    """A fresh database with the survey in it."""
    database = Database(str(memory_folder / "harmony.db"))
    database.migrate()
    Catalogue(database, lambda: 1.0).add(SURVEY, None)
    yield database
    database.close()


@pytest.mark.parametrize("first", range(0, HISTORIES, SHARED))
def test_no_history_loses_repeats_or_invents_a_report(database: Database, first: int) -> None:
    for seed in range(first, first + SHARED):
        print(f"seed {seed}")  # noqa: T201  # the last is shown when the test fails
        history = History(database, seed)
        asyncio.run(asyncio.wait_for(history.run(), STUCK_SECONDS))
        history.check_end()
