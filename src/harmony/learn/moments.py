"""Moments of a rare class: what its devices have told of every feature.

A number is asked in three bins: the device is of the class and above a middle, or below it, or it
is not of the class.  The middle is where the class is thought to be: there its side tells most of
a weight (`tilts`).  A category is asked for the value of a device of the class, or as a level with
a sign.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..attributes import Attribute, Numeric
from .allocation import FEW_FEATURES
from .correlations import Correlations
from .features import Block, Features, Gradient
from .mixture import GRID_SIZE, Mixture
from .path import Path
from .placing import Places
from .step import Scaling
from .tilts import Tilted, intercept_of, log_odds_of
from .trainer import LABEL, UNKNOWN, Estimates, QuestionEstimate

POINTS = 128
"""How many points stand for the devices, of a number."""

MIDDLE = 0.1
"""The width of the middle that counts as neither above nor below, in deviations of a number."""

LEAST_TOLD = 0.95
"""The share of the class that should not be in that middle, if there is a choice."""

MOST_VARIANCE, LEAST_GRID = 4.0, 4
"""The greatest prior variance that weights may have, in log-odds, and how many there are at least:
each is a quarter of the one before."""

ROUNDS, FURTHEST, SETTLED = 20, 1.0, 1e-3
"""How often tilts are linearised anew, how far they then move at most, and when they are done."""

LEAST_SLOPE = 0.02
"""The least that a side moves with a weight, relative to its feature's variance."""

LEAST_CHANCE, MOST_CHANCE = 0.05, 0.97
"""The chance of a value of being in the class: at least so much of the rate, and at most."""


class Side(NamedTuple):
    """How devices tell on which side of a middle a number is, both standardised."""

    scaling: Scaling
    sides: Floats
    """The side of each point: 1 above the middle, -1 below, and 0 in it."""
    told: float
    """The share of the class that is thought not to be in the middle."""

    @classmethod
    def best(cls, points: Floats, tilted: Tilted) -> Side:
        """Return the side that moves most with a weight, of those that tell of nearly everyone.

        >>> points, everyone = np.linspace(-2, 2, 129), np.full(129, 1 / 129)
        >>> for weight in (0.0, 2.0):
        ...     tilted = Tilted.of(weight * points, everyone, 1e-3)
        ...     round(abs(Side.best(points, tilted).scaling.middle), 1)
        0.0
        1.3
        """
        quantiles = np.quantile(points, np.linspace(0.02, 0.98, 49))
        middles = np.sort(np.concatenate([quantiles, (quantiles[1:] + quantiles[:-1]) / 2]))
        apart = points - middles[:, None]
        sides = np.sign(apart) * (np.abs(apart) >= MIDDLE / 2)
        told = np.abs(sides) @ tilted.shares
        at = int(np.argmax(sides @ tilted.moved(points) - (told < LEAST_TOLD)))
        return cls(Scaling(float(middles[at]), MIDDLE), sides[at], max(float(told[at]), 0.1))


class Fitted(NamedTuple):
    """Weights that are likely, the priors that say so, and what those were fitted to."""

    weights: Floats
    mixture: Mixture
    gradient: Gradient
    covariance: Floats | None
    """That of the features, where devices have told of it."""


