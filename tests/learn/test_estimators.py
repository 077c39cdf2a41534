"""The estimators: scikit-learn's rules, tables with categories, public domains, odd data."""

from __future__ import annotations

import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.utils.estimator_checks import check_estimator

import harmony as hm
from harmony.errors import (
    ClippedWarning,
    DataError,
    FewDevicesWarning,
    PrivacyLeakWarning,
    RepeatedFitWarning,
)
from harmony.learn import LinearRegression, LinearSVC, LogisticRegression

KINDS = ["red", "green", "blue"]
N = 60_000


def people(n: int = N, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": random.uniform(0, 100, n),
            "kind": pd.Categorical(random.choice(KINDS, n), KINDS),
            "wifi": random.random(n) < 0.4,
        }
    )
    effect = table["kind"].map({"red": -2.0, "green": 0.0, "blue": 2.0}).to_numpy(float)
    y = 0.05 * (table["age"] - 50) + effect + 1.0 * table["wifi"] + random.normal(0, 1, n)
    return table, np.clip(y.to_numpy(), -8, 8)


DECLARED = {"bounds": {"age": (0, 100)}, "seed": 3}


def regression(**options) -> LinearRegression:
    return LinearRegression(epsilon=4.0, label_bounds=(-8, 8), **DECLARED | options)


@pytest.mark.parametrize("kind", [LinearRegression, LogisticRegression, LinearSVC])
def test_scikit_learns_own_checks_pass(kind) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one in check_estimator(kind(epsilon=5.0, seed=0), on_fail=None, on_skip=None):
            assert one["status"] in ("passed", "skipped"), one["check_name"]


def test_a_regression_finds_what_made_the_labels() -> None:
    """With a fixed seed, so no false alarm; the weights are within a fifth of the truth."""
    X, y = people()
    model = regression().fit(X, y)
    age, red, green, blue, *_ = model.coef_
    assert age == pytest.approx(0.05, rel=0.2)
    assert blue - red == pytest.approx(4.0, rel=0.2)
    assert abs(green - (red + blue) / 2) < 0.5
    assert model.score(*people(5000, seed=9)) > 0.7
    inside = np.abs(model.predict(X)) < 7.9
    by_hand = 0.0 * y + model.intercept_ + age * X["age"].to_numpy()
    by_hand += model.coef_[1:4][X["kind"].cat.codes] + model.coef_[4:][X["wifi"].astype(int)]
    np.testing.assert_allclose(model.predict(X)[inside], by_hand[inside])


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
def test_a_classifier_beats_the_larger_class(kind) -> None:
    X, y = people()
    labels = np.where(y > 0.4, "yes", "no")
    model = kind(epsilon=4.0, classes=("no", "yes"), **DECLARED).fit(X, labels)
    assert model.score(X, labels) > max(np.mean(labels == "yes"), np.mean(labels == "no")) + 0.2
    assert model.classes_.tolist() == ["no", "yes"]


def test_probabilities_are_calibrated() -> None:
    """The worst of five groups is off by less than 0.08, on average over six fixed seeds."""
    X, y = people()
    worst = []
    for seed in range(6):
        model = LogisticRegression(epsilon=4.0, classes=(False, True), **DECLARED | {"seed": seed})
        chance = model.fit(X, y > 0.4).predict_proba(X)[:, 1]
        groups = np.array_split(np.argsort(chance), 5)
        off = [np.mean(y[group] > 0.4) - chance[group].mean() for group in groups]
        worst.append(np.abs(off).max())
    assert np.mean(worst) < 0.08


@pytest.mark.parametrize(
    "convert", [pl.from_pandas, pa.Table.from_pandas, dict], ids=["polars", "arrow", "dict"]
)
def test_all_kinds_of_tables_give_the_same_model(convert) -> None:
    X, y = people(3000)
    X["age"] = X["age"].astype(float)
    plain = X.assign(kind=X["kind"].astype(str))
    options = {"categories": {"kind": KINDS}}
    given = convert(plain) if convert is not dict else {n: plain[n].to_numpy() for n in plain}
    assert np.array_equal(
        regression(**options).fit(given, y).coef_, regression(**options).fit(plain, y).coef_
    )


def test_sorted_rows_are_no_harm() -> None:
    X, y = people()
    order = np.argsort(y)
    model = regression().fit(X.iloc[order], y[order])
    assert model.score(X, y) > 0.7


