"""A model: what a training has learned, ready to predict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attributes import Numeric
from ..columns import TableLike
from ..errors import SurveyError
from .records import Records
from .score import Floats, Score
from .training import Training

FORMAT = "harmony-model/1"
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

    @property
    def intercept(self) -> float:
        return self.score.intercept

    @property
    def weights(self) -> dict[str, Any]:
        """The weight of each feature, or of each of its values."""
        weights: dict[str, Any] = self.score.to_document()["weights"]
        return weights

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

    def _repr_html_(self) -> str:
        from ..notebook import model_html

        return model_html(self)

    def to_document(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "training": self.training.to_document(),
            "model": self.score.to_document(),
        }

    @classmethod
    def from_document(cls, document: Any) -> Model:
        """Read a model back."""
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise SurveyError(f"a model must be a mapping with 'format' {FORMAT!r}")
        training = Training.from_document(document.get("training"))
        return cls(training, Score.from_document(document.get("model"), training.features))

    def save(self, path: str | Path) -> None:
        """Write the model to a .json or .yaml file."""
        from ..files import write_structured

        write_structured(path, self.to_document())

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Read a model from a .json or .yaml file."""
        from ..files import read_structured

        return cls.from_document(read_structured(path))
