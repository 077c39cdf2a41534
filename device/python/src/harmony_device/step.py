"""A step of a training, or of an exploration: what it asks of a device that takes part.

A training's answers are derived from the record and a public model; an exploration's step asks the
record itself, as a survey does.

Privacy: a step is a survey.  Its tables are proved like any survey's before anything is answered,
and what the step computes before them (`derive`) can cost accuracy, never privacy.
"""

from __future__ import annotations

from .attributes import Histogram, Signed, single_from_document
from .crosstab import Crosstab, Rounded
from .derive import Terms, clipped, derivation, levels_of
from .errors import RefusedError
from .fields import checked_name, checked_number, checked_seed
from .ledger import has_taken_part
from .protocol import MAX_FEATURES, MOST_BYTES, STEP_FORMAT
from .record import reader
from .strict_json import parse_json
from .survey import Survey, located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from .attributes import Number
    from .derive import Derive, Feature, Read
    from .ledger import Entry
    from .record import Values

RANDOM_BYTES = 8
"""Drawn once for a step, whatever the record holds: to round a sign with."""


class Step:
    """One step, whose survey this device has proved to keep its epsilon.

    `name` is its training's or exploration's, `round` and `seed` are its round's.
    """

    number = None
    """Steps are not numbered: a device takes part once."""

    def __init__(self, document: Any) -> None:
        if not isinstance(document, dict) or document.get("format") != STEP_FORMAT:
            raise RefusedError(f"'format' must be '{STEP_FORMAT}'; this device knows no other")
        self.name = checked_name(document.get("training"), "training")
        self.round, self.seed = _checked_round(document.get("round"))
        self.survey: Survey = located("survey", Survey, document.get("survey"))
        if self.survey.every is not None or self.survey.memory is not None:
            raise RefusedError("survey: 'every' and 'memory' are for surveys, not for a step")
        asked = document.get("derive")
        self._derive: list[Derive] | None = None
        if asked is None:
            return
        for place, one in enumerate(document["survey"]["attributes"]):
            if one.get("missing") is not None or one.get("unlisted") is not None:
                raise RefusedError(
                    f"survey.attributes[{place}]: 'missing' and 'unlisted' belong to features"
                )
        self._features = checked_features(document.get("features"))
        self._label = located("label", _label_from_document, document.get("label"))
        self._model = located("model", Score, document.get("model"), self._features)
        self._direction = self._model
        if document.get("direction") is not None:
            self._direction = located("direction", Score, document["direction"], self._features)
        if not isinstance(asked, dict):
            raise RefusedError("'derive' must be an object, with a field for each attribute")
        by_name = {feature.name: place for place, feature in enumerate(self._features)}
        self._derive = [
            located(f"derive[{attribute.name}]", derivation,
                    attribute, asked.get(attribute.name), by_name, self._features)
            for attribute in self.survey.attributes
        ]  # fmt: skip

    @classmethod
    def from_json(cls, content: bytes, most_bytes: int = MOST_BYTES) -> Step:
        """Read a step as it was downloaded."""
        return cls(parse_json(content, most_bytes))

    @property
    def needs(self) -> list[tuple[str, str]]:
        """What a record must tell to take part: names, and the types of their values."""
        if self._derive is None:
            return self.survey.needs
        return list(dict.fromkeys(need for one in self._variables for need in one.needs))

    @property
    def _variables(self) -> list[Feature]:
        return [*self._features, self._label]

    def is_done(self, entries: Iterable[Entry]) -> bool:
        """Whether this device has taken part in the training, in whichever step."""
        return has_taken_part(self.name, entries)

    def read(self, values: Values, random_bytes: Callable[[int], bytes]) -> list[Any]:
        """Return this device's answer to every attribute of the step's survey.

        The whole record is read, always; the random bytes that derivations take are drawn before.
        """
        if self._derive is None:
            return self.survey.read(values)
        word = int.from_bytes(random_bytes(RANDOM_BYTES), "little")
        value_of = reader(values)
        record = [read_feature(feature, value_of) for feature in self._features]
        label = _read_label(self._label, value_of)
        terms = Terms(record, label, self._model.of(record), self._direction.of(record), word)
        return [derive(terms) for derive in self._derive]

    def warnings(self, values: Values) -> list[str]:
        """Return what an app's developer should know about values that have no answer."""
        if self._derive is None:
            return self.survey.warnings(values)
        value_of = reader(values)
        warnings = (warning for one in self._variables for warning in one.warnings(value_of))
        return list(dict.fromkeys(warnings))


