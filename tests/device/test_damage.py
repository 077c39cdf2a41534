"""Whatever is damaged on disk, a device answers no round twice and spends nothing uncounted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harmony_device import Device, LedgerError

from .conftest import VALUES, Clock
from .fake_server import FakeServer

Start = Callable[..., Device]


@pytest.mark.parametrize("damage", [b"", b"{", b"\x00" * 100, b"[]", b'{"device": 7}'])
def test_a_damaged_identity_enrols_anew_and_answers_no_round_twice(
    damage: bytes, device: Start, server: FakeServer, tmp_path: Path
) -> None:
    device().answer(VALUES)
    (tmp_path / "harmony" / "identity.json").write_bytes(damage)
    assert not device().answer(VALUES).answered
    server.open_round("small", "2")
    assert device().answer(VALUES).accepted == [("small", "2")]
    assert server.enrolments == 2


@pytest.mark.parametrize("damage", [b"", b"{", b"\x00" * 100, b"[]", b'{"survey": 7}'])
def test_a_damaged_report_is_dropped_and_never_drawn_again(
    damage: bytes, device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    server.faults = [None, None, None, "lost request"]
    device().answer(VALUES)
    (report,) = (tmp_path / "harmony" / "outbox").iterdir()
    report.write_bytes(damage)
    clock.now += 60
    visit = device().answer(VALUES)
    assert visit.dropped == {("small", "1"): "dropped: damaged on disk"}
    assert not visit.answered
    assert len(set(server.seen)) == 1


def test_a_report_of_a_lost_identity_is_dropped(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    server.faults = [None, None, None, "lost request"]
    device().answer(VALUES)
    (tmp_path / "harmony" / "identity.json").unlink()
    clock.now += 60
    assert device().send().dropped == {("small", "1"): "dropped: its identity is lost"}


@pytest.mark.parametrize("damage", [b"{\n", b"\x00\x00\n", b'{"event": "answered"}\n', b"7\n"])
def test_a_damaged_ledger_stops_all_spending(
    damage: bytes, device: Start, server: FakeServer, tmp_path: Path
) -> None:
    device().answer(VALUES)
    path = tmp_path / "harmony" / "ledger.jsonl"
    path.write_bytes(damage + path.read_bytes())
    server.open_round("small", "2")
    with pytest.raises(LedgerError, match="line 1: damaged"):
        device().answer(VALUES)
    assert len(server.seen) == 1


@pytest.mark.parametrize("torn", [b'{"at": "20', b"\x00" * 50])
def test_a_line_cut_by_a_crash_is_cut_off(
    torn: bytes, device: Start, server: FakeServer, tmp_path: Path
) -> None:
    device().answer(VALUES)
    path = tmp_path / "harmony" / "ledger.jsonl"
    path.write_bytes(path.read_bytes() + torn)
    assert len(device().ledger()) == 1
    server.open_round("small", "2")
    assert device().answer(VALUES).accepted
    assert len(device().ledger()) == 2
    for line in path.read_text().splitlines():
        json.loads(line)


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\x00" * 8, b"3 x y"])
def test_a_damaged_backoff_counts_as_none(
    damage: bytes, device: Start, server: FakeServer, tmp_path: Path
) -> None:
    server.faults = [503]
    device().answer(VALUES)
    (tmp_path / "harmony" / "backoff.txt").write_bytes(damage)
    assert device().answer(VALUES).accepted


def test_a_damaged_document_is_downloaded_again(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    device().answer(VALUES)
    (document,) = (tmp_path / "harmony" / "surveys").iterdir()
    document.write_bytes(b"{}")
    server.open_round("small", "2")
    assert device().answer(VALUES).accepted
    assert server.paths()["GET /v1/surveys/small"] == 2
