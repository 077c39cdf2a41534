"""The paper's encoding for models: numbers to [-1, 1], k - 1 columns of +-1 for k values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...attributes import Attribute, Numeric


def scaled(column: NDArray[Any], attribute: Numeric) -> NDArray[np.float32]:
    """Scale a numeric column to [-1, 1].

    >>> scaled(np.array([0, 50, 100]), Numeric("battery", 0, 100)).tolist()
    [-1.0, 0.0, 1.0]
    """
    span = attribute.high - attribute.low
    return np.asarray(2 * (column - attribute.low) / span - 1, np.float32)


def encode(
    table: Mapping[str, NDArray[Any]], attributes: Sequence[Attribute], target: str
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return x, the encoded attributes without `target`, and y, the scaled target.

    The l-th value (l < k) is a 1 in the l-th column and -1 in the others; the k-th is all -1.
    """
    x: list[NDArray[np.float32]] = []
    y = None
    for attribute in attributes:
        column = table[attribute.name]
        if isinstance(attribute, Numeric):
            number = scaled(column, attribute)
            if attribute.name == target:
                y = number
            else:
                x.append(number[:, None])
        else:
            codes = np.arange(len(attribute.values) - 1)
            x.append(np.where(column[:, None] == codes, 1, -1).astype(np.float32))
    if y is None:
        raise ValueError(f"no numeric attribute is called {target!r}")
    return np.hstack(x), y


def labels(y: NDArray[np.float32], mean: float | None = None) -> NDArray[np.int8]:
    """Return +1 where the target is at least its mean, else -1.

    >>> labels(np.array([-1.0, 0.0, 1.0], np.float32)).tolist()
    [-1, 1, 1]
    """
    return np.where(y >= (y.mean() if mean is None else mean), 1, -1).astype(np.int8)
