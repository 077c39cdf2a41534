"""What devices derive, in bulk, is what the definitions say, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from harmony import Boolean, Categorical, Numeric
from harmony.errors import DataError
from harmony.learn import Score, Step
from harmony.learn import step as ask_for
from harmony.learn.derive import collect_step, derive_columns
from harmony.learn.records import Records
from harmony.learn.step import Residual, Scaling

from .cases import FEATURES, people, training_of

N = 4000


def make_step(*questions: ask_for.Question, loss: str = "squared", n: int = N) -> Step:
    weights = [np.array([0.25]), np.array([0.1, -0.2, 0.4]), np.array([0.0, 0.3]), np.zeros(5)]
    model = Score(tuple(FEATURES), 0.125, tuple(weights))
    direction = Score(tuple(FEATURES), -0.5, tuple(block + 0.05 for block in weights))
    return Step(training_of(loss, n), 1, "test", questions, n, model, direction)


def columns(step: Step, table: dict[str, Any] | None = None) -> dict[str, Any]:
    records = Records(table or people(N), FEATURES, step.training.label)
    return derive_columns(
        step, records, 0, records.devices, np.random.default_rng(3).random(records.devices)
    )


def plain_score(score: Score, row: dict[str, Any]) -> float:
    total = score.intercept
    for feature, block in zip(score.features, score.blocks, strict=True):
        value = row[feature.name]
        if not feature.values:
            total += block[0] * (2 * value / 100 - 1)
        elif value in feature.values:
            total += block[list(feature.values).index(value)]
    return float(total)


def rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: column[i] for name, column in table.items()} for i in range(len(table["age"]))]


def test_products_and_curves_are_those_of_every_row() -> None:
    step = make_step(
        ask_for.product(("label", 0.5)),
        ask_for.product(("residual", 0.4), ("direction", 0.3)),
        ask_for.product(("score", 1.0), ("score", 1.0), ("label", 1.0)),
        ask_for.curve([-0.3, 0.0, 0.125, 0.6]),
        ask_for.surplus([-0.3, 0.0, 0.125, 0.6]),
    )
    table = people(N)
    found = columns(step, table)
    assert step.direction is not None
    for i, row in enumerate(rows(table)[:300]):
        y = (row["stars"] - 3) / 2
        score, direction = plain_score(step.model, row), plain_score(step.direction, row)
        clipped = [np.clip((y - score) / 0.4, -1, 1), np.clip(direction / 0.3, -1, 1)]
        assert found["label"][i] == pytest.approx(np.clip(y / 0.5, -1, 1))
        assert found["residual x direction"][i] == pytest.approx(np.prod(clipped))
        assert found["score x score x label"][i] == pytest.approx(np.clip(score, -1, 1) ** 2 * y)
        bins = sum(edge <= score for edge in (-0.3, 0.0, 0.125, 0.6))
        assert found["curve"][i].as_py() == 2 * bins + (y > 0)
        assert found["surplus"][i] == bins + 8 * (y <= 0)


def test_a_numeric_gradient_is_the_clipped_residual_times_the_number() -> None:
    step = make_step(ask_for.gradient(FEATURES[0], Residual("residual", 0.5)))
    table = people(N)
    found = columns(step, table)["gradient of age"]
    for i, row in enumerate(rows(table)[:300]):
        residual = (row["stars"] - 3) / 2 - plain_score(step.model, row)
        assert found[i] == pytest.approx(
            np.clip(residual / 0.5, -1, 1) * (2 * row["age"] / 100 - 1)
        )


def test_a_scaled_number_is_clipped_about_its_middle_and_a_relative_residual_is_at_most_one() -> (
    None
):
    step = make_step(
        ask_for.gradient(FEATURES[0], Residual("relative", 1.0), scaling=Scaling(0.2, 0.5))
    )
    table = people(N)
    found = columns(step, table)["gradient of age"]
    for i, row in enumerate(rows(table)[:300]):
        score = plain_score(step.model, row)
        relative = ((row["stars"] - 3) / 2 - score) / (1 + abs(score))
        assert abs(relative) <= 1 + 1e-12
        assert found[i] == pytest.approx(
            relative * np.clip((2 * row["age"] / 100 - 1.2) / 0.5, -1, 1)
        )


def test_the_sign_of_a_gradient_has_the_clipped_residual_as_its_mean() -> None:
    """Over 40,000 draws; within five standard errors for each level: false alarms under 1e-5."""
    step = make_step(ask_for.gradient(FEATURES[1], Residual("residual", 0.8)), n=40_000)
    table = people(40_000)
    found = columns(step, table)["gradient of colour"]
    level = np.array([["red", "green", "blue"].index(one) for one in table["colour"]])
    assert (found % 4 == level).all()
    sign = np.where(found >= 4, -1, 1)
    residual = (table["stars"] - 3) / 2 - step.model.of(
        Records(table, FEATURES), 0, len(table["stars"])
    )
    wanted = np.clip(residual / 0.8, -1, 1)
    for one in range(3):
        error = np.mean((sign - wanted)[level == one])
        assert abs(error) < 5 / np.sqrt((level == one).sum())


def test_what_is_missing_or_unknown_adds_nothing_and_is_drawn() -> None:
    table = people(100)
    table["age"] = np.full(100, np.nan)
    table["colour"] = np.full(100, "purple", dtype=object)
    close = Residual("residual", 0.1)
    step = make_step(
        ask_for.gradient(FEATURES[0], close), ask_for.gradient(FEATURES[1], close),
        ask_for.frequency(FEATURES[1]), n=100,
    )  # fmt: skip
    found = columns(step, table)
    assert (found["gradient of age"] == 0).all()
    assert (found["gradient of colour"] == -1).all()
    assert found["frequency of colour"].null_count == 100
    scores = step.model.of(Records(table, FEATURES), 0, 10)
    wifi = np.where(table["wifi"][:10], 0.3, 0.0)
    assert scores == pytest.approx(0.125 + wifi)


def test_what_a_step_asks_names_nothing_for_missing_and_unlisted_values() -> None:
    """A device refuses a step whose own attributes do: they belong to features."""
    feature = Categorical("shop", ["A", "B", "rest"], missing="A", unlisted="rest")
    number, residual = Numeric("age", 0, 100, missing=5), Residual("residual", 1.0)
    asked = [ask_for.frequency(feature), ask_for.place(number, [0, 20, 50, 100])]
    asked += [ask_for.gradient(one, residual) for one in (feature, number)]
    for question in asked:
        assert {"missing", "unlisted"}.isdisjoint(question.attribute.to_document())


def test_a_declared_missing_value_is_the_devices_value() -> None:
    features = [
        Categorical("colour", ["red", "green"], missing="green"),
        Numeric("x", 0, 2, missing=2),
    ]
    records = Records({"colour": ["red", None], "x": [None, 1.0]}, features)
    assert records.levels(0, 0, 2).tolist() == [0, 1]
    assert records.numbers(1, 0, 2).tolist() == [1.0, 0.0]


def test_labels_outside_their_domain_are_clipped_and_missing_ones_refused() -> None:
    number, yes = Numeric("y", 0, 10), Boolean("y")
    records = Records({"y": [-5.0, 5.0, 50.0]}, [], number)
    assert records.labels(0, 3).tolist() == [-1.0, 0.0, 1.0]
    with pytest.raises(DataError, match="y: row 1 holds no usable label"):
        Records({"y": [1.0, np.nan]}, [], number).labels(0, 2)
    with pytest.raises(DataError, match="y: row 0 holds no usable label"):
        Records({"y": [7, 1]}, [], Categorical("y", [0, 1])).labels(0, 2)
    assert Records({"y": [True, False]}, [], yes).labels(0, 2).tolist() == [1.0, -1.0]


def test_a_missing_label_is_nan_where_rows_are_taken_as_devices_take_their_records() -> None:
    for label, column in (
        (Numeric("y", 0, 10), [10.0, None, "ten", np.inf, True]),
        (Boolean("y"), [True, None, "yes", 2, 1.0]),
    ):
        found = Records({"y": np.array(column, object)}, [], label, as_devices=True).labels(0, 5)
        assert found[0] == 1
        assert np.isnan(found[1:]).all()
    kept = Categorical("y", ["no", "yes"], missing="no", unlisted="yes")
    found = Records({"y": np.array([None, "x", "no"], object)}, [], kept, as_devices=True)
    assert found.labels(0, 3).tolist() == [-1.0, 1.0, -1.0]


def test_a_step_collects_the_same_tally_however_it_is_divided() -> None:
    residual = Residual("residual", 1.0)
    step = make_step(*(ask_for.gradient(one, residual) for one in FEATURES), n=300_000)
    records = Records(people(300_000), FEATURES, step.training.label)
    tallies = [collect_step(step, records, 0, 300_000, 5, threads) for threads in (1, 3)]
    assert tallies[0] == tallies[1]
    assert tallies[0].reports == 300_000
