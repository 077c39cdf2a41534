"""A score: an intercept and a weight for every feature, or for each of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..attributes import Attribute
from ..errors import SurveyError
from .records import Records


@dataclass(frozen=True, eq=False)
class Score:
    """An affine function of the features: what a linear model computes.

    `blocks` has, for each feature, one weight (numeric, for the value scaled to [-1, 1]) or k.

    >>> from harmony import Boolean, Numeric
    >>> score = Score.constant([Numeric("age", 0, 100), Boolean("wifi")], 0.5)
    >>> score.to_document()
    {'intercept': 0.5, 'weights': {'age': 0.0, 'wifi': [0.0, 0.0]}}
    """

    features: Sequence[Attribute]
    intercept: float
    blocks: Sequence[Floats]

    @classmethod
    def constant(cls, features: Sequence[Attribute], intercept: float = 0.0) -> Score:
        """Return the score that is the same for every device."""
        blocks = tuple(np.zeros(len(one.values) or 1) for one in features)
        return cls(tuple(features), float(intercept), blocks)

    @property
    def flat(self) -> bool:
        """Whether every weight is zero."""
        return not any(block.any() for block in self.blocks)

    def plus(self, factor: float, other: Score) -> Score:
        """Return this score plus `factor` times the other."""
        blocks = tuple(a + factor * b for a, b in zip(self.blocks, other.blocks, strict=True))
        return Score(self.features, self.intercept + factor * other.intercept, blocks)

    def times(self, factor: float) -> Score:
        """Return this score times `factor`."""
        return Score.constant(self.features).plus(factor, self)

    def shifted(self, by: float) -> Score:
        """Return this score with `by` added to its intercept."""
        return Score(self.features, self.intercept + by, self.blocks)

    def of(self, records: Records, start: int, stop: int) -> Floats:
        """Return the scores of rows `start` to `stop`; what is missing or unknown adds nothing."""
        total = np.full(stop - start, self.intercept)
        if self.flat:
            return total
        for place, (feature, block) in enumerate(zip(self.features, self.blocks, strict=True)):
            if not block.any():
                continue
            if feature.values:
                total += np.append(block, 0.0)[records.levels(place, start, stop)]
            else:
                total += block[0] * records.numbers(place, start, stop, feature)
        return total

    def to_document(self) -> dict[str, Any]:
        weights = {
            feature.name: block.tolist() if feature.values else float(block[0])
            for feature, block in zip(self.features, self.blocks, strict=True)
        }
        return {"intercept": self.intercept, "weights": weights}

    @classmethod
    def from_document(cls, document: Any, features: Sequence[Attribute]) -> Score:
        """Read a score of these features back."""
        try:
            weights = document["weights"]
            blocks = tuple(np.atleast_1d(np.array(weights[f.name], float)) for f in features)
            intercept = float(document["intercept"])
        except (KeyError, TypeError, ValueError) as problem:
            raise SurveyError(f"model: lacks or misstates {problem}") from None
        for feature, block in zip(features, blocks, strict=True):
            if block.shape != (len(feature.values) or 1,) or not np.isfinite(block).all():
                raise SurveyError(f"model: 'weights' of {feature.name} are not what it needs")
        return cls(tuple(features), intercept, blocks)


def code_of(features: Sequence[Attribute], name: str, sign: float) -> Score:
    """Return the score that is a number of its own for every value of one category.

    >>> from harmony import Categorical
    >>> code_of([Categorical("plan", ["basic", "plus"])], "plan", 1.0).blocks[0].tolist()
    [0.5, 1.0]
    """
    nothing = Score.constant(features)
    blocks = [
        sign * (np.arange(len(block)) + 1.0) / len(block) if feature.name == name else block
        for feature, block in zip(features, nothing.blocks, strict=True)
    ]
    return Score(nothing.features, 0.0, tuple(blocks))
