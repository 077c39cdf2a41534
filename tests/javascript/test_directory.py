"""A directory is the same to both SDKs: Python goes on where Node stopped, and Node after it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from harmony_device import Device
from harmony_device.status import status
from tests.device.conftest import RECORD, VALUES
from tests.device.fake_server import serving

from . import sdk
from .honest import Rounds, check_honest


def in_node(url: str, folder: Path) -> dict[str, Any]:
    """Visit once in Node."""
    told = sdk.run("visitor", url, folder, 1, int(time.time() * 1000))
    visit: dict[str, Any] = json.loads(told.splitlines()[1])
    assert visit["trouble"] is None
    return visit


def test_python_and_node_take_turns_in_a_directory(tmp_path: Path) -> None:
    server = Rounds(0, opening=0, losing=0)
    with serving(server) as url:
        assert len(in_node(url, tmp_path)["accepted"]) == 1
        options: dict[str, Any] = {"record": RECORD, "consent": True, "epsilon_limit": 1e9}
        with Device(url, tmp_path, **options) as device:
            assert device.answer(VALUES).answered == []
            server.open_round("small", "2")
            server.faults = [None, 404]
            assert device.answer(VALUES).waiting == 1
        assert len(in_node(url, tmp_path)["accepted"]) == 1
        assert in_node(url, tmp_path)["answered"] == []
        with Device(url, tmp_path, **options) as device:
            assert [entry.state for entry in device.ledger()] == ["accepted", "accepted"]
            assert device.forget() is True
    assert server.enrolments == 1
    lines = (tmp_path / "ledger.jsonl").read_text().splitlines()
    assert check_honest(server, [json.loads(line) for line in lines])["seen"] == 2
    assert status(str(tmp_path), time.time())["withdrawn"] is True
