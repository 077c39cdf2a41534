"""Calibration: the last step of a training, which sets the level of a score.

For squared loss some devices tell the mean residual.  For the other losses they tell in which of a
few bins their score lies, and their label; a logistic regression on that private curve says what
to add to the score and how steep to make it.  The direction stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np

from ..arrays import Floats
from . import step as ask_for
from .allocation import Allocation
from .curves import (
    PRIOR_INTERCEPT,
    PRIOR_LOG_SLOPE,
    UNUSUAL,
    USUAL_LOG_STD,
    PriorLogOdds,
    curve_edges,
    points_of,
)
from .density import Counts, Density
from .evaluation import Candidate
from .logit import (
    constant_log_odds,
    posterior_label_mean,
    predictive_log_odds,
    with_moments,
)
from .score import Score
from .trainer import Estimates, QuestionEstimate, StepRequest

REFINABLE_SIZE = 20_000
"""The effective sample size from which on the rest tell level and slope well enough, if half of the
devices only tell where the odds are even."""

REACHABLE = 2.0
"""How far from the mean of scores, in their deviations, it is worth to look for that."""

SCORE_BINS = 12
THRESHOLD_EDGES = 15

NORMAL_SIZE = 30.0
"""How surely scores are thought to be normal: as if so many had been seen, without noise.  They are
sums, and what noise adds to their tails would make log-odds too flat or too steep."""


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


def calibrated(
    allocation: Allocation,
    score: Score,
    prior: Score,
    mean: float,
    std: float,
    covariance: float | None,
    label: QuestionEstimate,
    ask: partial[StepRequest],
) -> Generator[StepRequest, Estimates, Candidate]:
    """Turn a score into log-odds, with the devices that are left.

    Scores are thought to have this mean and deviation, and log-odds to be the `prior`, or what
    gives labels this `covariance` with the score; `label` is what is known of the label's mean.
    """
    devices = allocation.level_devices
    belief = score_density(mean, std)
    placing = devices // 6
    edges = belief.spread().cut(SCORE_BINS)
    place = ask_for.term_place("score", float(np.abs(belief.edges).max()), edges, weight=3)
    asked = (place, ask_for.product(("label", 1.0)))
    found = yield ask("calibration", asked, placing)
    label = label.pooled(found["label"])
    placed, counts = found[place.name], []
    if placed.n:
        counts.append(Counts(edges, placed.estimates, NORMAL_SIZE * placed.variance))
    if covariance is not None:
        known = partial(with_moments, mean=posterior_label_mean(label)[0], covariance=covariance)
    else:
        known = partial(_at_scores, score, prior)
    believed, epsilon = belief.believing(counts), allocation.training.epsilon
    intercept, slope = known(points_of(believed))
    reachable = abs(intercept) < REACHABLE * slope and not allocation.rare
    refine = reachable and devices > REFINABLE_SIZE * allocation.noise
    curve_devices = (devices - placing) // (2 if refine else 1)
    edges = curve_edges(believed, known, epsilon, curve_devices, label)
    found = yield ask("curve", (ask_for.curve(edges[1:-1]),), curve_devices)
    curve = found["curve"]
    if curve.n:
        by_bin, noise = curve.estimates.reshape(-1, 2), curve.variance.reshape(-1, 2)
        counts.append(Counts(edges, by_bin.sum(axis=1), NORMAL_SIZE * noise.sum(axis=1)))
    belief = belief.believing(counts)
    log_odds = fit_log_odds(known, belief, edges, curve, label, averages=not reachable)
    if refine:
        near = threshold_edges(log_odds, std)
        shares = np.diff(belief.below(np.array(near)))
        rest = devices - placing - curve_devices
        found = yield ask("curve", (ask_for.surplus(near),), rest, best=log_odds.of(score))
        log_odds = refine_threshold(log_odds, near, found["surplus"], label.mean, shares)
    constant = constant_log_odds(score.features, label)
    seen = errors_apart(edges, curve)
    return Candidate(log_odds.of(score), constant, log_odds.slope * std, 1.0, label, clear=seen)


def errors_apart(edges: Floats, curve: QuestionEstimate) -> float:
    """Return by how many standard errors labels go with scores, as devices of a curve have told.

    They have not chosen the score, so this is a test of it.

    >>> told = QuestionEstimate(1000, np.array([0.45, 0.05, 0.35, 0.15]), np.full(4, 1e-4))
    >>> round(errors_apart(np.array([-1.0, 0.0, 1.0]), told), 1)
    8.6
    """
    if not curve.n:
        return 0.0
    negative, positive = curve.estimates.reshape(-1, 2).T
    middles, shares = (edges[1:] + edges[:-1]) / 2, negative + positive
    apart = middles - float(middles @ shares) / float(shares.sum())
    rate = float(np.clip(positive.sum() / shares.sum(), 0.0, 1.0))
    goes = float(apart @ ((1 - rate) * positive - rate * negative))
    noise = curve.variance.reshape(-1, 2) @ np.array([rate**2, (1 - rate) ** 2])
    return goes / math.sqrt(float(apart**2 @ noise))


def score_density(mean: float, std: float) -> Density:
    """Return what is believed of scores before anyone is asked: that they are normal."""
    edges = np.linspace(-5, 5, 201)
    normal = NormalDist()
    masses = np.diff([normal.cdf(float(edge)) for edge in edges])
    masses[0] += normal.cdf(-5.0)
    masses[-1] += normal.cdf(-5.0)
    return Density(mean + std * edges, masses)


def fit_log_odds(
    prior: PriorLogOdds,
    density: Density,
    edges: Floats,
    curve: QuestionEstimate,
    label: QuestionEstimate,
    averages: bool = False,
) -> LogOdds:
    """Return how log-odds go with the score: linearly, as a curve of labels by score has it.

    Between each two `edges` the curve has the shares of both labels, with known noise; `label` has
    their mean, more accurately.  The log-odds of the `prior` are left as far as that asks for.
    With `averages`, chances are averaged over all that log-odds may be, for the least log loss;
    that may move the threshold, so it is not for where that counts.
    """
    at = points_of(density)
    owners = np.clip(np.searchsorted(edges, at, "right") - 1, 0, len(edges) - 2)
    counts = np.bincount(owners, minlength=len(edges) - 1)
    empty = np.flatnonzero(counts == 0)  # a point in its middle stands for such a bin
    at = np.append(at, (edges[1:] + edges[:-1])[empty] / 2)
    owners, counts = np.append(owners, empty), np.maximum(counts, 1)
    centre, unit = float(at.mean()), max(float(at.std()), 1e-9)
    z = (at - centre) / unit
    intercept, slope = prior(at)
    start = np.array([intercept, math.log(max(slope, 1e-2))])
    scales = np.array([PRIOR_INTERCEPT, PRIOR_LOG_SLOPE])
    shares = curve.estimates.reshape(-1, 2)
    known = bool(np.isfinite(curve.variance).all())
    weight = 1 / math.sqrt(float(np.mean(curve.variance))) if known else 0.0

    def misses(theta: Floats) -> Floats:
        chances = 1 / (1 + np.exp(-np.clip(theta[0] + math.exp(theta[1]) * z, -500, 500)))
        positive = np.bincount(owners, chances) / counts
        length = positive**2 + (1 - positive) ** 2
        believed = (shares[:, 1] * positive + shares[:, 0] * (1 - positive)) / length
        parted = (shares[:, 1] * (1 - positive) - shares[:, 0] * positive) / np.sqrt(length)
        believed = np.maximum(believed, 0.0)
        believed = believed / max(believed.sum(), 1e-9)
        mean = float(believed @ (2 * positive - 1))
        rate = (label.mean - mean) / math.sqrt(label.variance[0]) if label.n else 0.0
        usual = (theta[1] - USUAL_LOG_STD) / UNUSUAL
        return np.concatenate([weight * parted, [rate, usual], (theta - start) / scales])

    theta = least_squares(misses, start)
    if averages:
        slopes = jacobian(misses, theta)
        covariance = np.asarray(np.linalg.inv(slopes.T @ slopes), np.float64)
        intercept, slope = predictive_log_odds(theta, covariance, z)
    else:
        intercept, slope = float(theta[0]), math.exp(theta[1])
    return LogOdds(centre - intercept * unit / slope, slope / unit)


def least_squares(misses: Callable[[Floats], Floats], start: Floats) -> Floats:
    """Return the parameters for which the squares of what is missed add up to least.

    >>> least_squares(lambda at: np.array([at[0] - 3, (at[1] + 1) * 2]), np.zeros(2)).round(3)
    array([ 3., -1.])
    """
    at, damping = start.astype(np.float64), 1e-3
    missed = misses(at)
    for _ in range(60):
        slopes = jacobian(misses, at)
        hessian = slopes.T @ slopes
        damped = hessian + damping * np.diag(np.diag(hessian) + 1e-9)
        change = np.clip(np.linalg.solve(damped, -slopes.T @ missed), -2, 2)
        tried = misses(at + change)
        if tried @ tried < missed @ missed:
            at, missed, damping = at + change, tried, damping / 5
            if np.abs(change).max() < 1e-7:
                break
        else:
            damping *= 10
            if damping > 1e8:
                break
    return at


def jacobian(misses: Callable[[Floats], Floats], at: Floats) -> Floats:
    """Return how what is missed goes with each parameter."""
    missed, moves = misses(at), 1e-5 * np.eye(len(at))
    return np.column_stack([(misses(at + move) - missed) / 1e-5 for move in moves])


def threshold_edges(log_odds: LogOdds, std: float) -> list[float]:
    """Return where the bins of a surplus meet: narrow ones, around the threshold."""
    around = np.linspace(-std, std, THRESHOLD_EDGES)
    return [float(edge) for edge in log_odds.threshold + around]


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
    expected = noise * (len(observed) + 2 * math.sqrt(2 * len(observed)))
    misfit = max(float(np.sum((observed - predicted) ** 2)) - expected, 0.0)
    # Where there are more devices the prediction may be further off, but never by more than all.
    doubt = misfit * shares**2 / max(float(np.sum(shares**2)), 1e-12)
    posterior = predicted + doubt / (doubt + noise) * (observed - predicted)
    posterior = np.clip(posterior, -shares, shares)
    losses = np.cumsum(np.append(0.0, posterior))  # by predicting -1 below each edge
    best = int(np.argmin(losses))
    current = float(np.interp(log_odds.threshold, edges, losses))
    better = losses[best] < current and misfit
    return LogOdds(edges[best], log_odds.slope) if better else log_odds


def _at_scores(score: Score, prior: Score, scores: Floats) -> tuple[float, float]:
    """Return intercept and slope of the prior by standardised scores, of which these are some."""
    return _standardised(score, prior, float(scores.mean()), max(float(scores.std()), 1e-9))


def _standardised(score: Score, prior: Score, centre: float, unit: float) -> tuple[float, float]:
    """Return intercept and slope of the prior as a function of the standardised score."""
    own, others = np.concatenate(score.blocks), np.concatenate(prior.blocks)
    slope = float(own @ others / (own @ own))
    return prior.intercept + slope * (centre - score.intercept), slope * unit
