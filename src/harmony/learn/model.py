"""A model: what a training has learned, ready to predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harmony_device.protocol import MODEL_FORMAT

from ..arrays import Floats
from ..attributes import Attribute, Numeric
from ..bulk.columns import TableLike
from ..errors import SurveyError
from .crosses import read_features, resolved
from .records import Records
from .score import Score
from .training import Training

if TYPE_CHECKING:
    from onnx import ModelProto

    from .evaluation import Evaluation
    from .intervals import Coefficients
    from .multiclass_model import MulticlassModel

CHUNK = 1 << 17


@dataclass(frozen=True, eq=False)
class Model:
    """A training and the score it arrived at.

    >>> from harmony import Boolean
    >>> training = Training("income", 1.0, "squared", Numeric("income", 0, 100),
    ...                     [Boolean("wifi")], devices=1000)
    >>> Model(training, Score.constant(training.features, 0.5)).predict({"wifi": [True]})
    array([75.])
    """

    training: Training
    score: Score
    """Its features have the ranges in which the training saw their numbers."""
    evaluation: Evaluation | None = None
    """What devices that it did not learn from say about it, once they have been asked."""
    intervals: Coefficients | None = None
    """Between what the coefficients of least squares lie, if devices were kept that can tell."""

    @property
    def constant(self) -> bool:
        """Whether it predicts the same for everyone."""
        return self.score.flat

    @property
    def intercept(self) -> float:
        return self.score.intercept

    @property
    def weights(self) -> dict[str, Any]:
        """The weight of each feature, or of each of its values."""
        weights: dict[str, Any] = self.score.to_document()["weights"]
        return weights

    def shifted(self, by: Floats) -> Model:
        """Return the model with these added to the scores of its two classes."""
        return replace(self, score=self.score.shifted(float(by[1] - by[0])))

    def scores(self, table: TableLike) -> Floats:
        """Return the score of each row; what is missing or unknown adds nothing."""
        records = Records(table, self.training.features)
        parts = [
            self.score.of(records, start, min(start + CHUNK, records.devices))
            for start in range(0, records.devices, CHUNK)
        ]
        return np.concatenate(parts)

    def predict(self, table: TableLike) -> NDArray[Any]:
        """Predict the label of each row, in the label's own units or values."""
        scores, label = self.scores(table), self.training.label
        if isinstance(label, Numeric):
            return label.low + (np.clip(scores, -1, 1) + 1) / 2 * (label.high - label.low)
        values: NDArray[Any] = np.array(label.values)
        return values[np.asarray(scores > 0, np.intp)]

    def chances(self, table: TableLike) -> Floats:
        """Return the chance of the label's second value for each row (logistic loss)."""
        if self.training.loss != "logistic":
            raise SurveyError("only a model of logistic loss tells chances")
        return 1 / (1 + np.exp(-np.clip(self.scores(table), -700, 700)))

    def largest(self, most: int = 10) -> list[tuple[str, float]]:
        """Return the columns with the largest weights, and those: values stand for themselves."""
        named: list[tuple[str, float]] = []
        for feature, block in zip(self.score.features, self.score.blocks, strict=True):
            if feature.values:
                middle = block.mean()  # only differences between values matter
                named += [
                    (f"{feature.name} = {value}", float(weight - middle))
                    for value, weight in zip(feature.values, block, strict=True)
                ]
            else:
                named.append((feature.name, float(block[0])))
        return sorted(named, key=lambda one: -abs(one[1]))[:most]

    def summary(self, history: Sequence[Mapping[str, Any]] = ()) -> str:
        """Return the model as people read it."""
        training = self.training
        lines = [
            f"{training.name}: {training.loss} loss, epsilon {training.epsilon:g}, "
            f"{training.devices:,} devices, {training.width} weights"
        ]
        lines += [
            f"  step {one['step']:>2}  {one['purpose']:<9} {one['devices']:>12,} devices"
            for one in history[:20]
        ]
        if self.evaluation is not None:
            lines.append(f"  {self.evaluation}")
        lines.append(f"  intercept {self.intercept:+.4f}, and the largest weights:")
        largest = self.largest()
        width = max(len(name) for name, _ in largest)
        lines += [f"    {name:<{width}}  {weight:+.4f}" for name, weight in largest]
        if self.intervals is not None:
            from .intervals import interval_lines

            lines += interval_lines(self.intervals)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ..estimate.notebook import model_html

        return model_html(self)

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "format": MODEL_FORMAT,
            "training": self.training.to_document(),
            "features": [feature.to_document() for feature in self.score.features],
            "model": self.score.to_document(),
        }
        if self.evaluation is not None:
            document["evaluation"] = self.evaluation.to_document()
        if self.intervals is not None:
            document["intervals"] = [one.to_document() for one in self.intervals]
        return document

    @classmethod
    def from_document(cls, document: Any) -> Model | MulticlassModel:
        """Read a model back; one of several classes is a `MulticlassModel`."""
        if not isinstance(document, dict) or document.get("format") != MODEL_FORMAT:
            raise SurveyError(f"a model must be a mapping with 'format' {MODEL_FORMAT!r}")
        if "classes" in document:
            from .multiclass_model import MulticlassModel

            return MulticlassModel.from_document(document)
        training = Training.from_document(document.get("training"))
        features = seen_features(document.get("features"), training)
        score = Score.from_document(document.get("model"), features)
        model = cls(training, score)
        if (about := document.get("evaluation")) is not None:
            from .evaluation import Evaluation

            model = replace(model, evaluation=Evaluation.from_document(about))
        if (told := document.get("intervals")) is not None:
            from .intervals import read_coefficients

            model = replace(model, intervals=read_coefficients(told, training.features))
        return model

    def card(self) -> str:
        """Return the model's card in Markdown: what was asked, its cost, how good it is, limits."""
        from .card import card

        return card(self)

    def to_onnx(self) -> ModelProto:
        """Return the model for ONNX runtimes, with an input for each feature."""
        from .onnx_export import to_onnx

        return to_onnx(self.training, (self.score,))

    def save(self, path: str | Path) -> None:
        """Write the model to a .json or .yaml file."""
        from ..files import write_structured

        write_structured(path, self.to_document())

    @classmethod
    def load(cls, path: str | Path) -> Model | MulticlassModel:
        """Read a model from a .json or .yaml file."""
        from ..files import read_structured

        return cls.from_document(read_structured(path))


def seen_features(documents: Any, training: Training) -> Sequence[Attribute]:
    """Read the features that a model's weights are for: the training's, in narrower ranges."""
    if documents is None:
        return training.features
    features = resolved(read_features(documents))
    if len(features) != len(training.features):
        raise SurveyError("'features' of a model must list those of its training")
    for seen, feature in zip(features, training.features, strict=True):
        same = seen.name == feature.name and seen.values == feature.values
        if not same or type(seen) is not type(feature):
            raise SurveyError(f"'features' of a model: {feature.name} is not as in its training")
    return features
