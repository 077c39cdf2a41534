"""A model of more than two classes: a score for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harmony_device.protocol import MODEL_FORMAT

from ..arrays import Floats
from ..bulk.columns import TableLike
from ..errors import SurveyError
from .model import Model, seen_features
from .score import Score
from .training import Training

if TYPE_CHECKING:
    from onnx import ModelProto

    from .evaluation import Evaluation


@dataclass(frozen=True, eq=False)
class MulticlassModel:
    """A training and the score of each class that it arrived at: their softmax has the chances.

    >>> from harmony import Boolean, Categorical
    >>> theme = Categorical("theme", ["light", "dark", "auto"])
    >>> training = Training("themes", 1.0, "logistic", theme, [Boolean("wifi")], devices=1000)
    >>> scores = [Score.constant(training.features, at) for at in (-1.0, 1.0, 0.0)]
    >>> MulticlassModel(training, tuple(scores)).predict({"wifi": [True]}).tolist()
    ['dark']
    """

    training: Training
    class_scores: tuple[Score, ...]
    evaluation: Evaluation | None = None

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """A model for each class, whose score that is."""
        from .multiclass import class_training

        return tuple(
            Model(class_training(self.training, place), score)
            for place, score in enumerate(self.class_scores)
        )

    @property
    def constant(self) -> bool:
        """Whether it predicts the same for everyone."""
        return all(one.flat for one in self.class_scores)

    @property
    def classes(self) -> tuple[Any, ...]:
        return tuple(self.training.label.values)

    @property
    def weights(self) -> dict[Any, dict[str, Any]]:
        """For each class the weight of each feature, or of each of its values."""
        pairs = zip(self.classes, self.models, strict=True)
        return {name: model.weights for name, model in pairs}

    def shifted(self, by: Floats) -> MulticlassModel:
        """Return the model with these added to the scores of its classes."""
        moved = [
            one.shifted(float(shift)) for one, shift in zip(self.class_scores, by, strict=True)
        ]
        return replace(self, class_scores=tuple(moved))

    def scores(self, table: TableLike) -> Floats:
        """Return a row of scores for each row, one for every class."""
        return np.column_stack([model.scores(table) for model in self.models])

    def predict(self, table: TableLike) -> NDArray[Any]:
        """Predict the class of each row."""
        classes: NDArray[Any] = np.array(self.classes)
        best: NDArray[Any] = classes[np.argmax(self.scores(table), axis=1)]
        return best

    def chances(self, table: TableLike) -> Floats:
        """Return the chance of every class for each row (logistic loss)."""
        if self.training.loss != "logistic":
            raise SurveyError("only a model of logistic loss tells chances")
        return softmax(self.scores(table))

    def largest(self, most: int = 10) -> list[tuple[str, float]]:
        """Return the columns with the largest weights in any class, and those."""
        named = [
            (f"{name}: {column}", weight)
            for name, model in zip(self.classes, self.models, strict=True)
            for column, weight in model.largest(most)
        ]
        return sorted(named, key=lambda one: -abs(one[1]))[:most]

    def summary(self, history: Sequence[Mapping[str, Any]] = ()) -> str:
        """Return the model as people read it."""
        training = self.training
        lines = [
            f"{training.name}: {len(self.classes)} classes, {training.loss} loss, epsilon "
            f"{training.epsilon:g}, {training.devices:,} devices, {training.width} weights a class"
        ]
        if history:
            lines.append(f"  {len(history)} steps")
        if self.evaluation is not None:
            lines.append(f"  {self.evaluation}")
        lines.append("  the largest weights:")
        largest = self.largest()
        width = max(len(name) for name, _ in largest)
        lines += [f"    {name:<{width}}  {weight:+.4f}" for name, weight in largest]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ..estimate.notebook import model_html

        return "\n".join(model_html(model) for model in self.models)

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "format": MODEL_FORMAT,
            "training": self.training.to_document(),
            "classes": [
                {
                    "class": name,
                    "features": [feature.to_document() for feature in score.features],
                    "model": score.to_document(),
                }
                for name, score in zip(self.classes, self.class_scores, strict=True)
            ],
        }
        if self.evaluation is not None:
            document["evaluation"] = self.evaluation.to_document()
        return document

    @classmethod
    def from_document(cls, document: Any) -> MulticlassModel:
        """Read a model of several classes back."""
        training = Training.from_document(document.get("training"))
        written = document.get("classes")
        names = list(training.label.values)
        if not isinstance(written, list) or [_class_of(one) for one in written] != names:
            raise SurveyError("'classes' of a model must be those of its training's label")
        scores = tuple(
            Score.from_document(one.get("model"), seen_features(one.get("features"), training))
            for one in written
        )
        if (about := document.get("evaluation")) is None:
            return cls(training, scores)
        from .evaluation import Evaluation

        return cls(training, scores, Evaluation.from_document(about))

    def card(self) -> str:
        """Return the model's card in Markdown: what was asked, its cost, how good it is, limits."""
        from .card import card

        return card(self)

    def to_onnx(self) -> ModelProto:
        """Return the model for ONNX runtimes, with an input for each feature."""
        from .onnx_export import to_onnx

        return to_onnx(self.training, self.class_scores)

    def save(self, path: str | Path) -> None:
        """Write the model to a .json or .yaml file."""
        from ..files import write_structured

        write_structured(path, self.to_document())


def softmax(scores: Floats) -> Floats:
    """Return chances that add up to one.

    >>> softmax(np.array([[1.0, 1.0, 1000.0]])).tolist()
    [[0.0, 0.0, 1.0]]
    """
    each = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = each / each.sum(axis=1, keepdims=True)
    return shares


def _class_of(document: Any) -> Any:
    return document.get("class") if isinstance(document, dict) else None
