"""A server that explores as it likes: prefixes, codes, widths and names of its choice.

It learns what the tables let through and nothing else: whoever has which text does the same, once
for each name, within what the owner allows, and no sequence of questions beats the sum of epsilons.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import harmony as hm
from harmony_device import Device
from harmony_device.step import Step

from .conftest import Clock, vectors
from .fake_server import FakeServer
from .hostile import DIAGNOSES, WRONG, Watch, without_symbols

Document = dict[str, Any]
Start = Callable[..., Device]

RECORD = {"diagnosis": str}
LETTERS = "".join(sorted(set("".join(DIAGNOSES).lower())))
CODES: list[Document] = [
    vectors("texts")["codes"]["tiny"],
    hm.TextCode.uniform(LETTERS).contexts,
    {"": ["\x03", "\x1b"]},  # only the empty text is short
    {"": ["h", "i", "v", "\x03\x1b"]},  # made for one text
]
HELD: tuple[Any, ...] = (
    *DIAGNOSES, *WRONG, "hiv" * 30, "\ud800", "\x00" * 99, " \t", "\U0010ffff", "x" * 100_000,
)  # fmt: skip


def exploring(rng: random.Random, name: str = "x", number: int = 1, **survey: Any) -> Document:
    """A step that asks about prefixes and strings, often those of the texts that people have."""
    code = rng.choice(CODES)
    length = rng.choice([1, 2, 7, 16, 48, 64])
    aimed = [hm.TextCode(code).bits(text, length) for text in DIAGNOSES]
    depth = rng.randrange(length)
    drawn = [format(rng.getrandbits(depth), f"0{depth}b") if depth else "" for _ in range(4)]
    prefixes = sorted({*drawn, *(one[:depth] for one in aimed)})
    chosen = rng.sample(prefixes, rng.randrange(len(prefixes) + 1))
    bits = rng.randrange(min(length - depth, 9) + 1) if chosen else 0
    strings = rng.sample(sorted(set(aimed)), rng.randrange(len(set(aimed)) + 1))
    if not chosen and not strings:
        strings = aimed[:1]
    asked = {
        "name": rng.choice(["diagnosis", "what else"]), "reads": "diagnosis", "kind": "text",
        "code": code, "length": length, "prefixes": chosen, "bits": bits, "strings": strings,
        **rng.choice([{}, {"missing": "hiv"}, {"missing": ""}]),
    }  # fmt: skip
    places = (len(chosen) << bits) + len(strings) + 1
    return step_of([with_table(asked, places)], rng, name, number, **survey)


def with_table(asked: Document, places: int) -> Document:
    """The attribute with the shortest code of so many places, which tells a bit of the place."""
    digits = max(1, (places - 1).bit_length())
    mechanism = {"code": "linear", "base": 2, "digits": digits, "multipliers": [1], "table": 0}
    return {**asked, "coin": 1, "mechanisms": [mechanism]}


def step_of(
    attributes: list[Document], rng: random.Random, name: str, number: int, epsilon: float = 1.0
) -> Document:
    likely = int(Fraction(math.exp(epsilon) / (1 + math.exp(epsilon))) * 2**53 * (1 - 2**-40))
    survey = {
        "format": "harmony-survey/1", "name": f"{name}.step-{number}", "epsilon": epsilon,
        "answers": 1, "attributes": attributes,
        "tables": [{"kind": "circulant", "counts": [likely, 2**53 - likely]}],
    }  # fmt: skip
    seed = rng.randbytes(16).hex()
    return {
        "format": "harmony-step/1", "training": name, "step": number, "survey": survey,
        "round": {"label": f"{name}:{number}", "seed": seed},
    }  # fmt: skip


def test_nobody_can_be_told_from_anybody_by_how_they_explore(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """74 people, each with 6 explorations: 444 chances to keep silent, or to do otherwise."""
    rng, visit = random.Random(21), Watch(tmp_path, clock, monkeypatch)
    for _ in range(2):
        steps = [exploring(rng, f"exploration-{number}") for number in range(6)]
        expected = without_symbols(visit({}, [], steps))
        assert len(expected["answered"]) == len(steps)
        assert expected["trouble"] is None
        for held in HELD:
            found = without_symbols(visit({"diagnosis": held}, [], steps))
            assert found == expected, (held, steps)


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


def test_whatever_changes_between_steps_a_device_answers_once(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    """Prefixes, widths, codes, seeds, labels, epsilons and attributes change; the name does not."""
    rng = random.Random(3)
    for number in range(1, 60):
        server.train(exploring(rng, "pages", rng.choice([1, number]), epsilon=rng.choice([1, 2])))
        if rng.random() < 0.2:
            server.close_round("pages")
        device(record=RECORD, epsilon_limit=500.0).answer({"diagnosis": "HIV"})
        clock.now += 86_400
    assert len({report for _, _, report in server.seen}) == 1
    assert len(device(record=RECORD).ledger()) == 1


def test_many_explorations_spend_no_more_than_the_owner_allows(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    """All at once, and then again, also under the names and labels of others."""
    rng = random.Random(4)
    for attempt in range(3):
        for number in range(40):
            step = exploring(rng, f"exploration-{number}-{attempt * (number % 2)}")
            step["round"]["label"] = rng.choice(["1", "charging:1", step["round"]["label"]])
            server.train(step)
        device(record=RECORD, epsilon_limit=7.0).answer({"diagnosis": "HIV"})
        clock.now += 60
    entries = device(record=RECORD).ledger()
    assert sum(entry.epsilon for entry in entries) <= 7.0
    assert len({entry.survey for entry in entries}) == len(entries) == 7
    assert len({(name, report) for name, _, report in server.seen}) == 7


def lying(step: Document, lie: str) -> tuple[Document, Document]:
    """What the server lists, and the step that it hands out."""
    listed = {"name": step["training"], "epsilon": step["survey"]["epsilon"]}
    if lie == "a smaller epsilon":
        listed["epsilon"] = 0.01
    elif lie == "the name of another":
        step = {**step, "training": "another"}
    elif lie == "more than its epsilon":
        step["survey"]["tables"][0]["counts"] = [2**53 - 1, 1]
    elif lie == "two answers with the epsilon of one":
        again = {**step["survey"]["attributes"][0], "name": "again"}
        step["survey"] |= {"answers": 2, "attributes": [*step["survey"]["attributes"], again]}
    elif lie == "a table with a chance of 0":
        step["survey"]["tables"][0]["counts"] = [2**53, 0]
    elif lie == "fewer digits than places need":
        step["survey"]["attributes"][0]["mechanisms"][0]["digits"] = 1
        step["survey"]["attributes"][0] |= {"length": 8, "prefixes": [""], "bits": 8, "strings": []}
    return listed, step


@pytest.mark.parametrize(
    "lie",
    ["a smaller epsilon", "the name of another", "more than its epsilon",
     "two answers with the epsilon of one", "a table with a chance of 0",
     "fewer digits than places need"],
)  # fmt: skip
def test_a_server_that_lies_is_not_answered(lie: str, device: Start, server: FakeServer) -> None:
    listed, step = lying(exploring(random.Random(5)), lie)
    server.train(step)
    server.trainings, server.tasks = [listed], {listed["name"]: step}
    visit = device(record=RECORD, epsilon_limit=100.0).answer({"diagnosis": "HIV"})
    assert visit.answered == []
    assert list(visit.skipped) == [listed["name"]]
    assert "HIV" not in visit.skipped[listed["name"]]
    assert device(record=RECORD).ledger() == []


def test_questions_that_follow_each_other_learn_no_more_than_the_sum_of_epsilons() -> None:
    """A server spells a text bit by bit, each question chosen by all answers before it.

    Exact: the chance of every sequence of four answers, for every text that somebody may hold.
    """
    steps: dict[tuple[int, ...], Step] = {}

    def question(answers: tuple[int, ...]) -> Step:
        """Ask for the next bit after those that were likeliest, with a seed of its own."""
        if answers not in steps:
            rng = random.Random(repr(answers))
            prefix = "".join(map(str, answers))
            asked = {"name": "diagnosis", "kind": "text", "code": CODES[3], "length": 8,
                     "prefixes": [prefix], "bits": 1, "strings": ["11"]}  # fmt: skip
            steps[answers] = Step(step_of([with_table(asked, 4)], rng, f"x-{prefix}", 1, 0.5))
        return steps[answers]

    def chances(held: object, answers: tuple[int, ...] = ()) -> dict[tuple[int, ...], Fraction]:
        if len(answers) == 4:
            return {answers: Fraction(1)}
        survey = question(answers).survey
        ((mechanism,),) = survey.mechanisms
        place = survey.read({"diagnosis": held})[0]
        index = mechanism.code.index(place, len(answers) % mechanism.rows)
        told = {}
        for symbol in (0, 1):
            here = Fraction(mechanism.table.counts[(symbol - index) % 2], 2**53)
            for path, chance in chances(held, (*answers, symbol)).items():
                told[path] = here * chance
        return told

    seen = [chances(held) for held in HELD]
    ratios = [max(one[path] for one in seen) / min(one[path] for one in seen) for path in seen[0]]
    assert all(sum(one.values()) == 1 for one in seen)
    assert 1 < max(ratios) <= Fraction(math.exp(4 * 0.5)) * (1 + Fraction(1, 2**50))
