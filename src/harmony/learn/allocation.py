"""Allocation: how many devices answer what.  All follows from n, epsilon and the features.

A scalar question (the label's mean, a slope) has the noise of one coordinate of the gradient.
The gradient has d coordinates in J blocks that share its devices.  Splitting devices so that the
sum of all squared errors is least gives a scalar the share 1 / (1 + sqrt(J d)).  With few devices
or a small epsilon a scalar needs more: enough for a standard error of `SCALAR_ERROR`, in units of
what it can be at most, but never more than `MOST_FOR_A_SCALAR` of all devices.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..attributes import MAX_WEIGHT, Attribute, Numeric
from . import step as ask_for
from .clipping import WIDE_CLIP, Clip
from .frequencies import MOST_VALUES
from .length import Length
from .planning import LEAST_CLOSED, answer_noise, mean_share
from .step import UNSCALED, Question, Residual, Scaling
from .training import Training

SCALAR_ERROR = 0.04
MOST_FOR_A_SCALAR = 0.03
LEAST_ITERATIONS, MOST_ITERATIONS = 6, 12
"""Gradients that are asked, each at the model that the ones before have led to."""

FEW_FEATURES = 25
"""Among so many features those that matter need not be looked for."""

PLACING, LEAST_PLACING = 1600.0, 20.0
"""Answers without noise that place a number well, and those below which it is not tried."""

MOST_FOR_PLACING, MOST_FOR_THE_LABEL = 0.07, 0.03
"""The shares of all devices that may place features, and the label."""

LEAST_SIZE = 1500.0
"""Answers without noise below which all devices are needed for the level of a numeric label: 12
random trainings of 1,000 to 1,500 gained 0.7% of the constant's error while they still learned."""

FEATURE_SIZE, LABEL_SIZE, LEVEL_SIZE = 100.0, 300.0, 1200.0
"""Answers without noise below which the places of features and of the label, and its level, cost
more than the rest."""

FEATURE_SHARE, LABEL_SHARE, LEVEL_SHARE = 0.15, 0.2, 0.35
"""The shares of all devices that these take if that many are too few."""

CONSTANT_SIZE, CONSTANT_SHARE, MOST_CONSTANT_SHARE = 120.0, 0.3, 0.45
"""Where only the level of a numeric label is asked for: answers without noise that place it, and
the least and the greatest share of the devices for that."""

ACCURATE_SLOPE = 0.1
"""The error of a slope below which no residual needs to be clipped for it."""

EQUAL_SHARE = 32
"""The coin's weight of a feature that has an equal share of the devices."""

CLOSER, LINES, LEVEL, CURVE = 1.5, 3.0, 3.0, 3.0
"""What the steps cost that do not ask for a gradient, in scalars; a summary, one a question."""

CLOSER_STEPS = 2
"""In how many steps features are placed again: the second mends what noise did to the first."""

CLOSER_TO_MANY = 4.0
"""... where a feature has so many values that noise hides how frequent most of them are."""

LEVEL_WEIGHTS, LENGTH_WEIGHT = 18, 3
"""The weights of all questions of the last step for squared loss, and that of the length."""

RARE_LINES, RARE_CURVE = 1.5, 6.0
"""... where one of two classes is rare: what a line asks needs no label, but a curve does."""


class Clips(NamedTuple):
    """Where a line clips the residual, and the direction: as an instrument, and as itself."""

    residual: float
    near: float
    far: float
    centre: float
    """... and as itself where its mean is asked for, of which a narrower clip hides little."""
    attenuation: float
    """The share of the slope that the clipped residual keeps."""


