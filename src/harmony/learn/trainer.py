"""The trainer: a pure state machine from tallies to a model, the same offline and live."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..attributes import Attribute, Numeric, Value
from ..errors import TallyError
from ..tally import Tally
from .model import Model
from .multiclass_model import MulticlassModel
from .score import Score
from .step import Question, Step
from .training import Training

if TYPE_CHECKING:
    from .evaluation import Evaluation
    from .intervals import Coefficients


@dataclass(frozen=True)
class QuestionEstimate:
    """What a tally tells about one question: estimates, and the variance that noise gives each."""

    n: int
    estimates: Floats
    variance: Floats

    @property
    def mean(self) -> float:
        """The one estimate of a numeric question."""
        return float(self.estimates[0])

    def pooled(self, other: QuestionEstimate) -> QuestionEstimate:
        """Return the estimate from both groups of devices."""
        n = self.n + other.n
        if not self.n or not other.n:
            return self if self.n else other
        share = self.n / n
        estimates = share * self.estimates + (1 - share) * other.estimates
        variance = share**2 * self.variance + (1 - share) ** 2 * other.variance
        return QuestionEstimate(n, estimates, variance)


UNKNOWN = QuestionEstimate(0, np.zeros(1), np.full(1, np.inf))
Estimates = Mapping[str, QuestionEstimate]
LABEL = "label"
"""The question for the mean of the label itself, which several steps ask."""


Scores = Score | tuple[Score, ...]
"""A score, or one for each of more than two classes."""


@dataclass(frozen=True)
class StepRequest:
    """What a method asks next, and the best score it could give if nobody answered any more."""

    purpose: str
    questions: tuple[Question, ...]
    devices: int
    model: Score
    best: Scores
    direction: Score | None = None
    loss: float | None = None
    """The mean squared error that `best` is thought to have, of labels from -1 to 1."""
    label: Attribute | None = None
    """The label as devices see it, if its domain is wider than that."""
    about: Value | None = None
    """The class that is asked about, if there are more than two."""


class Outcome(NamedTuple):
    """What a method arrives at: the score, and what other devices say about it."""

    score: Scores
    evaluation: Evaluation | None
    intervals: Coefficients | None = None


Method = Generator[StepRequest, Estimates, Outcome]
"""A method of learning asks for steps, is sent their estimates, and returns the outcome."""


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
        self.training = training
        self.history: list[dict[str, Any]] = []
        self._results: list[dict[str, Any]] = []
        self._method: Method = _method_of(training)
        self._best: Scores = Score.constant(training.features)
        self._label: Attribute | None = None
        self._about: Value | None = None
        self._evaluation: Evaluation | None = None
        self._intervals: Coefficients | None = None
        self.step: Step | None = None
        self._advance(None)

    @classmethod
    def resume(cls, training: Training, state: Mapping[str, Any]) -> Trainer:
        """Return the trainer whose `state` this was."""
        trainer = cls(training)
        try:
            for result in state["told"]:
                trainer._record(
                    {name: _from_document(one) for name, one in result["answers"].items()}, result
                )
        except (KeyError, TypeError, ValueError) as problem:
            raise TallyError(f"the state of the training is damaged ({problem})") from None
        return trainer

    @property
    def state(self) -> dict[str, Any]:
        """Everything learned so far, as JSON would hold it."""
        return {"training": self.training.name, "told": self._results}

    @property
    def model(self) -> Model | MulticlassModel:
        """The model so far, or the final one once `step` is None."""
        if isinstance(self._best, tuple):
            return MulticlassModel(self.training, self._best, self._evaluation)
        factor, shift = self._label_scale
        score = self._best.times(factor).shifted(shift)
        return Model(self.training, score, self._evaluation, self._intervals)

    @property
    def _label_scale(self) -> tuple[float, float]:
        """How scores become those of labels in their domain: times the first, plus the second."""
        seen, label = self._label, self.training.label
        if not isinstance(seen, Numeric) or not isinstance(label, Numeric):
            return 1.0, 0.0
        width = label.high - label.low
        shift = (seen.low + seen.high - label.low - label.high) / width
        return (seen.high - seen.low) / width, shift

    @property
    def class_means(self) -> list[QuestionEstimate]:
        """What all steps tell about how frequent each class is: the mean of 1 for it, else -1."""
        means = dict.fromkeys(self.training.label.values, UNKNOWN)
        first, *_, second = means
        for row, result in zip(self.history, self._results, strict=True):
            if LABEL in result["answers"]:
                told = _from_document(result["answers"][LABEL])
                name = row.get("class", second)
                means[name] = means[name].pooled(told)
        if len(means) == 2:
            means[first] = replace(means[second], estimates=-means[second].estimates)
        return list(means.values())

    def frequencies(self, feature: Attribute) -> QuestionEstimate:
        """Return what all steps tell about how frequent each of a feature's values is."""
        told = [one["answers"].get(f"frequency of {feature.name}") for one in self._results]
        return reduce(
            QuestionEstimate.pooled, [_from_document(one) for one in told if one], UNKNOWN
        )

    @property
    def spent(self) -> int:
        """How many devices have reported."""
        return sum(result["reports"] for result in self._results)

    def learn(self, tally: Tally) -> None:
        """Learn from the reports to the current step, and move on."""
        if self.step is None:
            raise TallyError("the training is complete; it has no step to learn from")
        tally.check(self.step.survey)
        estimates = decode(self.step, tally)
        written = {name: _to_document(one) for name, one in estimates.items()}
        self._record(estimates, {"reports": tally.reports, "answers": written})

    def _record(self, estimates: Estimates, result: dict[str, Any]) -> None:
        assert self.step is not None
        row = {
            "step": self.step.number,
            "purpose": self.step.purpose,
            "wanted": self.step.devices,
            "devices": result["reports"],
        }
        self.history.append(row if self._about is None else row | {"class": self._about})
        self._results.append(result)
        self._advance(estimates)

    def _advance(self, estimates: Estimates | None) -> None:
        try:
            request = self._method.send(estimates)  # type: ignore[arg-type]  # None starts it
        except StopIteration as end:
            (self._best, evaluation, self._intervals), self.step = end.value, None
            self._evaluation = evaluation and evaluation.possible
            return  # the label is that of the last step
        self._best, self._label, self._about = request.best, request.label, request.about
        if self.history:
            scale = self._label_scale[0] ** 2
            self.history[-1]["loss"] = None if request.loss is None else scale * request.loss
        number = len(self._results) + 1
        self.step = Step(
            self.training,
            number,
            request.purpose,
            request.questions,
            max(1, request.devices),
            request.model,
            request.direction,
            request.label,
        )


