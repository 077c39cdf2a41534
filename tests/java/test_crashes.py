"""kill -9 of the JVM at random points: never two reports for a round, never one without a charge.

Devices visit a server that opens a new round at every other visit and loses one reply in ten;
they forget and rejoin every few visits.  Some share their directory with a second process.  Each is
killed after a random time, and another goes on in the same directory: HARMONY_KILLS times in all.
Half of them answer a survey with memory: no memo is ever drawn again, or outlives consent.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harmony_device.ledger import Ledger
from harmony_device.outbox import Outbox
from tests.device.conftest import small_survey
from tests.device.fake_server import Answer, FakeServer, serving
from tests.device.over_time import check_memos, remembering_survey

from . import sdk

KILLS = int(os.environ.get("HARMONY_KILLS", "24"))
FOLDERS = 4
ORIGIN = int(time.time() * 1000)
MOST_VISITS = 5
"""Before a kill."""


class Rounds(FakeServer):
    """Opens another round now and then, and loses some replies."""

    def __init__(self, seed: int) -> None:
        self.remembers = seed % 2 == 1
        super().__init__(remembering_survey() if self.remembers else small_survey())
        self._rng = random.Random(seed)
        self._opening = threading.Lock()
        self.opened = 1

    def handle(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Answer | None:
        with self._opening:
            if path == "/v1/surveys" and self._rng.random() < 0.5:
                self.opened += 1
                self.open_round("small", str(self.opened))
        answer = super().handle(method, path, headers, body)
        with self._opening:
            return None if self._rng.random() < 0.1 else answer


def killed(url: str, folder: Path, visits: int, share: float) -> None:
    """Start a device, and end it without warning after so many visits, somewhere in the next."""
    process = subprocess.Popen(
        sdk.command("Visitor", url, folder, 10**9, ORIGIN),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n", process.communicate()
        seconds = 0.5  # a first visit, with all of its classes to load
        for _ in range(visits):
            start = time.monotonic()
            assert process.stdout.readline().startswith(b"<Visit: "), process.communicate()
            seconds = time.monotonic() - start
        time.sleep(seconds * share)  # the random point
        assert process.poll() is None, process.communicate()
    finally:
        process.kill()
        process.communicate(timeout=60)


def torment(number: int, folder: Path, kills: int) -> Counter[str]:
    """Kill devices of one directory so often, then count what became of its rounds."""
    rng = random.Random(number)
    server = Rounds(number)
    with serving(server) as url, ThreadPoolExecutor(2) as pool:
        left = kills
        while left:
            together = min(left, 1 + (rng.random() < 0.4))
            points = [(rng.randrange(MOST_VISITS), rng.random()) for _ in range(together)]
            list(pool.map(lambda point: killed(url, folder, *point), points))
            left -= together
        sdk.run("Visitor", url, folder, 20, ORIGIN)
    return check(server, folder)


def check(server: FakeServer, folder: Path) -> Counter[str]:
    lines = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    charged = Counter(line["round"] for line in lines if line["event"] == "answered")
    assert set(charged.values()) == {1}, "a round was charged twice"
    reports: dict[str, set[str]] = {}
    for _, label, report in server.seen:
        reports.setdefault(label, set()).add(report)
    assert all(len(one) == 1 for one in reports.values()), "two reports for a round"
    assert reports.keys() <= charged.keys(), "a report without a charge"
    if isinstance(server, Rounds) and server.remembers:
        check_memos(server.seen, lines)
    waiting = {one.round for one in Outbox(str(folder)).waiting()}
    states = Counter(entry.state.split(":")[0] for entry in Ledger(str(folder)).entries())
    never_sent = charged.keys() - reports.keys() - waiting
    return states + Counter({"rounds": len(charged), "paid for and never sent": len(never_sent)})


def test_a_killed_device_never_reports_twice_and_never_without_a_charge(
    tmp_path: Path,
) -> None:
    shares = [KILLS // FOLDERS + (place < KILLS % FOLDERS) for place in range(FOLDERS)]
    with ThreadPoolExecutor(FOLDERS) as pool:
        found = list(
            pool.map(torment, range(FOLDERS), [tmp_path / str(n) for n in range(FOLDERS)], shares)
        )
    total = sum(found, Counter())
    assert total["rounds"] > KILLS // 4
    print(f"{KILLS} kills: {dict(total)}")  # noqa: T201  for whoever asks for more kills
