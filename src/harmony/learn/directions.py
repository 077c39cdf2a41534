"""Directions: from the answers about a gradient to the score worth moving along.

Were the features independent, coordinate v of the gradient would be p_v w_v plus known noise,
with p_v the value's frequency and w_v the weight sought.  The weights of a feature come from a
normal distribution of variance tau^2, which is estimated for each feature and pulled towards
what all features have in common; the direction is the posterior mean (empirical Bayes).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..attributes import Attribute
from .beliefs import truncated_mean
from .score import Floats, Score
from .trainer import Answers
from .training import Training


@dataclass(frozen=True)
class Gradient:
    """The mean of residual times feature, block by block, with the variance of its noise."""

    blocks: tuple[Floats, ...]
    variances: tuple[Floats, ...]


@dataclass(frozen=True)
class Features:
    """What is known of the features: a frequency for each value, or a number's mean.

    `curvature` is what one unit of weight adds to the gradient: the frequency, or the variance.
    """

    features: Sequence[Attribute]
    means: tuple[Floats, ...]
    curvature: tuple[Floats, ...]

    @classmethod
    def of(cls, training: Training, answers: Answers) -> Features:
        """Read them from the answers about frequencies."""
        means, curvature = [], []
        for feature in training.features:
            answer = answers[f"frequency of {feature.name}"]
            if feature.values:
                means.append(plausible(answer.estimates, answer.variance))
                curvature.append(means[-1])
            else:
                variance = float(answer.variance[0])
                mean = np.clip(answer.estimates / (1 + 3 * variance), -0.99, 0.99)
                means.append(mean)
                curvature.append((1 - mean**2) / 3)  # a uniform number has mean 0 and this 1/3
        return cls(tuple(training.features), tuple(means), tuple(curvature))

    def gradient(self, answers: Answers, clip: float) -> Gradient:
        """Read a gradient, as if the clipped residual had mean nought."""
        offset = answers["residual"].mean
        blocks, variances = [], []
        for feature, mean in zip(self.features, self.means, strict=True):
            answer = answers[f"gradient of {feature.name}"]
            block = answer.estimates - offset * mean
            if feature.values:
                block = block - block.mean()
            blocks.append(clip * block)
            variances.append(clip**2 * answer.variance)
        return Gradient(tuple(blocks), tuple(variances))

    def spread(self, score: Score) -> float:
        """Return the standard deviation a score would have if the features were independent."""
        variance = 0.0
        for feature, mean, curved, block in zip(
            self.features, self.means, self.curvature, score.blocks, strict=True
        ):
            second = float(curved @ block**2)
            variance += second - float(mean @ block) ** 2 if feature.values else second
        return math.sqrt(max(variance, 1e-12))

    def centred(self, blocks: Sequence[Floats]) -> Score:
        """Return the score with these weights whose mean is nought, as far as is known."""
        mean = sum(float(one @ block) for one, block in zip(self.means, blocks, strict=True))
        return Score(tuple(self.features), -mean, tuple(blocks))


def plausible(estimates: Floats, variance: Floats) -> Floats:
    """Pull estimated frequencies towards equal ones, by their noise; keep all above nought.

    >>> plausible(np.array([0.7, 0.2, 0.1]), np.full(3, 1e-9)).round(2).tolist()
    [0.7, 0.2, 0.1]
    >>> plausible(np.array([0.7, 0.2, 0.1]), np.full(3, np.inf)).round(2).tolist()
    [0.33, 0.33, 0.33]
    """
    count = len(estimates)
    equal = 1 / count
    noise = float(np.mean(variance))
    if not math.isfinite(noise):
        return np.full(count, equal)
    signal = max(0.0, float(np.mean((estimates - equal) ** 2)) - noise)
    pulled = equal + (estimates - equal) * (signal / (signal + noise) if signal else 0.0)
    pulled = np.maximum(pulled, equal / 10)
    whole: Floats = pulled / pulled.sum()
    return whole


def descent(known: Features, gradient: Gradient, left: float) -> Score | None:
    """Return the direction to move along, where the residual has variance `left`."""
    blocks = posterior(known, gradient, left)
    return known.centred(blocks) if any(block.any() for block in blocks) else None


def posterior(known: Features, gradient: Gradient, left: float) -> list[Floats]:
    """Return the posterior mean of every block's weights."""
    pieces = list(zip(gradient.blocks, gradient.variances, known.curvature, strict=True))
    taus, errors = np.array([_tau(*piece) for piece in pieces]).T
    common = _common(taus, errors, 2 * left / len(pieces))
    blocks = []
    for (block, noise, curved), tau, error in zip(pieces, taus, errors, strict=True):
        precision = 1 / error**2 + 1 / common**2
        mean = (tau / error**2 + 1 / common) / precision
        spread = precision**-0.5
        prior = truncated_mean(mean, spread, 0.0, max(mean, 0.0) + common + 10 * spread)
        blocks.append(curved * prior * block / (curved**2 * prior + noise))
    return blocks


def _tau(block: Floats, noise: Floats, curved: Floats) -> tuple[float, float]:
    """Return the moment estimate of tau^2 in one block, and its standard error from noise."""
    free = (len(block) - 1) / len(block) if len(block) > 1 else 1.0
    energy = float(curved @ curved)
    if not np.isfinite(noise).all():
        return 0.0, 1e12
    tau = (float(block @ block) - free * float(noise.sum())) / energy
    return tau, math.sqrt(2 * free * float(noise @ noise)) / energy


def _common(taus: Floats, errors: Floats, most: float) -> float:
    """Return the mean of tau^2 over features, weighing each by what noise and differences leave.

    Together the features explain no more than there is, so there is a most for each.
    """
    common = most / 2
    for _ in range(30):
        weights = 1 / (errors**2 + common**2)
        mean, error = float(weights @ taus / weights.sum()), float(weights.sum()) ** -0.5
        common = truncated_mean(mean, error, 0.0, most)
    return max(common, 1e-12)
