"""Silence tells nothing: what a device does follows from the documents and the record alone.

A hostile server offers surveys of its choice and watches who answers, how long the answers are,
which requests come and, for the sake of argument, how many random bytes are drawn and what the
ledger says.  All of it must be the same for all people with the same record.
"""

from __future__ import annotations

import copy
import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device

from .conftest import Clock, small_survey
from .fake_server import DirectTransport, FakeServer, serving
from .steps import step_document

RECORD: dict[str, type] = {
    "age": int,
    "diagnosis": str,
    "charging": bool,
    "battery": float,
    "theme": str,
}
DIAGNOSES = ("none", "asthma", "flu", "größer", "HIV")
WRONG: tuple[Any, ...] = (
    None,
    math.nan,
    math.inf,
    -math.inf,
    "",
    "71",
    "true",
    True,
    False,
    0,
    -0.0,
    1,
    1.0,
    0.5,
    2**53,
    10**400,
    -1,
    b"flu",
    [],
    {},
    object(),
    (1,),
    1j,
    "fl",
    "flu ",
    "FLU",
)


def two_values(name: str, values: list[Any], epsilon: float = 1e-4, **more: Any) -> dict[str, Any]:
    """A survey with one attribute of two values, whose table keeps nearly nothing back."""
    half = 1 << 52
    return {
        "format": "harmony-survey/1",
        "name": name,
        "epsilon": epsilon,
        "answers": 1,
        "attributes": [
            {
                "name": "diagnosis",
                "kind": "categorical",
                "values": values,
                "coin": 1,
                **more,
                "mechanisms": [
                    {"code": "linear", "base": 2, "digits": 1, "multipliers": [1], "table": 0}
                ],
            },
        ],
        "tables": [{"kind": "circulant", "counts": [half + 1, half - 1]}],
    }


def hostile_documents(rng: random.Random) -> list[dict[str, Any]]:
    """One survey for each possible value, in every form that might make someone keep silent."""
    documents = []
    for place, value in enumerate(DIAGNOSES):
        more = rng.choice([{}, {"missing": value}, {"unlisted": value}])
        documents.append(two_values(f"is-{place}", [value, "no such thing"], **more))
    for place in range(5):
        age = rng.randrange(120)
        survey = two_values(f"age-{place}", [age, -1 - age])
        survey["attributes"][0]["name"] = "age"
        documents.append(survey)
    charging = two_values("is-charging", [False, True])
    charging["attributes"][0]["name"] = "charging"
    number, bins = small_survey(name="number"), small_survey(name="bins")
    number["attributes"] = [{**number["attributes"][0], "name": "battery", "high": rng.random()}]
    bins["attributes"] = [{**bins["attributes"][2], "name": "age"}]
    outside = two_values("outside", [1, 2])
    outside["attributes"][0]["name"] = "age of the neighbour"
    wrong = two_values("wrong-type", [1, 2])
    two_types = two_values("two-types", ["none", "flu"])
    two_types["attributes"].append(
        {**two_types["attributes"][0], "name": "b", "reads": "diagnosis", "values": [0, 1]}
    )
    return [
        *documents, charging, number, bins, *(pairs(rng, place) for place in range(5)),
        outside, wrong, two_types,
    ]  # fmt: skip


def pairs(rng: random.Random, number: int) -> dict[str, Any]:
    """A crosstab of two values of each of two things, with stand-ins or without."""
    value, age = rng.choice(DIAGNOSES), rng.randrange(1, 119)
    stand_ins = rng.choice([{}, {"missing": value}, {"unlisted": value}])
    parts: list[dict[str, Any]] = [
        {"name": "of", "reads": "diagnosis", "kind": "categorical", "values": [value, "-"]},
        {"name": "age", "kind": "numeric", "low": 0, "high": 120, "bins": [0, age, 120]},
        {"name": "charging", "kind": "categorical", "values": [False, True]},
        {"name": "battery", "kind": "numeric", "low": 0, "high": rng.random(), "points": 2},
    ]
    parts[0] |= stand_ins
    survey = two_values(f"pair-{number}", ["-", "+"])
    attribute = survey["attributes"][0]
    attribute |= {"kind": "crosstab", "of": rng.sample(parts, 2)}
    attribute["mechanisms"][0]["digits"] = 2
    return survey


def people(rng: random.Random) -> dict[str, Any]:
    """Someone whose values are all there, or wrong in any way."""
    values: dict[str, Any] = {
        "age": rng.randrange(100),
        "diagnosis": rng.choice(DIAGNOSES),
        "charging": rng.random() < 0.5,
        "battery": rng.uniform(-10, 110),
        "theme": rng.choice(["light", "dark", "auto", "neon"]),
    }
    for name in [*values]:
        if rng.random() < 0.4:
            values[name] = rng.choice(WRONG)
        elif rng.random() < 0.2:
            del values[name]
    return values


def hostile_server(documents: list[dict[str, Any]]) -> FakeServer:
    server = FakeServer(*documents)
    server.train(step_document())
    return server


Trace = dict[str, Any]


def without_symbols(trace: Trace) -> Trace:
    """All that can be seen but what the tables randomised."""
    reports = {key: (report[:34], len(report)) for key, report in trace["reports"].items()}
    return {**trace, "reports": reports}


@pytest.fixture
def visit(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Any, list[dict[str, Any]]], Trace]:
    """Return a function that lets someone visit a server, and tells all that can be seen."""
    drawn: list[int] = []
    real, started = os.urandom, [0]
    monkeypatch.setattr(os, "urandom", lambda count: (drawn.append(count), real(count))[1])

    def run(values: Any, documents: list[dict[str, Any]]) -> Trace:
        drawn.clear()
        started[0] += 1
        server, directory = hostile_server(documents), tmp_path / str(started[0])
        device = Device(
            "https://stats.example",
            directory,
            record=RECORD,
            consent=True,
            epsilon_limit=100.0,
            transport=DirectTransport(server),
            clock=clock,
            sleep=clock.sleep,
        )
        seen = device.answer(values)
        return {
            "reports": server.reports,
            "answered": seen.answered,
            "accepted": seen.accepted,
            "skipped": seen.skipped,
            "trouble": seen.trouble,
            "requests": [
                (method, path, sorted(headers.items()), len(json.dumps(body)))
                for method, path, headers, body in server.requests
            ],
            "random bytes": list(drawn),
            "ledger": (directory / "ledger.jsonl").read_bytes(),
            "files": sorted(
                (str(path.relative_to(directory)), path.stat().st_size)
                for path in directory.rglob("*")
                if path.is_file()
            ),
        }

    return run


def test_nobody_can_be_told_from_anybody_by_what_they_do(
    visit: Callable[[Any, list[dict[str, Any]]], Trace],
) -> None:
    """650 people, each with 21 documents and a training: 14,300 chances to keep silent."""
    rng = random.Random(15)
    chances = 0
    for _ in range(13):
        documents = hostile_documents(rng)
        expected = without_symbols(visit({}, documents))
        assert len(expected["answered"]) == len(documents) - 3 + 1
        assert set(expected["skipped"]) == {"outside", "wrong-type", "two-types"}
        for _ in range(50):
            values = people(rng)
            assert without_symbols(visit(values, documents)) == expected, values
            chances += len(documents) + 1
    assert chances >= 14_000


def test_functions_that_raise_are_no_different(
    visit: Callable[[Any, list[dict[str, Any]]], Trace],
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
    visit: Callable[[Any, list[dict[str, Any]]], Trace],
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
    visit: Callable[[Any, list[dict[str, Any]]], Trace],
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
