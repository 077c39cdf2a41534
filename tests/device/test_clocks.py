"""Clocks that ran ahead or were set back: which dates an entry of the ledger has, and for how long.

The rule is that of docs/protocol.md, "Clocks"; days count from an arbitrary first one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device
from harmony_device.ledger import Entry, Ledger, timestamp
from harmony_device.limits import Charge

from .conftest import VALUES, Clock
from .fake_server import FakeServer

Start = Callable[..., Device]
DAY = 86400.0
FIRST = 1.8e9
SECOND = 1 / DAY


def answered(day: float, round: str = "1", epsilon: float = 1.0) -> dict[str, Any]:
    """Return the line of a report that was paid for on a day."""
    line = {"at": timestamp(FIRST + day * DAY), "event": "answered", "survey": "small"}
    return {**line, "round": round, "epsilon": epsilon, "asked": ["wifi"]}


def event(day: float, name: str, **more: str) -> dict[str, Any]:
    return {"at": timestamp(FIRST + day * DAY), "event": name, **more}


def dates(directory: Path, *lines: object) -> list[list[float]]:
    """Return the dates of each entry of a ledger, in days."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (directory / "ledger.jsonl").write_text(text)
    entries = Ledger(str(directory)).entries()
    return [[(date - FIRST) / DAY for date in entry.dates] for entry in entries]


def test_entries_in_order_have_their_own_date(tmp_path: Path) -> None:
    assert dates(tmp_path, answered(0), answered(31, "2"), answered(400, "3")) == [[0], [31], [400]]


@pytest.mark.parametrize(("back", "expected"), [(29, [1]), (30 - SECOND, [SECOND]), (30, [0, 30])])
def test_a_clock_set_back_by_thirty_days_leaves_both_dates(
    back: float, expected: list[float], tmp_path: Path
) -> None:
    lines = [answered(30), answered(30 - back, "2")]
    assert dates(tmp_path, *lines)[1] == pytest.approx(expected)


@pytest.mark.parametrize(
    "line",
    [
        event(50, "accepted", survey="other", round="1"),
        event(50, "dropped: closed", survey="other", round="1"),
        event(50, "forgotten"),
        event(50, "clock"),
    ],
)
def test_the_latest_line_counts_whatever_it_says(line: dict[str, Any], tmp_path: Path) -> None:
    assert dates(tmp_path, line, event(3, "forgotten"), answered(0)) == [[0, 50]]


@pytest.mark.parametrize(
    ("clocks", "expected"),
    [
        ([0], [1000, 0]),
        ([970], [1000, 970]),
        ([970 + SECOND], [1000]),
        ([999], [1000]),
        ([0, 20], [1000, 0]),  # the first has set it right
        ([0, -29], [1000, 0]),
        ([0, -30], [1000, 0, -30]),  # the clock that set it right ran ahead as well
    ],
)
def test_an_entry_from_the_future_counts_from_when_that_was_noticed(
    clocks: list[float], expected: list[float], tmp_path: Path
) -> None:
    lines = [answered(1000), *[event(day, "clock") for day in clocks]]
    assert dates(tmp_path, *lines) == [pytest.approx(expected)]


def test_each_line_of_a_round_in_two_ledgers_has_its_own_dates(tmp_path: Path) -> None:
    assert dates(tmp_path, answered(0), answered(40), answered(5)) == [[0], [40], [5, 40]]


@pytest.mark.parametrize(
    ("now", "recent"), [(-30, False), (-29.99, True), (29.99, True), (30, False), (70, False),
                        (70.01, True), (129.99, True), (130, False)],
)  # fmt: skip
def test_any_date_within_thirty_days_makes_an_entry_recent(now: float, recent: bool) -> None:
    entry = Entry(FIRST, "small", "1", Charge(1.0), [])
    entry.dates.append(FIRST + 100 * DAY)
    assert entry.is_recent(FIRST + now * DAY) is recent


@pytest.mark.parametrize(("ahead", "noted"), [(30 - SECOND, 0), (30, 1), (36500, 1)])
def test_the_clock_is_written_down_once_when_entries_lie_far_ahead(
    ahead: float, noted: int, device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    clock.now += ahead * DAY
    device().answer(VALUES)
    clock.now -= ahead * DAY
    for number in (2, 3):
        server.open_round("small", str(number))
        assert device().answer(VALUES).accepted
    lines = (tmp_path / "harmony" / "ledger.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    assert [line for line in found if line["event"] == "clock"] == noted * [
        {"at": timestamp(clock.now), "event": "clock"}
    ]


def test_a_clock_that_ran_ahead_blocks_a_device_for_thirty_days(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    clock.now += 36500 * DAY
    device(epsilon_limit=2.0).answer(VALUES)
    clock.now -= 36500 * DAY
    answered = []
    for number, days in enumerate((0, 1, 28.99, 0.01)):
        clock.now += days * DAY
        server.open_round("small", f"r{number}")
        answered.append(len(device(epsilon_limit=2.0).answer(VALUES).answered))
    assert answered == [1, 0, 0, 1]
