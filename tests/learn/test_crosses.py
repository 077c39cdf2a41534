"""Crosses of two features, and numbers in bins: effects that no straight line has."""

from __future__ import annotations

import json
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from harmony import Boolean, Categorical, Crosstab, Numeric
from harmony.errors import (
    CoarseBinsWarning,
    DataError,
    PrivacyLeakWarning,
    RepeatedFitWarning,
    SurveyError,
)
from harmony.learn import LinearRegression, LinearSVC, LogisticRegression, Model, Records, Training
from harmony.learn.crosses import resolved
from harmony_device import Model as DeviceModel

PLANS = ["basic", "plus"]
DOMAINS: dict[str, Any] = {
    "bounds": {"age": (0, 100)},
    "categories": {"plan": PLANS},
    "evaluation": 0.0,
    "seed": 1,
}
AGE, PLAN, WIFI = Numeric("age", 0, 100), Categorical("plan", PLANS), Boolean("wifi")
TRAINING = Training("hours", 1.0, "squared", Numeric("hours", 0, 10), [AGE, PLAN, WIFI], 1000)


def people(n: int, seed: int = 7) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": random.uniform(0, 100, n),
            "plan": random.choice(PLANS, n),
            "wifi": random.random(n) < 0.4,
        }
    )


def hours(table: pd.DataFrame, effect: np.ndarray, seed: int = 8) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 1, len(table))
    return np.asarray(np.clip(5 + effect + noise, 0, 10))


def document(**changes: Any) -> dict[str, Any]:
    return TRAINING.to_document() | changes


def test_an_effect_that_turns_with_another_feature_is_learned_by_a_cross() -> None:
    """With twelve other seeds scores were .96 to .98 (deviation .005), and 0 without a cross."""
    table = people(60_000)
    turned = np.where(table["plan"] == "plus", 1, -1) * (table["age"] - 50) / 20
    y, test = hours(table, turned), people(20_000, seed=9)
    truth = np.where(test["plan"] == "plus", 1, -1) * (test["age"] - 50) / 20
    linear = LinearRegression(4.0, label_bounds=(0, 10), **DOMAINS)
    crossed = clone(linear).set_params(crosses=[("age", "plan")])
    assert linear.fit(table, y).score(test, 5 + truth) < 0.1
    with pytest.warns(RepeatedFitWarning, match="fit 2 of the same rows"):
        crossed.fit(table, y)
    assert crossed.score(test, 5 + truth) > 0.9


def test_a_u_shaped_effect_is_learned_by_bins_and_predicted_on_a_device() -> None:
    """With twelve other seeds the ends were 2.7 to 3.3 above the middle (deviation .15)."""
    table = people(60_000, seed=2)
    y = hours(table, ((table["age"] - 50) / 25) ** 2 - 4 / 3)
    binned = LinearRegression(4.0, label_bounds=(0, 10), bins={"age": 8}, **DOMAINS).fit(table, y)
    lonely = people(9, seed=1).assign(age=[*np.linspace(0, 100, 8), np.nan])
    young, *_, middle, _, _, old, missing = binned.predict(lonely.assign(plan="plus", wifi=True))
    assert min(young, old) - middle > 1.5
    on_device = DeviceModel.from_json(json.dumps(binned.model_.to_document()).encode())
    told = [on_device.predict({"age": None, "plan": "plus", "wifi": True})]
    np.testing.assert_allclose(told, [missing], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("kind", "seed"), [(LogisticRegression, 4), (LinearSVC, 5)])
def test_classes_take_crosses_and_bins_as_well(kind: type, seed: int) -> None:
    """With twelve other seeds all labels were right."""
    table = people(40_000, seed)
    same = np.asarray((table["plan"] == "plus") == table["wifi"])
    flipped = np.random.default_rng(6).random(len(table)) < 0.1
    options = {"crosses": [("plan", "wifi")], "bins": {"age": 4}}
    model = kind(4.0, classes=(False, True), **options, **DOMAINS).fit(table, same ^ flipped)
    assert model.score(table, same) > 0.99


def test_coefficients_have_names_of_their_own() -> None:
    table = people(2_000)
    options = {"bins": {"age": [30, 60]}, "crosses": [("plan", "age"), ("plan", "wifi")]}
    with pytest.warns(UserWarning, match="few"):
        model = LinearRegression(1.0, label_bounds=(0, 10), **DOMAINS, **options).fit(
            table, hours(table, np.zeros(2_000))
        )
    names = model.get_feature_names_out(["age", "plan", "wifi"]).tolist()
    assert names[:3] == ["age", "age in bins_[0, 30)", "age in bins_[30, 60)"]
    assert names[8:10] == ["plan x age_basic x [0, 30)", "plan x age_basic x [30, 60)"]
    assert len(set(names)) == len(names) == len(model.coef_) == 1 + 3 + 2 + 2 + 6 + 4
    assert model.n_features_in_ == 3
    assert model.to_frame()["value"][8] == "basic x [0, 30)"
    assert "plan x wifi" in model.card()
    again = pickle.loads(pickle.dumps(model))
    assert again.get_params()["crosses"] == options["crosses"]
    np.testing.assert_array_equal(again.predict(table), model.predict(table))
    restored = Model.from_document(json.loads(json.dumps(model.model_.to_document())))
    np.testing.assert_array_equal(restored.predict(table), model.predict(table))


