"""Coefficients: the weights of a model in the units of the table that it predicts for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from ..attributes import Attribute, Numeric
from .score import Score


def in_units(score: Score) -> tuple[Floats, float]:
    """Return a weight for each column, or each of its values, and the intercept that goes with it.

    >>> score = Score([Numeric("age", 0, 100)], 0.5, [np.array([2.0])])
    >>> weights, intercept = in_units(score)
    >>> weights.tolist(), intercept
    ([0.04], -1.5)
    """
    intercept, weights = score.intercept, []
    for feature, block in zip(score.features, score.blocks, strict=True):
        if isinstance(feature, Numeric):
            half = (feature.high - feature.low) / 2
            intercept -= float(block[0]) * (feature.low + half) / half
            block = block / half
        weights.append(block)
    return np.concatenate(weights), intercept


def coefficient_names(features: Sequence[Attribute]) -> list[str]:
    """Name each coefficient: a number for itself, a value for its feature and itself.

    Where two would have the same name, values are named as in JSON.

    >>> from harmony import Boolean
    >>> coefficient_names([Numeric("age", 0, 100), Boolean("wifi")])
    ['age', 'wifi_False', 'wifi_True']
    >>> coefficient_names([Numeric("wifi_True", 0, 1), Boolean("wifi")])
    ['wifi_True', 'wifi_False', '["wifi", true]']
    """
    rows = coefficient_rows(features)
    names = [
        row["feature"] if row["value"] is None else f"{row['feature']}_{row['value']}"
        for row in rows
    ]
    times = Counter(names)
    return [
        name if row["value"] is None or times[name] == 1 else json.dumps([*row.values()])
        for row, name in zip(rows, names, strict=True)
    ]


def coefficient_rows(features: Sequence[Attribute]) -> list[dict[str, Any]]:
    """Say for each coefficient which feature, and which of its values, it belongs to."""
    return [
        {"feature": feature.name, "value": value}
        for feature in features
        for value in (feature.values or (None,))
    ]
