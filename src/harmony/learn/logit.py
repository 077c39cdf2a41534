"""Log-odds: of a label whose mean is known, and of one for which there is a regression.

A regression's score becomes log-odds by the logistic curve with the same two moments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from ..arrays import Floats
from ..attributes import Attribute
from .score import Score
from .trainer import QuestionEstimate

MOST_SLOPE = 10.0
MOST_SEPARATION = 0.8
"""How near to perfect separation the labels may come: there, the slope would be infinite."""
PRIOR_LOG_ODDS = 2.5
"""The prior deviation of the log-odds of a label."""

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_FEW_NODES = np.polynomial.hermite_e.hermegauss(5)


def posterior_label_mean(estimate: QuestionEstimate) -> tuple[float, float]:
    """Return the posterior mean of a label of -1 and 1, and its standard deviation.

    Rates may be small: their log-odds have a wide normal prior.
    """
    log_odds = np.linspace(-12, 12, 2401)
    means = np.tanh(log_odds / 2)
    logs = -((log_odds / PRIOR_LOG_ODDS) ** 2) / 2
    if estimate.n:
        logs = logs - (estimate.mean - means) ** 2 / estimate.variance[0] / 2
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    mean = float(weights @ means)
    return mean, math.sqrt(max(float(weights @ (means - mean) ** 2), 1e-12))


def constant_log_odds(features: Sequence[Attribute], label: QuestionEstimate) -> Score:
    """Return the log-odds of a label of which nothing but its mean is known.

    >>> label = QuestionEstimate(1000, np.array([0.8]), np.array([1e-6]))
    >>> round(constant_log_odds([], label).intercept, 2)
    2.2
    """
    return Score.constant(features, 2 * math.atanh(posterior_label_mean(label)[0]))


def normal_log_odds(score: Score, mean: float, explained: float) -> Score:
    """Return the score whose sign predicts, and whose logistic is the chance of label 1.

    Labels are -1 and 1 with this `mean`; `score` is their regression, of variance `explained`.
    Were scores normal, a logistic model at its optimum would leave a residual with mean zero
    and no correlation with the score: two equations for its intercept and slope.
    """
    std = math.sqrt(explained)
    covariance = min(std, MOST_SEPARATION * separable_covariance(mean))
    intercept, slope = match_moments(mean, covariance, _NODES, _WEIGHTS)
    if std < 1e-9:
        return Score.constant(score.features, intercept)
    return score.shifted(-mean).times(slope / std).shifted(intercept)


def with_moments(scores: Floats, mean: float, covariance: float) -> tuple[float, float]:
    """Return intercept and slope of log-odds, by standardised scores, of labels of -1 and 1.

    Labels have this `mean` and this `covariance` with the scores, which are equally likely and need
    not be normal: where one class is rare the few that matter are in a tail.

    >>> scores = np.array([NormalDist().inv_cdf((i + 0.5) / 500) for i in range(500)])
    >>> [round(one, 1) for one in with_moments(2 * scores, -0.98, 0.04)]
    [-5.1, 1.0]
    """
    unit = max(float(scores.std()), 1e-9)
    nodes = np.sort(scores - scores.mean()) / unit
    rare = min(max(round(len(nodes) * (1 - abs(mean)) / 2), 1), len(nodes) - 1)
    farthest = nodes[-rare:] if mean < 0 else -nodes[:rare]
    separable = 2 * float(farthest.sum()) / len(nodes)
    seen = min(covariance / unit, MOST_SEPARATION * separable)
    return match_moments(mean, seen, nodes, np.full(len(nodes), 1 / len(nodes)))


def predictive_log_odds(theta: Floats, covariance: Floats, scores: Floats) -> tuple[float, float]:
    """Return intercept and slope for the least expected log loss, where `theta` may be off.

    That has an intercept and the logarithm of a slope, by standardised scores, with the covariance
    of a posterior.  A slope that is too steep costs more than one that is too flat.  The loss is
    least for chances that are averaged over all that theta may be; log-odds that are linear have
    their moments.

    >>> scores = np.array([NormalDist().inv_cdf((i + 0.5) / 500) for i in range(500)])
    >>> [round(predictive_log_odds(np.zeros(2), variance * np.eye(2), scores)[1], 2)
    ...  for variance in (1e-6, 0.64)]
    [1.0, 0.93]
    """
    spread = np.linalg.cholesky(covariance)
    surplus = np.zeros(len(scores))
    for first, one in zip(*_FEW_NODES, strict=True):
        for second, two in zip(*_FEW_NODES, strict=True):
            intercept, log_slope = theta + spread @ np.array([first, second])
            chance = one * two / _FEW_NODES[1].sum() ** 2
            surplus += chance * np.tanh((intercept + math.exp(log_slope) * scores) / 2)
    even = np.full(len(scores), 1 / len(scores))
    mean, moment = float(even @ surplus), float((even * scores) @ surplus)
    intercept, slope = match_moments(mean, moment, scores, even)
    return intercept, max(slope, 1e-3)


def separable_covariance(mean: float) -> float:
    """Return E[g y] for the labels y = sign(g + a) that normal scores g separate.

    >>> round(separable_covariance(0.0), 4), round(separable_covariance(0.9), 4)
    (0.7979, 0.2063)
    """
    edge = NormalDist().inv_cdf((1 + mean) / 2)
    return 2 * NormalDist().pdf(edge)


def match_moments(
    mean: float, covariance: float, nodes: Floats, weights: Floats
) -> tuple[float, float]:
    """Find a, k with E[tanh((a + k g) / 2)] = mean and E[g tanh(...)] = covariance.

    The score g is one of the `nodes`, with the chances `weights`; its mean is 0, its deviation 1.

    >>> a, k = match_moments(0.0, 0.4, _NODES, _WEIGHTS)
    >>> abs(a) < 1e-9, round(k, 2)
    (True, 0.9...)
    """
    a, k = float(np.log1p(mean) - np.log1p(-mean)), 0.0
    for _ in range(50):
        fitted = np.tanh((a + k * nodes) / 2)
        curvature = weights * (1 - fitted**2) / 2
        miss = np.array([mean - weights @ fitted, covariance - (weights * nodes) @ fitted])
        first, cross, second = curvature.sum(), curvature @ nodes, curvature @ nodes**2
        hessian = np.array([[first, cross], [cross, second]]) + 1e-9 * np.eye(2)
        change = np.clip(np.linalg.solve(hessian, miss), -1, 1)
        a, k = a + float(change[0]), float(np.clip(k + change[1], 0, MOST_SLOPE))
        if np.abs(change).max() < 1e-10:
            break
    return float(np.clip(a, -MOST_SLOPE, MOST_SLOPE)), k
