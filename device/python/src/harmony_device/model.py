"""A model that was learned from devices, on a device: what it predicts for a record.

    from harmony_device import Model

    model = Model.from_json(Path("crashes.json").read_bytes())
    model.predict({"battery": 71, "theme": "dark"})

Nothing is sent, nothing is drawn, and nothing leaves the device.
"""

from __future__ import annotations

from math import exp

from .attributes import Category, single_from_document
from .derive import clipped
from .errors import RefusedError
from .protocol import MODEL_FORMAT, MOST_BYTES
from .record import reader
from .step import Score, checked_features, read_feature
from .strict_json import parse_json, whole
from .survey import located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .record import Values


class Model:
    """A linear model: of a number, of two classes, or of more, each with a score.

    >>> label = {"name": "happy", "kind": "categorical", "values": [False, True]}
    >>> model = Model.from_document({
    ...     "format": "harmony-model/1",
    ...     "training": {"loss": "logistic", "label": label},
    ...     "features": [{"name": "age", "kind": "numeric", "low": 0, "high": 100}],
    ...     "model": {"intercept": 0.5, "weights": {"age": -1.0}}})
    >>> model.predict({"age": 20}), model.predict({"age": 90})
    (True, False)
    """

    __slots__ = ("_label", "_logistic", "_scores", "_values")

    def __init__(self, document: Any) -> None:
        if not isinstance(document, dict) or document.get("format") != MODEL_FORMAT:
            raise RefusedError(f"'format' must be '{MODEL_FORMAT}'; this device knows no other")
        training = document.get("training")
        if not isinstance(training, dict):
            raise RefusedError("'training' must be an object with 'loss' and 'label'")
        self._logistic = training.get("loss") == "logistic"
        self._label = located("training.label", single_from_document, training.get("label"))
        is_class = isinstance(self._label, Category)
        if is_class == (training.get("loss") == "squared"):
            raise RefusedError("'training': the label is not what the loss is for")
        self._values: list[Any] = list(map(whole, training["label"]["values"])) if is_class else []
        described = document.get("classes")
        if len(self._values) < 3:
            features = document.get("features")
            features = training.get("features") if features is None else features
            described = [{"features": features, "model": document.get("model")}]
        elif not isinstance(described, list) or list(map(_class, described)) != self._values:
            raise RefusedError("'classes' must list a score for each value of the label, in order")
        self._scores = [
            located(f"classes[{place}]" if len(described) > 1 else "model", _score, one)
            for place, one in enumerate(described)
        ]

    @classmethod
    def from_document(cls, document: Any) -> Model:
        """Read a model, as `harmony train` writes it or a server gives it."""
        return cls(document)

    @classmethod
    def from_json(cls, content: bytes, most_bytes: int = MOST_BYTES) -> Model:
        """Read a model as it was downloaded."""
        return cls(parse_json(content, most_bytes))

    def scores(self, record: Values) -> list[float]:
        """Return the score of a record; of more than two classes, one for each."""
        value_of = reader(record)
        return [
            score.of([read_feature(one, value_of) for one in features])
            for features, score in self._scores
        ]

    def predict(self, record: Values) -> Any:
        """Return the number or the class that the model predicts for a record."""
        scores = self.scores(record)
        if len(scores) > 1:
            return self._values[scores.index(max(scores))]
        if self._values:
            return self._values[scores[0] > 0]
        label = self._label
        return label.low + (clipped(scores[0]) + 1) / 2 * (label.high - label.low)

    def chances(self, record: Values) -> dict[Any, float]:
        """Return the chance of each class (logistic loss).

        >>> label = {"name": "happy", "kind": "categorical", "values": ["no", "yes"]}
        >>> age = {"name": "age", "kind": "numeric", "low": 0, "high": 100}
        >>> model = Model({"format": "harmony-model/1", "features": [age],
        ...                "training": {"loss": "logistic", "label": label},
        ...                "model": {"intercept": 0, "weights": {"age": 1}}})
        >>> model.chances({"age": 50})
        {'no': 0.5, 'yes': 0.5}
        """
        if not self._logistic:
            raise ValueError("only a model of logistic loss tells chances")
        scores = self.scores(record)
        if len(scores) == 1:
            scores = [0.0, scores[0]]
        most = max(scores)
        each = [exp(score - most) for score in scores]
        total = sum(each)
        return {value: one / total for value, one in zip(self._values, each)}


def _class(document: Any) -> Any:
    return whole(document.get("class")) if isinstance(document, dict) else None


def _score(document: Any) -> tuple[list[Any], Score]:
    if not isinstance(document, dict):
        raise RefusedError("must be an object with 'features' and 'model'")
    features = checked_features(document.get("features"))
    return features, located("model", Score, document.get("model"), features)