class Moments:
    """What devices of a rare class have told, and the weights that this makes likely."""

    def __init__(
        self,
        known: Features,
        places: Places,
        asked_at: float,
        celled: Collection[str] = (),
        correlations: Correlations | None = None,
    ) -> None:
        self.known, self.asked_at, self.celled = known, asked_at, celled
        """`celled` are the categories that are asked value by value, of devices of the class."""
        self.sign = 1.0 if asked_at < 0 else -1.0
        self.rate = rate_of(asked_at)
        self.points = {
            one.name: standardised(places.points(one, POINTS), block)
            for one, block in zip(known.features, known.blocks, strict=True)
            if isinstance(one, Numeric)
        }
        self.tilts = np.zeros(len(known.variances))
        """By how much log-odds go with each coordinate, were it alone."""
        self.correlations = correlations
        self.variance = 0.0
        """That of the log-odds of everyone."""
        self.sides: dict[str, Side] = {}
        self.found: dict[str, list[tuple[Side | None, QuestionEstimate]]] = {}
        self.told = UNKNOWN
        """What has been told of the label's mean."""

    @property
    def _rows(self) -> Iterator[tuple[Attribute, Block, slice]]:
        start = 0
        for feature, block in zip(self.known.features, self.known.blocks, strict=True):
            yield feature, block, slice(start, start := start + len(block.variances))

    def scalings(self) -> dict[str, Scaling]:
        """Choose sides for all numbers, by what is known, and return how devices are to tell."""
        scalings = {}
        for feature, block, place in self._rows:
            if feature.name in self.points:
                points = self.points[feature.name]
                side = Side.best(points, self._tilted(points, place))
                self.sides[feature.name] = side
                middle, reach = side.scaling
                std = float(block.weights(np.ones(1))[0]) ** -1
                scalings[feature.name] = Scaling(block.means[0] + std * middle, std * reach)
        return scalings

    def _tilted(self, points: Floats, place: slice) -> Tilted:
        even = np.full(len(points), 1 / len(points))
        tilt = float(self.tilts[place][0])
        return Tilted.of(self.sign * tilt * points, even, self.rate, self._others(place))

    def _others(self, place: slice) -> float:
        """Return the deviation of what all other features add to log-odds."""
        own = float(self.known.variances[place] @ self.tilts[place] ** 2)
        return math.sqrt(max(self.variance - own, 0.0))

    def learn(self, estimates: Estimates) -> None:
        for name, estimate in estimates.items():
            if not estimate.n:
                continue
            if name == LABEL:
                self.told = joined(self.told, estimate)
                continue
            feature = name.removeprefix("gradient of ")
            before = self.found.setdefault(feature, [])
            if side := self.sides.get(feature):
                before.append((side, estimate))
                rate = (1 - estimate.estimates[1:2]) / side.told
                noise = 4 * estimate.variance[1:2] / side.told**2
                told = QuestionEstimate(estimate.n, self.sign * (2 * rate - 1), noise)
                self.told = joined(self.told, told)
            else:
                both = before[0][1].pooled(estimate) if before else estimate
                self.found[feature] = [(None, both)]

    def gradient(self) -> Gradient:
        """Return the tilts that devices have told, as a gradient of features that go apart."""
        means, precisions = (np.zeros(len(self.tilts)) for _ in range(2))
        for feature, block, place in self._rows:
            for side, estimate in self.found.get(feature.name, ()):
                told, precision = (
                    self._of_values(feature, block, estimate)
                    if side is None
                    else self._of_side(self.points[feature.name], place, side, estimate)
                )
                means[place] += precision * told
                precisions[place] += precision
        means = np.divide(means, precisions, out=np.zeros_like(means), where=precisions > 0)
        return Gradient(self.known.variances * means, precisions / self.known.variances**2)

    def _of_side(
        self, points: Floats, place: slice, side: Side, estimate: QuestionEstimate
    ) -> tuple[Floats, Floats]:
        """Return the tilt by which a number is on this side as often as was told; its precision."""
        tilted = self._tilted(points, place)
        below, middle, above = estimate.variance
        # Shares add up to one, so the middle's has the variance of the others' sum.
        noise = float(2 * (above + below) - middle) / self.rate**2
        # The bins are those of a gradient: a device whose label is -1 and that is above is below.
        observed = float(estimate.estimates[2] - estimate.estimates[0]) / self.rate
        slope = max(float(side.sides @ tilted.moved(points)), LEAST_SLOPE)
        missed = observed - self.sign * float(side.sides @ tilted.shares)
        return self.tilts[place] + missed / slope, np.array([slope**2 / noise])

    def _of_values(
        self, feature: Attribute, block: Block, estimate: QuestionEstimate
    ) -> tuple[Floats, Floats]:
        """Return how the class departs from everyone, in coordinates, for what each tells."""
        if feature.name in self.celled:
            shares, noise = estimate.estimates[1:], contrast_noise(estimate)
        else:
            unit = 1 + abs(self.asked_at)
            moments = unit * estimate.estimates + self.asked_at * block.means
            shares = (self.sign * moments + block.means) / 2
            noise = unit**2 / 4 * block.coordinate_noise * float(estimate.variance[0])
            noise /= block.column_noise
        departs = self.sign * block.coordinates(shares / self.rate - block.means)
        return departs / block.variances, block.variances**2 * self.rate**2 / noise

    def fit(self, mean: float) -> Fitted:
        """Fit tilts and their priors, for labels of this mean."""
        self.rate = rate_of(mean)
        for _ in range(ROUNDS):
            gradient = self.gradient()
            path = Path.begun(self.known.variances, self.correlations)
            path.add(gradient, np.zeros(len(self.tilts)))
            fitted = Fitted(*path.target(self.known, MOST_VARIANCE, self._grid_size(gradient)))
            falls = self.known.variances * fitted.weights
            if fitted.covariance is not None:
                falls = fitted.covariance @ fitted.weights
            self.variance = float(fitted.weights @ falls)
            wanted = falls / self.known.variances
            change = np.clip(wanted - self.tilts, -FURTHEST, FURTHEST)
            self.tilts = self.tilts + change
            if np.abs(change).max() < SETTLED:
                break
        return fitted

    def _grid_size(self, gradient: Gradient) -> int:
        """Return how many prior variances there may be: few that are less than half of the noise.

        Weights that are much smaller cannot be told from none.  Among many features those that
        matter must be looked for, though.
        """
        if len(self.known.blocks) > FEW_FEATURES:
            return GRID_SIZE
        told = float(np.max(gradient.precisions * self.known.variances**2))
        levels = round(math.log(max(2 * MOST_VARIANCE * told, 1.0), 4))
        return min(max(1 + levels, LEAST_GRID), GRID_SIZE)

    def log_odds(self, fitted: Fitted, weights: Floats) -> Floats:
        """Return weights in log-odds: those of values are how the class departs from everyone.

        A value cannot be told to be rarer in the class than by all but one error.
        """
        found, own = weights.copy(), self.known.variances * weights**2
        total = float(own.sum())
        if fitted.covariance is not None:
            total = float(weights @ fitted.covariance @ weights)
        usual = intercept_of(np.zeros(1), np.ones(1), self.rate, math.sqrt(total))
        errors = posterior_variances(self.known, fitted)
        for feature, block, place in self._rows:
            if feature.name in self.points:
                continue
            others = math.sqrt(max(total - float(own[place].sum()), 0.0))
            doubt = errors[place] if block.basis is None else block.basis**2 @ errors[place]
            least = np.clip(np.sqrt(doubt), LEAST_CHANCE, 1.0)
            members = np.maximum(self._members(block, weights[place]), least)
            chances = np.minimum(self.rate * members, MOST_CHANCE)
            found[place] = block.coordinates(self.sign * (log_odds_of(chances, others) - usual))
        return found

    def _members(self, block: Block, tilts: Floats) -> Floats:
        """Return how frequent each value is in the class, relative to everyone."""
        departs = block.weights(tilts)
        return 1 + self.sign * (departs - block.means @ departs)

    def covariance_with(self, weights: Floats) -> float:
        """Return the covariance of the label, of -1 and 1, with a score of these weights.

        Every feature's own is known, so how features go together does not matter for it.
        """
        shift = 0.0
        for feature, block, place in self._rows:
            if feature.name in self.points:
                points = self.points[feature.name]
                own = float(weights[place][0]) * points
                shift += float(self._tilted(points, place).shares @ own)
            else:
                own = block.weights(weights[place])
                members = block.means * np.maximum(self._members(block, self.tilts[place]), 0.0)
                shift += float(members @ own / members.sum() - block.means @ own)
        return 2 * self.rate * self.sign * shift

    @property
    def answers(self) -> Floats:
        """How many devices have told of the feature that each coordinate belongs to."""
        told = [
            sum(one.n for _, one in self.found.get(feature.name, ())) for feature, *_ in self._rows
        ]
        return np.array(told, np.float64)[self.known.owners]


