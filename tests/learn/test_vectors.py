"""Offline trainings pass the vectors that every device SDK must pass."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import harmony as hm
from harmony.attributes import attribute_from_document
from harmony.bulk import collect
from harmony.learn import Records, Score, Step, Training
from harmony.learn.crosses import all_columns, read_features, resolved
from harmony.learn.derive import derive_columns
from harmony.learn.step import Question

STEPS = json.loads((Path(__file__).parents[2] / "device/vectors/steps.json").read_text())
EVERY = [("step", case) for case in STEPS["reports"]]
EVERY += [("extreme", case) for case in STEPS["extreme_reports"]]
EVERY += [("numeric", case) for case in STEPS["numeric_reports"]]
EVERY += [("crossed", case) for case in STEPS["crossed_reports"]]


def step_from(document: dict[str, Any]) -> Step:
    """Read a vector's step as the offline path has it."""
    label = attribute_from_document(document["label"], "label")
    features = resolved(read_features(document["features"]))
    questions = [
        Question(attribute_from_document(one, "attribute"), document["derive"][one["name"]])
        for one in document["survey"]["attributes"]
    ]
    loss = "squared" if isinstance(label, hm.Numeric) else "logistic"
    training = Training(document["training"], 1.1, loss, label, features, devices=1)
    model, direction = (
        Score.from_document(one, features)
        for one in (document["model"], document["direction"] or document["model"])
    )
    return Step(training, document["step"], "vector", tuple(questions), 1, model, direction)


def derived(document: dict[str, Any], cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the people of these cases derive, all in one table."""
    step = step_from(document)
    table = {}
    for one in (*all_columns(step.training.features), step.training.label):
        table[one.source] = np.empty(len(cases), object)
        table[one.source][:] = [case["record"].get(one.source) for case in cases]
    records = Records(table, step.training.features, step.training.label, as_devices=True)
    words = np.array([int.from_bytes(random_of(case)[:8], "little") for case in cases], np.uint64)
    with np.errstate(over="ignore"):  # scores of the extreme step are infinite
        return derive_columns(step, records, 0, len(cases), (words >> np.uint64(11)) / 2.0**53)


def survey_from(document: dict[str, Any]) -> hm.Survey:
    """Read a vector's survey, with outputs that an aggregator accepts; devices ignore them."""
    document = copy.deepcopy(document)
    for attribute in document["attributes"]:
        for mechanism in attribute["mechanisms"]:
            if "outputs" in mechanism:
                mechanism["outputs"] = [-2.0, 2.0]
    return hm.Survey.from_document(document)


def random_of(case: dict[str, Any]) -> bytes:
    return bytes.fromhex(case["random"])


@pytest.mark.parametrize("name", ["step", "extreme", "numeric", "crossed"])
def test_values_are_derived_as_on_a_device(name: str) -> None:
    cases = [case for of, case in EVERY if of == name]
    columns = derived(STEPS[name], cases)
    signed = [one["name"] for one in STEPS[name]["survey"]["attributes"] if one["kind"] == "signed"]
    for row, case in enumerate(cases):
        for attribute, value in case["values"].items():
            found = columns[attribute][row]
            found = found.as_py() if hasattr(found, "as_py") else found.item()
            if (attribute in signed and found == -1) or found != found:
                found = None
            assert found == value, (row, attribute)


@pytest.mark.parametrize(("name", "case"), EVERY)
def test_reports_are_those_of_a_device(
    name: str, case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the vector's device id and random bytes in place of the simulation's own."""
    document = STEPS[name]
    survey = survey_from(document["survey"])
    ids = np.frombuffer(bytes.fromhex(case["device"]), "<u8").reshape(2, 1)
    words = np.frombuffer(random_of(case)[8:], "<u8").reshape(-1, 2)
    monkeypatch.setattr(collect, "device_ids", lambda first, count, buffers: ids)
    monkeypatch.setattr(collect, "keystream", lambda key, first, count, buffers: words[:count])
    round_ = hm.Round("1", bytes.fromhex(document["round"]["seed"]))
    table = derived(document, [case])
    (report,) = survey.randomize(table, round=round_, as_devices=True).to_pylist()
    packed = report["device"] + bytes([0, report["symbol_0"]])
    assert packed.hex() == case["report"]
