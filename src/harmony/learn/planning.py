"""Planning a training: how much of what could be learned will so many devices teach?

A model explains some share R of the label's variance.  From n devices the direction comes with
noise, which costs v / (R + v) of that: v is the variance of a private answer, times the
features that share the devices, times the sum over features of 1 / (variance of a column), which
is k^2 for k values that are evenly frequent and 3 for a number spread evenly over its range,
divided by n.  So R / (R + v) of the gap between no model and the best one is closed.  On the
census-like populations of the lab this comes within a tenth (US) and a fifth (BR) of what is
measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import HarmonyError
from .training import Training

EXPLAINED = 0.3
"""The share of the label's variance that features are taken to explain."""

LITTLE = 0.1
"""Closing less than this share of the gap is not worth a training."""


@dataclass(frozen=True)
class LearningPlan:
    """What to expect of a training.

    >>> from harmony import Boolean, Numeric
    >>> training = Training("likes", 1.0, "squared", Numeric("stars", 1, 5), [Boolean("wifi")],
    ...                     devices=1000)
    >>> plan(training)
    likes: 1,000 devices at epsilon 1 should close 94% of the gap between no model and the best
    >>> plan(training, closed=0.5).devices
    63
    """

    training: str
    devices: int
    epsilon: float
    closed: float

    def __repr__(self) -> str:
        return (
            f"{self.training}: {self.devices:,} devices at epsilon {self.epsilon:g} should close "
            f"{self.closed:.0%} of the gap between no model and the best"
        )


def plan(
    training: Training, closed: float | None = None, explained: float = EXPLAINED
) -> LearningPlan:
    """Predict the share of the gap that the training's devices close, or what `closed` needs."""
    if not 0 < explained < 1:
        raise HarmonyError("'explained' must be a share between 0 and 1")
    noise = _noise(training)
    if closed is None:
        devices = training.devices
        closed = explained / (explained + noise / devices)
    elif 0 < closed < 1:
        devices = math.ceil(noise * closed / ((1 - closed) * explained))
    else:
        raise HarmonyError("'closed' must be a share between 0 and 1")
    return LearningPlan(training.name, devices, training.epsilon, closed)


def _noise(training: Training) -> float:
    """n times the variance that the noise adds to a direction, in units of the label's."""
    grown = math.exp(training.epsilon)
    answer = ((grown + 1) / (grown - 1)) ** 2
    columns = sum(len(one.values) ** 2 if one.values else 3 for one in training.features)
    return answer * len(training.features) * columns
