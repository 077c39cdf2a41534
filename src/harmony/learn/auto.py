"""`auto`: few, large and well-aimed steps.

    summary      a few devices tell the label's mean and spread, and the features' frequencies
    gradient     most devices: the correlation of the residual with every feature, asked by feature
    frequencies  once: a closer look at the features that seem to matter
    line         some devices: how far to go along the direction that the gradient gives
    ...          gradient and line again, the features that matter asked more often
    level        the rest: the mean of what is left, and the length of the score; or a curve of how
                 the labels go with the score, from which the other losses read log-odds, and a
                 closer look at where the odds are even

All three losses share the direction: at a constant model their gradients are the same, and
the regression of a label of -1 and 1 is Fisher's discriminant.  docs/learning.md tells what each
choice is worth, and what did not help.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from . import step as ask_for
from .beliefs import pulled
from .calibration import edges_near, edges_of, log_odds, masses, tipped
from .directions import Strengths, attention, posterior
from .features import Features, Gradient
from .logit import normal_log_odds
from .score import Score
from .shares import Clips, Shares
from .trainer import Answer, Answers, Ask, Method
from .training import Training

USUAL_STEP = 0.75
"""How far to go where nothing is known of it: features often repeat each other a little."""

USUAL_ERROR = 0.3
"""How far off the length of a score may be when all turns are done."""

WORTH_A_CLOSER_LOOK = 2_500
"""Answers without noise from which on a closer look can tell where the odds are even."""

LEAST_SPREAD = 0.05
USUAL_SPREAD = 1 / 3
"""The least variance that a label is taken to have, as a share of the most that it can have
(when all labels are at the ends); and the usual one, a uniform label's."""


@dataclass
class _State:
    """What is known so far: the score with its weights, and the variance it leaves."""

    score: Score
    weights: Floats
    mean: float
    doubt: float
    """The standard error of the mean."""
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
    share = np.full(len(known.blocks), 1 / len(known.blocks))
    seen = Gradient.unknown(len(known.variances))
    for turn in range(shares.turns):
        residual = shares.residual(state.mean, state.total, state.left)
        asked = shares.gradient(residual, share, known.lenses)
        here, best = state.score, finished(training, state)
        devices = shares.gradient_devices
        found = yield Ask("gradient", asked, devices, here, best, loss=state.left)
        coming = (shares.turns - 1 - turn) * devices * known.worth(shares.noise * residual.unit**2)
        if turn == 0:
            first = known.gradient(found, residual)
            strengths = Strengths.of(known, first, state.total)
            share = attention(known, strengths, first.precisions, coming)
            asked, devices = shares.frequencies(share), shares.frequency_devices
            more = yield Ask("frequencies", asked, devices, here, best, loss=state.left)
            joined = {name: answers[name].joined(more[name]) for name in more}
            known = Features.of(training, joined, known.lenses)
        # What earlier turns saw still counts, less what the model has taken up since.
        seen = seen.joined(known.gradient(found, residual))
        whole = seen.plus(known.variances * state.weights)
        strengths = Strengths.of(known, whole, state.total)
        share = attention(known, strengths, seen.precisions, coming)
        way = posterior(known, whole, strengths) - state.weights
        if not way.any():
            continue
        direction, spread = known.score(way), known.spread(way)
        devices = shares.line_devices
        clips = shares.clips(spread, state.mean, state.left, devices)
        asked = shares.line(clips)
        found = yield Ask("line", asked, devices, here, best, direction, state.left)
        step = _line(state, direction, found, spread, clips)
        state.weights = state.weights + step * way
        seen = seen.plus(-known.variances * way)  # along the way nothing is left
    if state.score.flat:
        return finished(training, state)
    return (yield from _calibrate(training, shares, known, state))


