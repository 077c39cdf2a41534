"""A full disk: the visit says so, nothing is thrown, and no report leaves that was not charged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harmony_device.ledger import Ledger
from tests.device.conftest import small_survey
from tests.device.fake_server import FakeServer, serving

from . import sdk

KIBIBYTES = 64
ORIGIN = int(time.time() * 1000)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB in memory, which only an administrator can mount."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={KIBIBYTES}k,mode=700", "tmpfs", str(folder)]
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("a full disk needs mount(8) and an administrator")
    if subprocess.run(["mount", *options], capture_output=True, check=False).returncode:
        pytest.skip("a full disk needs a system that may mount one")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("room", [0, 1, 2, 3, 4, 5, 6, 8])
def test_a_full_disk_is_told_and_costs_no_more_than_the_report(small_disk: Path, room: int) -> None:
    """Fill the disk but for some pages of 4 KiB, so that it is full at one write or another."""
    server = FakeServer(small_survey())
    (small_disk / "filler").write_bytes(bytes((KIBIBYTES // 4 - room) * 4096))
    with serving(server) as url:
        visits = sdk.run("Visitor", url, small_disk / "harmony", 1, ORIGIN).splitlines()
        assert visits[0] == "ready"
        assert visits[1].startswith("<Visit: answered")
        if room < 3:
            assert "trouble: the directory cannot be used" in visits[1]
        reports = len({report for _, _, report in server.seen})
        (small_disk / "filler").unlink()
        sdk.run("Visitor", url, small_disk / "harmony", 3, ORIGIN)
    ledger = Ledger(str(small_disk / "harmony")).entries()
    assert [entry.round for entry in ledger] == ["1"]
    assert len({report for _, _, report in server.seen}) <= 1
    assert reports <= 1
    lines = (small_disk / "harmony" / "ledger.jsonl").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines].count("answered") == 1