class Allocation:
    """The devices of one training: how many each step asks, and what.

    Whether one of two classes is `rare` is known only once the label has been placed.
    """

    def __init__(self, training: Training, rare: bool = False) -> None:
        self.training = training
        self.rare = rare
        self.squared = training.loss == "squared"
        self.noise = answer_noise(training.epsilon)
        self.least_devices = math.ceil(LEAST_SIZE * self.noise) if self.squared else 1
        """Those without whom not even the level would be known."""
        enough = training.devices >= self.least_devices
        self.learns = enough and mean_share(training) >= LEAST_CLOSED
        """Whether more than the label's level can be learned at all."""
        kept = training.evaluating + training.telling if self.learns else 0
        self.devices = n = max(training.devices - kept, 1)
        """Those that the model learns from."""
        blocks, width = len(training.features), training.width
        even = 1 / (1 + math.sqrt(blocks * width))
        needed = self.noise / SCALAR_ERROR**2 / n
        self.scalar = min(MOST_FOR_A_SCALAR, max(even, needed))
        self._even = even
        self.iterations = iterations(n / (self.noise * blocks * width), blocks)
        self.others_devices = 0
        """Those that tell where other labels are, if most are one number."""

    def _devices(self, share: float) -> int:
        return max(1, round(self.devices * share))

    @property
    def _label_places(self) -> float:
        """Devices that place the label."""
        if not self.learns and self.squared:
            least = min(CONSTANT_SIZE * self.noise, MOST_CONSTANT_SHARE * self.devices)
            return max(CONSTANT_SHARE * self.devices, least)
        if not self.learns:
            return self.devices
        most = LABEL_SHARE if self.squared else LEVEL_SHARE  # which a class has with its place
        least = min(LABEL_SIZE * self.noise, most * self.devices)
        return min(3 * PLACING * self.noise, max(MOST_FOR_THE_LABEL * self.devices, least))

    @property
    def _feature_places(self) -> float:
        """Devices that place a feature, or count its values."""
        features = self.training.features
        each = self.devices / len(features)
        numbers = sum(isinstance(one, Numeric) for one in features) / len(features)
        least = numbers * min(FEATURE_SIZE * self.noise, FEATURE_SHARE * each)
        return min(PLACING * self.noise, max(MOST_FOR_PLACING * each, least))

    @property
    def places_numbers(self) -> bool:
        """Whether there are devices enough to place numeric features: else domains are trusted."""
        return self._feature_places > LEAST_PLACING * self.noise

    @property
    def placing_bins(self) -> int:
        return 4 if self._feature_places < 80 * self.noise else 8

    @property
    def placing_devices(self) -> int:
        """Those that place numbers and count values, in all stages together."""
        features = len(self.training.features) * self._feature_places if self.learns else 0.0
        return max(1, round(features + self._label_places))

    @property
    def label_weight(self) -> int:
        """How much oftener the label is asked than a feature, times `EQUAL_SHARE`."""
        return max(
            1, min(round(EQUAL_SHARE * self._label_places / self._feature_places), MAX_WEIGHT)
        )

    @property
    def closer_devices(self) -> list[int]:
        """Those that place features again, step by step."""
        return [self._devices(self._closer * self.scalar / CLOSER_STEPS)] * CLOSER_STEPS

    @property
    def gradient_devices(self) -> int:
        spent = (self._closer + self._lines) * self.scalar + self._level
        left = 1 - (self.placing_devices + self.others_devices) / self.devices - spent
        return self._devices(left / self.iterations)

    @property
    def line_devices(self) -> int:
        return self._devices(self._lines * self.scalar / self.iterations)

    @property
    def descending_devices(self) -> int:
        """Those that find the direction, in all iterations together."""
        each = self.gradient_devices + self.line_devices
        return sum(self.closer_devices) + self.iterations * each

    @property
    def level_devices(self) -> int:
        """The last step takes whatever rounding has left."""
        placing = self.placing_devices + self.others_devices
        return max(1, self.devices - placing - self.descending_devices)

    @property
    def _closer(self) -> float:
        most = max(len(one.values) for one in self.training.features)
        return CLOSER_TO_MANY if most > MOST_VALUES else CLOSER

    @property
    def _lines(self) -> float:
        return RARE_LINES if self.rare else LINES

    @property
    def _level(self) -> float:
        """The share of the devices that the last step has."""
        curve = RARE_CURVE if self.rare else CURVE
        scalars = LEVEL if self.squared else curve
        least = min(LEVEL_SIZE * self.noise / self.devices, LEVEL_SHARE)
        return max(scalars * self.scalar, least)

    def residual(
        self, mean: float, variance: float, residual_variance: float, clip: Clip = WIDE_CLIP
    ) -> Residual:
        """What the gradient asks, for labels of this mean and variance.

        With a label of two values noise does least to a residual relative to the most that it
        could be, 1 + |score|, of which nothing is clipped.
        """
        most, std = 1 + abs(mean), math.sqrt(residual_variance)
        if not self.squared:
            explained = max(variance - residual_variance, 0.0)
            typical = math.hypot(mean, math.sqrt(explained * 2 / math.pi))
            return Residual("relative", 1.0, 1 / (1 + typical))
        if most <= std:
            return Residual("residual", most)
        return Residual("residual", clip.deviations * std, clip.kept)

    def gradient(
        self,
        features: Sequence[Attribute],
        residual: Residual,
        feature_shares: Floats,
        scalings: Mapping[str, Scaling],
    ) -> tuple[Question, ...]:
        """The gradient, feature by feature, and the mean of the clipped residual."""
        weighed = zip(features, coin_weights(feature_shares), strict=True)
        questions = [
            ask_for.gradient(feature, residual, weight, scalings.get(feature.name, UNSCALED))
            for feature, weight in weighed
        ]
        mean = ask_for.product((residual.term, residual.clip), weight=EQUAL_SHARE)
        return (*questions, mean)

    def moments(
        self,
        features: Sequence[Attribute],
        scalings: Mapping[str, Scaling],
        feature_shares: Floats,
    ) -> tuple[Question, ...]:
        """How a rare class goes with every feature, and how rare it is.

        Numbers, which have `scalings`, tell the latter, too.
        """
        residual = Residual("relative", 1.0)
        questions = []
        for feature, weight in zip(features, coin_weights(feature_shares), strict=True):
            if scaling := scalings.get(feature.name):
                questions.append(ask_for.side(feature, residual, scaling, weight))
            else:
                questions.append(ask_for.gradient(feature, residual, weight))
        weights = sum(question.attribute.weight for question in questions)
        share = self._even / (4 if scalings else 2)
        weight = min(max(round(share * weights), 1), MAX_WEIGHT)
        return (*questions, ask_for.product(("label", 1.0), weight=weight))

    def class_values(self, feature: Attribute, rate: bool) -> tuple[Question, ...]:
        """Which of its values devices of a rare class have, and perhaps how rare that is."""
        if not rate:
            return (ask_for.class_value(feature),)
        label = ask_for.product(("label", 1.0), weight=EQUAL_SHARE)
        weight = min(max(round(2 * EQUAL_SHARE / self._even), 1), MAX_WEIGHT)
        return (ask_for.class_value(feature, weight), label)

    def clips(self, std: float, mean: float, residual_variance: float, devices: int) -> Clips:
        """Where a line of so many devices clips the residual, and a direction of deviation `std`.

        A wide clip keeps all of the slope; where that would be too noisy, the gradient's is as
        good.
        """
        wide = 1 + abs(mean)  # which nothing of a class exceeds by much
        if self.squared:
            wide = min(wide, 2.5 * math.sqrt(residual_variance))
        error = wide / std * math.sqrt(self.noise / max(devices, 1))
        if error < ACCURATE_SLOPE or not self.squared:
            residual = Residual("residual", wide)
        else:
            residual = self.residual(mean, residual_variance, residual_variance)
        return Clips(residual.clip, std / 2, 3 * std, 1.5 * std, residual.attenuation)

    def length(
        self, std: float, mean: float, residuals: Floats, size: float
    ) -> tuple[Length, Clips]:
        """Where the last line clips, of a score of deviation `std`, by what residuals may be.

        So many answers without noise have told how those are spread.
        """
        devices = max(self.level_devices * LENGTH_WEIGHT / LEVEL_WEIGHTS, 1.0)
        unit = float(residuals.std())
        length = Length.best(residuals, size, self.noise / devices * (unit / std) ** 2)
        clip = min(length.deviations * unit, 1 + abs(mean))
        return length, Clips(clip, std / 2, 3 * std, 1.5 * std, length.kept)

    def line(self, clips: Clips) -> tuple[Question, ...]:
        """The slope along the direction, most often, and the direction's variance."""
        near, far = ("direction", clips.near), ("direction", clips.far)
        return (
            ask_for.product(("residual", clips.residual), near, weight=3),
            ask_for.product(near, far),
        )

    def level_clip(self, mean: float, mean_error: float, residual_variance: float) -> float:
        """Where the level clips the residual: two deviations hide next to nothing of its mean.

        Fewer hide more, but if devices are few that is less than the noise.
        """
        many = math.log10(max(self.devices / self.noise, 1.0)) / 2
        deviations = max(min(max(many, 1.0), 1.5), min(many - 0.5, 2.0))
        return min(1 + abs(mean), deviations * math.sqrt(residual_variance) + mean_error)

    def level(self, clips: Clips, level_clip: float) -> tuple[Question, ...]:
        """The means of the residual and of the score, and a line along the score itself."""
        residual = ask_for.product(("residual", level_clip), weight=LEVEL_WEIGHTS - 6)
        return (residual, ask_for.product(("direction", clips.centre), weight=2), *self.line(clips))


def iterations(effective_size: float, features: int = 1) -> int:
    """Return how many gradients to ask, by a coordinate's effective sample size.

    That is the number of answers without noise that would tell as much.  The more, the more
    gradients it takes until what correlated features share is sorted out.  And where features are
    many those that matter must be found among them: each time half of the others can be dropped.

    >>> iterations(3.0), iterations(500.0), iterations(1e9), iterations(3.0, features=100)
    (6, 9, 12, 10)
    """
    sorting = round(math.log2(max(effective_size, 1.0)))
    finding = LEAST_ITERATIONS + round(2 * math.log2(max(features / FEW_FEATURES, 1.0)))
    return min(max(sorting, finding, LEAST_ITERATIONS), MOST_ITERATIONS)


def coin_weights(feature_shares: Floats) -> list[int]:
    """Return the shares of features as weights for the coin, none of them zero.

    >>> coin_weights(np.array([0.75, 0.25, 0.0]))
    [72, 24, 1]
    """
    scaled = np.rint(feature_shares * len(feature_shares) * EQUAL_SHARE)
    weights = np.clip(scaled, 1, MAX_WEIGHT)
    return [int(weight) for weight in weights]