def test_a_domain_that_the_data_tells_is_a_leak() -> None:
    X, y = people(3000)
    with pytest.warns(PrivacyLeakWarning, match="age"):
        LinearRegression(epsilon=4.0, label_bounds=(-8, 8)).fit(X, y)
    with pytest.warns(PrivacyLeakWarning, match="the labels"):
        LinearRegression(epsilon=4.0, bounds={"age": (0, 100)}).fit(X, y)
    with pytest.warns(PrivacyLeakWarning, match="kind"):
        regression().fit(X.assign(kind=X["kind"].astype(str)), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RepeatedFitWarning)
        regression().fit(X, y)


def test_labels_outside_their_bounds_are_clipped_and_counted() -> None:
    X, y = people(3000)
    y[:7] = 1000.0
    with pytest.warns(ClippedWarning, match="7 values"):
        model = regression().fit(X, y)
    assert model.predict(X).max() <= 8


def test_too_few_devices_are_said_to_be_too_few() -> None:
    X, y = people(300)
    with pytest.warns(FewDevicesWarning, match="half of what could be learned needs about"):
        regression(seed=1).set_params(epsilon=0.1).fit(X, y)


def test_unknown_values_add_nothing_and_missing_numbers_count_as_the_mean() -> None:
    X, y = people(5000)
    model = regression(categories={"kind": KINDS}).fit(X.assign(kind=X["kind"].astype(str)), y)
    odd = pd.DataFrame({"age": [50.0, np.nan], "kind": ["mauve", None], "wifi": [True, True]})
    mean = model.model_.score.features[0].missing  # as far as the devices have told
    known = [model.intercept_ + age * model.coef_[0] + model.coef_[5] for age in (50, mean)]
    np.testing.assert_allclose(model.predict(odd), known)


def test_a_missing_column_is_named() -> None:
    X, y = people(2000)
    model = regression().fit(X, y)
    with pytest.raises(ValueError, match="wifi"):
        model.predict(X.drop(columns="wifi"))


def test_separable_classes_and_constant_features_are_no_trouble() -> None:
    random = np.random.default_rng(0)
    X = np.column_stack([random.uniform(-1, 1, 50_000), np.full(50_000, 3.0)])
    model = LogisticRegression(epsilon=4.0, bounds=(-5, 5), classes=(0, 1), seed=1)
    labels = (X[:, 0] > 0.1).astype(int)
    assert model.fit(X, labels).score(X, labels) > 0.8
    assert np.isfinite(model.coef_).all()
    moving, constant = model.model_.score.blocks  # over the range in which each was seen
    assert abs(constant[0]) < abs(moving[0]) / 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda X, y: regression(method="magic").fit(X, y), "'method'"),
        (lambda X, y: regression(bounds={"height": (0, 1)}).fit(X, y), "'height'"),
        (lambda X, y: regression(bounds={"age": 7}).fit(X, y), "age: bounds are a pair"),
        (lambda X, y: regression().fit(X, y[:-1]), "they must be as many"),
        (lambda X, y: regression().fit(X, np.where(y > 3, np.nan, y)), "NaN or infinity"),
        (lambda X, y: LinearSVC(classes=("a", "b"), **DECLARED).fit(X, y > 0), "'classes'"),
    ],
)
def test_what_is_wrong_is_named(wrong, message) -> None:
    X, y = people(200)
    with pytest.raises((hm.HarmonyError, ValueError), match=message):
        wrong(X, y)


@pytest.mark.parametrize("method", ["sgd", "mgd", "mgd-dr", "non-private"])
def test_the_papers_methods_fit_the_same_interface(method) -> None:
    X, y = people(20_000)
    model = regression(method=method).fit(X, y)
    assert model.coef_.shape == (6,)
    assert np.isfinite(model.predict(X)).all()
    if method == "non-private":
        assert model.score(X, y) > 0.75


def test_a_model_is_kept_by_joblib_and_summarised(tmp_path) -> None:
    X, y = people(3000)
    model = regression().fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    assert np.array_equal(joblib.load(tmp_path / "model.joblib").predict(X), model.predict(X))
    assert "epsilon 4, 3,000 devices" in model.summary()
    assert "blue" in model.model_._repr_html_()


def test_missing_values_among_the_papers_methods_are_refused() -> None:
    X, y = people(300)
    with pytest.raises(DataError, match="kind: the paper's methods"):
        regression(method="mgd").fit(X.assign(kind=X["kind"].where(X["wifi"])), y)
