"""kill -9 of the JVM at random points: never two reports for a round, never one without a charge.

Devices visit a server that opens a new round whenever it has a report, and loses one reply in ten;
they forget and rejoin every few visits.  Some share their directory with a second process.  Each is
killed after a random time, and another goes on in the same directory: HARMONY_KILLS times in all.
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

from . import sdk

KILLS = int(os.environ.get("HARMONY_KILLS", "24"))
FOLDERS = 4
LONGEST = 0.8
"""Seconds until a kill, after the process said that it is ready."""


class Rounds(FakeServer):
    """Opens another round after each report, and loses some replies."""

    def __init__(self, seed: int) -> None:
        super().__init__(small_survey())
        self._rng = random.Random(seed)
        self._opening = threading.Lock()
        self.opened = 1

    def handle(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Answer | None:
        answer = super().handle(method, path, headers, body)
        with self._opening:
            if answer is not None and answer[0] == 201 and path.endswith("/reports"):
                self.opened += 1
                self.open_round("small", str(self.opened))
            return None if self._rng.random() < 0.1 else answer


def killed(url: str, folder: Path, seconds: float) -> None:
    """Start a device, and end it without warning after so many seconds."""
    process = subprocess.Popen(
        sdk.command("Visitor", url, folder, 10**9), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first == b"ready\n", process.communicate()
        drain = threading.Thread(target=process.stdout.read, daemon=True)
        drain.start()
        time.sleep(seconds)  # the random point
        assert process.poll() is None, process.communicate()
    finally:
        process.kill()
        process.wait(60)


def torment(number: int, folder: Path, kills: int) -> Counter[str]:
    """Kill devices of one directory so often, then count what became of its rounds."""
    rng = random.Random(number)
    server = Rounds(number)
    with serving(server) as url, ThreadPoolExecutor(2) as pool:
        left = kills
        while left:
            together = min(left, 1 + (rng.random() < 0.4))
            waits = [rng.uniform(0, LONGEST) for _ in range(together)]
            list(pool.map(lambda wait: killed(url, folder, wait), waits))
            left -= together
        sdk.run("Visitor", url, folder, 20)
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