class Score:
    """An intercept and a weight for each feature, or for each of its values.

    >>> age = single_from_document({"name": "age", "kind": "numeric", "low": 0, "high": 10})
    >>> Score({"intercept": 0.5, "weights": {"age": 2}}, [age]).of([-0.25])
    0.0
    """

    __slots__ = ("_intercept", "_weights")

    def __init__(self, document: Any, features: Sequence[Feature]) -> None:
        if not isinstance(document, dict) or not isinstance(document.get("weights"), dict):
            raise RefusedError("must be an object with 'intercept' and 'weights'")
        self._intercept = checked_number(document.get("intercept"), "intercept")
        self._weights = [_weights(document["weights"], feature) for feature in features]

    def of(self, record: Sequence[Any]) -> float:
        """Return the score of a record; what it lacks adds nothing."""
        total = self._intercept
        for weight, value in zip(self._weights, record):
            if value is None:
                continue
            total += weight[value] if isinstance(weight, list) else weight * value
        return total


def read_feature(feature: Feature, value_of: Callable[[str], object]) -> Read:
    """Return a feature as scores take it: a number in [-1, 1] or a level; None if it lacks."""
    if isinstance(feature, Crosstab):
        answers = feature.answer(value_of)
        return None if None in answers else feature.place(answers, 0)
    read = feature.answer(value_of)
    return read if read is None or levels_of(feature) else _scaled(feature, read)  # type: ignore[arg-type]  # a number


def _read_label(label: Feature, value_of: Callable[[str], object]) -> float | None:
    """Return a label as derivations take it, in [-1, 1]; None if it lacks."""
    read = read_feature(label, value_of)
    return 2.0 * read - 1 if read is not None and levels_of(label) else read


def _scaled(attribute: Number, number: float) -> float:
    half = (attribute.high - attribute.low) / 2
    return clipped((number - (attribute.low + half)) / half)


def _label_from_document(document: Any) -> Feature:
    label = _feature_from_document(document)
    if isinstance(label, (Histogram, Crosstab)) or levels_of(label) not in (0, 2):
        raise RefusedError("must be numeric, without bins, or have two values")
    return label


def _feature_from_document(document: Any) -> Feature:
    if isinstance(document, dict) and document.get("kind") == "crosstab":
        pair = Crosstab(document)
        if any(isinstance(part, Rounded) for part in pair.parts):
            raise RefusedError("'of': a number must have 'bins' in a feature")
        return pair
    feature = single_from_document(document)
    if isinstance(feature, Signed):
        raise RefusedError("'kind' must be 'numeric', 'categorical' or 'crosstab'")
    if not levels_of(feature) and not (feature.high - feature.low) / 2:  # type: ignore[union-attr]  # a number
        raise RefusedError("'low' and 'high' are too close")
    return feature


def checked_features(described: Any) -> list[Feature]:
    """Read the features of a step or a model, refusing anything else."""
    if not isinstance(described, list) or not 1 <= len(described) <= MAX_FEATURES:
        raise RefusedError(f"'features' must list 1 to {MAX_FEATURES} attributes")
    features: list[Feature] = [
        located(f"features[{place}]", _feature_from_document, one)
        for place, one in enumerate(described)
    ]
    if len({feature.name for feature in features}) != len(features):
        raise RefusedError("'features': two have the same 'name'")
    return features


def _weights(weights: dict[str, Any], feature: Feature) -> float | list[float]:
    found = weights.get(feature.name)
    if not levels_of(feature):
        return checked_number(found, f"weights[{feature.name}]")
    if not isinstance(found, list) or len(found) != levels_of(feature):
        raise RefusedError(f"'weights[{feature.name}]' must list a number for each value")
    return [checked_number(one, f"weights[{feature.name}]") for one in found]


def _checked_round(opened: Any) -> tuple[str, bytes]:
    if not isinstance(opened, dict):
        raise RefusedError("'round' must be an object with 'label' and 'seed'")
    label = checked_name(opened.get("label"), "label", "._:-", 64)
    return label, checked_seed(opened.get("seed"))
