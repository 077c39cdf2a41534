"""The trainer: a pure state machine from tallies to a model, the same offline and live."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import TallyError
from ..tally import Tally
from .model import Model
from .score import Score
from .step import Question, Step
from .training import Training


@dataclass(frozen=True)
class Answer:
    """What a tally said about one question: estimates, and the variance that noise gave each."""

    n: int
    estimates: Floats
    variance: Floats

    @property
    def mean(self) -> float:
        """The one estimate of a numeric question."""
        return float(self.estimates[0])

    def joined(self, other: Answer) -> Answer:
        """Return the answer of both groups of devices."""
        n = self.n + other.n
        if not self.n or not other.n:
            return self if self.n else other
        share = self.n / n
        estimates = share * self.estimates + (1 - share) * other.estimates
        return Answer(n, estimates, share**2 * self.variance + (1 - share) ** 2 * other.variance)


Answers = Mapping[str, Answer]


@dataclass(frozen=True)
class Ask:
    """What a method asks next, and the best score it could give if nobody answered any more."""

    purpose: str
    questions: tuple[Question, ...]
    devices: int
    model: Score
    best: Score
    direction: Score | None = None
    loss: float | None = None
    """The mean squared error that `best` is thought to have, of labels from -1 to 1."""


Method = Generator[Ask, Answers, Score]
"""A method of learning asks, is sent the answers, and returns the score it has learned."""


class Trainer:
    """Turns a training into steps, and the tallies of those steps into a model.

    There is no randomness in it: the same tallies give the same model, and a trainer resumed
    from its `state` goes on as if nothing had happened.

    >>> import numpy as np
    >>> from harmony import Boolean, Numeric
    >>> from harmony.learn.derive import collect_step
    >>> from harmony.learn.records import Records
    >>> training = Training("likes", 2.0, "squared", Numeric("stars", 1, 5), [Boolean("wifi")],
    ...                     devices=4000)
    >>> wifi = np.arange(4000) % 2 == 0
    >>> records = Records({"stars": np.where(wifi, 5, 2), "wifi": wifi}, training.features,
    ...                   training.label)
    >>> trainer, first = Trainer(training), 0
    >>> while (step := trainer.step) is not None:
    ...     tally = collect_step(step, records, first, first + step.devices, seed=7)
    ...     first += step.devices
    ...     trainer.learn(tally)
    >>> [round(float(stars)) for stars in trainer.model.predict({"wifi": [False, True]})]
    [2, 5]
    """

    def __init__(self, training: Training) -> None:
        from .auto import auto

        self.training = training
        self.history: list[dict[str, Any]] = []
        self._told: list[dict[str, Any]] = []
        self._method: Method = auto(training)
        self._best = Score.constant(training.features)
        self.step: Step | None = None
        self._advance(None)

    @classmethod
    def resume(cls, training: Training, state: Mapping[str, Any]) -> Trainer:
        """Return the trainer whose `state` this was."""
        trainer = cls(training)
        try:
            for told in state["told"]:
                trainer._take({name: _read(one) for name, one in told["answers"].items()}, told)
        except (KeyError, TypeError, ValueError) as problem:
            raise TallyError(f"the state of the training is damaged ({problem})") from None
        return trainer

    @property
    def state(self) -> dict[str, Any]:
        """Everything learned so far, as JSON would hold it."""
        return {"training": self.training.name, "told": self._told}

    @property
    def model(self) -> Model:
        """The model so far, or the final one once `step` is None."""
        return Model(self.training, self._best)

    @property
    def spent(self) -> int:
        """How many devices have reported."""
        return sum(told["reports"] for told in self._told)

    def learn(self, tally: Tally) -> None:
        """Learn from the reports to the current step, and move on."""
        if self.step is None:
            raise TallyError("the training is complete; it has no step to learn from")
        tally.check(self.step.survey)
        answers = decode(self.step, tally)
        written = {name: _write(one) for name, one in answers.items()}
        self._take(answers, {"reports": tally.reports, "answers": written})

    def _take(self, answers: Answers, told: dict[str, Any]) -> None:
        assert self.step is not None
        self.history.append(
            {
                "step": self.step.number,
                "purpose": self.step.purpose,
                "wanted": self.step.devices,
                "devices": told["reports"],
            }
        )
        self._told.append(told)
        self._advance(answers)

    def _advance(self, answers: Answers | None) -> None:
        try:
            ask = self._method.send(answers)  # type: ignore[arg-type]  # None starts a generator
        except StopIteration as end:
            self._best, self.step = end.value, None
            return
        if self.history:
            self.history[-1]["loss"] = ask.loss
        self._best = ask.best
        number = len(self._told) + 1
        self.step = Step(
            self.training,
            number,
            ask.purpose,
            ask.questions,
            max(1, ask.devices),
            ask.model,
            ask.direction,
        )


def decode(step: Step, tally: Tally) -> dict[str, Answer]:
    """Return the answer to each question of a step; nought, and no precision, where nobody did."""
    answers = {}
    for place, question in enumerate(step.questions):
        moments = step.survey.mechanisms[0][place].moments(tally.cells[0][place])
        if moments.n:
            answer = Answer(moments.n, moments.estimates, moments.total / moments.n)
        else:
            nothing = np.zeros_like(moments.estimates)
            answer = Answer(0, nothing, nothing + np.inf)
        answers[question.name] = answer
    return answers


def _write(answer: Answer) -> dict[str, Any]:
    return {
        "n": answer.n,
        "estimates": answer.estimates.tolist(),
        "variance": answer.variance.tolist() if answer.n else None,
    }


def _read(written: Mapping[str, Any]) -> Answer:
    estimates = np.array(written["estimates"], np.float64)
    if written["variance"] is None:
        return Answer(0, estimates, np.full(len(estimates), np.inf))
    return Answer(int(written["n"]), estimates, np.array(written["variance"], np.float64))
