"""Curves of labels by score: where their bins should meet, so that devices tell most by them.

What is sought are two numbers, the intercept and the slope of log-odds.  How much of the log loss
noise in a curve will cost follows from what is believed of both, and of where scores lie.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..mechanisms.designs import best_design
from .density import Density
from .trainer import QuestionEstimate

PriorLogOdds = Callable[[Floats], tuple[float, float]]
"""Intercept and slope of log-odds by standardised scores, from equally likely scores."""

PRIOR_INTERCEPT, PRIOR_LOG_SLOPE = 1.0, 0.7
"""The prior deviations of the intercept and of the logarithm of the slope."""

USUAL_LOG_STD, UNUSUAL = -0.4, 1.0
"""The logarithm of the deviation that log-odds have in most populations, give or take."""

TOLERATED = {4: 0.1, 6: 0.01, 8: 0.01, 12: 0.01, 16: 0.01}
"""By how many bins one has that tells a level and a slope: the share of what a score gains that
noise may cost for the sake of so many.  Two would do, were log-odds linear; four show a tail."""

LEAST_INFORMATION = 1e-9
"""What a score tells at least, where the label is all but certain."""

POINTS = 2048
"""How many points stand for the scores of all devices."""


def points_of(density: Density) -> Floats:
    """Return scores that stand for those of all devices, equally likely."""
    return density.points(POINTS, density.edges[0], density.edges[-1])


def curve_edges(
    density: Density,
    prior: PriorLogOdds,
    epsilon: float,
    devices: int,
    label: QuestionEstimate,
) -> Floats:
    """Return where the bins of a curve meet that so many devices tell, of scores of this density.

    Every further bin has its own noise, and two numbers are sought, near those of the `prior`.  So
    there are two bins, which meet in the middle of what tells of these, unless noise in more of
    them costs next to nothing: those blur less.
    """
    points = points_of(density)
    centre, unit = float(points.mean()), max(float(points.std()), 1e-9)
    log_odds = prior(points)
    middles = (density.edges[1:] + density.edges[:-1]) / 2
    surplus = np.tanh((log_odds[0] + log_odds[1] * (middles - centre) / unit) / 2)
    informative = Density(density.edges, density.masses * (1 - surplus**2 + LEAST_INFORMATION))
    z = (points - centre) / unit
    best = informative.cut(2)
    for bins, tolerated in TOLERATED.items():
        edges = informative.cut(bins)
        noise = best_design(epsilon, 2 * bins).variance(epsilon, 1 / (2 * bins)) / max(devices, 1)
        owners = np.clip(np.searchsorted(edges, points, "right") - 1, 0, len(edges) - 2)
        loss = calibration_loss(z, owners, log_odds, noise, label)
        if loss > tolerated * gain_of(z, log_odds):
            break
        best = edges
    return best


def calibration_loss(
    scores: Floats,
    owners: NDArray[np.int64],
    log_odds: tuple[float, float],
    noise: float,
    label: QuestionEstimate,
) -> float:
    """Return the log loss that noise in a curve is expected to cost.

    Standardised `scores` are in the bins `owners`, whose two shares have variance `noise` each.
    """
    intercept, slope = log_odds
    chances = (1 + np.tanh((intercept + slope * scores) / 2)) / 2
    curvature = chances * (1 - chances)
    moves = np.stack([np.ones_like(scores), slope * scores])
    positive = np.bincount(owners, chances) / np.maximum(np.bincount(owners), 1)
    length = positive**2 + (1 - positive) ** 2
    count = len(scores)
    seen = np.stack([np.bincount(owners, curvature * move) / count for move in moves], axis=1)
    information = (seen / length[:, None]).T @ seen / noise
    information += np.diag([PRIOR_INTERCEPT**-2, PRIOR_LOG_SLOPE**-2])
    if label.n:
        rate = 2 * seen.sum(axis=0)
        information += np.outer(rate, rate) / label.variance[0]
    hessian = (moves * curvature) @ moves.T / count
    return float(np.trace(np.linalg.solve(information, hessian))) / 2


def gain_of(scores: Floats, log_odds: tuple[float, float]) -> float:
    """Return how much smaller the log loss is than that of a constant, if log-odds are these.

    >>> [round(gain_of(np.array([-1.0, 1.0]), (0.0, slope)), 3) for slope in (0.0, 1.0, 9.0)]
    [0.0, 0.111, 0.692]
    """
    odds = log_odds[0] + log_odds[1] * scores
    chances = (1 + np.tanh(odds / 2)) / 2
    mean = float(np.clip(chances.mean(), 1e-12, 1 - 1e-12))
    constant = -mean * math.log(mean) - (1 - mean) * math.log1p(-mean)
    return constant - float(np.mean(np.logaddexp(0, odds) - chances * odds))
