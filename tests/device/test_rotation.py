"""Rotation: one round of every T, whatever numbers a server makes up."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device, RefusedError, Step, Survey
from harmony_device.ledger import Entry, Ledger
from harmony_device.limits import Charge
from harmony_device.rotation import place_of, turn_objection

from .conftest import VALUES, Clock, small_survey
from .fake_server import FakeServer
from .steps import step_document

Start = Callable[..., Device]


@pytest.fixture
def server() -> FakeServer:
    return FakeServer(small_survey(every=4))


def answered_numbers(server: FakeServer, device: Start, numbers: list[int]) -> list[int]:
    """Offer rounds of these numbers, one after the other; return those that were answered."""
    answered = []
    for offered, number in enumerate(numbers):
        server.open_round("small", f"r{offered}", number)
        if device().answer(VALUES).answered:
            answered.append(number)
    return answered


def test_a_device_answers_one_of_every_four_rounds_at_its_place(
    server: FakeServer, device: Start
) -> None:
    answered = answered_numbers(server, device, list(range(20)))
    fingerprint = bytes.fromhex(server.fingerprints()["small"])
    place = place_of(fingerprint[16:], bytes.fromhex(next(iter(server.devices))), 4)
    assert answered == list(range(place, 20, 4))


def test_the_skipped_rounds_say_when_it_is_this_devices_turn(
    server: FakeServer, device: Start
) -> None:
    server.open_round("small", "x", 0)
    device().answer(VALUES)
    place = place_of(
        bytes.fromhex(server.fingerprints()["small"])[16:],
        bytes.fromhex(next(iter(server.devices))), 4,
    )  # fmt: skip
    number = 100 + (place + 1) % 4
    server.open_round("small", "y", number)
    said = device().answer(VALUES).skipped["small"]
    following = next(n for n in range(number, number + 4) if n % 4 == place)
    assert said == f"not this device's turn: it answers round {following}, and every 4th"


def test_places_are_spread_evenly() -> None:
    """Chi-squared over 4 places: false alarms 1e-6."""
    rng = random.Random(20)
    seed = rng.randbytes(16)
    counts = [0] * 4
    for _ in range(40_000):
        counts[place_of(seed, rng.randbytes(16), 4)] += 1
    assert sum((one - 10_000) ** 2 / 10_000 for one in counts) < 30.7


def test_numbers_that_lie_never_get_two_reports_within_four(
    server: FakeServer, device: Start
) -> None:
    """A server repeats numbers, goes back and jumps as it likes."""
    rng = random.Random(20)
    numbers = [rng.choice([rng.randrange(12), rng.randrange(60), 2**53 - 1]) for _ in range(150)]
    answered = answered_numbers(server, device, numbers)
    assert len(answered) > 5
    ordered = sorted(answered)
    assert all(later - earlier >= 4 for earlier, later in itertools.pairwise(ordered))


def test_a_round_without_a_number_is_skipped(server: FakeServer, device: Start) -> None:
    visit = device().answer(VALUES)
    assert "no number" in visit.skipped["small"]


@pytest.mark.parametrize("number", [-1, 0.5, "3", True, 2**53, [3]])
def test_a_round_whose_number_is_none_is_passed_over(
    number: Any, server: FakeServer, device: Start
) -> None:
    server.open_round("small", "x", number)
    visit = device().answer(VALUES)
    assert (visit.answered, visit.skipped) == ([], {})


def test_the_ledger_keeps_the_number_also_of_a_survey_without_rotation(
    server: FakeServer, device: Start, tmp_path: Path
) -> None:
    server.publish(small_survey(), "x", 17)
    assert device().answer(VALUES).answered
    line = json.loads((tmp_path / "harmony" / "ledger.jsonl").read_text().splitlines()[0])
    assert line["number"] == 17
    assert device().ledger()[0].number == 17


def test_merged_ledgers_keep_the_numbers_of_both(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    for number in (3, 9):
        ledger.charge(1.8e9, "small", "a", Charge(1.0), ["x"], number)
    assert [entry.number for entry in ledger.entries()] == [3, 9]
    for number in range(13):
        near = abs(number - 3) < 4 or abs(number - 9) < 4
        objection = turn_objection("small", number, 4, number % 4, ledger.entries())
        assert (objection is not None) == near
        assert turn_objection("other", number, 4, number % 4, ledger.entries()) is None


def test_an_entry_without_a_number_is_no_neighbour() -> None:
    entry = Entry(0.0, "small", "a", Charge(1.0), [])
    assert turn_objection("small", 4, 4, 0, [entry]) is None


def test_forgetting_and_joining_again_frees_no_round(
    server: FakeServer, device: Start, clock: Clock
) -> None:
    """Each time under a new identity, and so at a new place: the ledger still counts."""
    answered = []
    for number in range(60):
        server.open_round("small", f"r{number}", number)
        if device().answer(VALUES).answered:
            answered.append(number)
            device().forget()
            device().rejoin()
            device().answer(VALUES)
    assert len(answered) > 5
    assert all(later - earlier >= 4 for earlier, later in itertools.pairwise(answered))


def test_a_device_that_was_away_waits_for_its_next_turn(server: FakeServer, device: Start) -> None:
    place = answered_numbers(server, device, list(range(4)))[0]
    assert answered_numbers(server, device, [n for n in range(4, 12) if n != place + 4]) == [
        place + 8
    ]


@pytest.mark.parametrize("every", [0, 1, 1.5, -4, "4", True, 65_537])
def test_every_is_an_integer_of_two_or_more(every: Any) -> None:
    with pytest.raises(RefusedError, match="'every' must be an integer from 2"):
        Survey(small_survey(every=every))


@pytest.mark.parametrize("every", [None, 2, 2.0, 65_536])
def test_every_may_be_left_out(every: Any) -> None:
    assert Survey(small_survey(every=every)).every == every


@pytest.mark.parametrize("more", [{"every": 4}, {"memory": 1.1, "change": 1.1}])
def test_steps_of_trainings_have_neither_rotation_nor_memory(more: dict[str, Any]) -> None:
    step = step_document()
    step["survey"] |= more
    with pytest.raises(RefusedError, match="survey: "):
        Step(step)


def test_a_survey_without_its_fingerprint_has_no_places() -> None:
    with pytest.raises(ValueError, match="needs its fingerprint"):
        Survey(small_survey(every=4)).place(bytes(16))
