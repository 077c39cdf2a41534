"""`auto`: few, large and well-aimed steps.

    summary    a few devices tell the label's mean and spread, and the features' frequencies
    gradient   most devices: the correlation of the residual with every feature, asked by feature
    line       some devices: how far to go along the direction that the gradient gives
    ...        gradient and line again where there are devices enough
    level      the rest: the mean of what is left; or how the labels go with the score, from
               which the other losses read log-odds

All three losses share the direction: at a constant model their gradients are the same, and
the regression of a label of -1 and 1 is Fisher's discriminant.  docs/learning.md tells what each
choice is worth, and what did not help.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from . import step as ask_for
from .beliefs import pulled, truncated_mean
from .calibration import edges_of, levelled, log_odds
from .directions import Features, descent
from .logit import normal_log_odds
from .score import Score
from .shares import Shares
from .trainer import Answer, Answers, Ask, Method
from .training import Training

FARTHEST = 1.5
LEAST_SPREAD = 0.05
USUAL_SPREAD = 1 / 3
"""The least variance that a label is taken to have, as a share of the most that it can have
(when all labels are at the ends); and the usual one, a uniform label's."""


@dataclass
class _State:
    """What is known so far: the score, and the variance of the residual it leaves."""

    score: Score
    mean: float
    total: float
    left: float

    @property
    def explained(self) -> float:
        return max(self.total - self.left, 0.0)


def auto(training: Training) -> Method:
    """Learn `training`, of whatever loss."""
    shares = Shares(training)
    nothing = Score.constant(training.features)
    asked = shares.summary()
    answers = yield Ask("summary", asked, shares.summary_devices, nothing, nothing)
    known, state = _summary(training, answers)
    for turn in range(shares.turns):
        clip = shares.clip(turn, state.mean, state.left)
        asked = shares.gradient(clip)
        here = state.score
        best = finished(training, state)
        devices = shares.gradient_devices
        answers = yield Ask("gradient", asked, devices, here, best, loss=state.left)
        direction = descent(known, known.gradient(answers, clip), state.left)
        if direction is None:
            continue
        spread = known.spread(direction)
        best = finished(training, state)
        asked = shares.line(spread, state.mean, state.left)
        devices = shares.line_devices
        answers = yield Ask("line", asked, devices, here, best, direction, state.left)
        _line(state, direction, answers, spread, shares.clips(spread, state.mean, state.left))
    if state.score.flat:
        return finished(training, state)
    return (yield from _calibrate(training, shares, known, state))


def _calibrate(training: Training, shares: Shares, known: Features, state: _State) -> Method:
    """Set the level of the score, with the devices that are left."""
    score, best, devices = state.score, finished(training, state), shares.level_devices
    spread = max(known.spread(score), math.sqrt(state.explained))
    if training.loss == "squared":
        clip = 1 + abs(state.mean)
        asked = (ask_for.product(("residual", clip)),)
        answers = yield Ask("level", asked, devices, score, best, loss=state.left)
        return levelled(score, answers["residual"], clip, spread)
    edges = edges_of(state.mean, spread, devices / shares.noise)
    asked = (ask_for.curve(edges),)
    answers = yield Ask("curve", asked, devices, score, best, loss=state.left)
    return log_odds(score, state.mean, edges, answers["curve"], best)


def _summary(training: Training, answers: Answers) -> tuple[Features, _State]:
    mean = float(np.clip(answers["label"].mean, -0.95, 0.95))
    most = 1 - mean**2
    variance = most  # of a label that is -1 or 1
    if "label x label" in answers:
        square = answers["label x label"]
        error = math.sqrt(square.variance[0])
        variance = pulled(square.mean - mean**2, error, USUAL_SPREAD * most, USUAL_SPREAD * most)
        variance = min(max(variance, LEAST_SPREAD * most), most)
    score = Score.constant(training.features, mean)
    return Features.of(training, answers), _State(score, mean, variance, variance)


def _line(
    state: _State,
    direction: Score,
    answers: Answers,
    spread: float,
    clips: tuple[float, float, float],
) -> None:
    """Move along the direction by the slope of the residual on it."""
    residual_clip, _, far = clips
    middle = _pulled(answers["direction"], far, 0.0, spread / 2)
    # The direction clipped at `near` is an instrument for the direction itself: both means hold
    # it, so their ratio is the slope.  Features that repeat each other only widen the direction.
    width = max(_pulled(answers["direction x direction"], far, spread, spread / 3), spread / 4)
    along = answers["residual x direction"]
    slope = along.mean * residual_clip / width
    error = math.sqrt(along.variance[0]) * residual_clip / width
    # One would be right for independent features; those that repeat each other ask for less.
    step = truncated_mean(slope, error, 0.0, FARTHEST)
    state.score = state.score.plus(step, direction.shifted(-middle))
    variance = max(spread, width) ** 2
    gained = step * (2 * max(slope, step) - step) * variance
    state.left = max(state.left - gained, LEAST_SPREAD * state.total)


def _pulled(answer: Answer, scale: float, usual: float, spread: float) -> float:
    error = math.sqrt(answer.variance[0]) * scale
    return pulled(answer.mean * scale, error, usual, spread)


def finished(training: Training, state: _State) -> Score:
    """Return the score for the training's loss: log-odds, unless the loss is squared."""
    if training.loss == "squared":
        return state.score
    return normal_log_odds(state.score, state.mean, state.explained)