def _method_of(training: Training) -> Method:
    from .auto import auto
    from .multiclass import one_score_a_class

    return one_score_a_class(training) if training.multiclass else auto(training)


def decode(step: Step, tally: Tally) -> dict[str, QuestionEstimate]:
    """Return an estimate for each question of a step; zero, of no precision, if nobody answered."""
    estimates = {}
    for place, question in enumerate(step.questions):
        moments = step.survey.mechanisms[0][place].moments(tally.cells[0][place])
        if moments.n:
            middle, unit = _scale(question.attribute)
            variance = unit**2 * moments.total / moments.n
            found = middle + unit * moments.estimates
            estimates[question.name] = QuestionEstimate(moments.n, found, variance)
        else:
            zeros = np.zeros_like(moments.estimates)
            estimates[question.name] = QuestionEstimate(0, zeros, zeros + np.inf)
    return estimates


def _scale(asked: Attribute) -> tuple[float, float]:
    """Return what zero stands for where devices answer a plain number in [-1, 1], and what one."""
    if not isinstance(asked, Numeric) or asked.edges:
        return 0.0, 1.0
    return (asked.low + asked.high) / 2, (asked.high - asked.low) / 2


def _to_document(estimate: QuestionEstimate) -> dict[str, Any]:
    return {
        "n": estimate.n,
        "estimates": estimate.estimates.tolist(),
        "variance": estimate.variance.tolist() if estimate.n else None,
    }


def _from_document(document: Mapping[str, Any]) -> QuestionEstimate:
    estimates = np.array(document["estimates"], np.float64)
    if document["variance"] is None:
        return QuestionEstimate(0, estimates, np.full(len(estimates), np.inf))
    variance = np.array(document["variance"], np.float64)
    return QuestionEstimate(int(document["n"]), estimates, variance)
