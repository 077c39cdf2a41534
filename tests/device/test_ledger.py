"""The ledger counts every epsilon that was spent, and stops everything when it cannot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device, LedgerError
from harmony_device.ledger import Ledger, read_timestamp, timestamp

from .conftest import VALUES, Clock
from .fake_server import FakeServer

Start = Callable[..., Device]

ANSWERED: dict[str, Any] = {
    "at": "2027-01-15T08:00:00Z", "event": "answered", "survey": "small", "round": "1",
    "epsilon": 1.0, "asked": ["wifi"],
}  # fmt: skip


def write(directory: Path, *lines: object) -> Ledger:
    """Write a ledger of these lines."""
    directory.mkdir(exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (directory / "ledger.jsonl").write_text(text)
    return Ledger(str(directory))


def test_two_ledgers_that_were_merged_count_both(tmp_path: Path) -> None:
    """Two copies of a device answered the same round: together they spent twice."""
    ledger = write(tmp_path, ANSWERED, {**ANSWERED, "epsilon": 0.5, "asked": ["age"]})
    assert [(one.epsilon, one.asked) for one in ledger.entries()] == [
        (1.0, ANSWERED["asked"]),
        (0.5, ["age"]),
    ]


def test_news_of_a_round_in_two_ledgers_is_told_of_both(tmp_path: Path) -> None:
    noted = {"at": ANSWERED["at"], "event": "accepted", "survey": "small", "round": "1"}
    ledger = write(tmp_path, ANSWERED, ANSWERED, noted)
    assert [entry.state for entry in ledger.entries()] == ["accepted", "accepted"]


def test_a_merged_ledger_leaves_less_to_spend(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    write(tmp_path / "harmony", ANSWERED, ANSWERED)
    server.open_round("small", "2")
    assert device(epsilon_limit=2.9).answer(VALUES).skipped == {
        "small": "per_30_days: 2 spent and 1 asked, the limit is 2.9"
    }
    assert device(epsilon_limit=3.0).answer(VALUES).accepted


def test_entries_come_in_the_order_in_which_they_were_answered(tmp_path: Path) -> None:
    labels = ["9", "1", "5"]
    ledger = write(tmp_path, *({**ANSWERED, "round": label} for label in labels))
    assert [entry.round for entry in ledger.entries()] == labels


def test_what_became_of_a_report_is_told_of_its_own_round(tmp_path: Path) -> None:
    other = {**ANSWERED, "round": "2"}
    noted = {"at": ANSWERED["at"], "event": "accepted", "survey": "small", "round": "1"}
    ledger = write(tmp_path, ANSWERED, other, noted)
    assert [entry.state for entry in ledger.entries()] == ["accepted", "waiting"]


def test_news_of_a_report_from_before_the_ledger_was_started_anew_is_passed_over(
    tmp_path: Path,
) -> None:
    noted = {"at": ANSWERED["at"], "event": "accepted", "survey": "old", "round": "1"}
    assert [entry.survey for entry in write(tmp_path, noted, ANSWERED).entries()] == ["small"]


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": "much"},
        {"epsilon": None},
        {"epsilon": float("nan")},
        {"epsilon": 10**399},
        {"at": "yesterday"},
        {"at": 7},
        {"asked": 7},
        {"survey": ["small"]},
        {"survey": 7},
        {"round": None},
    ],
)
def test_a_line_that_does_not_say_what_was_spent_stops_everything(
    change: dict[str, Any], tmp_path: Path
) -> None:
    ledger = write(tmp_path, ANSWERED, {**ANSWERED, "round": "2", **change})
    with pytest.raises(LedgerError, match=r"ledger.jsonl, line 2: damaged"):
        ledger.entries()


@pytest.mark.parametrize("field", ["at", "event", "survey", "round", "epsilon", "asked"])
def test_a_line_that_lacks_a_field_stops_everything(field: str, tmp_path: Path) -> None:
    ledger = write(tmp_path, {name: one for name, one in ANSWERED.items() if name != field})
    with pytest.raises(LedgerError, match="line 1: damaged"):
        ledger.entries()


def test_a_line_that_is_nested_too_deeply_stops_everything(tmp_path: Path) -> None:
    (tmp_path / "ledger.jsonl").write_bytes(b"[" * 100_000 + b"\n")
    with pytest.raises(LedgerError, match="line 1: damaged"):
        Ledger(str(tmp_path)).entries()


def test_a_withdrawal_is_written_down_once_and_frees_nothing(
    device: Start, clock: Clock, tmp_path: Path
) -> None:
    device().answer(VALUES)
    clock.now += 60
    for _ in range(2):
        device().forget()
    lines = (tmp_path / "harmony" / "ledger.jsonl").read_text().splitlines()
    assert json.loads(lines[-1]) == {"at": "2027-01-15T08:01:00Z", "event": "forgotten"}
    assert [json.loads(line)["event"] for line in lines].count("forgotten") == 1
    assert [entry.state for entry in device().ledger()] == ["accepted"]


@pytest.mark.parametrize("at", [0.0, 1.8e9, 951827696.0])
def test_a_time_is_read_as_it_was_written(at: float) -> None:
    assert read_timestamp(timestamp(at)) == at


def test_an_entry_shows_itself(tmp_path: Path) -> None:
    line = {**ANSWERED, "epsilon": 0.25, "asked": ["wifi", "age"]}
    shown = "<Entry 2027-01-15T08:00:00Z small 1: epsilon 0.25 on wifi, age, waiting>"
    assert repr(write(tmp_path, line).entries()) == f"[{shown}]"
