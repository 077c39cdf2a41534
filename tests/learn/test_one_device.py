"""One device derives what the bulk path derives: the same numbers, to the last bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import harmony as hm
from harmony import Numeric
from harmony.attributes import Attribute
from harmony.learn import step as ask_for
from harmony.learn.crosses import resolved
from harmony.learn.derive import derive_columns
from harmony.learn.excess import tail_question
from harmony.learn.records import Records
from harmony.learn.score import Score, code_of
from harmony.learn.step import Question, Step
from harmony.learn.training import Training
from harmony.rounds import Round
from harmony_device.step import Step as DeviceStep

ROWS = 400
THEMES = ["light", "dark", "auto"]
FEATURES = resolved([
    hm.Numeric("age", 16, 95),
    hm.Numeric("battery", 0, 100, missing=50),
    hm.Categorical("theme", THEMES),
    hm.Categorical("level", [3, 5, 7, 11, 13], missing=7),
    hm.Categorical("shop", ["A", "B", "rest"], unlisted="rest"),
    hm.Categorical("plan", [1, 2, 0], missing=0, unlisted=2),
    hm.Boolean("wifi"),
    hm.Numeric("age in bins", 16, 95, bins=[16, 18, 65, 95], reads="age"),
    hm.Crosstab("battery", "plan"),
    hm.Crosstab("theme", "age in bins"),
    hm.Crosstab("wifi", "shop"),
])  # fmt: skip
LABELS = {
    "squared": hm.Numeric("income", 0, 1000),
    "logistic": hm.Boolean("charging"),
}


def table_of(loss: str) -> dict[str, Any]:
    """Return records of which some lack a feature, or have a value that is not listed."""
    draw = np.random.default_rng(3)
    age = draw.uniform(10, 100, ROWS)
    age[::7] = np.nan
    battery = draw.uniform(-20, 120, ROWS)
    battery[::5] = np.nan
    battery[1::5] = np.round(battery[1::5] / 12.5) * 12.5  # edges of bins
    label = draw.uniform(-50, 1100, ROWS) if loss == "squared" else draw.random(ROWS) < 0.4
    return {
        LABELS[loss].name: label,
        "age": age,
        "battery": battery,
        "theme": draw.choice([*THEMES, "neon"], ROWS).astype(object),
        "level": draw.choice([3, 5, 7, 11, 13, 17], ROWS),
        "shop": draw.choice(["A", "B", "rest", "Z"], ROWS).astype(object),
        "plan": draw.choice([0, 1, 2, 3, -1], ROWS),
        "wifi": draw.random(ROWS) < 0.5,
    }


def score_of(seed: int) -> Score:
    draw = np.random.default_rng(seed)
    blocks = tuple(draw.normal(0, 0.5, len(one.values) or 1) for one in FEATURES)
    return Score(tuple(FEATURES), float(draw.normal()), blocks)


def counted(feature: Attribute) -> Question:
    """Ask for a feature itself: which value, or in which bin a number lies."""
    if isinstance(feature, Numeric):
        return ask_for.place(feature, np.linspace(feature.low, feature.high, 7))
    return ask_for.frequency(feature)


def step_of(loss: str) -> Step:
    term = "residual" if loss == "squared" else "relative"
    residual, scaling = ask_for.Residual(term, 0.8), ask_for.Scaling(-0.2, 0.3)
    training = Training("everything", 1.0, loss, LABELS[loss], FEATURES, devices=ROWS)
    questions = [
        *(counted(one) for one in FEATURES),
        *(ask_for.gradient(one, residual, scaling=scaling) for one in FEATURES),
        ask_for.product(("residual", 1.5), ("direction", 0.7)),
        ask_for.product(("score", 0.3)),
        ask_for.product(("label", 1.0), ("score", 2.0), ("direction", 0.5)),
        ask_for.curve([-1.0, -0.2, 0.0, 0.4]),
        ask_for.surplus([-1.0, -0.2, 0.0, 0.4]),
    ]
    return Step(training, 1, "test", tuple(questions), ROWS, score_of(1), score_of(2))


def unusable(table: dict[str, Any]) -> dict[str, Any]:
    """Return the records with anything but what is asked for, labels included."""
    draw, worse = np.random.default_rng(4), {}
    for name, column in table.items():
        worse[name] = column.astype(object)
        for value in (None, float("nan"), float("inf"), "71", True, 2.0, 3, [], "A"):
            for row in draw.integers(0, ROWS, ROWS // 40).tolist():
                worse[name][row] = value
    return worse


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_a_device_derives_what_the_bulk_path_does(loss: str) -> None:
    table = table_of(loss)
    assert_derived(step_of(loss), table, Records(table, FEATURES, LABELS[loss]))


def test_a_device_tells_how_far_beyond_a_clip_it_is_as_the_bulk_path_does() -> None:
    table = unusable(table_of("squared"))
    records = Records(table, FEATURES, LABELS["squared"], as_devices=True)
    asked = tuple(tail_question(*one) for one in (("residual", 0.01), ("direction", 0.1)))
    assert_derived(replace(step_of("squared"), questions=asked), table, records)


def test_a_device_tells_the_side_of_a_number_as_the_bulk_path_does() -> None:
    residual, scaling = ask_for.Residual("relative", 1.0), ask_for.Scaling(-0.2, 0.3)
    numbers = [one for one in FEATURES if isinstance(one, Numeric)]
    asked = tuple(ask_for.side(one, residual, scaling) for one in numbers)
    table = unusable(table_of("logistic"))
    records = Records(table, FEATURES, LABELS["logistic"], as_devices=True)
    assert_derived(replace(step_of("logistic"), questions=asked), table, records)


def test_a_device_tells_its_value_and_the_side_of_its_residual_as_the_bulk_path_does() -> None:
    table = unusable(table_of("squared"))
    records = Records(table, FEATURES, LABELS["squared"], as_devices=True)
    step = step_of("squared")
    for feature in (one for one in FEATURES if one.values):
        code, asked = code_of(FEATURES, feature.name, 1.0), ask_for.value_and_side(feature)
        assert_derived(replace(step, questions=(asked,), direction=code), table, records)


@pytest.mark.parametrize("direction", [True, False])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_a_device_derives_the_same_from_whatever_its_record_holds(
    loss: str, direction: bool
) -> None:
    step, table = step_of(loss), unusable(table_of(loss))
    step = step if direction else replace(step, direction=None)
    assert_derived(step, table, Records(table, FEATURES, LABELS[loss], as_devices=True))


def assert_derived(step: Step, table: dict[str, Any], records: Records) -> None:
    """The columns of the bulk path are what a device derives from each row."""
    chance = np.random.default_rng(5).random(ROWS)
    columns = derive_columns(step, records, 0, ROWS, chance)
    device = DeviceStep(step.to_document(Round("r", bytes(16))))
    names = [one.name for one in device.survey.attributes]
    assert names == list(columns)
    for row in range(ROWS):
        record = {name: _plain(column[row]) for name, column in table.items()}
        word = int(chance[row] * 2**53) << 11
        answers = device.read(record, lambda count, word=word: word.to_bytes(count, "little"))
        for attribute, answer in zip(device.survey.attributes, answers, strict=True):
            bulk = _plain(columns[attribute.name][row])
            assert answer == attribute.read(bulk), (row, attribute.name)


def _plain(value: Any) -> Any:
    """Return a value as an app would have it: no NumPy or Arrow, and None where there is none."""
    value = value.as_py() if isinstance(value, pa.Scalar) else value
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and np.isnan(value) else value
