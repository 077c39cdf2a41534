"""`auto`: few, large and well-aimed steps.

    summary    a few devices tell the label's mean and spread, and the features' frequencies
    gradient   most devices: the correlation of the residual with every feature, asked by feature
    line       some devices: how far to go along the direction that the gradient gives
    ...        gradient and line again where there are devices enough
    the end    squared loss is done; other losses turn the score into log-odds

All three losses share the direction: at a constant model their gradients are the same, and
the regression of a label of -1 and 1 is Fisher's discriminant.  docs/learning.md tells what each
choice is worth, and what did not help.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .directions import Features, descent
from .logit import log_odds
from .score import Score
from .shares import Shares
from .trainer import Answers, Ask, Method
from .training import Training
from .truncated import truncated_mean

LEAST_SPREAD = 0.05
"""The least variance that a label is taken to have, as a share of the most that it can have."""


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
        answers = yield Ask("gradient", asked, shares.gradient_devices, here, best)
        direction = descent(known, known.gradient(answers, clip))
        if direction is None:
            continue
        spread = known.spread(direction)
        best = finished(training, state)
        asked = shares.line(spread, state.mean, state.left)
        answers = yield Ask("line", asked, shares.line_devices(turn), here, best, direction)
        _line(state, direction, answers, spread, shares.clips(spread, state.mean, state.left), turn)
    return finished(training, state)


def _summary(training: Training, answers: Answers) -> tuple[Features, _State]:
    mean = float(np.clip(answers["label"].mean, -0.95, 0.95))
    most = 1 - mean**2
    variance = most
    if "label x label" in answers:
        square = answers["label x label"].mean
        variance = float(np.clip(square - mean**2, LEAST_SPREAD * most, most))
    score = Score.constant(training.features, mean)
    return Features.of(training, answers), _State(score, mean, variance, variance)


def _line(
    state: _State,
    direction: Score,
    answers: Answers,
    spread: float,
    clips: tuple[float, float, float],
    turn: int,
) -> None:
    """Move along the direction by the slope of the residual on it."""
    residual_clip, near, far = clips
    middle = answers["direction"].mean * far
    along = answers["residual x direction"]
    square = answers["direction x direction"]
    # The direction clipped at `near` is an instrument for the direction itself.
    width = max(
        square.mean * near * far - middle**2,
        math.sqrt(square.variance[0]) * near * far,
        spread**2 / 4,
    )
    slope = along.mean * residual_clip * near / width
    error = math.sqrt(along.variance[0]) * residual_clip * near / width
    # Weights that suppose independent features can only be too large, at first.
    step = truncated_mean(slope, error, 0.0, 1.0 if turn == 0 else 2.0)
    state.score = state.score.plus(step, direction.shifted(-middle))
    gained = step * (2 * slope - step) * width
    state.left = max(state.left - max(gained, 0.0), LEAST_SPREAD * state.total)


def finished(training: Training, state: _State) -> Score:
    """Return the score for the training's loss: log-odds, unless the loss is squared."""
    if training.loss == "squared":
        return state.score
    return log_odds(state.score, state.mean, state.explained)
