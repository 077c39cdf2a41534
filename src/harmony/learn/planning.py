"""Planning a training: how much of what could be learned will so many devices teach?

A model explains some share R of the label's variance.  Were all effects equal, noise of
variance v in the direction would cost v / (R + v) of that: v is the variance of a private answer,
times the features that share the devices, times the sum over features of 1 / (variance of a
column), which is k^2 for k values that are evenly frequent and 3 for a number spread evenly over
its range, divided by n.  But few features matter much, and those are found first: where the i-th
largest effect goes as 1 / i, what stays below the noise goes as its root.  So with many devices
the share of the gap between no model and the best one that is closed is 1 / (1 + sqrt(v / (16 R))).
With few hardly anything is closed: features must be placed first, then told from one another,
and the label has a level.  So that share is taken times exp(-w / R), where w is the variance that
the mean of so many answers has when 1 of 400 devices, and of 100 more for every feature, gives it.

A label of two values of which one has the rate r has the variance 4 r (1 - r) where a number has
1, so its noise is as much greater.  The 16 was fitted to four populations with well-filled domains,
and 400 and 100 to 125 random ones with domains up to a hundred times too wide (docs/learning.md).
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

LEVEL_COST, FEATURE_COST = 400.0, 100.0
"""What the label's level and every feature cost before anything is gained, in answers without
noise."""

LEAST_CLOSED, LEAST_CLOSED_RARE = 0.02, 0.1
"""Where less than this share of the gap would be closed only the label's level is asked for: before
anything is known, and once it is known how frequent the classes are."""

MOST_DEVICES = 1e15


@dataclass(frozen=True)
class LearningPlan:
    """What to expect of a training.

    >>> from harmony import Boolean, Numeric
    >>> training = Training("likes", 1.0, "squared", Numeric("stars", 1, 5), [Boolean("wifi")],
    ...                     devices=20_000)
    >>> plan(training)
    likes: 20,000 devices at epsilon 1 should close 67% of the gap between no model and the best
    >>> plan(training, closed=0.5).devices
    11564
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
    training: Training,
    closed: float | None = None,
    explained: float = EXPLAINED,
    rate: float | None = None,
) -> LearningPlan:
    """Predict the share of the gap that the training's devices close, or what `closed` needs.

    `rate` is how frequent the label's second class is; without it classes are taken to be
    equally frequent.
    """
    if not 0 < explained < 1:
        raise HarmonyError("'explained' must be a share between 0 and 1")
    if rate is not None and not 0 < rate < 1:
        raise HarmonyError("'rate' must be a share between 0 and 1")
    noise = _label_noise(training, rate) / explained
    direction = noise * _noise_factor(training) / SPARSITY_GAIN
    start = noise * (LEVEL_COST + FEATURE_COST * len(training.features))

    def closes(devices: float) -> float:
        return math.exp(-start / devices) / (1 + math.sqrt(direction / devices))

    if closed is None:
        return LearningPlan(
            training.name, training.devices, training.epsilon, closes(training.devices)
        )
    if not 0 < closed < 1:
        raise HarmonyError("'closed' must be a share between 0 and 1")
    few, many = 0.0, MOST_DEVICES  # on a logarithmic scale the middle is soon found
    while many - few > 1e-9 * many + 0.5:
        middle = math.sqrt(max(few, 1.0) * many)
        few, many = (middle, many) if closes(middle) < closed else (few, middle)
    return LearningPlan(training.name, math.ceil(many), training.epsilon, closed)


def _label_noise(training: Training, rate: float | None) -> float:
    """Return the variance of an answer relative to the label's; classes share the devices."""
    classes = len(training.label.values)
    noise = answer_noise(training.epsilon)
    if not classes:
        return noise
    rate = 1 / classes if rate is None else rate
    return noise * (classes if classes > 2 else 1) / (4 * rate * (1 - rate))


def answer_noise(epsilon: float) -> float:
    """Return the variance of one answer in [-1, 1]; 1 without privacy."""
    ratio = math.exp(epsilon)
    return ((ratio + 1) / (ratio - 1)) ** 2


def _noise_factor(training: Training) -> float:
    """The features that share the devices, times the sum of 1 / (variance of a column)."""
    columns = sum(len(one.values) ** 2 if one.values else 3 for one in training.features)
    return len(training.features) * columns
