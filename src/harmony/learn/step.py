"""A step of a training: a survey over what devices derive from their record and the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from harmony_device.protocol import STEP_FORMAT

from ..arrays import Floats
from ..attributes import Attribute, Categorical, Integer, Numeric, Signed
from ..rounds import Round
from ..survey import Survey
from .score import Score
from .training import Training

Edges = Sequence[float] | Floats
"""Where bins meet, in rising order."""

Derivation = dict[str, Any]
"""How a device computes one answer: see `harmony.learn.derive`."""


class Scaling(NamedTuple):
    """How a gradient centres, scales and clips a number x: clip((x - middle) / reach)."""

    middle: float
    reach: float


UNSCALED = Scaling(0.0, 1.0)

SIGN = 1e-9
"""Where a term is clipped of which the sign counts."""


class Residual(NamedTuple):
    """What a gradient multiplies features with: clip(term / clip), term `residual` or `relative`.

    A relative residual is residual / (1 + |score|), which no label makes greater than one.
    """

    term: str
    clip: float
    attenuation: float = 1.0
    """How much of a small change of the score shows in the term, once that is clipped."""

    @property
    def unit(self) -> float:
        """The residual that an answer of one stands for, clipping undone."""
        return self.clip / self.attenuation


@dataclass(frozen=True)
class Question:
    """One thing that a step asks: the attribute of its survey, and how a device derives it."""

    attribute: Attribute
    derive: Derivation
    about: str = ""
    """The feature that is asked about, or the label."""

    @property
    def name(self) -> str:
        return self.attribute.name


def frequency(feature: Attribute, weight: int = 1) -> Question:
    """Ask how often each of a feature's values occurs.

    What stands for missing and unlisted values belongs to the feature, not to what is asked.
    """
    asked = Categorical(f"frequency of {feature.name}", feature.values, weight)
    return Question(asked, {"is": "feature", "feature": feature.name}, feature.name)


def place(feature: Numeric, edges: Edges, weight: int = 1) -> Question:
    """Ask how often a number lies in each of these bins of its domain."""
    name = f"place of {feature.name}"
    inner = [float(edge) for edge in edges[1:-1]]
    bins = [feature.low, *inner, feature.high]
    asked = Numeric(name, feature.low, feature.high, bins, weight)
    return Question(asked, {"is": "feature", "feature": feature.name}, feature.name)


def label_place(label: Attribute, edges: Edges, weight: int = 1) -> Question:
    """Ask how often a numeric label, scaled to [-1, 1], lies in each of these bins."""
    inner = [float(edge) for edge in edges[1:-1]]
    asked = Numeric("place of the label", -1, 1, [-1.0, *inner, 1.0], weight)
    return Question(asked, {"is": "label"}, label.name)


def term_place(term: str, clip: float, edges: Edges, weight: int = 1) -> Question:
    """Ask how often a term lies in each of these bins, from -clip to clip."""
    inner = [float(edge / clip) for edge in edges[1:-1]]
    asked = Numeric(f"place of the {term}", -1, 1, [-1.0, *inner, 1.0], weight)
    return Question(asked, {"is": "product", "of": [term], "clip": [float(clip)]})


def gradient(
    feature: Attribute, residual: Residual, weight: int = 1, scaling: Scaling = UNSCALED
) -> Question:
    """Ask for the mean of a residual times the feature: value by value, or times a scaled number.

    >>> gradient(Numeric("x", 0, 9), Residual("relative", 1.0), scaling=Scaling(-0.2, 0.4)).derive
    {'is': 'gradient', 'feature': 'x', 'of': 'relative', 'clip': 1.0, 'middle': -0.2, 'reach': 0.4}
    """
    name = f"gradient of {feature.name}"
    derive: Derivation = {"is": "gradient", "feature": feature.name}
    derive |= {"of": residual.term, "clip": float(residual.clip)}
    if feature.values:
        return Question(Signed(name, feature.values, weight), derive)
    derive |= scaling._asdict()
    return Question(Numeric(name, -1, 1, weight=weight), derive)


def side(feature: Attribute, residual: Residual, scaling: Scaling, weight: int = 1) -> Question:
    """Ask whether a residual times a scaled number is positive, negative or next to zero."""
    derive = gradient(feature, residual, weight, scaling).derive
    asked = Numeric(f"gradient of {feature.name}", -1, 1, [-1.0, -0.5, 0.5, 1.0], weight)
    return Question(asked, derive)


def class_value(feature: Attribute, weight: int = 1) -> Question:
    """Ask which of its values a device of one class has, or whether it is not of that class.

    That is the residual from a score of -1 or 1, which is the other class, times a direction that
    is (v + 1) / k or less than zero by as much for value v of k.  What is missing counts as not of
    the class.

    >>> class_value(Categorical("plan", ["basic", "plus"])).attribute.values
    ('[-1, 0.25)', '[0.25, 0.75)', '[0.75, 1]')
    """
    count = len(feature.values)
    bins = [-1.0, *((place + 0.5) / count for place in range(count)), 1.0]
    asked = Numeric(f"gradient of {feature.name}", -1, 1, bins, weight)
    terms = ["relative", "direction"]
    return Question(asked, {"is": "product", "of": terms, "clip": [1.0, 1.0]})


def value_and_side(feature: Attribute, weight: int = 1) -> Question:
    """Ask which of its values a device has, and on which side its residual is.

    That is the residual's sign times a direction that is (v + 1) / k for value v of k.

    >>> value_and_side(Categorical("plan", ["basic", "plus"])).attribute.edges
    (-1.0, -0.75, -0.25, 0.25, 0.75, 1.0)
    """
    count = len(feature.values)
    bins = [(place + 0.5) / count for place in range(count)]
    edges = [-1.0, *(-one for one in reversed(bins)), *bins, 1.0]
    asked = Numeric(f"gradient of {feature.name}", -1, 1, edges, weight)
    terms, clips = ["residual", "direction"], [SIGN, 1.0]
    return Question(asked, {"is": "product", "of": terms, "clip": clips})


def product(*terms: tuple[str, float], weight: int = 1) -> Question:
    """Ask for the mean product of terms (label, score, residual ...), each clipped.

    A square cannot be negative: it is asked from 0 to 1, which halves its error.

    >>> product(("residual", 2.0), ("direction", 0.5)).derive
    {'is': 'product', 'of': ['residual', 'direction'], 'clip': [2.0, 0.5]}
    """
    names = [name for name, _ in terms]
    derive = {"is": "product", "of": names, "clip": [float(clip) for _, clip in terms]}
    least = 0 if all(names.count(name) % 2 == 0 for name in names) else -1
    return Question(Numeric(" x ".join(names), least, 1, weight=weight), derive)


def curve(edges: Edges) -> Question:
    """Ask how scores are distributed in each class: a bin between edges, and the label."""
    derive = {"is": "curve", "edges": [float(edge) for edge in edges]}
    return Question(Integer("curve", 0, 2 * len(edges) + 1), derive)


def surplus(edges: Edges) -> Question:
    """Ask how many more labels are positive than negative, in each bin of scores between edges."""
    derive = {"is": "surplus", "edges": [float(edge) for edge in edges]}
    return Question(Signed("surplus", range(len(edges) + 1)), derive)


@dataclass(frozen=True, eq=False)
class Step:
    """What devices are asked next, and how many of them are wanted.

    >>> from harmony import Boolean
    >>> from harmony.learn import Trainer
    >>> happy, wifi = Boolean("happy"), Boolean("wifi")
    >>> step = Trainer(Training("mood", 1.0, "logistic", happy, [wifi], devices=1000)).step
    >>> isinstance(step, Step), step.number, step.survey.name
    (True, 1, 'mood.step-1')
    """

    training: Training
    number: int
    purpose: str
    questions: tuple[Question, ...]
    devices: int
    model: Score
    direction: Score | None = None
    label: Attribute | None = None

    @cached_property
    def survey(self) -> Survey:
        """The survey that devices answer; its name tells the training and the step."""
        return Survey(
            f"{self.training.name[:80]}.step-{self.number}",
            [question.attribute for question in self.questions],
            self.training.epsilon,
            balance=False,  # the method says how often each is asked
        )

    @property
    def derive(self) -> dict[str, Derivation]:
        """How a device computes each attribute of the survey."""
        return {question.name: question.derive for question in self.questions}

    def to_document(self, round: Round | None = None) -> dict[str, Any]:
        """Return what a device pulls: the survey, the model and what to derive."""
        document: dict[str, Any] = {
            "format": STEP_FORMAT,
            "training": self.training.name,
            "step": self.number,
            "survey": self.survey.to_document(),
            "features": [feature.to_document() for feature in self.model.features],
            "label": (self.label or self.training.label).to_document(),
            "model": self.model.to_document(),
            "derive": self.derive,
        }
        if self.direction is not None:
            document["direction"] = self.direction.to_document()
        if round is not None:
            document["round"] = {"label": round.label, "seed": round.seed.hex()}
        return document
