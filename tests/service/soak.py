"""A server at full load for a while, and everything that happens to one meanwhile.

Devices and a gateway send as fast as they are answered, and again until they are.  Meanwhile
processes are killed, rounds close and open, devices are deleted, and SQLite is backed up.  After
that nothing acknowledged is lost, nothing is there twice, no deleted device is left, memory is
what it was, and `harmony check` passes, on the backups too.  `make test-soak` takes ten minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from harmony.service.ingest.blocks import LiveRound
from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import open_store

from .conftest import SURVEY
from .devices import any_report, report_body
from .postgres import Postgres
from .server_process import ServerProcess, memory_of, processes_of, responds
from .soak_client import Client
from .waiting import STUCK_SECONDS, wait_until

PATH = f"/v1/surveys/{SURVEY.name}/reports"
BATCH = 1000
GATEWAY = 1 << 62
"""Devices of the gateway are numbered from here."""

MOST_GROWTH = 50.0


def device_of(number: int) -> bytes:
    """Return the id of a device by its number; the last bytes tell the number."""
    return number.to_bytes(8, "little") * 2


@dataclass
class Sent:
    """What became of the reports to one round, by the numbers of their devices."""

    acknowledged: list[int] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)
    """Too late, but an attempt before that was cut off."""


@dataclass
class Soak:
    """A server, its load, and what is known of both."""

    folder: Path
    place: str
    workers: int
    random: Random
    sent: dict[str, Sent] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    events: Counter[str] = field(default_factory=Counter)
    memory: list[float] = field(default_factory=list)
    backups: list[tuple[Path, dict[str, int]]] = field(default_factory=list)
    """Copies, and how many reports of each round were acknowledged before."""
    _next: int = 0
    _ending: bool = False

    def __post_init__(self) -> None:
        self.state = ServiceState(Settings.load(database=self.place))
        self.state.catalogue.add(SURVEY, None)
        self._admin = {"Authorization": f"Bearer {self.state.tokens.create('a', 'admin')[0]}"}
        gateway = self.state.tokens.create("g", "gateway")[0]
        self._gateway = {"Authorization": f"Bearer {gateway}", "Content-Type": MEDIA_TYPE}
        self._open_round()
        self.server = ServerProcess(
            self.place, self.folder / "server.log", workers=self.workers, address_connections=0
        )

    def run(self, seconds: float, devices: int = 32) -> None:
        """Serve, send and disturb for so long, then stop."""
        with self.server:
            asyncio.run(self._run(seconds, devices))
            assert self.server.stop() == 0

    async def _run(self, seconds: float, devices: int) -> None:
        clients = [asyncio.create_task(self._devices()) for _ in range(devices)]
        clients.append(asyncio.create_task(self._batches()))
        ends = time.monotonic() + seconds
        every = {
            self._kill: max(seconds / 20, 4),
            self._next_round: max(seconds / 15, 3),
            self._back_up: seconds / 3.5,
            self._note_memory: seconds / 100,
        }
        clients += [asyncio.create_task(self._repeat(what, pause)) for what, pause in every.items()]
        clients.append(asyncio.create_task(self._deletions(seconds / 200)))
        while time.monotonic() < ends and not any(one.done() for one in clients):
            await asyncio.sleep(0.1)
        self._ending = True
        async with asyncio.timeout(2 * STUCK_SECONDS):
            await asyncio.gather(*clients)

    async def _repeat(self, what: Callable[[], None], pause: float) -> None:
        """Do something every now and then, beside everything else."""
        due = time.monotonic() + pause
        while not self._ending:
            if time.monotonic() >= due:
                await asyncio.to_thread(what)
                due = time.monotonic() + pause
            await asyncio.sleep(0.05)

    async def _devices(self) -> None:
        client = Client(self.server.port, lambda: self._ending)
        while not self._ending:
            self._next += 1
            number, live = self._next, self._live
            device = device_of(number)
            report = any_report(live, device, symbol=number % 2)
            body = json.dumps(report_body(live.round.label, report)).encode()
            await self._send(client, live, self._headers(device), body, [number])
        client.close()

    async def _batches(self) -> None:
        client, first = Client(self.server.port, lambda: self._ending), GATEWAY
        while not self._ending:
            live, numbers = self._live, range(first, first + BATCH)
            first += BATCH
            reports = b"".join(any_report(live, device_of(one), symbol=one % 2) for one in numbers)
            body = pack(SURVEY.fingerprint, live.round.label, reports, live.size)
            await self._send(client, live, self._gateway, body, list(numbers))
            await asyncio.sleep(0.05)
        client.close()

    async def _send(
        self, client: Client, live: LiveRound, headers: dict[str, str], body: bytes, of: list[int]
    ) -> None:
        status, was_cut = await client.until_answered("POST", PATH, headers, body)
        self.events[f"{'batch' if len(of) > 1 else 'report'} {status}"] += 1
        known = self.sent[live.round.label]
        if status in (200, 201):
            known.acknowledged += of
        elif status in (0, 410):
            known.unknown += of if was_cut or not status else []
        else:
            raise AssertionError(f"unexpected status {status}")

    async def _deletions(self, pause: float) -> None:
        """Delete devices that have reported, one after the other."""
        client = Client(self.server.port, lambda: False)
        while not self._ending:
            await asyncio.sleep(pause)
            known = self.sent[self.random.choice(list(self.sent))].acknowledged
            if known:
                number = self.random.choice(known)
                headers = self._headers(device_of(number))
                status, _ = await client.until_answered("DELETE", "/v1/devices/me", headers)
                assert status == 204, status
                self.deleted.add(number)
        client.close()

    def _headers(self, device: bytes) -> dict[str, str]:
        credential = self.state.credentials.issue(device, 0)
        return {"Authorization": f"Harmony {device.hex()}.{credential}"}

    def _open_round(self) -> None:
        label = f"round{len(self.sent)}"
        opened = self.state.catalogue.open(SURVEY.name, label).live
        self.sent[label] = Sent()
        self._live = opened

    def _next_round(self) -> None:
        self.state.catalogue.close(SURVEY.name, self._live.round.label)
        self._open_round()
        self.events["rounds"] += 1

    def _kill(self) -> None:
        """Kill the server and start it again, or one of several workers."""
        self.events["kills"] += 1
        if self.workers == 1:
            self.server.kill()
            self.server.start()
        else:
            os.kill(self.random.choice(self._workers()), signal.SIGKILL)
            # Connections wait for the next worker; another kill meanwhile would prolong that.
            wait_until(self._all_respond, "a worker to be replaced")

    def _all_respond(self) -> bool:
        """Whether every worker takes connections, as far as some of them tell."""
        return all(responds(self.server.port, seconds=1.0) for _ in range(10))

    def _workers(self) -> list[int]:
        return [one for one in processes_of(self.server.process.pid)[1:] if is_worker(one)]

    def _note_memory(self) -> None:
        with suppress(OSError):  # one was killed just now
            self.memory.append(memory_of(self.server.process.pid))

    def _back_up(self) -> None:
        if not self.state.database.is_sqlite:
            return
        before = {label: len(known.acknowledged) for label, known in self.sent.items()}
        copy = self.folder / f"backup{len(self.backups)}.db"
        harmony("backup", self.place, str(copy))
        self.backups.append((copy, before))

    def growth(self) -> float:
        """Return by how many MiB the highest memory of the last third is above the first's."""
        third = max(1, len(self.memory) // 3)
        return max(self.memory[-third:]) - max(self.memory[:third])

    def check(self) -> int:
        """Hold what is stored against what was acknowledged; return how many reports there are."""
        harmony("check", self.place)
        self.state.catalogue.reload()
        reports = sum(self._check_round(label, known) for label, known in self.sent.items())
        for copy, before in self.backups:
            harmony("check", str(copy))
            self._check_copy(copy, before)
        return reports

    def _check_round(self, label: str, known: Sent) -> int:
        entry = self.state.catalogue.round(SURVEY.name, label)
        stored = stored_numbers(self.state, entry.live)
        gone = np.array(sorted(self.deleted), np.uint64)
        acknowledged = np.array(known.acknowledged, np.uint64)
        assert len(np.unique(stored)) == len(stored), f"{label}: a device is there twice"
        lost = np.setdiff1d(np.setdiff1d(acknowledged, gone), stored)
        assert not len(lost), f"{label}: {len(lost)} acknowledged reports are lost"
        extra = np.setdiff1d(
            stored, np.concatenate([acknowledged, np.array(known.unknown, np.uint64)])
        )
        assert not len(extra), f"{label}: {len(extra)} reports are there that nobody sent"
        left = np.intersect1d(stored, gone)
        assert not len(left), f"{label}: {len(left)} deleted devices are there"
        tally = self.state.catalogue.tally(entry)
        assert tally.reports == len(stored), f"{label}: the tally has other reports"
        return len(stored)

    def _check_copy(self, copy: Path, before: dict[str, int]) -> None:
        """What was acknowledged before a backup began is in it, unless it was deleted."""
        state = ServiceState(Settings.load(database=str(copy)))
        gone = np.array(sorted(self.deleted), np.uint64)
        for label, count in before.items():
            live = state.catalogue.round(SURVEY.name, label).live
            wanted = np.array(self.sent[label].acknowledged[:count], np.uint64)
            lost = np.setdiff1d(np.setdiff1d(wanted, gone), stored_numbers(state, live))
            assert not len(lost), f"{copy.name}: {len(lost)} reports of {label} are lost"
        state.database.close()


def stored_numbers(state: ServiceState, live: LiveRound) -> NDArray[np.uint64]:
    """Return the numbers of the devices whose reports are stored, byte by byte as they were."""
    store, found = open_store(state.database), [np.empty(0, np.uint64)]
    try:
        for reports in store.stored(live):
            ids = np.ascontiguousarray(reports[:, :16]).view(np.uint64)
            assert (ids[:, 0] == ids[:, 1]).all(), "a stored id is damaged"
            expected = [
                np.frombuffer(any_report(live, bytes(16), symbol=one)[16:], np.uint8)
                for one in (0, 1)
            ]
            wanted = np.stack(expected)[(ids[:, 0] % 2).astype(int)]
            assert (reports[:, 16:] == wanted).all(), "a stored report is damaged"
            found.append(ids[:, 0])
    finally:
        store.close()
    return np.concatenate(found)


def harmony(*words: str) -> None:
    """Run a command, which must end well."""
    command = [sys.executable, "-m", "harmony.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=5 * STUCK_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


def is_worker(process: int) -> bool:
    """Whether a child of a server is no helper by which Python tracks what they share."""
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def main() -> int:
    """Soak for as long as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, with two workers")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place, workers = str(folder / "harmony.db"), 1
        if given.postgres:
            place, workers = stack.enter_context(Postgres()).fresh(), 2
        soak = Soak(folder, place, workers, Random(1))
        soak.run(given.seconds)
        reports = soak.check()
    found = {
        "reports": reports,
        "deleted": len(soak.deleted),
        "backups": len(soak.backups),
        "growth": round(soak.growth(), 1),
        "memory": [round(one) for one in soak.memory[:: max(1, len(soak.memory) // 20)]],
        **dict(sorted(soak.events.items())),
    }
    sys.stdout.write(json.dumps(found) + "\n")
    return 0 if soak.growth() < MOST_GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
