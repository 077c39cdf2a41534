"""`auto`: one good direction from most devices, then how far to go along it."""

from __future__ import annotations

import numpy as np

from . import step as ask_for
from .directions import shrunk
from .score import Score
from .trainer import Answers, Ask, Method
from .training import Training

LABEL, GRADIENT = 0.05, 0.85
BINS = 16


def auto(training: Training) -> Method:
    """Learn `training`; see docs/learning.md."""
    features, n = training.features, training.devices
    nothing = Score.constant(features)
    first = round(LABEL * n)
    answers = yield Ask("label", (ask_for.label_mean(),), first, nothing, nothing)
    mean = float(np.clip(answers["label"].mean, -0.95, 0.95))
    base = Score.constant(features, mean)

    clip = 1 + abs(mean)
    questions = tuple(ask_for.gradient(feature, clip) for feature in features)
    second = round(GRADIENT * n)
    answers = yield Ask("gradient", questions, second, base, base)
    direction = shrunk(features, answers, clip)
    rest = max(1, n - first - second)
    if direction.flat:
        return base
    if training.loss == "squared":
        return (yield from _line(base, direction, rest))
    return (yield from _curve(training, base, direction, rest))


def _reach(direction: Score) -> float:
    """A bound for most scores: half of the largest weights."""
    return float(np.sqrt(sum(np.square(block).mean() for block in direction.blocks)))


def _line(base: Score, direction: Score, devices: int) -> Method:
    reach = 2 * _reach(direction)
    pairs = (
        ask_for.product("residual", "direction", (1.0, reach)),
        ask_for.product("direction", "direction", (reach, reach)),
    )
    answers = yield Ask("line", pairs, devices, base, base, direction)
    along = answers["residual x direction"].mean * reach
    square = answers["direction x direction"].mean * reach**2
    noise = float(np.sqrt(answers["direction x direction"].variance[0])) * reach**2
    return base.plus(float(np.clip(along / max(square, noise), 0, 1)), direction)


def _curve(training: Training, base: Score, direction: Score, devices: int) -> Method:
    reach = 2 * _reach(direction)
    edges = np.linspace(-reach, reach, BINS - 1)
    asked = (ask_for.curve(edges.tolist()),)
    answers: Answers = yield Ask("curve", asked, devices, direction, base)
    counts = answers["curve"].estimates.reshape(BINS, 2)
    below = np.concatenate([[0.0], np.cumsum(counts[:, 1] - counts[:, 0])])
    cut = np.concatenate([[-reach], edges, [reach]])[int(np.argmin(below))]
    return direction.shifted(-float(cut)).times(1 / reach)
