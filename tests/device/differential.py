"""Random surveys, steps and values, with the report bytes that the Python SDK makes of them.

    python -m tests.device.differential SEED COUNT > cases.ndjson

writes JSON lines: `{"survey": ...}` or `{"step": ...}`, then its cases, each with `seed` (of a
survey's round), `device`, `tier`, `values`, the `random` bytes that are drawn and the `report`.  An
SDK in another language passes if it makes the same report of every case.  In `values`,
`{"special": "nan"}` and `{"special": "infinity"}` stand for what JSON cannot write.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterator
from typing import Any

from harmony_device import Step, Survey, make_report
from harmony_device.report import ask, randomise

from .random_documents import random_step, random_survey

CASES_A_DOCUMENT = 40
STEPS = 5
"""One document in so many is a step."""

Document = dict[str, Any]

SPECIAL = {"nan": math.nan, "infinity": math.inf}
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 0.5, -0.0, 1e-300, 1e300, 2**53, 2**60, 10**30, 10**350, "", "1",
    "true", "a", "größer", "😀", [], {}, [1], {"a": 1}, {"special": "nan"}, {"special": "infinity"},
)  # fmt: skip


def cases(seed: int, count: int) -> Iterator[Document]:
    """Yield the lines, so many of them cases; the same for the same seed."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        step = rng.randrange(STEPS) == 0
        document = random_step(rng) if step else random_survey(rng)
        yield {"step" if step else "survey": document}
        for _ in range(min(CASES_A_DOCUMENT, count - made)):
            yield step_case(rng, document) if step else survey_case(rng, document)
            made += 1


def survey_case(rng: random.Random, document: Document) -> Document:
    survey = Survey(document)
    seed, device, tier = rng.randbytes(16), rng.randbytes(16), rng.randrange(len(survey.tiers))
    values = values_of(rng, document["attributes"])
    drawn = random_bytes(rng, 16 * survey.answers)
    report = make_report(survey, seed, device, tier, usable(values), Drawn(drawn))
    return {
        "seed": seed.hex(), "device": device.hex(), "tier": tier, "values": values,
        "random": drawn.hex(), "report": report.hex(),
    }  # fmt: skip


def step_case(rng: random.Random, document: Document) -> Document:
    step = Step(document)
    device = rng.randbytes(16)
    values = values_of(rng, [*document["features"], document["label"]])
    drawn = random_bytes(rng, 8 + 16 * step.survey.answers)
    source = Drawn(drawn)
    answers = step.read(usable(values), source)
    asked = ask(step.survey, step.seed, device, 0)
    report = randomise(step.survey, device, 0, answers, asked, source)
    return {
        "device": device.hex(), "tier": 0, "values": values,
        "random": drawn.hex(), "report": report.hex(),
    }  # fmt: skip


class Drawn:
    """Random bytes that were chosen before."""

    def __init__(self, content: bytes) -> None:
        self._left = content

    def __call__(self, count: int) -> bytes:
        drawn, self._left = self._left[:count], self._left[count:]
        return drawn


def random_bytes(rng: random.Random, count: int) -> bytes:
    """Return random bytes, now and then the least or the greatest of all."""
    return (
        rng.choice([bytes(count), b"\xff" * count]) if rng.random() < 0.05 else rng.randbytes(count)
    )


def values_of(rng: random.Random, attributes: list[Document]) -> Document:
    """Return a value for most of what is read: one that is asked for, or anything."""
    values: Document = {}
    for attribute in (part for one in attributes for part in one.get("of", [one])):
        chance = rng.random()
        if chance < 0.1:
            continue
        name = attribute.get("reads") or attribute["name"]
        values[name] = rng.choice(ODD) if chance < 0.3 else value_of(rng, attribute)
    return values


def value_of(rng: random.Random, attribute: Document) -> Any:
    if attribute["kind"] == "categorical":
        value = rng.choice(attribute["values"])
        return float(value) if type(value) is int and rng.random() < 0.3 else value
    low, high = attribute["low"], attribute["high"]
    edges = [low, high, *(attribute.get("bins") or [])]
    if rng.random() < 0.3:
        return rng.choice(edges)
    reach = high - low
    return low + rng.uniform(-0.2, 1.2) * reach


def usable(values: Document) -> Document:
    """Return values as an app gives them."""
    return {
        name: SPECIAL[value["special"]] if isinstance(value, dict) and "special" in value else value
        for name, value in values.items()
    }


def write(seed: int, count: int, file: Any) -> None:
    """Write the lines to a text file."""
    for line in cases(seed, count):
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    write(int(sys.argv[1]), int(sys.argv[2]), sys.stdout)
