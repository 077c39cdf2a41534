"""Calibration: the last step of a training, which sets the level of a score.

For squared loss some devices tell the mean residual.  For the other losses they tell in which of a
few bins their score lies, and their label; a logistic regression on that private curve says what
to add to the score and how steep to make it.  The direction stays as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .score import Score
from .trainer import QuestionEstimate

LEAST_BINS, MOST_BINS = 4, 16
MOST_SLOPE = 20.0
ITERATIONS = 50
CURVATURE = 0.2
"""Of the logistic loss, on average, where labels are neither sure nor a toss."""

PRIOR_STD = 0.3
"""How far the log-odds may be from the prior, in intercept and slope: one standard deviation."""


def curve_edges(mean: float, std: float, effective_size: float) -> list[float]:
    """Return where the bins of a curve meet: the more there are, the more of the tails they show.

    Noise adds up over bins, and wide ones blur: both are least for a number of bins that grows
    with the fifth root of the effective sample size.

    >>> curve_edges(0.0, 1.0, effective_size=1000), len(curve_edges(0.0, 1.0, effective_size=1e6))
    ([-1.0, 0.0, 1.0], 15)
    """
    wanted = 2 ** round(np.log2(max(effective_size, 1.0)) / 5 + 0.5)
    bins = min(max(wanted, LEAST_BINS), MOST_BINS)
    half_range = (1.25 * np.log2(bins) - 1.5) * max(std, 1e-6)
    return [float(edge) for edge in mean + np.linspace(-half_range, half_range, bins - 1)]


@dataclass(frozen=True)
class LogOdds:
    """Log-odds that are linear in a score: zero at the `threshold`, and with this `slope`."""

    threshold: float
    slope: float

    def of(self, score: Score) -> Score:
        return score.shifted(-self.threshold).times(self.slope)

    def surplus(self, at: Floats) -> Floats:
        """Return the probability of label 1 less that of label -1, at these scores."""
        return np.tanh(self.slope * (at - self.threshold) / 2)


def fit_log_odds(
    score: Score, mean: float, edges: list[float], curve: QuestionEstimate, prior: Score
) -> LogOdds:
    """Return how log-odds go with the score.

    `mean` is the label's, which is known better than the curve tells it.  `prior` is what the
    result would be without the curve; the noise of the curve decides how far it is followed.
    """
    noise = float(np.mean(curve.variance))
    width = edges[1] - edges[0]
    centres = np.append(np.array(edges) - width / 2, edges[-1] + width / 2)
    centre, unit = float(centres.mean()), float(centres.std())
    intercept, slope = _standardised(score, prior, centre, unit)
    if np.isfinite(noise):
        counts = curve.estimates.reshape(-1, 2)
        z = (centres - centre) / unit
        positive = np.array([(1 + mean) / 2, z @ counts[:, 1]])
        start = np.array([intercept, slope])
        intercept, slope = fit_logistic(z, bin_frequencies(counts), positive, start, noise)
    return LogOdds(centre - intercept * unit / slope, slope / unit)


def threshold_edges(log_odds: LogOdds, edges: list[float]) -> list[float]:
    """Return where the bins of a surplus meet: narrow ones, around the threshold."""
    half_range = 2 * (edges[1] - edges[0])
    around = np.linspace(-half_range, half_range, MOST_BINS - 1)
    return [float(edge) for edge in log_odds.threshold + around]


def bin_shares(edges: list[float], curve: QuestionEstimate, near: list[float]) -> Floats:
    """Return the share of devices between each two of other edges, interpolated from a curve."""
    width = edges[1] - edges[0]
    ends = [edges[0] - width, *edges, edges[-1] + width]
    below = np.cumsum(np.append(0.0, bin_frequencies(curve.estimates.reshape(-1, 2))))
    return np.diff(np.interp(near, ends, below))


def refine_threshold(
    log_odds: LogOdds, edges: list[float], surplus: QuestionEstimate, mean: float, shares: Floats
) -> LogOdds:
    """Return the log-odds with their threshold at the edge that separates the labels best.

    They stay as they are if no edge does better.  In every bin they predict how many more labels
    are positive than negative, and the surplus estimates it, with noise; the prediction is trusted
    as far as it fits, give or take what noise does.  Nobody is asked for the sum over all bins,
    which is the label's `mean`; between edges are the `shares` of all devices.
    """
    noise = float(np.mean(surplus.variance))
    if not np.isfinite(noise):
        return log_odds
    observed = surplus.estimates + (mean - surplus.estimates.sum()) / len(surplus.estimates)
    observed = observed[1:-1]
    centres = (np.array(edges[1:]) + edges[:-1]) / 2
    predicted = shares * log_odds.surplus(centres)
    expected = noise * (1 + 2 * math.sqrt(2 / len(observed)))
    misfit = max(float(np.mean((observed - predicted) ** 2)) - expected, 0.0)
    posterior = predicted + misfit / (misfit + noise) * (observed - predicted)
    losses = np.cumsum(np.append(0.0, posterior))  # by predicting -1 below each edge
    best = int(np.argmin(losses))
    current = float(np.interp(log_odds.threshold, edges, losses))
    better = losses[best] < current and misfit
    return LogOdds(edges[best], log_odds.slope) if better else log_odds


def bin_frequencies(counts: Floats) -> Floats:
    """Return the share of devices in each bin, none of them negative, one in all."""
    total = np.maximum(counts.sum(axis=1), 0.0)
    return total / total.sum() if total.any() else np.full(len(counts), 1 / len(counts))


def fit_logistic(
    z: Floats, frequencies: Floats, positive: Floats, start: Floats, noise: float
) -> tuple[float, float]:
    """Return intercept and slope of a logistic regression on the bins of a curve.

    The optimum of the logistic loss depends on the positive labels through two sums only, which
    noise leaves unbiased: `positive`, their share and the sum of their z.  `start` is the prior
    mean, `noise` the variance of each bin.

    >>> z, frequencies = np.linspace(-2, 2, 16), np.full(16, 1 / 16)
    >>> labels = frequencies / (1 + np.exp(-(0.5 + 2 * z)))
    >>> positive = np.array([labels.sum(), z @ labels])
    >>> [round(one, 3) for one in fit_logistic(z, frequencies, positive, np.zeros(2), 0.0)]
    [0.5, 2.0]
    """
    x = np.column_stack([np.ones_like(z), z])
    penalty = len(z) * noise / CURVATURE / PRIOR_STD**2
    beta = start.astype(np.float64)
    for _ in range(ITERATIONS):
        fitted = 1 / (1 + np.exp(-np.clip(x @ beta, -500, 500)))
        gradient = x.T @ (frequencies * fitted) - positive + penalty * (beta - start)
        weight = frequencies * fitted * (1 - fitted)
        hessian = x.T @ (x * weight[:, None]) + (penalty + 1e-6) * np.eye(2)
        change = np.clip(np.linalg.solve(hessian, gradient), -1, 1)
        beta = np.clip(beta - change, [-MOST_SLOPE, 1e-3], MOST_SLOPE)
        if np.abs(change).max() < 1e-9:
            break
    return float(beta[0]), float(beta[1])


def _standardised(score: Score, prior: Score, centre: float, unit: float) -> tuple[float, float]:
    """Return intercept and slope of the prior as a function of the standardised score."""
    own, others = np.concatenate(score.blocks), np.concatenate(prior.blocks)
    slope = float(own @ others / (own @ own))
    return prior.intercept + slope * (centre - score.intercept), slope * unit
