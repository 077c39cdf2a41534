"""A training: what is to be learned, from whom and at which epsilon."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..attributes import Attribute, Categorical, Numeric, Signed, attribute_from_document
from ..errors import SurveyError
from .crosses import read_features, resolved, with_options

LOSSES = ("squared", "logistic", "hinge")
METHODS = ("auto",)
EVALUATION, MOST_EVALUATION = 0.1, 0.5
"""The share of the devices that are kept for evaluation: usually, and at most."""

MAX_NAME = 180
"""Longest name of a feature: a step's survey puts a few words before it."""

LEAST_EVALUATION = 100
"""Fewer devices than this cannot tell how good a model is; they had better be learned from."""

MAX_CLASSES = 100

MOST_COEFFICIENTS = 16
"""Models of more weights have no intervals: each weight takes a step of its own."""

_OPTIONAL = {"method", "seed", "evaluation", "intervals", "bins", "crosses"}
_FIELDS = {"name", "epsilon", "loss", "label", "features", "devices"} | _OPTIONAL


@dataclass(frozen=True)
class Training:
    """A label, the features that should predict it, a loss, an epsilon and a number of devices.

    The label is a number for `squared` loss, and a class for `logistic` and `hinge`: of two values
    the second is the positive one, and of more each has a score.  A number with `bins` is learned
    as a category, and a `Crosstab` of two features as all pairs of their values.  Each device
    answers once, at `epsilon`.

    >>> training = Training("income", 1.0, "squared", Numeric("income", 0, 100_000),
    ...     [Numeric("age", 16, 95), Categorical("sex", ["f", "m"])], devices=1_000_000)
    >>> training.width
    3
    >>> Training.from_document(training.to_document()) == training
    True
    """

    name: str
    epsilon: float
    loss: str
    label: Attribute
    features: Sequence[Attribute]
    devices: int
    method: str = "auto"
    seed: int | None = None
    evaluation: float = EVALUATION
    """The share of the devices that are kept to tell how good the model is."""
    intervals: float = 0.0
    """The share of them that are kept to tell between what least squares' coefficients lie."""

    def __post_init__(self) -> None:
        from ..survey_fields import checked_devices, checked_epsilon, checked_name

        checked_name(self.name)
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon, "epsilon"))
        if self.loss not in LOSSES:
            raise SurveyError(f"'loss' must be one of {', '.join(LOSSES)}")
        if self.method not in METHODS:
            raise SurveyError(f"'method' must be one of {', '.join(METHODS)}")
        checked_devices(self.devices)
        if self.seed is not None and type(self.seed) is not int:
            raise SurveyError("'seed' must be an integer")
        for name in ("evaluation", "intervals"):
            share = getattr(self, name)
            if type(share) not in (int, float) or not 0 <= share <= MOST_EVALUATION:
                raise SurveyError(f"'{name}' must be a share from 0 to {MOST_EVALUATION:g}")
            object.__setattr__(self, name, float(share))
        object.__setattr__(self, "features", _checked_features(self.features, self.label))
        _check_label(self.label, self.loss)
        if self.intervals and (self.loss != "squared" or self.width > MOST_COEFFICIENTS):
            raise SurveyError(
                "'intervals' are known of squared loss and of at most "
                f"{MOST_COEFFICIENTS} weights; leave them out, or some features"
            )

    @property
    def evaluating(self) -> int:
        """How many devices are kept for evaluation: none if they were too few to tell anything."""
        kept = math.floor(self.evaluation * self.devices)
        return kept if kept >= LEAST_EVALUATION else 0

    @property
    def telling(self) -> int:
        """How many devices are kept for the intervals of coefficients."""
        kept = math.floor(self.intervals * self.devices)
        return kept if kept >= LEAST_EVALUATION else 0

    @property
    def multiclass(self) -> bool:
        """Whether the label has more than two classes."""
        return len(self.label.values) > 2

    @property
    def width(self) -> int:
        """Coordinates of the model: one for a numeric feature, k for one with k values."""
        return sum(len(one.values) or 1 for one in self.features)

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "name": self.name,
            "epsilon": self.epsilon,
            "loss": self.loss,
            "label": self.label.to_document(),
            "features": [feature.to_document() for feature in self.features],
            "devices": self.devices,
            "method": self.method,
            "evaluation": self.evaluation,
        }
        if self.intervals:
            document["intervals"] = self.intervals
        return document if self.seed is None else document | {"seed": self.seed}

    @classmethod
    def from_document(cls, document: Any) -> Training:
        """Read a training as a person writes it, or as it was sent."""
        if not isinstance(document, dict):
            raise SurveyError("a training must be a mapping with 'name', 'label' and 'features'")
        if lost := _FIELDS - _OPTIONAL - document.keys():
            raise SurveyError(f"'{min(lost)}' is missing")
        if unknown := document.keys() - _FIELDS:
            raise SurveyError(f"unknown field '{min(map(str, unknown))}'")
        features = read_features(document["features"])
        return cls(
            name=document["name"],
            epsilon=document["epsilon"],
            loss=document["loss"],
            label=attribute_from_document(document["label"], "label"),
            features=with_options(features, document.get("bins"), document.get("crosses")),
            devices=document["devices"],
            method=document.get("method", "auto"),
            seed=document.get("seed"),
            evaluation=document.get("evaluation", EVALUATION),
            intervals=document.get("intervals", 0.0),
        )


def _checked_features(features: object, label: Attribute) -> tuple[Attribute, ...]:
    if not isinstance(features, Sequence) or isinstance(features, str) or not features:
        raise SurveyError("'features' must be a list of attributes")
    checked = resolved(features)
    if any(len(feature.name) > MAX_NAME for feature in checked):
        raise SurveyError(f"a feature's name may have at most {MAX_NAME} characters")
    (name, times), *_ = Counter([one.name for one in checked] + [label.name]).most_common(1)
    if times > 1:
        raise SurveyError(f"'features': two attributes are called {name!r}")
    return checked


def _check_label(label: Attribute, loss: str) -> None:
    if loss == "squared":
        if not isinstance(label, Numeric) or label.edges:
            raise SurveyError("'label' must be numeric, without bins, for squared loss")
    elif not isinstance(label, Categorical) or isinstance(label, Signed):
        raise SurveyError(f"'label' must list its classes for {loss} loss")
    elif len(label.values) > MAX_CLASSES:
        raise SurveyError(f"'label' may have at most {MAX_CLASSES} classes")
    elif len(label.values) > 2 and label.unlisted is not None:
        raise SurveyError("'label' of more than two classes takes no 'unlisted'")
