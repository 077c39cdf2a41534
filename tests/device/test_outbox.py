"""The outbox: one file for each round's report, sent oldest first, never beyond its size."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harmony_device import Device
from harmony_device.outbox import Outbox, name_of

from .conftest import VALUES, Clock
from .fake_server import FakeServer

Start = Callable[..., Device]
REPORT = bytes(range(18))


def files(directory: Path) -> list[str]:
    """Return the names of the outbox's files."""
    return sorted(os.listdir(directory / "outbox"))


def test_reports_wait_oldest_first_whatever_their_files_are_called(tmp_path: Path) -> None:
    outbox = Outbox(str(tmp_path))
    times = [3.0, 1.0, 2.0, 5.0, 4.0]
    for at in times:
        outbox.add("small", f"round{at:g}", REPORT, at)
    waiting = outbox.waiting()
    assert [one.at for one in waiting] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert [one.file for one in waiting] != sorted(one.file for one in waiting)
    assert all(one.report == REPORT for one in waiting)


def test_the_oldest_report_is_sent_first(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    device().answer(VALUES)
    identity = bytes.fromhex(next(iter(server.devices)))
    for days in (3, 1, 2, 5, 4):
        report = identity + bytes(2)
        Outbox(str(tmp_path / "harmony")).add("small", f"{days}", report, clock.now - days * 86400)
    server.seen = []
    device().send()
    assert [label for _, label, _ in server.seen] == ["5", "4", "3", "2", "1"]


def test_what_a_crash_left_half_written_is_removed_with_the_next_report(tmp_path: Path) -> None:
    outbox = Outbox(str(tmp_path))
    outbox.add("small", "1", REPORT, 1.0)
    unfinished = tmp_path / "outbox" / f"{name_of('small', '0')}.new"
    unfinished.write_bytes(b'{"survey": "sma')
    assert [one.round for one in outbox.waiting()] == ["1"]
    outbox.add("small", "2", REPORT, 2.0)
    assert files(tmp_path) == sorted([name_of("small", "1"), name_of("small", "2")])


def test_a_file_whose_name_is_not_that_of_its_round_is_no_report(tmp_path: Path) -> None:
    """A copy under another name would be sent, and settled, a second time."""
    outbox = Outbox(str(tmp_path))
    outbox.add("small", "1", REPORT, 1.0)
    kept = tmp_path / "outbox" / name_of("small", "1")
    copied = kept.with_name(name_of("small", "2"))
    copied.write_bytes(kept.read_bytes())
    assert [one.file for one in outbox.waiting()] == [kept.name]
    assert outbox.damaged() == [copied.name]


def test_a_copied_report_is_removed_and_the_original_is_sent_once(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    server.faults = [None, None, None, "lost request"]
    device().answer(VALUES)
    (kept,) = (tmp_path / "harmony" / "outbox").iterdir()
    kept.with_name("0" * 32 + ".json").write_bytes(kept.read_bytes())
    server.seen = []
    clock.now += 60
    visit = device().send()
    assert visit.accepted == [("small", "1")]
    assert (visit.dropped, len(server.seen)) == ({}, 1)
    assert files(tmp_path / "harmony") == []


@pytest.mark.parametrize(
    "change",
    [
        {"report": "xyz"},
        {"report": 7},
        {"report": None},
        {"at": "yesterday"},
        {"at": None},
        {"survey": None},
        {"round": 2},
    ],
)
def test_a_file_with_an_unusable_field_is_damaged(
    change: dict[str, object], tmp_path: Path
) -> None:
    outbox = Outbox(str(tmp_path))
    outbox.add("small", "1", REPORT, 1.0)
    kept = tmp_path / "outbox" / name_of("small", "1")
    kept.write_text(json.dumps({**json.loads(kept.read_text()), **change}))
    assert (outbox.waiting(), outbox.damaged()) == ([], [kept.name])


@pytest.mark.parametrize("content", [b"", b"7", b"[" * 100_000, b'{"survey": "small"}'])
def test_a_file_that_is_no_object_is_damaged(content: bytes, tmp_path: Path) -> None:
    outbox = Outbox(str(tmp_path))
    outbox.add("small", "1", REPORT, 1.0)
    (tmp_path / "outbox" / name_of("small", "1")).write_bytes(content)
    assert (outbox.waiting(), outbox.damaged()) == ([], [name_of("small", "1")])


def test_a_file_that_cannot_be_read_is_damaged(tmp_path: Path) -> None:
    outbox = Outbox(str(tmp_path))
    (tmp_path / "outbox" / name_of("small", "1")).mkdir(parents=True)
    assert (outbox.waiting(), outbox.damaged()) == ([], [name_of("small", "1")])


def test_there_is_room_up_to_the_last_byte(tmp_path: Path) -> None:
    """The room of a report does not depend on the time: the longest time counts."""
    at = 1e12 + 0.123456
    Outbox(str(tmp_path)).add("small", "1", REPORT, at)
    size = (tmp_path / "outbox" / name_of("small", "1")).stat().st_size
    assert Outbox(str(tmp_path)).bytes() == size
    assert Outbox(str(tmp_path), 2 * size).has_room("small", "2", len(REPORT))
    assert not Outbox(str(tmp_path), 2 * size - 1).has_room("small", "2", len(REPORT))


def test_an_outbox_that_was_never_used_is_empty(tmp_path: Path) -> None:
    outbox = Outbox(str(tmp_path))
    assert (outbox.waiting(), outbox.damaged(), outbox.bytes()) == ([], [], 0)
    outbox.clear()
    assert list(tmp_path.iterdir()) == []


def test_clearing_removes_what_is_unfinished_as_well(tmp_path: Path) -> None:
    outbox = Outbox(str(tmp_path))
    outbox.add("small", "1", REPORT, 1.0)
    (tmp_path / "outbox" / "other.json.new").write_bytes(b"{")
    outbox.clear()
    assert files(tmp_path) == []


def test_a_report_is_kept_in_a_folder_that_only_its_owner_may_enter(tmp_path: Path) -> None:
    Outbox(str(tmp_path)).add("small", "1", REPORT, 1.0)
    assert (tmp_path / "outbox").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "outbox" / name_of("small", "1")).stat().st_mode & 0o777 == 0o600


def test_rounds_of_different_surveys_have_different_files() -> None:
    assert len({name_of("a", "b"), name_of("b", "a"), name_of("a", "c"), name_of("c", "b")}) == 4
