"""How sure each interval must be, alone or for all of them to hold at once."""

from __future__ import annotations

from functools import cache
from numbers import Real
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..errors import HarmonyError

DRAWS = 1 << 14
FEW_DRAWS = 100
"""Draws beyond which a share of them says something."""


def check_confidence(confidence: float) -> float:
    """Refuse what is not a confidence between 0 and 1."""
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
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
    is found on a fixed set of draws; without it the estimates are taken as independent, which
    is never too narrow, whatever the correlation is (Sidak 1967).

    >>> round(simultaneous(0.95, 10), 2)
    2.8
    >>> round(simultaneous(0.95, 2, np.array([[1.0, -1.0], [-1.0, 1.0]])), 2)
    1.96
    """
    check_confidence(confidence)
    independent = single(confidence ** (1 / count))
    if correlation is None:
        return independent
    found = float(_largest(correlation)[int(confidence * DRAWS)])
    return min(max(found, single(confidence)), independent)


def confidence_of_each(confidence: float, count: int, correlation: Floats | None = None) -> float:
    """Return how sure each of `count` intervals must be for all of them to hold at once.

    >>> round(confidence_of_each(0.95, 10), 4)
    0.9949
    """
    return 1 - 2 * NormalDist().cdf(-simultaneous(confidence, count, correlation))


def chance_of_any(p_values: Floats, count: int, correlation: Floats | None = None) -> Floats:
    """Return how likely the least of `count` p-values is as small as each of these.

    That is the p-value of each, corrected for looking at all of them.

    >>> chance_of_any(np.array([0.01]), 5).round(3).tolist()
    [0.049]
    """
    independent = -np.expm1(count * np.log1p(-np.minimum(p_values, 1 - 1e-16)))
    if correlation is None:
        return np.asarray(independent)
    reach = [-NormalDist().inv_cdf(max(p, 1e-300) / 2) for p in np.minimum(p_values, 1.0).tolist()]
    largest = _largest(correlation)
    beyond = DRAWS - np.searchsorted(largest, reach)
    # Too few draws to tell: independence is never too little.
    found = np.where(beyond < FEW_DRAWS, independent, beyond / DRAWS)
    return np.clip(found, p_values, independent)


def correlation_of(covariance: Floats) -> Floats:
    """Return the correlation that belongs to a covariance.

    Of so few reports that a variance seems to be none, errors are taken as independent.

    >>> correlation_of(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    >>> correlation_of(np.array([[4.0, 1.0], [1.0, -0.1]])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    variances = np.diag(covariance)
    known = np.outer(variances > 0, variances > 0)
    scale = np.sqrt(np.where(variances > 0, variances, 1.0))
    found = np.where(known, covariance / np.outer(scale, scale), 0.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def _largest(correlation: Floats) -> Floats:
    """Return draws of the largest of several normal errors, in standard errors, in order."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    errors = _normals(len(values)) @ root.T.astype(np.float32)
    return np.sort(np.maximum(errors.max(axis=1), -errors.min(axis=1)))


@cache
def _normals(count: int) -> NDArray[np.float32]:
    """Standard normal vectors, always the same ones; so many draws tell three digits of a limit."""
    return np.random.default_rng(20160606).standard_normal((DRAWS, count)).astype(np.float32)
