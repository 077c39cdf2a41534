"""More than two classes: one training, one report a device.

Seeds are fixed, so there are no false alarms.
"""

from __future__ import annotations

import json

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import harmony as hm
from harmony import Categorical, Numeric
from harmony.errors import SurveyError
from harmony.learn import LinearSVC, LogisticRegression, Model, Records, Trainer, Training, plan
from harmony.learn.derive import derive_columns
from harmony.learn.estimators import estimator_of
from harmony.learn.evaluation import Evaluation
from harmony.learn.multiclass import class_label, mean_error
from harmony.learn.multiclass_model import MulticlassModel
from harmony.service.dashboard.training_views import coefficients
from harmony_device.step import Step

KINDS = ["red", "green", "blue"]
N = 90_000
pytestmark = pytest.mark.filterwarnings("ignore:this is fit:UserWarning")


def people(n: int = N, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    table = pd.DataFrame({"age": random.uniform(0, 100, n), "wifi": random.random(n) < 0.4})
    age = table["age"].to_numpy() / 50 - 1
    scores = np.column_stack([2 * age, -2 * age, 1.5 * table["wifi"] - 0.5])
    return table, np.array(KINDS)[np.argmax(scores + random.gumbel(size=scores.shape), axis=1)]


def classifier(kind=LogisticRegression, **options):
    return kind(4.0, bounds={"age": (0, 100)}, **{"classes": KINDS, "seed": 3} | options)


@pytest.fixture(scope="module")
def fitted() -> LogisticRegression:
    return classifier().fit(*people())


def test_a_classifier_of_three_classes_comes_near_the_best(fitted) -> None:
    X, y = people(20_000, seed=9)
    from sklearn.linear_model import LogisticRegression as WithoutPrivacy

    best = WithoutPrivacy().fit(X, y).score(X, y)
    majority = pd.Series(y).value_counts(normalize=True).max()
    assert fitted.score(X, y) > majority + 0.8 * (best - majority)
    assert fitted.classes_.tolist() == KINDS
    assert fitted.coef_.shape == (3, 3)
    assert fitted.intercept_.shape == (3,)
    assert set(fitted.coefficients()) == set(KINDS)
    assert len(fitted.to_frame()) == 9


def test_chances_add_up_and_are_calibrated(fitted) -> None:
    X, y = people(40_000, seed=8)
    chances = fitted.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    for place, kind in enumerate(KINDS):
        for group in np.array_split(np.argsort(chances[:, place]), 5):
            assert abs(np.mean(y[group] == kind) - chances[group, place].mean()) < 0.07


def test_each_device_is_asked_once_about_one_class(fitted) -> None:
    assert sum(row["devices"] for row in fitted.history_) == N
    asked = [row["class"] for row in fitted.history_]
    assert sorted(asked, key=KINDS.index) == asked
    assert fitted.evaluation_.metric == "error a class"
    assert fitted.evaluation_.devices == pytest.approx(N / 10, rel=0.01)
    assert fitted.evaluation_.low < fitted.evaluation_.value < fitted.evaluation_.high
    assert fitted.evaluation_.value < fitted.evaluation_.constant


def test_class_weights_move_the_scores() -> None:
    X, y = people(20_000)
    plain = classifier(evaluation=0).fit(X, y)
    heavier = classifier(evaluation=0, class_weight={"blue": 5.0}).fit(X, y)
    assert heavier.intercept_ - plain.intercept_ == pytest.approx([0, 0, np.log(5.0)])
    even = classifier(evaluation=0, class_weight="balanced").fit(X, y)
    rates = np.exp(plain.intercept_ - even.intercept_)
    assert rates == pytest.approx([np.mean(y == kind) for kind in KINDS], abs=0.08)


def test_a_model_of_three_classes_is_kept(fitted, tmp_path) -> None:
    X, _ = people(500, seed=7)
    model = fitted.model_
    read = Model.from_document(json.loads(json.dumps(model.to_document())))
    assert isinstance(read, MulticlassModel)
    assert np.array_equal(read.predict(X), fitted.predict(X))
    assert np.array_equal(read.chances(X), fitted.predict_proba(X))
    assert read.evaluation == model.evaluation
    again = estimator_of(read)
    assert np.array_equal(again.predict(X), fitted.predict(X))
    joblib.dump(fitted, tmp_path / "model.joblib")
    assert np.array_equal(joblib.load(tmp_path / "model.joblib").coef_, fitted.coef_)
    assert "3 classes" in fitted.summary()
    assert "wifi" in model._repr_html_()
    shown = [feature for feature, *_ in coefficients({"model": model.to_document()})]
    assert {"red: intercept", "green: age", "blue: wifi"} <= set(shown)
    document = model.to_document()
    document["classes"].pop()
    with pytest.raises(SurveyError, match="'classes'"):
        Model.from_document(document)


def test_devices_read_the_label_of_a_class_as_records_do() -> None:
    """All others are the rest, and a device without a label has no answer."""
    label = Categorical("kind", [3, 1, 2], missing=2)
    training = Training("kinds", 1.0, "logistic", label, [Numeric("x", 0, 1)], devices=90)
    trainer = Trainer(training)
    step = trainer.step
    round = hm.Round("a", bytes(16))
    read = Step.from_json(json.dumps(step.to_document(round)).encode())
    rows = [3, 1, 2, None]
    records = Records({"x": [0.5] * 4, "kind": pa.array(rows)}, training.features, label)
    assert records.labels(0, 4, step.label).tolist() == [1.0, -1.0, -1.0, -1.0]
    columns = derive_columns(step, records, 0, 4, np.zeros(4))
    place = [question.name for question in step.questions].index("label")
    assert columns["label"].tolist() == [1.0, -1.0, -1.0, -1.0]
    answers = [read.read({"x": 0.5, "kind": row}, lambda count: bytes(count)) for row in rows]
    assert len({repr(one[place]) for one in answers[1:]}) == 1
    assert repr(answers[0][place]) != repr(answers[1][place])
    assert class_label(label, 2).missing == 2


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (Categorical("kind", ["a", "b", "c"], unlisted="c"), "no 'unlisted'"),
        (Categorical("kind", range(101)), "at most 100"),
        (Numeric("kind", 0, 1), "list its classes"),
    ],
)
def test_labels_that_cannot_be_learned_are_refused(label, message) -> None:
    with pytest.raises(SurveyError, match=message):
        Training("kinds", 1.0, "logistic", label, [Numeric("x", 0, 1)], devices=90)


