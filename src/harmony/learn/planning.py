"""Planning a training: how much of what could be learned will so many devices teach?

A model explains some share R of the label's variance.  Were all effects equal, noise of
variance v in the direction would cost v / (R + v) of that: v is the variance of a private answer,
times the features that share the devices, times the sum over features of 1 / (variance of a
column), which is k^2 for k values that are evenly frequent and 3 for a number spread evenly over
its range, divided by n.  But few features matter much, and those are found first: where the i-th
largest effect goes as 1 / i, what stays below the noise goes as its root.  So the share of the
gap between no model and the best one that is closed is taken as 1 / (1 + sqrt(v / (16 R)) + w / R),
where w is the variance that the mean of so many answers has when some of the devices give it: one
in twenty for the label's level, and as many answers as it takes to place every feature.  The 16
was fitted to four populations with well-filled domains (docs/learning.md), with R = 0.3, and the
cost of places to a hundred with domains up to a hundred times too wide, where it says most: with
few devices a number is not found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import HarmonyError
from .training import Training

EXPLAINED = 0.3
"""The share of the label's variance that features are taken to explain."""

SPARSITY_GAIN = 16.0
"""How much less noise there seems to be than if all effects were equal."""

DEVICES_PER_LEVEL = 20.0
"""Of so many devices one tells the level."""

NUMBER_PLACE, VALUES_PLACE = 200.0, 30.0
"""What it costs to place a number in its domain, and to count values, in answers without noise."""

LEAST_CLOSED = 0.2
"""Where less than this share of the gap would be closed only the label's level is asked for: of
58 random trainings below it none gained 2% in error, and 21 lost that."""


@dataclass(frozen=True)
class LearningPlan:
    """What to expect of a training.

    >>> from harmony import Boolean, Numeric
    >>> training = Training("likes", 1.0, "squared", Numeric("stars", 1, 5), [Boolean("wifi")],
    ...                     devices=1000)
    >>> plan(training)
    likes: 1,000 devices at epsilon 1 should close 54% of the gap between no model and the best
    >>> plan(training, closed=0.5).devices
    838
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
    scores = len(training.label.values) if training.multiclass else 1
    noise = answer_noise(training.epsilon) * scores  # which share the devices
    direction = math.sqrt(noise * _noise_factor(training) / (SPARSITY_GAIN * explained))
    places = sum(VALUES_PLACE if one.values else NUMBER_PLACE for one in training.features)
    level = noise * (DEVICES_PER_LEVEL + places) / explained
    if closed is None:
        devices = training.devices
        closed = 1 / (1 + direction / math.sqrt(devices) + level / devices)
    elif 0 < closed < 1:
        # A quadratic equation for 1 / sqrt(devices).
        root = math.sqrt(direction**2 + 4 * level * (1 / closed - 1))
        devices = math.ceil((2 * level / (root - direction)) ** 2)
    else:
        raise HarmonyError("'closed' must be a share between 0 and 1")
    return LearningPlan(training.name, devices, training.epsilon, closed)


def answer_noise(epsilon: float) -> float:
    """Return the variance of one answer in [-1, 1]; 1 without privacy."""
    ratio = math.exp(epsilon)
    return ((ratio + 1) / (ratio - 1)) ** 2


def _noise_factor(training: Training) -> float:
    """The features that share the devices, times the sum of 1 / (variance of a column)."""
    columns = sum(len(one.values) ** 2 if one.values else 3 for one in training.features)
    return len(training.features) * columns