def posterior_variances(known: Features, fitted: Fitted) -> Floats:
    """Return the variances that weights are left with, were they independent."""
    priors = fitted.mixture.prior_variances[:, None]
    left = priors / (1 + known.variances**2 * fitted.gradient.precisions * priors)
    likely = fitted.mixture.responsibilities.sum(axis=0)[:, known.owners]
    variances: Floats = (likely * left).sum(axis=0)
    return variances


def rate_of(mean: float) -> float:
    """Return the rate of the rarer class, of labels of -1 and 1 with this mean."""
    return (1 - abs(mean)) / 2


def standardised(points: Floats, block: Block) -> Floats:
    """Return points of a number as a coordinate."""
    return (points - float(block.means[0])) * float(block.weights(np.ones(1))[0])


def contrast_noise(cells: QuestionEstimate) -> float:
    """Return the variance of a contrast, of length one, between all cells but the first.

    Cells add up to one, so the first has the variance of the sum of the others; between each two
    of those noise has the same covariance.

    >>> cells = QuestionEstimate(9, np.zeros(3), np.array([0.2, 0.1, 0.1]))  # independent ones
    >>> round(contrast_noise(cells), 6)
    0.1
    """
    if not cells.n:
        return math.inf
    count, each = len(cells.variance) - 1, float(np.mean(cells.variance[1:]))
    covariance = (float(cells.variance[0]) - count * each) / (count * (count - 1))
    return each - covariance


def joined(one: QuestionEstimate, other: QuestionEstimate) -> QuestionEstimate:
    """Return both estimates of a mean, weighed by their precision."""
    if not one.n or not other.n:
        return one if one.n else other
    share = other.variance / (one.variance + other.variance)
    estimates = share * one.estimates + (1 - share) * other.estimates
    return QuestionEstimate(one.n + other.n, estimates, share * one.variance)
