"""The trainer is a pure function of the tallies it has seen."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from harmony import Boolean, Categorical, Numeric, Round
from harmony.attributes import Signed
from harmony.errors import SurveyError, TallyError
from harmony.learn import Model, Trainer, Training
from harmony.learn.derive import collect_step
from harmony.learn.records import Records
from harmony.tally import Tally
from harmony_device import Survey as DeviceSurvey

from .cases import FEATURES, people, training_of

N = 30_000
LOSSES = ("squared", "logistic", "hinge")


def run(trainer: Trainer) -> list[Tally]:
    """Let devices answer until the training ends; return what was counted, step after step."""
    records = Records(people(N), FEATURES, trainer.training.label)
    tallies: list[Tally] = []
    first = 0
    while (step := trainer.step) is not None:
        last = min(first + step.devices, N)
        tallies.append(collect_step(step, records, first, last, seed=2))
        trainer.learn(tallies[-1])
        first = last
    return tallies


@pytest.mark.parametrize("loss", LOSSES)
def test_a_resumed_trainer_goes_on_as_if_nothing_had_happened(loss: str) -> None:
    training = training_of(loss, N, epsilon=4.0)
    whole = Trainer(training)
    tallies = run(whole)
    assert len(whole.history) >= 3
    for steps in range(len(tallies) + 1):
        trainer = Trainer(training)
        for tally in tallies[:steps]:
            trainer.learn(tally)
        state = json.loads(json.dumps(trainer.state))
        again = Trainer.resume(training, state)
        assert again.history == trainer.history
        if trainer.step is not None:
            assert again.step is not None
            assert again.step.to_document() == trainer.step.to_document()
        for tally in tallies[steps:]:
            again.learn(tally)
        assert again.model.to_document() == whole.model.to_document()


@pytest.mark.parametrize("loss", LOSSES)
def test_every_device_is_asked_at_most_once(loss: str) -> None:
    trainer = Trainer(training_of(loss, N))
    wanted = 0
    while (step := trainer.step) is not None:
        wanted += step.devices
        trainer.learn(Tally.empty(step.survey, Round.open("1")))
    assert wanted <= N + len(trainer.history)
    assert wanted >= 0.4 * N  # a training that hears nothing has no level to set


@pytest.mark.parametrize("loss", LOSSES)
def test_a_training_that_nobody_answers_ends_with_a_finite_model(loss: str) -> None:
    trainer = Trainer(training_of(loss, N))
    while (step := trainer.step) is not None:
        trainer.learn(Tally.empty(step.survey, Round.open("1")))
    scores = trainer.model.scores(people(10))
    assert np.isfinite(scores).all()
    assert (
        Trainer.resume(trainer.training, trainer.state).model.intercept == trainer.model.intercept
    )


def test_a_step_that_hears_fewer_devices_is_learned_from_all_the_same() -> None:
    trainer = Trainer(training_of("squared", N, epsilon=4.0))
    records = Records(people(N), FEATURES, trainer.training.label)
    first = 0
    while (step := trainer.step) is not None:
        some = max(1, step.devices // 3)
        trainer.learn(collect_step(step, records, first, first + some, seed=1))
        first += some
    table = people(2000, seed=8)
    errors = trainer.model.predict(table) - table["stars"]
    assert np.mean(errors**2) < 0.9 * np.var(table["stars"])


def test_tallies_of_another_step_are_refused() -> None:
    trainer = Trainer(training_of("squared", N))
    assert trainer.step is not None
    first = Tally.empty(trainer.step.survey, Round.open("1"))
    trainer.learn(first)
    with pytest.raises(TallyError, match="another survey"):
        trainer.learn(first)


def test_a_complete_training_learns_no_more() -> None:
    trainer = Trainer(training_of("squared", N))
    tally = None
    while (step := trainer.step) is not None:
        tally = Tally.empty(step.survey, Round.open("1"))
        trainer.learn(tally)
    assert tally is not None
    with pytest.raises(TallyError, match="complete"):
        trainer.learn(tally)


def test_a_damaged_state_is_refused() -> None:
    training = training_of("squared", N)
    with pytest.raises(TallyError, match="damaged"):
        Trainer.resume(training, {"told": [{"answers": {"label": {}}, "reports": 3}]})


@pytest.mark.parametrize("loss", LOSSES)
def test_devices_take_every_steps_survey_and_prove_its_tables(loss: str) -> None:
    trainer = Trainer(training_of(loss, N, epsilon=0.7))
    while (step := trainer.step) is not None:
        document = json.loads(json.dumps(step.to_document(Round("1", bytes(16)))))
        survey = DeviceSurvey(document["survey"])
        assert max(survey.tiers) == 0.7
        assert {one.name for one in survey.attributes} == document["derive"].keys()
        trainer.learn(Tally.empty(step.survey, Round.open("1")))


def test_a_model_survives_its_file(tmp_path: Any) -> None:
    trainer = Trainer(training_of("logistic", N, epsilon=4.0))
    run(trainer)
    trainer.model.save(tmp_path / "model.json")
    again = Model.load(tmp_path / "model.json")
    table = people(100)
    assert again.predict(table).tolist() == trainer.model.predict(table).tolist()
    assert again.chances(table) == pytest.approx(trainer.model.chances(table))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"loss": "absolute"}, "'loss' must be one of"),
        ({"method": "sgd"}, "'method' must be one of"),
        ({"epsilon": 0}, "'epsilon' must"),
        ({"devices": 0}, "'devices' must be an integer from 1"),
        ({"devices": True}, "'devices' must be an integer from 1"),
        ({"devices": 10**400}, "'devices' must be an integer from 1"),
        ({"features": []}, "'features' must be a list"),
        ({"features": [Numeric("stars", 0, 1)]}, "two attributes are called 'stars'"),
        ({"features": [Signed("age", [0, 1])]}, "Numeric, Categorical and Crosstab"),
        ({"features": [Numeric("x" * 190, 0, 9)]}, "at most 180"),
        ({"label": Categorical("stars", [1, 2, 3])}, "must be numeric"),
        ({"loss": "hinge"}, "list its classes"),
        ({"seed": 1.5}, "'seed' must be an integer"),
    ],
)
def test_trainings_that_cannot_be_are_refused(change: dict[str, Any], problem: str) -> None:
    fields: dict[str, Any] = {
        "name": "t", "epsilon": 1.0, "loss": "squared", "label": Numeric("stars", 1, 5),
        "features": [Boolean("wifi")], "devices": 100,
    }  # fmt: skip
    with pytest.raises(SurveyError, match=problem):
        Training(**fields | change)


def test_documents_of_trainings_say_what_is_wrong() -> None:
    document = training_of("squared", 10).to_document()
    with pytest.raises(SurveyError, match="'label' is missing"):
        Training.from_document({k: v for k, v in document.items() if k != "label"})
    with pytest.raises(SurveyError, match="unknown field 'lambda'"):
        Training.from_document(document | {"lambda": 1})
    with pytest.raises(SurveyError, match="must be a mapping"):
        Training.from_document([])
