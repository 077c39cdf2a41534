"""Cards of models: complete, and safe to put on a page."""

from __future__ import annotations

import dataclasses

from harmony import Categorical, Numeric
from harmony.learn import Model, Training
from harmony.learn.evaluation import Evaluation
from harmony.learn.score import Score

from .test_elsewhere import models


def test_every_kind_of_model_has_a_card() -> None:
    for model in models():
        text = model.card()
        assert f"at epsilon {model.training.epsilon:g}" in text
        assert "It was not evaluated" in text
        assert "| theme | light, dark, other | as listed |" in text
        assert ("each class from the rest" in text) == model.training.multiclass


def test_a_card_tells_the_evaluation_and_a_constant() -> None:
    model = models()[1]
    about = Evaluation("error", 0.2, 0.18, 0.22, 0.45, 10_000, True)
    told = dataclasses.replace(model, evaluation=about).card()
    assert (
        "error **0.200** (95% interval 0.180 to 0.220); a constant has 0.450. It was kept" in told
    )
    flat = Score.constant(model.training.features)
    told = dataclasses.replace(model, score=flat, evaluation=dataclasses.replace(about, kept=False))
    assert "A constant seemed better" in told.card()
    assert "the model is a constant" in told.card()


def test_names_cannot_break_a_card() -> None:
    features = [Categorical("a|b\n# c", ["<script>", "x"]), Numeric("n", 0, 1)]
    training = Training("odd", 1.0, "squared", Numeric("y", 0, 1), features, 10)
    text = Model(training, Score.constant(training.features)).card()
    assert "a\\|b # c" in text
    assert "<script>" not in text
    assert "\n# c" not in text
