"""Models elsewhere: on devices, and in ONNX runtimes, they predict the same."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from onnx.reference import ReferenceEvaluator

from harmony import Boolean, Categorical, Crosstab, Numeric
from harmony.learn import LogisticRegression, Model, Training
from harmony.learn.crosses import resolved
from harmony.learn.multiclass_model import MulticlassModel
from harmony.learn.score import Score
from harmony_device import Model as DeviceModel
from harmony_device import RefusedError

THEMES = ["light", "dark", "other"]
FEATURES = resolved(
    [
        Numeric("age", 0, 100, missing=40.0),
        Numeric("drain", -1, 1),
        Categorical("theme", THEMES, unlisted="other"),
        Categorical("grade", [3, 1, 2]),
        Boolean("wifi"),
        Numeric("load", 0, 10, bins=[0, 2, 2.5, 10]),
        Crosstab("load", "theme"),
        Crosstab("age", "grade"),
        Crosstab("wifi", "drain"),
    ]
)
LABELS = {
    "squared": Numeric("label", 5, 30),
    "logistic": Categorical("label", ["no", "yes"]),
    "hinge": Boolean("label"),
}
ROWS = 200


def table(seed: int = 0) -> pd.DataFrame:
    """Return rows that hold what is out of range, missing and unlisted, too."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": np.where(random.random(ROWS) < 0.1, np.nan, random.uniform(-20, 130, ROWS)),
            "drain": random.normal(0, 1, ROWS),
            "theme": random.choice([*THEMES, "mauve"], ROWS),
            "grade": random.integers(0, 4, ROWS),
            "wifi": random.random(ROWS) < 0.5,
            "load": random.choice([-1, 0, 1.5, 2, 2.5, 9, 10, 11, np.nan], ROWS),
        }
    )


def random_score(random: np.random.Generator) -> Score:
    low, high = np.sort(random.uniform(0, 100, 2))
    seen = [Numeric("age", low, high, missing=(low + high) / 2), *FEATURES[1:]]
    blocks = [random.normal(0, 0.5, len(one.values) or 1) for one in FEATURES]
    return Score(tuple(seen), float(random.normal()), tuple(blocks))


def models() -> list[Model | MulticlassModel]:
    random = np.random.default_rng(7)
    two = [
        Model(Training("one", 1.0, loss, label, FEATURES, 100), random_score(random))
        for loss, label in LABELS.items()
    ]
    many = [
        MulticlassModel(
            Training("many", 1.0, loss, Categorical("label", values), FEATURES, 100),
            tuple(random_score(random) for _ in values),
        )
        for loss, values in (("logistic", ["a", "b", "c"]), ("hinge", [4, 7, 1, 9]))
    ]
    return [*two, *many]


def names(model: Model | MulticlassModel) -> str:
    return f"{model.training.loss}-{len(model.training.label.values)}"


@pytest.mark.parametrize("model", models(), ids=names)
def test_a_device_predicts_what_the_model_does(model) -> None:
    on_device = DeviceModel.from_json(json.dumps(model.to_document()).encode())
    people = table()
    records = people.astype(object).where(people.notna(), None).to_dict("records")
    predicted = [on_device.predict(record) for record in records]
    if model.training.loss == "squared":
        np.testing.assert_allclose(predicted, model.predict(people), rtol=0, atol=1e-9)
    else:
        assert predicted == model.predict(people).tolist()
    if model.training.loss != "logistic":
        with pytest.raises(ValueError, match="logistic"):
            on_device.chances(records[0])
        return
    chances = model.chances(people)
    chances = chances if chances.ndim == 2 else np.column_stack([1 - chances, chances])
    told = [list(on_device.chances(record).values()) for record in records]
    np.testing.assert_allclose(told, chances, rtol=0, atol=1e-9)


@pytest.mark.parametrize("model", models(), ids=names)
def test_an_onnx_runtime_predicts_what_the_model_does(model) -> None:
    people = table()
    inputs = {
        name: column.to_numpy()[:, None].astype(object if name == "theme" else column.dtype)
        for name, column in people.items()
    }
    runtime = ReferenceEvaluator(model.to_onnx())
    told = dict(zip(runtime.output_names, runtime.run(None, inputs), strict=True))
    if model.training.loss == "squared":
        np.testing.assert_allclose(told["label"][:, 0], model.predict(people), rtol=0, atol=1e-9)
        return
    assert told["label"][:, 0].tolist() == model.predict(people).tolist()
    assert ("probabilities" in told) == (model.training.loss == "logistic")
    if model.training.loss == "logistic":
        chances = model.chances(people)
        chances = chances if chances.ndim == 2 else np.column_stack([1 - chances, chances])
        np.testing.assert_allclose(told["probabilities"], chances, rtol=0, atol=1e-9)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_fitted_estimator_predicts_the_same_everywhere() -> None:
    random = np.random.default_rng(3)
    X = pd.DataFrame({"x": random.uniform(-1, 1, 5000), "wifi": random.random(5000) < 0.5})
    y = np.where(X["x"] + random.normal(0, 0.3, 5000) > 0, "up", "down")
    fitted = LogisticRegression(
        8.0, bounds=(-1, 1), classes=("down", "up"), crosses=[("x", "wifi")], seed=1
    ).fit(X, y)
    on_device = DeviceModel.from_document(fitted.model_.to_document())
    runtime = ReferenceEvaluator(fitted.to_onnx())
    inputs = {name: column.to_numpy()[:, None] for name, column in X.items()}
    told = dict(zip(runtime.output_names, runtime.run(None, inputs), strict=True))
    chances = fitted.predict_proba(X)
    np.testing.assert_allclose(told["probabilities"], chances, rtol=0, atol=1e-9)
    assert told["label"][:, 0].tolist() == fitted.predict(X).tolist()
    for record, chance in list(zip(X.to_dict("records"), chances, strict=True))[:100]:
        assert on_device.chances(record) == pytest.approx({"down": chance[0], "up": chance[1]})


def changed(at: int = 1, **fields: object) -> dict[str, object]:
    return models()[at].to_document() | fields


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "'format'"),
        (changed(format="harmony-model/2"), "'format'"),
        (changed(training=None), "'training'"),
        (changed(training={"loss": "squared", "label": LABELS["hinge"].to_document()}), "loss"),
        (changed(features=[]), "'features'"),
        (changed(model={"intercept": 0, "weights": {}}), "weights"),
        (changed(3, classes=None), "'classes'"),
        (changed(3, classes=[{"class": "a"}] * 3), "'classes'"),
    ],
)
def test_what_is_no_model_is_refused_on_devices(document, message) -> None:
    with pytest.raises(RefusedError, match=message):
        DeviceModel.from_document(document)
