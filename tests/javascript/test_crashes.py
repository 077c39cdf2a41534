"""kill -9 of Node at random points: never two reports for a round, never one without a charge.

HARMONY_KILLS times in all.  Some of the processes share their directory with a second one.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harmony_device.ledger import Ledger
from harmony_device.outbox import Outbox
from tests.device.fake_server import serving

from . import sdk
from .honest import Rounds, check_honest

KILLS = int(os.environ.get("HARMONY_KILLS", "24"))
FOLDERS = 2
ORIGIN = int(time.time() * 1000)
MOST_VISITS = 4
"""Before a kill."""
FIRST_VISIT_SECONDS = 0.2


def kill(url: str, folder: Path, life: float) -> None:
    """Start a device, and end it without warning after so many visits: 2.5 is amid the third."""
    process = subprocess.Popen(
        sdk.command("visitor", url, folder, 10**9, ORIGIN),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n", process.communicate()
        seconds = FIRST_VISIT_SECONDS
        for _ in range(int(life)):
            start = time.monotonic()
            assert process.stdout.readline().startswith(b"{"), process.communicate()
            seconds = time.monotonic() - start
        time.sleep(seconds * (life % 1))  # the random point
        assert process.poll() is None, process.communicate()
    finally:
        process.kill()
        process.communicate(timeout=60)


def torment(number: int, folder: Path, kills: int) -> Counter[str]:
    """Kill devices of one directory so often, then count what became of its rounds."""
    rng = random.Random(number)
    server = Rounds(number, remembers=number % 2 == 1)
    with serving(server) as url, ThreadPoolExecutor(2) as pool:
        left = kills
        while left:
            together = min(left, 1 + (rng.random() < 0.4))
            lives = [rng.random() * MOST_VISITS for _ in range(together)]
            list(pool.map(lambda life: kill(url, folder, life), lives))
            left -= together
        sdk.run("visitor", url, folder, 20, ORIGIN)
    lines = (folder / "ledger.jsonl").read_text().splitlines()
    found = check_honest(server, [json.loads(line) for line in lines])
    # The Python SDK reads the same files.
    assert len(Ledger(str(folder)).entries()) == found["charged"]
    assert Outbox(str(folder)).damaged() == []
    return found


def test_a_killed_device_never_reports_twice_and_never_without_a_charge(tmp_path: Path) -> None:
    shares = [KILLS // FOLDERS + (place < KILLS % FOLDERS) for place in range(FOLDERS)]
    folders = [tmp_path / str(place) for place in range(FOLDERS)]
    with ThreadPoolExecutor(FOLDERS) as pool:
        total = sum(pool.map(torment, range(FOLDERS), folders, shares), Counter())
    assert total["charged"] > KILLS // 4
    print(f"{KILLS} kills: {dict(total)}")  # noqa: T201  for whoever asks for more kills
