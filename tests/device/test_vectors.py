"""The Python SDK passes the vectors that every SDK must pass."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from harmony_device import AnswerError, RefusedError, Survey, make_report
from harmony_device.attributes import Histogram
from harmony_device.codes import GridCode, LinearCode
from harmony_device.coins import Draws, assign, siphash24
from harmony_device.report import ask, randomise
from harmony_device.step import Step
from harmony_device.tables import table_from_document

from .conftest import vectors

COINS, CODES, TABLES = vectors("coins"), vectors("codes"), vectors("tables")
REPORTS, REFUSED, STEPS = vectors("reports"), vectors("refused"), vectors("steps")


@pytest.mark.parametrize("case", COINS["siphash"])
def test_siphash_words(case: dict[str, Any]) -> None:
    word = siphash24(bytes.fromhex(case["key"]), bytes.fromhex(case["message"]))
    assert f"{word:016x}" == case["word"]


@pytest.mark.parametrize("case", COINS["draws"])
def test_draws_come_in_order(case: dict[str, Any]) -> None:
    draws = Draws(bytes.fromhex(case["seed"]), bytes.fromhex(case["device"]))
    assert [draws.below(bound) for bound in case["bounds"]] == case["draws"]


@pytest.mark.parametrize("case", COINS["assignments"])
def test_a_device_is_asked_what_the_coin_says(case: dict[str, Any]) -> None:
    seed, device = bytes.fromhex(case["seed"]), bytes.fromhex(case["device"])
    assigned = assign(seed, device, case["weights"], case["rows"], case["answers"])
    assert [list(pair) for pair in assigned] == case["assigned"]


@pytest.mark.parametrize("case", CODES["grid"])
def test_numbers_round_to_grid_points(case: dict[str, Any]) -> None:
    word = int(case["word"], 16)
    index = GridCode(case["points"]).index(case["value"], case["low"], case["high"], word)
    assert index == case["index"]


@pytest.mark.parametrize("code", CODES["linear"])
def test_values_hash_to_indices(code: dict[str, Any]) -> None:
    shape = code["values"], code["base"], code["digits"], code["multipliers"]
    linear = LinearCode(*shape, signed=code.get("signed", False))
    assert linear.rows == code["rows"]
    for case in code["cases"]:
        assert linear.index(case["value"], case["row"]) == case["index"], case


@pytest.mark.parametrize("case", CODES["bins"])
def test_numbers_fall_into_bins(case: dict[str, Any]) -> None:
    edges = case["edges"]
    attribute = Histogram({"name": "n", "low": edges[0], "high": edges[-1], "bins": edges})
    assert attribute.read(case["value"]) == case["place"]


@pytest.mark.parametrize("case", TABLES["tables"])
def test_words_walk_to_symbols(case: dict[str, Any]) -> None:
    table = table_from_document(case["table"])
    for one in case["cases"]:
        assert table.walk(one["index"], int(one["word"], 16) >> 11) == one["symbol"], one


@pytest.mark.parametrize("case", REPORTS["reports"])
def test_whole_reports(case: dict[str, Any]) -> None:
    random = bytes.fromhex(case["random"])
    survey = Survey(REPORTS["surveys"][case["survey"]])
    report = make_report(
        survey, bytes.fromhex(case["seed"]), bytes.fromhex(case["device"]), case["tier"],
        case["values"], lambda count: random[:count],
    )  # fmt: skip
    assert report.hex() == case["report"]
    assert len(report) == survey.report_bytes


@pytest.mark.parametrize("case", REPORTS["unusable"], ids=lambda case: case["why"])
def test_unusable_values_are_refused_without_showing_them(case: dict[str, Any]) -> None:
    survey = Survey(REPORTS["surveys"][case["survey"]])
    with pytest.raises(AnswerError, match=f"^{case['attribute']}: ") as refusal:
        survey.read(case["values"])
    value = case["values"][case["attribute"]]
    assert value is None or str(value) not in str(refusal.value)
    assert refusal.value.__context__ is None


@pytest.mark.parametrize("case", REFUSED["refused"], ids=lambda case: case["why"])
def test_surveys_that_break_their_promise_are_refused(case: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as refusal:
        Survey(case["survey"])
    assert case["field"] in str(refusal.value)


@pytest.mark.parametrize("case", REFUSED["taken"], ids=lambda case: case["why"])
def test_surveys_that_keep_it_are_taken(case: dict[str, Any]) -> None:
    assert Survey(case["survey"]).name == case["survey"]["name"]


@pytest.mark.parametrize("case", STEPS["reports"])
def test_a_step_is_derived_and_reported(case: dict[str, Any]) -> None:
    step = Step(STEPS["step"])
    device, random = bytes.fromhex(case["device"]), bytes.fromhex(case["random"])
    answers = step.read(case["record"], lambda count: random[:count])
    assert answers == step.survey.read(case["values"])
    asked = ask(step.survey, step.seed, device, 0)
    report = randomise(step.survey, device, 0, answers, asked, lambda count: random[8:][:count])
    assert report.hex() == case["report"]


@pytest.mark.parametrize("case", STEPS["refused"], ids=lambda case: case["why"])
def test_a_step_that_must_be_refused_is(case: dict[str, Any]) -> None:
    document = place = copy.deepcopy(STEPS["step"])
    for one in case["path"][:-1]:
        place = place[one]
    place[case["path"][-1]] = case["value"]
    with pytest.raises(RefusedError) as refusal:
        Step(document)
    assert case["field"] in str(refusal.value)
