"""Silence tells nothing: what a device does follows from the documents and the record alone.

A hostile server offers surveys of its choice and watches who answers, how long the answers are,
which requests come and, for the sake of argument, how many random bytes are drawn and what the
ledger says.  All of it must be the same for all people with the same record.
"""

from __future__ import annotations

import copy
import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device

from .conftest import Clock
from .fake_server import DirectTransport, serving
from .hostile import (
    DIAGNOSES,
    RECORD,
    Watch,
    hostile_documents,
    hostile_server,
    people,
    two_values,
    without_symbols,
)


@pytest.fixture
def visit(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(tmp_path, clock, monkeypatch)


def test_nobody_can_be_told_from_anybody_by_what_they_do(
    visit: Watch,
) -> None:
    """500 people, each with 21 documents and a training: 11,000 chances to keep silent."""
    rng = random.Random(15)
    chances = 0
    for _ in range(10):
        documents = hostile_documents(rng)
        expected = without_symbols(visit({}, documents))
        assert len(expected["answered"]) == len(documents) - 3 + 1
        assert set(expected["skipped"]) == {"outside", "wrong-type", "two-types"}
        for _ in range(50):
            values = people(rng)
            assert without_symbols(visit(values, documents)) == expected, values
            chances += len(documents) + 1
    assert chances >= 11_000


def test_functions_that_raise_are_no_different(
    visit: Watch,
) -> None:
    documents = hostile_documents(random.Random(1))

    def raising(name: str) -> object:
        raise RuntimeError(name)

    class Reluctant(dict):  # type: ignore[type-arg]
        def get(self, name: object, default: object = None) -> object:
            raise KeyError(name)

    expected = without_symbols(visit({}, documents))
    assert without_symbols(visit(raising, documents)) == expected
    assert without_symbols(visit(Reluctant(), documents)) == expected


def test_the_attack_that_learned_every_diagnosis_learns_no_more_than_chance(
    visit: Watch,
) -> None:
    """Once: one survey for each possible value, and look who answers.

    Now the attacker must read the reports.  At epsilon 0.0001 each, a diagnosis guessed from
    the most telling symbols is right as often as at random: of 200 people with five possible
    values between 12 and 72 (false alarm: fewer than one in a million).
    """
    rng, right = random.Random(7), 0
    documents = [two_values(f"is-{place}", [value, "-"]) for place, value in enumerate(DIAGNOSES)]
    for _ in range(200):
        truth = rng.choice(DIAGNOSES)
        trace = visit({"diagnosis": truth, "age": 3}, documents)
        assert len(trace["answered"]) == len(documents) + 1
        symbols = {survey: report[-2:] for (survey, _, _), report in trace["reports"].items()}
        hinted = [DIAGNOSES[place] for place in range(5) if symbols[f"is-{place}"] == "00"]
        right += rng.choice(hinted or DIAGNOSES) == truth
    assert 12 <= right <= 72


VISIT = """
import json, sys
from harmony_device import Device
url, directory, values = sys.argv[1:]
record = {"age": int, "diagnosis": str, "charging": bool, "battery": float, "theme": str}
with Device(url, directory, record=record, consent=True, epsilon_limit=9) as device:
    device.answer(json.loads(values))
"""


def test_two_processes_of_one_device_are_no_different(tmp_path: Path) -> None:
    documents = hostile_documents(random.Random(2))
    seen = []
    for number, values in enumerate(({}, {"diagnosis": "flu", "age": 3}, {"diagnosis": 7})):
        server = hostile_server(documents)
        directory = str(tmp_path / str(number))
        with serving(server) as url:
            started = [
                subprocess.Popen([sys.executable, "-c", VISIT, url, directory, json.dumps(values)])
                for _ in range(2)
            ]
            assert [process.wait(timeout=120) for process in started] == [0, 0]
        seen.append((sorted(key[:2] for key in server.reports), len(server.seen)))
    assert all(one[0] == seen[0][0] for one in seen)
    assert len(seen[0][0]) == len(documents) - 3 + 1


def test_a_label_that_is_missing_or_unlisted_takes_part(
    visit: Watch,
) -> None:
    for label in (True, None, "yes", 3, math.nan):
        trace = visit({"charging": label, "battery": 3.0, "theme": "dark"}, [])
        assert trace["answered"] == [("charging", "charging:1")]


def test_limits_and_consent_decide_before_any_value_is_read(tmp_path: Path) -> None:
    server = hostile_server([copy.deepcopy(two_values("one", ["a", "b"]))])
    read: list[str] = []

    def value_of(name: str) -> object:
        read.append(name)
        return "a"

    for options in ({"consent": False}, {"consent": True, "surveys": {}}):
        settings: dict[str, Any] = {"record": RECORD, "epsilon_limit": 1.0, **options}
        Device(
            "https://stats.example",
            tmp_path / str(options),
            transport=DirectTransport(server),
            **settings,
        ).answer(value_of)
    assert read == []
