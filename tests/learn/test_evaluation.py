"""Devices that a model did not learn from tell how good it is; a constant is better than harm."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from harmony import Boolean, Numeric
from harmony.errors import SurveyError
from harmony.learn import Model, Training
from harmony.learn import step as ask_for
from harmony.learn.derive import collect_step
from harmony.learn.evaluation import Candidate, Evaluation, evaluated
from harmony.learn.records import Records
from harmony.learn.score import Score
from harmony.learn.step import Step
from harmony.learn.trainer import QuestionEstimate, StepRequest, decode

from .cases import learned, people

FEATURES = [Numeric("x", -3, 3)]
RUNS, DEVICES = 120, 20_000


def judged(loss: str, weight: float, run: int) -> tuple[Evaluation, float]:
    """Let devices judge a score of this weight; return what they say, and what they should."""
    rng = np.random.default_rng(run)
    x = rng.uniform(-3, 3, DEVICES)
    if loss == "squared":
        label: Numeric | Boolean = Numeric("y", -1, 1)
        y = np.clip(0.2 * x + rng.normal(0, 0.2, DEVICES), -1, 1)
        truth = 1 - np.mean((weight * x / 3 - y) ** 2) / np.var(y)
    else:
        label = Boolean("y")
        y = rng.random(DEVICES) < 1 / (1 + np.exp(-x))
        truth = np.mean((weight * x > 0) != y)
    training = Training("judged", 2.0, loss, label, FEATURES, 2 * DEVICES, evaluation=0.5)
    score = Score(FEATURES, 0.0, [np.array([weight])])
    constant = Score.constant(FEATURES, 0.0)
    candidate = Candidate(score, constant, abs(weight) / np.sqrt(3), 0.2)
    ask = partial(StepRequest, model=score, best=score)
    steps = evaluated(candidate, training, ask)
    request = next(steps)
    step = Step(training, 1, request.purpose, request.questions, DEVICES, score, request.direction)
    records = Records({"x": x, "y": y}, FEATURES, label)
    with pytest.raises(StopIteration) as end:
        steps.send(decode(step, collect_step(step, records, 0, DEVICES, seed=run)))
    evaluation = end.value.value.evaluation
    assert end.value.value.score is (score if evaluation.kept else constant)
    return evaluation, float(truth)


@pytest.mark.parametrize(
    ("loss", "weight"), [("squared", 0.6), ("squared", 0.3), ("logistic", 1.0)]
)
def test_intervals_hold_the_truth_as_often_as_they_say(loss: str, weight: float) -> None:
    """Of 120 intervals of 95%, 105 or fewer hold the truth once in 700 times (binomial)."""
    found = [judged(loss, weight, run) for run in range(RUNS)]
    held = sum(one.low <= truth <= one.high for one, truth in found)
    assert held > 105
    assert all(one.kept for one, _ in found)


def test_a_square_is_asked_from_zero_on_with_half_the_error() -> None:
    """Off by five standard errors once in a million times."""
    x = np.random.default_rng(5).uniform(-3, 3, DEVICES)
    training = Training("squares", 1.0, "squared", Numeric("y", -1, 1), FEATURES, DEVICES)
    score = Score(FEATURES, 0.0, [np.array([1.0])])
    asked = ask_for.product(("score", 1.0), ("score", 1.0)), ask_for.product(("score", 1.0))
    step = Step(training, 1, "squares", asked, DEVICES, score)
    records = Records({"x": x, "y": x / 3}, FEATURES, training.label)
    found = decode(step, collect_step(step, records, 0, DEVICES, seed=5))
    square, plain = found["score x score"], found["score"]
    error = np.sqrt(square.variance[0])
    assert abs(square.mean - np.mean((x / 3) ** 2)) < 5 * error
    assert abs(plain.mean - np.mean(x / 3)) < 5 * np.sqrt(plain.variance[0])
    assert 0.4 < error / np.sqrt(plain.variance[0]) < 0.6


@pytest.mark.parametrize(
    ("loss", "weight"), [("squared", -0.6), ("squared", 3.0), ("logistic", -1.0)]
)
def test_a_constant_takes_the_place_of_what_is_worse(loss: str, weight: float) -> None:
    assert not any(judged(loss, weight, run)[0].kept for run in range(20))


def test_a_gain_that_noise_makes_large_is_no_reason_to_keep_a_model() -> None:
    """What is left of the variance seems to be nothing, and so R2 to be large, by noise."""
    told = {
        "squared residual": (0.0, 1e-4), "squared score": (0.1, 1e-4),
        "what is left": (0.3, 0.16), "instrument": (0.25, 1e-4),
    }  # fmt: skip
    found = {
        name: QuestionEstimate(500, np.array([mean]), np.array([variance]))
        for name, (mean, variance) in told.items()
    }
    found["tail of the residual"] = QuestionEstimate(500, np.eye(6)[0], np.full(6, 1e-4))
    training = Training("noisy", 0.4, "squared", Numeric("y", -1, 1), FEATURES, 5_000)
    score, constant = Score(FEATURES, 0.0, [np.array([0.2])]), Score.constant(FEATURES, 0.0)
    candidate = Candidate(score, constant, 0.1, 0.3)
    steps = evaluated(candidate, training, partial(StepRequest, model=score, best=score))
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(found)
    assert end.value.value.evaluation.value > 0.7
    assert end.value.value.score is constant


@pytest.mark.parametrize(("devices", "kept"), [(1_000_000, True), (3_000, False)])
def test_noise_in_wrong_labels_of_a_rare_class_is_no_reason_to_reject_a_model(
    devices: int, kept: bool
) -> None:
    """By two errors it seems to be worse, where the plan expects much of it, or nothing."""
    told = {"right": (0.75, 4e-4), "label": (-0.8, 1e-6)}
    found = {
        name: QuestionEstimate(500, np.array([mean]), np.array([variance]))
        for name, (mean, variance) in told.items()
    }
    training = Training("rare", 1.0, "logistic", Boolean("y"), FEATURES, devices)
    score, constant = Score(FEATURES, -2.0, [np.array([1.0])]), Score.constant(FEATURES, -2.2)
    candidate = Candidate(score, constant, 1.0, 1.0)
    steps = evaluated(candidate, training, partial(StepRequest, model=score, best=score))
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(found)
    assert end.value.value.evaluation.kept is kept


@pytest.mark.parametrize(("errors", "kept"), [(3.5, True), (4.5, False)])
def test_a_score_that_clearly_tells_something_is_kept_unless_it_is_surely_worse(
    errors: float, kept: bool
) -> None:
    """Where little was expected, and the devices of a curve have seen labels go with the score."""
    label, variance = -0.8, 4e-4
    told = {"right": (-label - errors * math.sqrt(variance), variance), "label": (label, 1e-9)}
    found = {
        name: QuestionEstimate(500, np.array([mean]), np.array([noise]))
        for name, (mean, noise) in told.items()
    }
    training = Training("rare", 1.0, "logistic", Boolean("y"), FEATURES, 3_000)
    score, constant = Score(FEATURES, -2.0, [np.array([1.0])]), Score.constant(FEATURES, -2.2)
    for clear in (True, False):
        candidate = Candidate(score, constant, 1.0, 1.0, clear=5.0 if clear else 0.0)
        steps = evaluated(candidate, training, partial(StepRequest, model=score, best=score))
        next(steps)
        with pytest.raises(StopIteration) as end:
            steps.send(found)
        assert end.value.value.evaluation.kept is (kept and clear)


def judged_tail(run: int, range_high: float) -> tuple[Evaluation, float, bool]:
    """Let devices judge a model of log-normal labels, which it has seen up to `range_high`.

    Return what they say, what they should, and whether the truth were held without the tail.
    """
    rng = np.random.default_rng(run)
    x = rng.uniform(-3, 3, DEVICES)
    y = np.clip(np.exp(rng.normal(0, 1, DEVICES)) + 0.5 * x + 1.5, 0, 400)
    domain, seen = Numeric("y", 0, 400), Numeric("y", 0, range_high)
    training = Training("judged", 4.0, "squared", domain, FEATURES, 2 * DEVICES, evaluation=0.5)
    half = range_high / 2
    score = Score(FEATURES, y.mean() / half - 1, [np.array([1.5 / half])])
    constant = Score.constant(FEATURES, y.mean() / half - 1)
    candidate = Candidate(score, constant, 0.87 / half, 1.2 / half, range=seen)
    steps = evaluated(candidate, training, partial(StepRequest, model=score, best=score))
    request = next(steps)
    assert request.label is domain
    step = Step(
        training, 1, request.purpose, request.questions, DEVICES, request.model, request.direction
    )
    records = Records({"x": x, "y": y}, FEATURES, domain)
    found = decode(step, collect_step(step, records, 0, DEVICES, seed=run))
    with pytest.raises(StopIteration) as end:
        steps.send(found)
    truth = 1 - np.mean((y.mean() + 0.5 * x - y) ** 2) / np.var(y)
    evaluation = end.value.value.evaluation
    light = found | {"tail of the residual": QuestionEstimate(9, np.eye(6)[0], np.full(6, 1e-9))}
    steps = evaluated(candidate, training, partial(StepRequest, model=score, best=score))
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(light)
    without = end.value.value.evaluation
    return evaluation, float(truth), without.low <= truth <= without.high


def test_intervals_hold_what_tails_hide() -> None:
    """Of 40 intervals of 95%, 33 or fewer hold the truth once in 290 times (binomial).

    The clip hides two thirds of the squared residual, and the range of labels as much.
    """
    found = [judged_tail(run, 6.0) for run in range(40)]
    assert sum(one.low <= truth <= one.high for one, truth, _ in found) > 33
    assert sum(held for *_, held in found) < 20
    assert np.median([one.high - one.low for one, *_ in found]) < 0.3


def test_a_score_is_the_same_in_the_domain_as_in_the_range() -> None:
    score, constant = Score(FEATURES, 0.5, [np.array([0.2])]), Score.constant(FEATURES, 0.5)
    seen = Candidate(score, constant, 0.2, 0.4, range=Numeric("y", 10, 30))
    moved = seen.in_domain(Numeric("y", 0, 100))
    assert moved.score.intercept == pytest.approx(-0.5)  # 25 both ways
    assert moved.score.blocks[0][0] == pytest.approx(0.04)  # two of 100
    assert (moved.score_std, moved.residual_std) == pytest.approx((0.04, 0.08))
    assert seen.in_domain(Numeric("y", 10, 30)) is seen


def test_a_model_tells_how_good_it_is() -> None:
    unseen = people(20_000, seed=99)
    trainer = learned("squared", 200_000, 2.0)
    model = trainer.model
    about = model.evaluation
    assert about is not None
    truth = 1 - np.mean((model.predict(unseen) - unseen["stars"]) ** 2) / np.var(unseen["stars"])
    assert about.low - 0.02 < truth < about.high + 0.02
    assert trainer.history[-1]["purpose"] == "evaluation"
    assert trainer.history[-1]["devices"] == about.devices == 20_000
    assert f"R2 {about.value:.3f}" in model.summary()
    assert Model.from_document(model.to_document()).evaluation == about


def test_nobody_is_kept_for_evaluation_if_none_is_wanted() -> None:
    training = Training("t", 1.0, "squared", Numeric("y", 0, 1), FEATURES, 100, evaluation=0)
    assert training.evaluating == 0
    assert Training.from_document(training.to_document()) == training


@pytest.mark.parametrize("share", [-0.1, 0.6, "a tenth", True])
def test_shares_that_cannot_be_are_refused(share: object) -> None:
    with pytest.raises(SurveyError, match="'evaluation' must be a share"):
        Training(
            "t", 1.0, "squared", Numeric("y", 0, 1), FEATURES, 100,
            evaluation=share,  # type: ignore[arg-type]  # that is what is tested
        )  # fmt: skip


def test_damaged_evaluations_are_refused() -> None:
    document = learned("logistic", 50_000, 4.0).model.to_document()
    del document["evaluation"]["low"]
    with pytest.raises(SurveyError, match="'evaluation' lacks or misstates 'low'"):
        Model.from_document(document)
