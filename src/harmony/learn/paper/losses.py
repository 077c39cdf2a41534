"""The three losses of section 4.1, and the errors that figure 2 shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from .design_matrix import DesignMatrix

LOSSES = ("squared", "logistic", "hinge")
"""Linear regression, logistic regression, support vector machine; their place is their number."""


def error(
    x: DesignMatrix,
    y: NDArray[np.float32],
    coefficients: Floats,
    intercept: float = 0.0,
    *,
    loss: str,
    first: int = 0,
    count: int | None = None,
) -> float:
    """Return the mean squared error, or the share of labels +-1 that the sign gets wrong.

    Of `count` devices from number `first` on, going round at the end.

    >>> x = DesignMatrix.pack([np.array([0.5, -1.0, 1.0])])
    >>> error(x, np.array([0.5, 0.0, 1.0]), np.array([1.0]), loss="squared", count=2)
    0.5
    >>> error(x, np.array([1.0, -1.0, -1.0]), np.array([1.0]), loss="hinge", count=2)
    0.0
    """
    scores = x.scores(coefficients, intercept, first, count)
    truth = np.take(y, np.arange(first, first + len(scores)), mode="wrap")
    if loss == "squared":
        return float(np.mean((scores - truth) ** 2))
    return float(np.mean((scores >= 0) != (truth > 0)))
