"""Shares: how many devices answer what.  All follows from n, epsilon and the features.

A scalar question (the label's mean, a slope) has the noise of one coordinate of the gradient.
The gradient has d coordinates in J blocks that share its devices.  Splitting devices so that the
sum of all squared errors is least gives a scalar the share 1 / (1 + sqrt(J d)).  With few devices
or a small epsilon a scalar needs more: enough for a standard error of `SCALAR_ERROR`, in units of
what it can be at most, but never more than `MOST_FOR_A_SCALAR` of all devices.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..attributes import MAX_WEIGHT
from . import step as ask_for
from .planning import answer_noise
from .step import PLAIN, Lens, Question, Residual
from .training import Training

SCALAR_ERROR = 0.04
MOST_FOR_A_SCALAR = 0.03
LEAST_TURNS, MOST_TURNS = 6, 12
"""Gradients that are asked, each at the model that the ones before have led to."""

CLEAR = 0.1
"""The error of a slope below which no residual needs to be clipped for it."""

FINENESS = 32
"""Parts of an equal share in which the coin divides its attention to features."""

FREQUENCIES, LINES, LEVEL, CURVE = 2.0, 3.0, 3.0, 3.0
"""What the steps cost that do not ask for a gradient, in scalars; a summary, one a question."""


class Clips(NamedTuple):
    """Where a line clips the residual, and the direction: as an instrument, and as itself."""

    residual: float
    near: float
    far: float
    kept: float
    """The share of the slope that the clipped residual keeps."""


class Shares:
    """The budget of one training."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.squared = training.loss == "squared"
        n, blocks, width = training.devices, len(training.features), training.width
        self.noise = answer_noise(training.epsilon)
        even = 1 / (1 + math.sqrt(blocks * width))
        needed = self.noise / SCALAR_ERROR**2 / n
        self.scalar = min(MOST_FOR_A_SCALAR, max(even, needed))
        self.turns = turns(n / (self.noise * blocks * width))

    def _devices(self, share: float) -> int:
        return max(1, round(self.training.devices * share))

    @property
    def summary_devices(self) -> int:
        return self._devices(self._summary * self.scalar)

    @property
    def frequency_devices(self) -> int:
        return self._devices(FREQUENCIES * self.scalar)

    @property
    def gradient_devices(self) -> int:
        spent = self._summary + FREQUENCIES + LINES + self._level
        return self._devices((1 - spent * self.scalar) / self.turns)

    @property
    def line_devices(self) -> int:
        return self._devices(LINES * self.scalar / self.turns)

    @property
    def level_devices(self) -> int:
        """The last step takes whatever rounding has left."""
        spent = self.summary_devices + self.frequency_devices
        spent += self.turns * (self.gradient_devices + self.line_devices)
        return max(1, self.training.devices - spent)

    @property
    def _summary(self) -> float:
        return 3.0 if self.squared else 2.0

    @property
    def _level(self) -> float:
        return LEVEL if self.squared else CURVE

    def summary(self) -> tuple[Question, ...]:
        """The label's mean, its square unless that is one, and the features: each as often."""
        often = len(self.training.features)
        questions = [ask_for.product(("label", 1.0), weight=often)]
        if self.squared:
            questions.append(ask_for.product(("label", 1.0), ("label", 1.0), weight=often))
        questions += [ask_for.frequency(feature) for feature in self.training.features]
        return tuple(questions)

    def residual(self, mean: float, total: float, left: float) -> Residual:
        """What the gradient asks, where `left` is unexplained of the label's variance `total`.

        A residual is clearest if clipped at one standard deviation: of a normal one, the share
        that is not clipped is kept.  With a label of two values it is clearest relative to the
        most that it could be, 1 + |score|, and of that nothing is clipped.
        """
        most, spread = 1 + abs(mean), math.sqrt(left)
        if not self.squared:
            typical = math.hypot(mean, math.sqrt(max(total - left, 0.0) * 2 / math.pi))
            return Residual("relative", 1.0, 1 / (1 + typical))
        if most <= spread:
            return Residual("residual", most)
        return Residual("residual", spread, math.erf(math.sqrt(0.5)))

    def frequencies(self, attention: Floats) -> tuple[Question, ...]:
        """The frequencies of the features that deserve it."""
        weighed = zip(self.training.features, parts(attention), strict=True)
        return tuple(ask_for.frequency(feature, weight) for feature, weight in weighed)

    def gradient(
        self, residual: Residual, attention: Floats, lenses: Mapping[str, Lens]
    ) -> tuple[Question, ...]:
        """The gradient, feature by feature, and the mean of the clipped residual."""
        questions = [
            ask_for.gradient(feature, residual, weight, lenses.get(feature.name, PLAIN))
            for feature, weight in zip(self.training.features, parts(attention), strict=True)
        ]
        mean = ask_for.product((residual.term, residual.clip), weight=FINENESS)
        return (*questions, mean)

    def clips(self, spread: float, mean: float, left: float, devices: int) -> Clips:
        """Where so many devices clip what a line is made of.

        A wide clip keeps all of the slope; where that would be too noisy, the gradient's is as
        good.
        """
        wide = min(1 + abs(mean), 2.5 * math.sqrt(left))
        error = wide / spread * math.sqrt(self.noise / max(devices, 1))
        clear = error < CLEAR or not self.squared
        residual = Residual("residual", wide) if clear else self.residual(mean, left, left)
        return Clips(residual.clip, spread / 2, 3 * spread, residual.kept)

    def line(self, clips: Clips) -> tuple[Question, ...]:
        """Most for the slope; the direction's spread is known roughly."""
        near, far = ("direction", clips.near), ("direction", clips.far)
        return (
            ask_for.product(("residual", clips.residual), near, weight=3),
            ask_for.product(near, far),
        )

    def reach(self, mean: float, doubt: float, left: float) -> float:
        """Where the level clips the residual: two deviations hide next to nothing of its mean."""
        return min(1 + abs(mean), 2 * math.sqrt(left) + doubt)

    def level(self, clips: Clips, reach: float) -> tuple[Question, ...]:
        """The mean of the residual, and a line along the score itself."""
        return (ask_for.product(("residual", reach), weight=6), *self.line(clips))


def turns(worth: float) -> int:
    """Return how many gradients to ask, if a coordinate is worth so many answers without noise.

    The clearer they are, the more of them it takes until what features share is sorted out.

    >>> turns(3.0), turns(500.0), turns(1e9)
    (6, 9, 12)
    """
    return min(max(round(math.log2(max(worth, 1.0))), LEAST_TURNS), MOST_TURNS)


def parts(attention: Floats) -> list[int]:
    """Return the shares of features as weights for the coin, none of them nought.

    >>> parts(np.array([0.75, 0.25, 0.0]))
    [72, 24, 1]
    """
    weights = np.clip(np.rint(attention * len(attention) * FINENESS), 1, MAX_WEIGHT)
    return [int(weight) for weight in weights]
