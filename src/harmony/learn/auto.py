"""`auto`: few, large and well-aimed steps.

    summary      a few devices tell the label's mean and variance, and the features' frequencies
    gradient     most devices: the correlation of the residual with every feature, asked by feature
    frequencies  once: the features that seem to matter, counted more accurately
    line         some devices: how far to go along the direction that the gradient gives
    ...          gradient and line again, the features that matter asked more often
    level        the rest: the mean residual, and the length of the score; or a curve of how the
                 labels go with the score, from which the other losses compute log-odds, and a
                 second one that refines the threshold, where the odds are even

All three losses share the direction: at a constant model their gradients are the same, and
the regression of a label of -1 and 1 is Fisher's discriminant.  docs/learning.md tells what each
choice gains, and what did not help.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from . import step as ask_for
from .allocation import Allocation, Clips
from .calibration import bin_shares, curve_edges, fit_log_odds, refine_threshold, threshold_edges
from .features import Features, Gradient
from .logit import normal_log_odds
from .mixture import Mixture, optimal_shares, posterior_weights
from .score import Score
from .shrinkage import posterior_mean
from .trainer import Estimates, Method, QuestionEstimate, StepRequest
from .training import Training

PRIOR_STEP = 0.75
"""The prior mean of the length of a step: features are often correlated a little."""

PRIOR_LENGTH_ERROR = 0.3
"""The prior deviation of a score's length from the right one, after all iterations."""

REFINABLE_SIZE = 2_500
"""The effective sample size from which on devices can tell where the odds are even."""

LEAST_VARIANCE = 0.05
PRIOR_VARIANCE = 1 / 3
"""The least variance that a label is taken to have, as a share of the most that it can have
(when all labels are at the ends); and the prior mean, a uniform label's."""


@dataclass
class _State:
    """What is known so far: the score with its weights, and the label's mean and variances."""

    score: Score
    weights: Floats
    mean: float
    mean_error: float
    """The standard error of the mean."""
    variance: float
    residual_variance: float

    @property
    def explained(self) -> float:
        return max(self.variance - self.residual_variance, 0.0)


def auto(training: Training) -> Method:
    """Learn `training`, of whatever loss."""
    allocation = Allocation(training)
    zero = Score.constant(training.features)
    asked = allocation.summary()
    summary = yield StepRequest("summary", asked, allocation.summary_devices, zero, zero)
    known, state = _summary(training, summary)
    feature_shares = np.full(len(known.blocks), 1 / len(known.blocks))
    gradient = Gradient.unknown(len(known.variances))
    for iteration in range(allocation.iterations):
        residual = allocation.residual(state.mean, state.variance, state.residual_variance)
        asked = allocation.gradient(residual, feature_shares, known.scalings)
        here, best = state.score, score_for_loss(training, state)
        devices, loss = allocation.gradient_devices, state.residual_variance
        found = yield StepRequest("gradient", asked, devices, here, best, loss=loss)
        per_device = known.precision_per_device(allocation.noise * residual.unit**2)
        future_precisions = (allocation.iterations - 1 - iteration) * devices * per_device
        if iteration == 0:
            first = known.gradient(found, residual)
            mixture = Mixture.fit(known, first, state.variance)
            feature_shares = optimal_shares(known, mixture, first.precisions, future_precisions)
            asked, devices = allocation.frequencies(feature_shares), allocation.frequency_devices
            more = yield StepRequest("frequencies", asked, devices, here, best, loss=loss)
            frequencies = {name: summary[name].pooled(more[name]) for name in more}
            known = Features.of(training, frequencies, known.scalings)
        # Gradients of earlier iterations still count, less what the model has taken up since.
        gradient = gradient.pooled(known.gradient(found, residual))
        at_zero = gradient.plus(known.variances * state.weights)
        mixture = Mixture.fit(known, at_zero, state.variance)
        feature_shares = optimal_shares(known, mixture, gradient.precisions, future_precisions)
        change = posterior_weights(known, at_zero, mixture) - state.weights
        if not change.any():
            continue
        direction, std = known.score(change), known.std(change)
        devices = allocation.line_devices
        clips = allocation.clips(std, state.mean, state.residual_variance, devices)
        asked = allocation.line(clips)
        found = yield StepRequest("line", asked, devices, here, best, direction, loss)
        step = _line(state, direction, found, std, clips)
        state.weights = state.weights + step * change
        gradient = gradient.plus(-known.variances * change)  # along it nothing is left
    if state.score.flat:
        return score_for_loss(training, state)
    return (yield from _calibrate(training, allocation, known, state))


