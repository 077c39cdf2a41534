"""What an earlier version left on disk is still understood: the files as they are written today."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from harmony_device import Device

from .conftest import VALUES
from .fake_server import FakeServer

Start = Callable[..., Device]

SERVER, DEVICE = "https://stats.example", "2cc5122d216268c31bf323d2c820aebb"
IDENTITY = {"server": SERVER, "device": DEVICE, "credential": "secret-1", "renewed": 1.8e9}
ANSWERED = {
    "at": "2027-01-15T08:00:00Z", "event": "answered", "survey": "small", "round": "1",
    "epsilon": 1.0, "asked": ["wifi"],
}  # fmt: skip
WAITING = {"survey": "small", "round": "1", "report": f"{DEVICE}0001", "at": 1.8e9}
FILES = {
    "identity.json": IDENTITY,
    "ledger.jsonl": ANSWERED,
    "outbox/240857dc251f7ac9f7c73ce27c9d4805.json": WAITING,
}
WITHDRAWAL = {"withdrawn_by": "forget", "pending": [{**IDENTITY, "since": 1.8e9}]}
ENROLLED = {"enrolled": "2026-11-01T00:00:00Z"}
"""What identities have since: earlier versions did not keep it."""


def put(directory: Path) -> None:
    """Put the files of a device that has answered, and was not heard."""
    for name, content in FILES.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content) + "\n")


def test_a_device_goes_on_where_an_earlier_version_stopped(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    put(tmp_path / "harmony")
    server.devices[DEVICE] = "secret-1"
    visit = device().answer(VALUES)
    assert (visit.accepted, visit.answered, visit.dropped) == ([("small", "1")], [], {})
    assert server.enrolments == 0
    assert [report for _, _, report in server.seen] == [WAITING["report"]]


def test_a_device_writes_these_files(device: Start, server: FakeServer, tmp_path: Path) -> None:
    server.faults = [None, None, None, "lost request"]
    device().answer(VALUES)
    random = {"asked", "report"}
    for name, content in FILES.items():
        written = json.loads((tmp_path / "harmony" / name).read_text())
        content = {**content, **ENROLLED} if name == "identity.json" else content
        assert written.keys() == content.keys()
        assert {key: one for key, one in written.items() if key not in random} == {
            key: one for key, one in content.items() if key not in random
        }


def test_a_withdrawal_of_an_earlier_version_is_finished(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    (tmp_path / "harmony").mkdir()
    (tmp_path / "harmony" / "withdrawal.json").write_text(json.dumps(WITHDRAWAL))
    server.devices[DEVICE] = "secret-1"
    assert device().answer(VALUES).trouble == "consent is not given"
    assert server.devices == {}


def test_a_withdrawal_is_written_so(device: Start, server: FakeServer, tmp_path: Path) -> None:
    device(record={}).answer({})
    server.faults = ["lost request"]
    device().forget()
    written = (tmp_path / "harmony" / "withdrawal.json").read_text()
    (pending,) = WITHDRAWAL["pending"]
    assert json.loads(written) == {**WITHDRAWAL, "pending": [{**pending, **ENROLLED}]}


def test_a_pause_of_an_earlier_version_is_kept(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    put(tmp_path / "harmony")
    (tmp_path / "harmony" / "backoff.txt").write_text("3 1800000050.0 60.0\n")
    visit = device().answer(VALUES)
    assert (visit.next_attempt, server.requests) == (50.0, [])
