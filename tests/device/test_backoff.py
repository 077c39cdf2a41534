"""How long a device leaves a server alone, and how long a visit waits for another attempt."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harmony_device import Device
from harmony_device.backoff import Backoff, Pauses

from .conftest import VALUES, Clock
from .fake_server import DirectTransport, FakeServer

Start = Callable[..., Device]
HOUR, DAY = 3600.0, 86400.0


@pytest.mark.parametrize(
    ("random", "share"), [(b"\x00", 0.5), (b"\xff", 1.0 - 2**-33)], ids=["shortest", "longest"]
)
def test_pauses_double_up_to_an_hour_and_are_shortened_by_up_to_half(
    random: bytes, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "urandom", lambda count: random * count)
    backoff = Backoff(str(tmp_path))
    pauses = [backoff.failed(1e9, None) for _ in range(14)]
    assert pauses == [min(2.0 * 2**place, HOUR) * share for place in range(14)]


def test_thousands_of_failures_do_not_overflow(tmp_path: Path) -> None:
    (tmp_path / "backoff.txt").write_text("5000 1e9 60\n")
    assert HOUR / 2 <= Backoff(str(tmp_path)).failed(1e9, None) <= HOUR


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [(0.0, 1, 2), (100.0, 100, 100), (DAY, DAY, DAY), (DAY + 1, DAY, DAY), (1e12, DAY, DAY)],
)
def test_a_server_may_ask_to_be_left_alone_for_a_day(
    asked: float, least: float, most: float, tmp_path: Path
) -> None:
    backoff = Backoff(str(tmp_path))
    assert least <= backoff.failed(1e9, asked) <= most
    assert backoff.told(1e9, asked) == min(asked, DAY)


def test_a_pause_runs_down_and_ends(tmp_path: Path) -> None:
    backoff = Backoff(str(tmp_path))
    assert backoff.remaining(1e9) == 0.0
    backoff.told(1e9, 100.0)
    times = [1e9, 1e9 + 40, 1e9 + 100, 1e9 + 101]
    assert [backoff.remaining(now) for now in times] == [100.0, 60.0, 0.0, 0.0]


def test_a_clock_that_is_set_back_prolongs_nothing(tmp_path: Path) -> None:
    backoff = Backoff(str(tmp_path))
    backoff.told(1e9, 100.0)
    assert backoff.remaining(0.0) == 100.0


def test_a_pause_on_disk_is_a_day_at_most(tmp_path: Path) -> None:
    (tmp_path / "backoff.txt").write_text("1 9e9 1e12\n")
    assert Backoff(str(tmp_path)).remaining(1e9) == DAY


def test_a_success_forgets_past_failures(tmp_path: Path) -> None:
    backoff = Backoff(str(tmp_path))
    for _ in range(5):
        backoff.failed(1e9, None)
    backoff.succeeded()
    assert backoff.remaining(1e9) == 0.0
    assert 1 <= backoff.failed(1e9, None) <= 2
    assert [path.name for path in tmp_path.iterdir()] == ["backoff.txt"]


def test_each_training_has_a_pause_of_its_own(tmp_path: Path) -> None:
    pauses = Pauses(str(tmp_path))
    pauses.of("charging").told(1e9, 60.0)
    pauses.of("income").told(1e9, 90.0)
    Backoff(str(tmp_path)).told(1e9, 30.0)
    pauses.keep_only({"income"})
    remaining = [pauses.of(name).remaining(1e9) for name in ("charging", "income")]
    assert (remaining, Backoff(str(tmp_path)).remaining(1e9)) == ([0.0, 90.0], 30.0)


@pytest.mark.parametrize("patience", [1.5, 10.0, 100.0])
def test_a_visit_never_waits_longer_than_its_patience(
    patience: float, device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [503] * 100
    visit = device().answer(VALUES, patience=patience)
    waited = sum(clock.slept)
    assert waited <= patience
    assert visit.next_attempt is not None
    assert waited + visit.next_attempt > patience


def test_a_pause_of_exactly_the_patience_is_waited_for(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [(503, {"Retry-After": "50"})]
    assert device().answer(VALUES, patience=50.0).accepted
    assert clock.slept == [50.0]


def test_a_visit_that_goes_well_forgets_the_trouble_before(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    server.faults = [503]
    visit = device().answer(VALUES, patience=10.0)
    assert (visit.trouble, visit.next_attempt) == (None, None)
    assert not (tmp_path / "harmony" / "backoff.txt").exists()


def test_sending_waits_as_patiently_as_answering(
    device: Start, server: FakeServer, transport: DirectTransport, clock: Clock
) -> None:
    server.faults = [None, None, None, "lost request"]
    device().answer(VALUES)
    server.faults = [503]
    assert device().send(patience=60.0).accepted == [("small", "1")]
    assert len(clock.slept) == 2
