"""Shares: how many devices answer what.  All follows from n, epsilon and the features.

A scalar question (the label's mean, a slope) has the noise of one coordinate of the gradient.
The gradient has d coordinates in J blocks that share its devices.  Splitting devices so that the
sum of all squared errors is least gives a scalar the share 1 / (1 + sqrt(J d)).  With few devices
or a small epsilon a scalar needs more: enough for a standard error of `SCALAR_ERROR`, in units of
what it can be at most, but never more than `MOST_FOR_A_SCALAR` of all devices.
"""

from __future__ import annotations

import math

from . import step as ask_for
from .step import Question
from .training import Training

SCALAR_ERROR = 0.04
MOST_FOR_A_SCALAR = 0.05
MOST_TURNS = 8
ENOUGH_FOR_A_TURN = 150
"""Devices without noise, for each coordinate, above which a second gradient is worth asking."""

SUMMARY, LINE, LEVEL, CURVE = 3.0, 2.0, 0.5, 2.0
"""What a summary, a line, a level and a curve cost, in scalars."""


class Shares:
    """The budget of one training."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.squared = training.loss == "squared"
        n, blocks, width = training.devices, len(training.features), training.width
        grown = math.exp(training.epsilon)
        self.noise = ((grown + 1) / (grown - 1)) ** 2
        """Variance of one answer in [-1, 1]; 1 without privacy."""
        even = 1 / (1 + math.sqrt(blocks * width))
        needed = self.noise / SCALAR_ERROR**2 / n
        self.scalar = min(MOST_FOR_A_SCALAR, max(even, needed))
        self.effective = n / (self.noise * blocks * width)
        turns = 1 + int(math.log2(max(1.0, self.effective / ENOUGH_FOR_A_TURN)))
        self.turns = min(MOST_TURNS, 1 + blocks, turns)  # so many features, so many directions

    def _devices(self, share: float) -> int:
        return max(1, round(self.training.devices * share))

    @property
    def summary_devices(self) -> int:
        return self._devices(SUMMARY * self.scalar)

    @property
    def gradient_devices(self) -> int:
        spent = SUMMARY + LINE * (1 + self.turns) / 2 + self._level
        return self._devices((1 - spent * self.scalar) / self.turns)

    @property
    def line_devices(self) -> int:
        return self._devices(LINE * self.scalar * (1 + self.turns) / 2 / self.turns)

    @property
    def level_devices(self) -> int:
        """The last step takes whatever rounding has left."""
        each = self.gradient_devices + self.line_devices
        return max(1, self.training.devices - self.summary_devices - self.turns * each)

    @property
    def _level(self) -> float:
        return LEVEL if self.squared else CURVE

    def summary(self) -> tuple[Question, ...]:
        """A scalar and a half for the label's mean, half for its square, one for the features."""
        blocks = len(self.training.features)
        mean = 3 * blocks if self.squared else 4 * blocks
        questions = [ask_for.product(("label", 1.0), weight=mean)]
        if self.squared:
            questions.append(ask_for.product(("label", 1.0), ("label", 1.0), weight=blocks))
        questions += [ask_for.frequency(feature, weight=2) for feature in self.training.features]
        return tuple(questions)

    def clip(self, turn: int, mean: float, left: float) -> float:
        """Where the gradient clips the residual.

        One standard deviation gives the clearest direction; later turns see to the tails.
        A label with two values is never clipped.
        """
        most = 1 + abs(mean)
        return min(most, math.sqrt(left) * (1 + turn)) if self.squared else most

    def gradient(self, clip: float) -> tuple[Question, ...]:
        """The gradient, feature by feature, and the mean of the clipped residual."""
        questions = [ask_for.gradient(feature, clip) for feature in self.training.features]
        return (*questions, ask_for.product(("residual", clip)))

    def clips(self, spread: float, mean: float, left: float) -> tuple[float, float, float]:
        """Where a line clips the residual, and the direction: as an instrument, and as itself."""
        return min(1 + abs(mean), 2.5 * math.sqrt(left)), spread / 2, 3 * spread

    def line(self, spread: float, mean: float, left: float) -> tuple[Question, ...]:
        """Most for the slope; the direction's spread and mean are known roughly."""
        residual, near, far = self.clips(spread, mean, left)
        return (
            ask_for.product(("residual", residual), ("direction", near), weight=3),
            ask_for.product(("direction", near), ("direction", far)),
            ask_for.product(("direction", far)),
        )