def _calibrate(
    training: Training, allocation: Allocation, known: Features, state: _State
) -> Method:
    """Set the level of the score, with the devices that are left."""
    score, best, devices = state.score, score_for_loss(training, state), allocation.level_devices
    std, loss = max(known.std(state.weights), math.sqrt(state.explained)), state.residual_variance
    if training.loss == "squared":
        centred = known.score(state.weights)
        clips = allocation.clips(std, state.mean, state.residual_variance, devices // 3)
        clip = allocation.level_clip(state.mean, state.mean_error, state.residual_variance)
        asked = allocation.level(clips, clip)
        found = yield StepRequest("level", asked, devices, score, best, centred, loss)
        slope, error, _ = _slope(found, std, clips)
        score = score.plus(posterior_mean(slope, error, 0.0, PRIOR_LENGTH_ERROR), centred)
        prior_std = math.hypot(state.mean_error, std / 4)
        return score.shifted(_posterior_mean(found["residual"], clip, 0.0, prior_std))
    refine = devices > REFINABLE_SIZE * allocation.noise
    first = devices // 2 if refine else devices
    edges = curve_edges(state.mean, std, first / allocation.noise)
    asked = (ask_for.curve(edges),)
    found = yield StepRequest("curve", asked, first, score, best, loss=loss)
    log_odds = fit_log_odds(score, state.mean, edges, found["curve"], best)
    if refine:
        near = threshold_edges(log_odds, edges)
        shares = bin_shares(edges, found["curve"], near)
        asked, best = (ask_for.surplus(near),), log_odds.of(score)
        found = yield StepRequest("curve", asked, devices - first, score, best, loss=loss)
        log_odds = refine_threshold(log_odds, near, found["surplus"], state.mean, shares)
    return log_odds.of(score)


def _summary(training: Training, estimates: Estimates) -> tuple[Features, _State]:
    mean = float(np.clip(estimates["label"].mean, -0.95, 0.95))
    mean_error = min(math.sqrt(estimates["label"].variance[0]), 1.0)
    most = 1 - mean**2
    variance = most  # of a label that is -1 or 1
    if "label x label" in estimates:
        square = estimates["label x label"]
        error, prior = math.sqrt(square.variance[0]), PRIOR_VARIANCE * most
        variance = posterior_mean(square.mean - mean**2, error, prior, prior)
        variance = min(max(variance, LEAST_VARIANCE * most), most)
    score = Score.constant(training.features, mean)
    known = Features.of(training, estimates)
    weights = np.zeros(len(known.variances))
    return known, _State(score, weights, mean, mean_error, variance, variance)


def _line(
    state: _State,
    direction: Score,
    estimates: Estimates,
    std: float,
    clips: Clips,
) -> float:
    """Move along the direction by the slope of the residual on it, and return that step."""
    slope, error, measured_std = _slope(estimates, std, clips)
    # One would be right for independent features; correlated ones ask for less.
    step = max(posterior_mean(slope, error, PRIOR_STEP, PRIOR_STEP / 3), 0.0)
    state.score = state.score.plus(step, direction)
    gained = (step * max(std, measured_std)) ** 2
    left = state.residual_variance - gained
    state.residual_variance = max(left, LEAST_VARIANCE * state.variance)
    return step


def _slope(estimates: Estimates, std: float, clips: Clips) -> tuple[float, float, float]:
    """Return the slope of the residual on the direction, its error, and the direction's deviation.

    The direction clipped at `near` is an instrument for the direction itself: both means hold
    it, so their ratio is the slope.  Correlated features only widen the direction from the `std`
    that independent ones would give it.
    """
    square = estimates["direction x direction"]
    measured_std = max(_posterior_mean(square, clips.far, std, std / 3), std / 4)
    product = estimates["residual x direction"]
    unit = clips.residual / clips.attenuation / measured_std
    return product.mean * unit, math.sqrt(product.variance[0]) * unit, measured_std


def _posterior_mean(
    estimate: QuestionEstimate, scale: float, prior_mean: float, prior_std: float
) -> float:
    error = math.sqrt(estimate.variance[0]) * scale
    return posterior_mean(estimate.mean * scale, error, prior_mean, prior_std)


def score_for_loss(training: Training, state: _State) -> Score:
    """Return the score for the training's loss: log-odds, unless the loss is squared."""
    if training.loss == "squared":
        return state.score
    return normal_log_odds(state.score, state.mean, state.explained)