def _calibrate(training: Training, shares: Shares, known: Features, state: _State) -> Method:
    """Set the level of the score, with the devices that are left."""
    score, best, devices = state.score, finished(training, state), shares.level_devices
    spread = max(known.spread(state.weights), math.sqrt(state.explained))
    if training.loss == "squared":
        centred = known.score(state.weights)
        clips = shares.clips(spread, state.mean, state.left, devices // 3)
        reach = shares.reach(state.mean, state.doubt, state.left)
        asked = shares.level(clips, reach)
        answers = yield Ask("level", asked, devices, score, best, centred, state.left)
        slope, error, _ = _slope(answers, spread, clips)
        score = score.plus(pulled(slope, error, 0.0, USUAL_ERROR), centred)
        usual = math.hypot(state.doubt, spread / 4)
        off = _pulled(answers["residual"], reach, 0.0, usual)
        return score.shifted(off)
    closer = devices > WORTH_A_CLOSER_LOOK * shares.noise
    first = devices // 2 if closer else devices
    edges = edges_of(state.mean, spread, first / shares.noise)
    asked = (ask_for.curve(edges),)
    answers = yield Ask("curve", asked, first, score, best, loss=state.left)
    line = log_odds(score, state.mean, edges, answers["curve"], best)
    if closer:
        near = edges_near(line, edges)
        total = masses(edges, answers["curve"], near)
        asked = (ask_for.surplus(near),)
        answers = yield Ask("curve", asked, devices - first, score, line.of(score), loss=state.left)
        line = tipped(line, near, answers["surplus"], state.mean, total)
    return line.of(score)


def _summary(training: Training, answers: Answers) -> tuple[Features, _State]:
    mean = float(np.clip(answers["label"].mean, -0.95, 0.95))
    doubt = min(math.sqrt(answers["label"].variance[0]), 1.0)
    most = 1 - mean**2
    variance = most  # of a label that is -1 or 1
    if "label x label" in answers:
        square = answers["label x label"]
        error = math.sqrt(square.variance[0])
        variance = pulled(square.mean - mean**2, error, USUAL_SPREAD * most, USUAL_SPREAD * most)
        variance = min(max(variance, LEAST_SPREAD * most), most)
    score = Score.constant(training.features, mean)
    known = Features.of(training, answers)
    nothing = np.zeros(len(known.variances))
    return known, _State(score, nothing, mean, doubt, variance, variance)


def _line(
    state: _State,
    direction: Score,
    answers: Answers,
    spread: float,
    clips: Clips,
) -> float:
    """Move along the direction by the slope of the residual on it, and return that step."""
    slope, error, width = _slope(answers, spread, clips)
    # One would be right for independent features; those that repeat each other ask for less.
    step = max(pulled(slope, error, USUAL_STEP, USUAL_STEP / 3), 0.0)
    state.score = state.score.plus(step, direction)
    gained = (step * max(spread, width)) ** 2
    state.left = max(state.left - gained, LEAST_SPREAD * state.total)
    return step


def _slope(answers: Answers, spread: float, clips: Clips) -> tuple[float, float, float]:
    """Return the slope of the residual on the direction, its error, and the direction's width.

    The direction clipped at `near` is an instrument for the direction itself: both means hold
    it, so their ratio is the slope.  Features that repeat each other only widen the direction.
    """
    width = max(
        _pulled(answers["direction x direction"], clips.far, spread, spread / 3), spread / 4
    )
    along = answers["residual x direction"]
    unit = clips.residual / clips.kept / width
    return along.mean * unit, math.sqrt(along.variance[0]) * unit, width


def _pulled(answer: Answer, scale: float, usual: float, spread: float) -> float:
    error = math.sqrt(answer.variance[0]) * scale
    return pulled(answer.mean * scale, error, usual, spread)


def finished(training: Training, state: _State) -> Score:
    """Return the score for the training's loss: log-odds, unless the loss is squared."""
    if training.loss == "squared":
        return state.score
    return normal_log_odds(state.score, state.mean, state.explained)