def test_pairs_whose_names_would_be_the_same_are_written_as_in_json() -> None:
    first, second = Categorical("a", ["x", "x x y"]), Categorical("b", ["y x z", "z"])
    (cross,) = resolved([Crosstab(first, second)])
    assert cross.values == ('["x", "y x z"]', '["x", "z"]', '["x x y", "y x z"]', '["x x y", "z"]')


def test_bins_whose_edges_look_alike_have_names_of_their_own() -> None:
    (binned,) = resolved([Numeric("time", 1e9, 1e9 + 4, bins=4)])
    assert binned.values[0] == "[1000000000, 1000000001)"
    assert len(set(binned.values)) == 4


def test_a_training_reads_crosses_and_bins_and_writes_them_as_features() -> None:
    read = Training.from_document(document(bins={"age": 4}, crosses=[["age", "plan"]]))
    names = ["age", "age in bins", "plan", "wifi", "age x plan"]
    assert [one.name for one in read.features] == names
    written = read.to_document()
    assert written["features"][1]["bins"] == [0, 25, 50, 75, 100]
    assert written["features"][1]["reads"] == "age"
    assert [one["name"] for one in written["features"][4]["of"]] == ["age", "plan"]
    assert written.keys().isdisjoint({"bins", "crosses"})
    assert Training.from_document(json.loads(json.dumps(written))) == read
    assert read.width == 1 + 4 + 2 + 2 + 8


def test_a_feature_with_bins_is_a_category_and_crossed_as_one() -> None:
    age = Numeric("age", 0, 100, bins=4)
    training = Training(
        "hours", 1.0, "squared", TRAINING.label, [age, Crosstab("wifi", "age"), WIFI], 9
    )
    assert [len(one.values) for one in training.features] == [4, 8, 2]


def test_a_number_that_is_only_crossed_has_eight_bins_there() -> None:
    read = Training.from_document(document(crosses=[["plan", "age"]]))
    assert read.features[0] == AGE
    assert len(read.features[3].values) == 2 * 8


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bins": {"plan": 4}}, "'bins' names 'plan', which is no number"),
        ({"bins": {"agee": 4}}, "did you mean 'age'"),
        ({"bins": {"age": 1}}, "age: 'bins' must be at least 2"),
        ({"bins": {"age": [50, 20]}}, "rising order"),
        ({"bins": {"age": [20, 120]}}, "'bins' of age: the edge 120 is outside its domain"),
        ({"bins": {"age": ["20"]}}, "every edge in 'bins' must be a finite number"),
        ({"bins": ["age"]}, "'bins' must be a mapping"),
        ({"crosses": "age x plan"}, "'crosses' must be a list of pairs"),
        ({"crosses": [["age"]]}, "'crosses' must be a list of pairs"),
        ({"crosses": [["age", "plann"]]}, "'crosses' names 'plann'.*did you mean 'plan'"),
        ({"crosses": [["age", "age"]]}, "age x age is of one column with itself"),
        ({"crosses": [["age", "plan"], ["age", "plan"]]}, "two attributes are called 'age x plan'"),
        ({"features": [{"kind": "crosstab", "of": ["age"]}]}, "'of' must list the two"),
        ({"label": Numeric("hours", 0, 10, bins=2).to_document()}, "'label' must be numeric"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SurveyError, match=message):
        Training.from_document(document(**changes))


@pytest.mark.parametrize("options", [{"bins": {"age": 16}}, {"crosses": [("plan", "age")]}])
def test_bins_of_bounds_that_are_far_too_wide_are_warned_of(options: dict[str, Any]) -> None:
    table = people(20_000, seed=len(str(options)))
    wide = DOMAINS | {"bounds": {"age": (0, 1000)}}
    y = hours(table, (table["age"] - 50) / 25)
    with pytest.warns(CoarseBinsWarning, match="nearly all devices lie in few of the bins of age"):
        LinearRegression(4.0, label_bounds=(0, 10), **options, **wide).fit(table, y)


def test_edges_are_bounds_where_there_are_no_others() -> None:
    table = people(2_000)[["age"]]
    y = hours(table, np.zeros(2_000))
    edges = LinearRegression(2.0, label_bounds=(0, 10), bins={"age": [0, 50, 100]}, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyLeakWarning)
        edges.fit(table, y)
    with pytest.raises(SurveyError, match="'bins' names 'agee', which is no column"):
        clone(edges).set_params(bins={"agee": [0, 50, 100]}).fit(table, y)
    for bad in ("50", None, 10**400):
        with pytest.raises(SurveyError, match="every edge in 'bins' must be a finite number"):
            clone(edges).set_params(bounds=(0, 100), bins={"age": [0, bad, 100]}).fit(table, y)


def test_a_pair_has_no_level_where_either_part_has_none() -> None:
    features = resolved([AGE, PLAN, Crosstab("age", "plan")])
    table = {"age": [10.0, np.nan, 99.0, 250.0], "plan": ["plus", "plus", "pro", "basic"]}
    records = Records(table, features, as_devices=True)
    assert records.levels(2, 0, 4).tolist() == [1, -1, -1, 14]
    with pytest.raises(DataError, match="age: row 1 holds no finite number"):
        Records({"age": [1.0, np.inf], "plan": ["plus"] * 2}, features).levels(2, 0, 2)
