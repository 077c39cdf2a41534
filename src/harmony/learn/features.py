"""Features in their own coordinates, and how weights for those become a score.

The columns of a categorical feature overlap, for they add up to one.  With frequencies p their
covariance is diag(p) - p p', and along its eigenvectors they are uncorrelated: all but one, the
constant, which tells nothing.  A number is a coordinate in units of its standard deviation; devices
are asked for it centred, scaled and clipped half a deviation from its mean, which makes their one
bit count.  How the clipped number goes with the number itself is known from the frequencies, so it
serves as an instrument.  Every coordinate then has a variance s, and were the features independent,
the gradient along it would be s times the weight that is missing there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..attributes import Attribute, Numeric
from .crosses import walked
from .density import Density
from .frequencies import MOST_VALUES, Frequencies
from .placing import POINTS, Places
from .score import Score
from .shapes import Shape, independent, random_walk
from .step import UNSCALED, Residual, Scaling
from .trainer import Estimates

REACH = 0.5
"""How far from its mean a number is clipped, in standard deviations."""

LEAST_STD, LEAST_COVARIANCE = 1e-6, 0.02
"""Of a number in its range, and of it with the scaled number, in standard deviations."""


@dataclass(frozen=True)
class Block:
    """One feature: the means of its columns, and the coordinates that they are written in.

    `coordinate_noise` is the variance of one device's answer about a coordinate of the gradient,
    `column_noise` that about a column, where a bit about a number from -1 to 1 has variance one.
    """

    means: Floats
    basis: Floats | None
    variances: Floats
    coordinate_noise: float
    column_noise: float = 1.0

    @classmethod
    def of_values(cls, frequencies: Floats, divisors: Floats | None = None) -> Block:
        """Return the coordinates of a feature whose values have these frequencies.

        Of many values each is so rare that its column is taken as a coordinate; what stands for
        its frequency there are the `divisors`.

        >>> Block.of_values(np.array([0.9, 0.1])).variances.round(3).tolist()
        [0.18]
        """
        size = 1 << (len(frequencies) - 1).bit_length()
        asked = (size - 1) / size  # of the rows of the code, for nobody is asked the constant
        if len(frequencies) > MOST_VALUES:
            own = frequencies if divisors is None else divisors
            return cls(frequencies, None, own * (1 - own), asked, asked**2)
        covariance = np.diag(frequencies) - np.outer(frequencies, frequencies)
        variances, vectors = np.linalg.eigh(covariance)  # the constant has none, so it is first
        return cls(frequencies, vectors[:, 1:], variances[1:], asked, asked**2)

    def gradient(self, columns: Floats, mean_residual: float) -> Floats:
        """Return the coordinates of a gradient, as if the mean residual were zero."""
        return self.coordinates(columns - mean_residual * self.means)

    def coordinates(self, columns: Floats) -> Floats:
        """Write a vector over the columns in coordinates."""
        return columns - columns.mean() if self.basis is None else columns @ self.basis

    def weights(self, coordinates: Floats) -> Floats:
        """Return the weight of each column, from those of the coordinates."""
        return coordinates if self.basis is None else self.basis @ coordinates

    def recentred(self, offsets: Floats) -> Block:
        """Return the feature with means whose coordinates are greater by this."""
        moved = offsets if self.basis is None else np.linalg.pinv(self.basis).T @ offsets
        return replace(self, means=self.means + moved)


@dataclass(frozen=True)
class Number(Block):
    """A numeric feature, how devices scale it, and the mean of the scaled number.

    `factor` turns a gradient of the scaled number into one of the standardised number.
    """

    scaling: Scaling = UNSCALED
    scaled_mean: float = 0.0
    factor: float = 1.0

    @classmethod
    def of_density(cls, density: Density, scaling: Scaling | None = None) -> Number:
        """Return the number, in its range from -1 to 1, that this is believed of.

        >>> number = Number.of_density(Density.even(-1, 1))
        >>> round(number.scaling.reach, 2), round(number.coordinate_noise, 1)
        (0.29, 1.4)
        """
        points = density.points(POINTS, -1.0, 1.0)
        mean, std = float(points.mean()), max(float(points.std()), LEAST_STD)
        scaling = scaling or best_scaling(points)
        scaled = np.clip((points - scaling.middle) / scaling.reach, -1, 1)
        covariance = float(np.mean(scaled * (points - mean)))
        factor = std / max(covariance, LEAST_COVARIANCE * std)
        basis = np.array([[1 / std]])
        scaled_mean = float(scaled.mean())
        return cls(
            np.array([mean]), basis, np.ones(1), factor**2, 1.0, scaling, scaled_mean, factor
        )

    def gradient(self, columns: Floats, mean_residual: float) -> Floats:
        return self.factor * (columns - mean_residual * self.scaled_mean)


@dataclass(frozen=True)
class Gradient:
    """An estimated gradient: a mean and a precision for every coordinate."""

    means: Floats
    precisions: Floats

    @classmethod
    def unknown(cls, coordinates: int) -> Gradient:
        """Return the gradient of which nothing is known: its precision is zero."""
        return cls(np.zeros(coordinates), np.zeros(coordinates))

    def pooled(self, other: Gradient) -> Gradient:
        """Return the estimate from both, weighed by precision."""
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
    def of(
        cls,
        features: Sequence[Attribute],
        places: Places,
        scalings: Mapping[str, Scaling] | None = None,
    ) -> Features:
        """Return them from what is believed; numbers keep the scalings that they have."""
        blocks: list[Block] = []
        for feature in features:
            if isinstance(feature, Numeric):
                half = (feature.high - feature.low) / 2
                density = places.densities[feature.name].moved(feature.low + half, half)
                blocks.append(Number.of_density(density, (scalings or {}).get(feature.name)))
            else:
                estimate = places.frequencies[feature.name]
                believed = Frequencies.of(estimate.estimates, estimate.variance)
                blocks.append(Block.of_values(*believed))
        variances = np.concatenate([block.variances for block in blocks])
        owners = np.repeat(np.arange(len(blocks)), [len(block.variances) for block in blocks])
        return cls(tuple(features), blocks, variances, owners)

    def telling_sides(self, noises: Mapping[str, float]) -> Features:
        """Return the features as they are if some tell sides, with this noise (`sides`)."""
        blocks = [
            replace(block, coordinate_noise=noises[one.name], column_noise=noises[one.name])
            if one.name in noises
            else block
            for one, block in zip(self.features, self.blocks, strict=True)
        ]
        return replace(self, blocks=blocks)

    @property
    def scalings(self) -> dict[str, Scaling]:
        """How devices scale every number."""
        pairs = zip(self.features, self.blocks, strict=True)
        return {one.name: block.scaling for one, block in pairs if isinstance(block, Number)}

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of weights: independent, or smooth in features of three values or more."""
        ends = np.cumsum([len(block.variances) for block in self.blocks])
        bases = [
            (slice(end - len(block.variances), end), block.basis[walked(feature)])
            for feature, block, end in zip(self.features, self.blocks, ends.tolist(), strict=True)
            if block.basis is not None and len(block.means) > 2
        ]
        return independent(self.variances), random_walk(self.variances, bases)

    def gradient(self, estimates: Estimates, residual: Residual) -> Gradient:
        """Return the gradient, as if the clipped residual had mean zero."""
        unit, mean_residual = residual.unit, estimates[residual.term].mean
        means, precisions = [], []
        for feature, block in zip(self.features, self.blocks, strict=True):
            estimate = estimates[f"gradient of {feature.name}"]
            means.append(unit * block.gradient(estimate.estimates, mean_residual))
            noise = float(estimate.variance[0])
            variance = unit**2 * block.coordinate_noise * noise / block.column_noise
            precisions.append(np.full(len(block.variances), 1 / variance))
        return Gradient(np.concatenate(means), np.concatenate(precisions))

    def precision_per_device(self, noise: float) -> Floats:
        """Return the precision that a device adds where it is asked, if a bit has this noise."""
        each = np.array([1 / (noise * block.coordinate_noise) for block in self.blocks])
        return each[self.owners]

    def direction_noises(self, noise: float) -> Floats:
        """Return the noise in each feature's part of a direction, if one device tells all of it."""
        return self.by_feature(1 / (self.variances * self.precision_per_device(noise)))

    def by_feature(self, coordinates: Floats) -> Floats:
        """Add the coordinates of each feature up."""
        total: Floats = np.bincount(self.owners, coordinates, len(self.blocks)).astype(np.float64)
        return total

    def std(self, weights: Floats, covariance: Floats | None = None) -> float:
        """Return the standard deviation of a score; features are independent unless told."""
        seen = weights @ (self.variances * weights if covariance is None else covariance @ weights)
        return math.sqrt(max(float(seen), 1e-12))

    def recentred(self, offsets: Floats) -> Features:
        """Return the features as they are if the mean of each coordinate is greater by this."""
        pieces = np.split(offsets, np.flatnonzero(np.diff(self.owners)) + 1)
        blocks = [block.recentred(one) for block, one in zip(self.blocks, pieces, strict=True)]
        return replace(self, blocks=blocks)

    def score(self, weights: Floats) -> Score:
        """Return the score with these weights whose mean is zero, as far as is known."""
        pieces = np.split(weights, np.flatnonzero(np.diff(self.owners)) + 1)
        columns = [block.weights(one) for block, one in zip(self.blocks, pieces, strict=True)]
        means = [float(block.means @ one) for block, one in zip(self.blocks, columns, strict=True)]
        return Score(tuple(self.features), -sum(means), tuple(columns))