def test_classes_of_other_types_and_losses() -> None:
    X, y = people(20_000)
    for classes in ([7, 5, 6], [1.0, 2.0, -3.0]):
        labels = np.array(classes)[[KINDS.index(one) for one in y]]
        model = classifier(LinearSVC, classes=classes).fit(X, labels)
        assert model.score(X, labels) > 0.55
        assert set(model.predict(X)) <= set(classes)
        with pytest.raises(SurveyError, match="logistic"):
            model.model_.chances(X)
    with pytest.raises(SurveyError, match="two classes"):
        classifier(method="mgd").fit(X[:200], y[:200])


def test_a_class_that_noise_makes_better_than_perfect_does_not_narrow_the_interval() -> None:
    rare = Evaluation("error", -0.02, -0.06, 0.02, 0.01, 100, True)
    frequent = Evaluation("error", 0.10, 0.07, 0.13, 0.30, 100, True)
    both = mean_error([rare, frequent], expected=0.1)
    assert (both.value, both.low, both.high) == pytest.approx((0.04, 0.015, 0.065))
    assert rare.possible == Evaluation("error", 0.0, 0.0, 0.02, 0.01, 100, True)


def test_a_plan_knows_that_classes_share_the_devices_and_are_less_frequent() -> None:
    """Each of four has a quarter of the devices, and 3/4 of the variance that a half has."""

    def expected(classes: int, devices: int) -> float:
        label = Categorical("kind", range(classes))
        features = [Numeric("x", 0, 1)]
        training = Training("kinds", 1.0, "logistic", label, features, devices)
        return plan(training, rate=1 / classes).closed

    assert expected(4, 16_000) == pytest.approx(expected(2, 3_000))
