"""From the score of a regression to log-odds: the logistic curve with the same two moments."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from .score import Score

STEEPEST = 10.0
SHARPEST = 0.95
"""How near to perfect separation the slope may come: beyond, steepness has no end."""
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def normal_log_odds(score: Score, mean: float, explained: float) -> Score:
    """Return the score whose sign predicts, and whose logistic is the chance of label 1.

    Labels are -1 and 1 with this `mean`; `score` is their regression, of variance `explained`.
    Were scores normal, a logistic model at its optimum would leave a residual with mean nought
    and no correlation with the score: two equations for its intercept and slope.
    """
    slope = math.sqrt(explained)
    intercept, steepness = _matched(mean, min(slope, SHARPEST * _sharp(mean)))
    if slope < 1e-9:
        return Score.constant(score.features, intercept)
    return score.shifted(-mean).times(steepness / slope).shifted(intercept)


def _sharp(mean: float) -> float:
    """Return E[g y] for the labels y = sign(g + a) that normal scores g separate.

    >>> round(_sharp(0.0), 4), round(_sharp(0.9), 4)
    (0.7979, 0.2063)
    """
    edge = NormalDist().inv_cdf((1 + mean) / 2)
    return 2 * NormalDist().pdf(edge)


def _matched(mean: float, slope: float) -> tuple[float, float]:
    """Find a, k with E[tanh((a + k g) / 2)] = mean and E[g tanh(...)] = slope, g normal.

    >>> a, k = _matched(0.0, 0.4)
    >>> abs(a) < 1e-9, round(k, 2)
    (True, 0.9...)
    """
    a, k = float(np.log1p(mean) - np.log1p(-mean)), 0.0
    for _ in range(50):
        fitted = np.tanh((a + k * _NODES) / 2)
        steep = _WEIGHTS * (1 - fitted**2) / 2
        miss = np.array([mean - _WEIGHTS @ fitted, slope - (_WEIGHTS * _NODES) @ fitted])
        first, cross, second = steep.sum(), steep @ _NODES, steep @ _NODES**2
        hessian = np.array([[first, cross], [cross, second]]) + 1e-9 * np.eye(2)
        change = np.clip(np.linalg.solve(hessian, miss), -1, 1)
        a, k = a + float(change[0]), float(np.clip(k + change[1], 0, STEEPEST))
        if np.abs(change).max() < 1e-10:
            break
    return float(np.clip(a, -STEEPEST, STEEPEST)), k
