"""A hostile server, the people who visit it, and all that it might see of them."""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device

from .conftest import Clock, small_survey
from .fake_server import DirectTransport, FakeServer
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


def hostile_server(
    documents: Sequence[dict[str, Any]], steps: Sequence[dict[str, Any]] = ()
) -> FakeServer:
    """A server with these surveys and these steps, each of a training or exploration of its own."""
    server = FakeServer(*documents)
    for step in steps or [step_document()]:
        server.train(step)
    return server


Trace = dict[str, Any]


def without_symbols(trace: Trace) -> Trace:
    """All that can be seen but what the tables randomised."""
    reports = {key: (report[:34], len(report)) for key, report in trace["reports"].items()}
    return {**trace, "reports": reports}


class Watch:
    """Lets someone visit a server, and tells all that can be seen."""

    def __init__(self, folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._clock = clock
        self._visits = 0
        self._drawn: list[int] = []
        monkeypatch.setattr(os, "urandom", self._draw)

    def _draw(self, count: int, real: Any = os.urandom) -> bytes:
        self._drawn.append(count)
        drawn: bytes = real(count)
        return drawn

    def __call__(
        self,
        values: Any,
        documents: Sequence[dict[str, Any]],
        steps: Sequence[dict[str, Any]] = (),
    ) -> Trace:
        self._drawn.clear()
        self._visits += 1
        server, directory = hostile_server(documents, steps), self._folder / str(self._visits)
        device = Device(
            "https://stats.example",
            directory,
            record=RECORD,
            consent=True,
            epsilon_limit=100.0,
            transport=DirectTransport(server),
            clock=self._clock,
            sleep=self._clock.sleep,
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
            "random bytes": list(self._drawn),
            "ledger": (directory / "ledger.jsonl").read_bytes(),
            "files": sorted(
                (str(path.relative_to(directory)), path.stat().st_size)
                for path in directory.rglob("*")
                if path.is_file()
            ),
        }
