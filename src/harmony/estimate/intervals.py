"""Critical values: how many standard errors an interval must reach."""

from __future__ import annotations

from functools import cache
from statistics import NormalDist

import numpy as np

from ..arrays import Floats
from ..errors import HarmonyError

DRAWS = 1 << 14


def check_confidence(confidence: float) -> float:
    """Refuse what is not a confidence between 0 and 1."""
    if not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise HarmonyError("'confidence' must lie between 0 and 1, for example 0.95")
    return float(confidence)


@cache
def single(confidence: float) -> float:
    """Standard errors on each side of one estimate.

    >>> round(single(0.95), 2)
    1.96
    """
    return NormalDist().inv_cdf((1 + check_confidence(confidence)) / 2)


def simultaneous(confidence: float, count: int, correlation: Floats | None = None) -> float:
    """Standard errors such that all `count` intervals hold at once with this confidence.

    With their correlation known, the quantile of the largest of the correlated normal errors
    is found on a fixed set of points; without it the estimates are taken as independent (Sidak),
    which is what many values of a histogram are, to order 1/k.

    >>> round(simultaneous(0.95, 10), 2)
    2.8
    >>> round(simultaneous(0.95, 2, np.array([[1.0, -1.0], [-1.0, 1.0]])), 2)
    1.96
    """
    check_confidence(confidence)
    if correlation is None:
        return single(confidence ** (1 / count))
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    largest = np.abs(_normals(len(values)) @ root.T).max(axis=1)
    return float(np.quantile(largest, confidence))


@cache
def _normals(count: int) -> Floats:
    """Standard normal vectors, spread as evenly as a Sobol sequence can."""
    from scipy.stats import norm, qmc

    points: Floats = norm.ppf(qmc.Sobol(count, rng=20160606).random(DRAWS))
    return points[:, ::-1]  # eigenvalues rise: give the largest the most even coordinate
