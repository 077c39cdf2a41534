"""Features in their own coordinates, and how weights for those become a score.

The columns of a categorical feature overlap, for they add up to one.  With frequencies p their
covariance is diag(p) - p p', and along its eigenvectors they are uncorrelated: all but one, the
constant, which tells nothing.  A number is a coordinate in units of its standard deviation.  So
every coordinate has a variance s, and were the features independent, the gradient along it would
be s times the weight that is missing there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..attributes import Attribute
from .score import Floats, Score
from .shapes import Shape, free, smooth
from .trainer import Answers
from .training import Training

MOST_VALUES = 512
"""Above this many values each is so rare that its column is taken as a coordinate."""


@dataclass(frozen=True)
class Block:
    """One feature: the means of its columns, and the coordinates that they are written in.

    `noise` is the variance of a device's word about a coordinate of the gradient, and `answer`
    that of one about a column, where a bit about a number from -1 to 1 has variance one.
    """

    means: Floats
    basis: Floats | None
    variances: Floats
    noise: float
    answer: float = 1.0

    @classmethod
    def of_values(cls, frequencies: Floats) -> Block:
        """Return the coordinates of a feature whose values have these frequencies.

        >>> Block.of_values(np.array([0.9, 0.1])).variances.round(3).tolist()
        [0.18]
        """
        size = 1 << (len(frequencies) - 1).bit_length()
        asked = (size - 1) / size  # of the rows of the code, for nobody is asked the constant
        if len(frequencies) > MOST_VALUES:
            return cls(frequencies, None, frequencies * (1 - frequencies), asked, asked**2)
        covariance = np.diag(frequencies) - np.outer(frequencies, frequencies)
        variances, vectors = np.linalg.eigh(covariance)  # the constant has none, so it is first
        return cls(frequencies, vectors[:, 1:], variances[1:], asked, asked**2)

    @classmethod
    def of_number(cls, frequencies: Floats) -> Block:
        """Return the coordinate of a number that falls in these bins so often."""
        edges = np.linspace(-1, 1, len(frequencies) + 1)
        middles, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
        mean = frequencies @ middles
        variance = frequencies @ middles**2 - mean**2 + width**2 / 12
        basis = np.array([[variance**-0.5]])
        return cls(np.array([mean]), basis, np.ones(1), float(1 / variance))

    def coordinates(self, columns: Floats) -> Floats:
        """Write a vector over the columns in coordinates."""
        return columns - columns.mean() if self.basis is None else columns @ self.basis

    def weights(self, coordinates: Floats) -> Floats:
        """Return the weight of each column, from those of the coordinates."""
        return coordinates if self.basis is None else self.basis @ coordinates


@dataclass(frozen=True)
class Gradient:
    """What is known of a gradient: a mean and a precision for every coordinate."""

    means: Floats
    precisions: Floats

    @classmethod
    def unknown(cls, coordinates: int) -> Gradient:
        """Return the gradient of which nothing is known."""
        return cls(np.zeros(coordinates), np.zeros(coordinates))

    def joined(self, other: Gradient) -> Gradient:
        """Return what both tell together."""
        total = self.precisions + other.precisions
        summed = self.means * self.precisions + other.means * other.precisions
        means = np.divide(summed, total, out=np.zeros_like(summed), where=total > 0)
        return Gradient(means, total)

    def plus(self, change: Floats) -> Gradient:
        """Return the gradient that is greater by this much."""
        return Gradient(self.means + change, self.precisions)


@dataclass(frozen=True)
class Features:
    """What is known of all features, their coordinates in one row."""

    features: Sequence[Attribute]
    blocks: Sequence[Block]
    variances: Floats
    owners: NDArray[np.int64]
    """The place of the feature that a coordinate belongs to."""

    @classmethod
    def of(cls, training: Training, answers: Answers) -> Features:
        """Read them from the answers about frequencies."""
        blocks = []
        for feature in training.features:
            answer = answers[f"frequency of {feature.name}"]
            frequencies = plausible(answer.estimates, answer.variance)
            make = Block.of_values if feature.values else Block.of_number
            blocks.append(make(frequencies))
        variances = np.concatenate([block.variances for block in blocks])
        owners = np.repeat(np.arange(len(blocks)), [len(block.variances) for block in blocks])
        return cls(tuple(training.features), blocks, variances, owners)

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """What weights may look like: free, or smooth in features of three values or more."""
        ends = np.cumsum([len(block.variances) for block in self.blocks])
        bases = [
            (slice(end - len(block.variances), end), block.basis)
            for block, end in zip(self.blocks, ends.tolist(), strict=True)
            if block.basis is not None and len(block.means) > 2
        ]
        return free(self.variances), smooth(self.variances, bases)

    def gradient(self, answers: Answers, clip: float, kept: float) -> Gradient:
        """Read a gradient, as if the clipped residual had mean nought.

        Clipping a normal residual leaves of its gradient the share `kept` that is not clipped.
        """
        unit = clip / kept
        offset = answers["residual"].mean
        means, precisions = [], []
        for feature, block in zip(self.features, self.blocks, strict=True):
            answer = answers[f"gradient of {feature.name}"]
            means.append(unit * block.coordinates(answer.estimates - offset * block.means))
            variance = unit**2 * block.noise * float(answer.variance[0]) / block.answer
            precisions.append(np.full(len(block.variances), 1 / variance))
        return Gradient(np.concatenate(means), np.concatenate(precisions))

    def worth(self, noise: float) -> Floats:
        """Return the precision that a device adds where it is asked, if a bit has this noise."""
        each = np.array([1 / (noise * block.noise) for block in self.blocks])
        return each[self.owners]

    def by_feature(self, coordinates: Floats) -> Floats:
        """Add the coordinates of each feature up."""
        total: Floats = np.bincount(self.owners, coordinates, len(self.blocks)).astype(np.float64)
        return total

    def spread(self, weights: Floats) -> float:
        """Return the standard deviation of a score, were the features independent."""
        return math.sqrt(max(float(self.variances @ weights**2), 1e-12))

    def score(self, weights: Floats) -> Score:
        """Return the score with these weights whose mean is nought, as far as is known."""
        pieces = np.split(weights, np.flatnonzero(np.diff(self.owners)) + 1)
        columns = [block.weights(one) for block, one in zip(self.blocks, pieces, strict=True)]
        means = [float(block.means @ one) for block, one in zip(self.blocks, columns, strict=True)]
        return Score(tuple(self.features), -sum(means), tuple(columns))


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
