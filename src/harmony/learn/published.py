"""The paper's own methods behind the same interface: from records to a score."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import DataError
from .paper import fit
from .records import Records
from .score import Score
from .training import Training


def learn_published(
    method: str, training: Training, records: Records, seed: int | None
) -> tuple[Score, list[dict[str, Any]]]:
    """Return the score that one of the paper's methods learns, and its history."""
    n = records.devices
    columns: list[Any] = []
    for place, feature in enumerate(training.features):
        if feature.values:
            levels = records.levels(place, 0, n)
            if levels.min() < 0:
                raise DataError(
                    f"{feature.name}: the paper's methods take no missing or unlisted values"
                )
            columns.append((levels, len(feature.values)))
        else:
            columns.append(records.numbers(place, 0, n).astype(np.float32))
    labels = records.labels(0, n).astype(np.float32)
    if np.isnan(labels).any():
        raise DataError(f"{training.label.name}: the paper's methods take no missing labels")
    coefficients, intercept, steps = fit(
        method, columns, labels, loss=training.loss,
        epsilon=training.epsilon, seed=seed, intercept=True,
    )  # fmt: skip
    blocks: list[Floats] = []
    start = 0
    for feature in training.features:
        width = len(feature.values) - 1 if feature.values else 1
        block = coefficients[start : start + width]
        blocks.append(by_value(block) if feature.values else block)
        start += width
    history = [{"step": place, "purpose": method, "devices": one.devices}
               for place, one in enumerate(steps, 1)]  # fmt: skip
    return Score(training.features, intercept, tuple(blocks)), history


def by_value(coefficients: Floats) -> Floats:
    """Return what each of k values adds to a score, from k - 1 coefficients of columns of +-1.

    >>> by_value(np.array([1.0, 10.0])).tolist()
    [-9.0, 9.0, -11.0]
    """
    added: Floats = 2 * np.append(coefficients, 0.0) - coefficients.sum()
    return added
