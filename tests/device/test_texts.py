"""Texts: every value has a place, and whatever a server asks about them, epsilon holds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

import harmony as hm
from harmony_device import RefusedError, Survey
from harmony_device.crosstab import attribute_from_document
from harmony_device.record import Record
from harmony_device.report import ask, randomise
from harmony_device.step import Step

from .conftest import vectors

TEXTS = vectors("texts")
SPECIAL = {"nan": math.nan}
HELD: list[Any] = ["", "e", "ee", "the", "é" * 40, "\ud800", None, 3, True, math.nan, ["e"]]


def told(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: SPECIAL[value["special"]] if isinstance(value, dict) else value
        for name, value in values.items()
        if value != {"special": "absent"}
    }


class Tape:
    """Random bytes that were written down; all of them must be used."""

    def __init__(self, written: str) -> None:
        self.left = bytes.fromhex(written)

    def __call__(self, count: int) -> bytes:
        assert count <= len(self.left)
        read, self.left = self.left[:count], self.left[count:]
        return read


@pytest.mark.parametrize("case", TEXTS["reports"])
def test_a_step_of_an_exploration_is_answered_as_the_vectors_say(case: dict[str, Any]) -> None:
    step, device = Step(TEXTS["step"]), bytes.fromhex(case["device"])
    random = Tape(case["random"])
    answers = step.read(told(case["values"]), random)
    assert len(random.left) == 16, "nothing is drawn before the answer is randomised"
    asked = ask(step.survey, step.seed, device, 0)
    report = randomise(step.survey, device, 0, answers, asked, random)
    assert report.hex() == case["report"]
    assert not random.left


@pytest.mark.parametrize("case", TEXTS["refused"], ids=lambda case: case["why"])
def test_a_text_attribute_that_breaks_a_rule_is_refused(case: dict[str, Any]) -> None:
    asked = TEXTS["step"]["survey"]["attributes"][0]
    with pytest.raises(RefusedError, match=case["field"]):
        attribute_from_document(asked | case["change"])


def test_a_step_needs_the_text_and_nothing_else_decides() -> None:
    step = Step(TEXTS["step"])
    assert step.needs == [("home page", "text")]
    assert Record({"home page": str}).lack(step.needs) is None
    assert Record({"page": str}).lack(step.needs) is not None
    assert Record({"home page": float}).lack(step.needs) is not None
    places = {step.read({"home page": value}, Tape(""))[0] for value in HELD}
    assert places <= set(range(step.survey.attributes[0].values))
    assert step.read({}, Tape("")) == step.read({"home page": None}, Tape(""))
    assert step.warnings({"home page": "secret"}) == []
    (warning,) = step.warnings({"home page": 3})
    assert "3" not in warning


@pytest.mark.parametrize(
    ("prefixes", "bits", "strings"),
    [
        (["00", "11", "01"], 3, ["00"]),
        ([""], 8, []),
        ([], 0, ["00"]),  # is it exactly this one?
        (["0000000"], 1, ["11000000"]),
    ],
)
def test_whatever_prefixes_a_server_asks_about_epsilon_holds_exactly(
    prefixes: list[str], bits: int, strings: list[str]
) -> None:
    """The chance of each symbol, for each row of the code, whatever a device holds."""
    code = hm.TextCode(TEXTS["codes"]["tiny"])
    asked = hm.Text("text", bits=8, code=code).places(prefixes, bits, strings)
    survey = Survey(hm.Survey("hostile", [asked], epsilon=1.0).to_document())
    (attribute,), ((mechanism,),) = survey.attributes, survey.mechanisms
    places = {attribute.place(attribute.read(value), 0) for value in HELD}
    assert len(places) > 1
    for row in range(min(mechanism.rows, 200)):
        indices = {mechanism.code.index(place, row) for place in places}
        rows = [_chances(mechanism.table, index) for index in indices]
        for chances in zip(*rows, strict=True):
            assert max(chances) / min(chances) <= Fraction(math.e)
    assert hm.audit(hm.Survey("hostile", [asked], epsilon=1.0)).epsilon <= 1.0


def _chances(table: Any, index: int) -> list[Fraction]:
    counts = table.counts
    if table.kind == "circulant":
        counts = [counts[(symbol - index) % len(counts)] for symbol in range(len(counts))]
    else:
        counts = counts[index]
    return [Fraction(count, 1 << 53) for count in counts]


def test_a_text_is_no_part_of_a_crosstab_and_no_feature() -> None:
    text = TEXTS["step"]["survey"]["attributes"][0]
    wifi = {"name": "wifi", "kind": "categorical", "values": [False, True]}
    with pytest.raises(RefusedError, match="kind"):
        attribute_from_document({"name": "x", "kind": "crosstab", "of": [wifi, text]})
    with pytest.raises(RefusedError, match="kind"):
        Step(vectors("steps")["step"] | {"label": text})
