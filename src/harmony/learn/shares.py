"""Shares: how many devices answer what.  All follows from n, epsilon and the features.

A scalar question has the noise of one coordinate of the gradient; the gradient has d coordinates
in J blocks, which share its devices.  Splitting n devices between one number and the gradient
so that the sum of their squared errors is least gives the number a share 1 / (1 + sqrt(J d)).
"""

from __future__ import annotations

import math

from . import step as ask_for
from .step import Question
from .training import Training

MOST_FOR_A_NUMBER = 0.05
MOST_TURNS = 8
ENOUGH_FOR_A_TURN = 50
"""Devices without noise, for each coordinate, above which a second gradient is worth asking."""


class Shares:
    """The budget of one training."""

    def __init__(self, training: Training) -> None:
        self.training = training
        features = training.features
        blocks, width = len(features), training.width
        self.unit = min(MOST_FOR_A_NUMBER, 1 / (1 + math.sqrt(blocks * width)))
        grown = math.exp(training.epsilon)
        noise = ((grown + 1) / (grown - 1)) ** 2
        self.effective = training.devices / (noise * blocks * width)
        turns = 1 + int(math.log2(max(1.0, self.effective / ENOUGH_FOR_A_TURN)))
        self.turns = min(MOST_TURNS, turns)
        self.squared = training.loss == "squared"

    def _devices(self, share: float) -> int:
        return max(1, round(self.training.devices * share))

    @property
    def _summary_share(self) -> float:
        return (5 if self.squared else 4) * self.unit

    @property
    def _line_share(self) -> float:
        return 4 * self.unit * (1 + self.turns) / 2

    @property
    def summary_devices(self) -> int:
        return self._devices(self._summary_share)

    @property
    def gradient_devices(self) -> int:
        left = 1 - self._summary_share - self._line_share
        return self._devices(left / self.turns)

    def line_devices(self, turn: int) -> int:
        """The last line takes whatever rounding has left."""
        each = self._devices(self._line_share / self.turns)
        if turn + 1 < self.turns:
            return each
        spent = self.summary_devices + self.turns * self.gradient_devices + turn * each
        return max(1, self.training.devices - spent)

    def summary(self) -> tuple[Question, ...]:
        """Two units for the label's mean, one for its square, two for all frequencies."""
        blocks = len(self.training.features)
        questions = [ask_for.product(("label", 1.0), weight=2 * blocks)]
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
        return min(1 + abs(mean), 2.5 * math.sqrt(left)), 2 * spread, 4 * spread

    def line(self, spread: float, mean: float, left: float) -> tuple[Question, ...]:
        """Two units for the slope, one each for the direction's spread and mean."""
        residual, near, far = self.clips(spread, mean, left)
        return (
            ask_for.product(("residual", residual), ("direction", near), weight=2),
            ask_for.product(("direction", near), ("direction", far)),
            ask_for.product(("direction", far)),
        )