def moved_scalings(known: Features, features: Sequence[Attribute]) -> dict[str, Scaling]:
    """Return the scalings of numbers as they are where their ranges have moved."""
    moved = {}
    for old, new in zip(known.features, features, strict=True):
        if isinstance(old, Numeric) and isinstance(new, Numeric):
            middle, reach = known.scalings[old.name]
            width = new.high - new.low
            ratio = (old.high - old.low) / width
            centre = (old.low + old.high - new.low - new.high) / width
            moved[old.name] = Scaling(centre + middle * ratio, reach * ratio)
    return moved


def best_scaling(points: Floats) -> Scaling:
    """Return the scaling whose clipped number goes with the number itself most."""
    std = max(float(points.std()), LEAST_STD)
    reaches = std * np.array([0.5, 0.75, 1.0, 1.5])[:, None]
    quantiles = np.quantile(points, np.linspace(0.02, 0.98, 25))
    # Where many have the same number that may be at an end of what counts, not in its middle.
    middles = np.hstack([quantiles + side * reaches for side in (-1, 0, 1)])
    scaled = np.clip((points - middles[:, :, None]) / reaches[:, :, None], -1, 1)
    covariances = scaled @ (points - points.mean())
    reach, middle = np.unravel_index(int(np.argmax(covariances)), covariances.shape)
    return Scaling(float(middles[reach, middle]), float(reaches[reach, 0]))
