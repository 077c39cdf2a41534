"""Labels of which one class is rare: moments of the rare class instead of residuals.

Nearly all residuals of such a label are next to zero, so a bit from -1 to 1 is spent on noise.  A
number is asked in three bins instead: the device is of the rare class and above the middle, or
below it, or it is not of that class.  At epsilon 1 that has two thirds of the noise, at epsilon 4 a
twentieth, and it tells how rare the class is, too.  Likewise a category of few values is asked for
the value of a device of the rare class, if that has less noise than a level with a sign has.

What scores take of each other where features are correlated needs no label, so it is cheap to ask:
a few devices tell the gradient of the score itself.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Generator, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..attributes import Attribute, Numeric
from ..mechanisms.designs import best_design
from .allocation import Allocation
from .features import LEAST_COVARIANCE, LEAST_STD, Block, Features, Gradient
from .logit import posterior_label_mean, separable_covariance
from .mixture import Mixture, optimal_shares, posterior_weights
from .placing import Places
from .planning import answer_noise
from .score import Score
from .step import Residual, Scaling
from .trainer import LABEL, Estimates, QuestionEstimate, StepRequest

MIDDLE = 0.1
"""The width of the middle that counts as neither above nor below, in deviations of a number."""

LEAST_TOLD = 0.95
"""The share of devices that should not be in that middle, if there is a choice."""

DIRECTION_CLIP = 2.5
ROUNDS = 2
"""How often devices are asked what scores take of each other."""

STEP = 0.75
"""How far to go to what that leaves to the weights, if nothing else were correlated."""

GRID_SIZE = 4
"""Prior variances that weights may have, below the greatest: a rare class is hard to see, so what
changes log-odds by less than a third is not looked for."""


MOST_CELLED, MOST_CELLS = 16, 64
"""How many categories may be asked each in a step of its own, and how many values they may have."""

MOST_PASSES, MOST_STEPS = 6, 48
"""How often these steps are repeated, each time with as many devices as seem best, and how many
steps that may be."""


class Side(NamedTuple):
    """How devices tell on which side of a middle a number is, and how that goes with the number."""

    scaling: Scaling
    factor: float
    """What turns a gradient of the side into one of the standardised number."""
    mean: float
    told: float
    """The share of devices that are not in the middle."""

    @classmethod
    def best(cls, points: Floats) -> Side:
        """Return the side that goes with a number most, of those that tell of nearly everyone.

        >>> side = Side.best(np.linspace(-1, 1, 512))
        >>> round(abs(side.scaling.middle), 1), round(side.factor, 1), side.told > 0.95
        (0.0, 1.2, True)
        """
        std = max(float(points.std()), LEAST_STD)
        quantiles = np.quantile(points, np.linspace(0.02, 0.98, 49))
        middles = np.sort(np.concatenate([quantiles, (quantiles[1:] + quantiles[:-1]) / 2]))
        apart = points - middles[:, None]
        sides = np.sign(apart) * (np.abs(apart) >= MIDDLE / 2 * std)
        told = np.abs(sides).mean(axis=1)
        covariances = sides @ (points - points.mean()) / len(points)
        at = int(np.argmax(covariances - std * (told < LEAST_TOLD)))
        factor = std / max(float(covariances[at]), LEAST_COVARIANCE * std)
        scaling = Scaling(float(middles[at]), MIDDLE * std)
        return cls(scaling, factor, float(sides[at].mean()), max(float(told[at]), 0.1))


def sides_of(features: Sequence[Attribute], places: Places) -> dict[str, Side]:
    """Return the best side of every number."""
    numbers = [feature for feature in features if isinstance(feature, Numeric)]
    return {number.name: Side.best(places.points(number)) for number in numbers}


class Moments:
    """The moments of a rare label with every feature, as far as devices have told them."""

    def __init__(
        self,
        known: Features,
        sides: dict[str, Side],
        asked_at: float,
        celled: Collection[str] = (),
    ) -> None:
        self.known, self.sides, self.asked_at = known, sides, asked_at
        self.celled = celled
        """The categories that are asked value by value, of devices of the rare class."""
        self.sign = 1.0 if asked_at < 0 else -1.0
        self.found: dict[str, QuestionEstimate] = {}

    @property
    def scalings(self) -> dict[str, Scaling]:
        return {name: side.scaling for name, side in self.sides.items()}

    def learn(self, estimates: Estimates) -> None:
        for name, estimate in estimates.items():
            before = self.found.get(name)
            self.found[name] = estimate if before is None else before.pooled(estimate)

    def label(self, told: QuestionEstimate) -> QuestionEstimate:
        """Return what is known of the label's mean, with what was told before."""
        if LABEL in self.found:
            told = _joined(told, self.found[LABEL])
        for name, side in self.sides.items():
            one = self.found.get(f"gradient of {name}")
            if one is not None and one.n:
                rate = (1 - one.estimates[1:2]) / side.told
                mean = self.sign * (2 * rate - 1)
                told = _joined(
                    told, QuestionEstimate(one.n, mean, 4 * one.variance[1:2] / side.told**2)
                )
        return told

    def gradient(self, mean: float) -> Gradient:
        """Return the gradient at the constant model, for labels of this mean."""
        unit, means, precisions = 1 + abs(self.asked_at), [], []
        for feature, block in zip(self.known.features, self.known.blocks, strict=True):
            estimate = self.found[f"gradient of {feature.name}"]
            if feature.name in self.sides:
                side = self.sides[feature.name]
                below, middle, above = estimate.variance
                moment = 2 * (estimate.estimates[2] - estimate.estimates[0])
                means.append(np.array([side.factor * (moment - (mean + self.sign) * side.mean)]))
                # Shares add up to one, so the middle's has the variance of the others' sum.
                noise = 2 * (above + below) - middle if estimate.n else math.inf
                variance = 4 * side.factor**2 * float(noise)
            elif feature.name in self.celled:
                shares = estimate.estimates[1:]
                means.append(block.gradient(2 * self.sign * shares, mean + self.sign))
                variance = 4 * contrast_noise(estimate)
            else:
                left = (mean - self.asked_at) / unit
                means.append(unit * block.gradient(estimate.estimates, left))
                variance = unit**2 * block.coordinate_noise * float(estimate.variance[0])
                variance /= block.column_noise
            precisions.append(np.full(len(block.variances), 1 / variance))
        return Gradient(np.concatenate(means), np.concatenate(precisions))

    @property
    def answers(self) -> Floats:
        """How many devices have told of the feature that each coordinate belongs to."""
        told = [self.found[f"gradient of {one.name}"].n for one in self.known.features]
        return np.array(told, np.float64)[self.known.owners]


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


def celled_features(features: Sequence[Attribute], epsilon: float, mean: float) -> list[str]:
    """Return the categories of which cells tell more than a level with a sign does.

    There is a cell for each value, of devices of the rare class, and one for all other devices.
    Noise is less with few values or a large epsilon.

    >>> from harmony import Categorical
    >>> plan = Categorical("plan", ["basic", "plus", "pro"])
    >>> [celled_features([plan], epsilon, -0.95) for epsilon in (0.4, 1.0)]
    [[], ['plan']]
    """
    names = []
    for feature in features:
        count = len(feature.values)
        if not 2 <= count <= MOST_CELLS:
            continue
        p, q = best_design(epsilon, count + 1).support(epsilon)
        asked = Block.of_values(np.full(count, 1 / count)).coordinate_noise
        signed = asked * answer_noise(epsilon) * ((1 + abs(mean)) / 2) ** 2
        if q / (p - q) ** 2 < signed:
            names.append(feature.name)
    return names if len(names) <= MOST_CELLED else []


def code_of(features: Sequence[Attribute], name: str, sign: float) -> Score:
    """Return the score that is a number of its own for every value of one category.

    >>> from harmony import Categorical
    >>> code_of([Categorical("plan", ["basic", "plus"])], "plan", 1.0).blocks[0].tolist()
    [0.5, 1.0]
    """
    nothing = Score.constant(features)
    blocks = [
        sign * (np.arange(len(block)) + 1.0) / len(block) if feature.name == name else block
        for feature, block in zip(features, nothing.blocks, strict=True)
    ]
    return Score(nothing.features, 0.0, tuple(blocks))


def _joined(one: QuestionEstimate, other: QuestionEstimate) -> QuestionEstimate:
    """Return both estimates of a mean, weighed by their precision."""
    if not one.n or not other.n:
        return one if one.n else other
    share = other.variance / (one.variance + other.variance)
    estimates = share * one.estimates + (1 - share) * other.estimates
    return QuestionEstimate(one.n + other.n, estimates, share * one.variance)


def learn_moments(
    allocation: Allocation,
    known: Features,
    places: Places,
    told: QuestionEstimate,
    ask: partial[StepRequest],
) -> Generator[StepRequest, Estimates, tuple[Floats, QuestionEstimate]]:
    """Return the weights of a regression of the label, and what is known of its mean."""
    features, count = known.features, len(known.blocks)
    asked_at = posterior_label_mean(told)[0]
    celled = celled_features(features, allocation.training.epsilon, asked_at)
    moments = Moments(known, sides_of(features, places), asked_at, celled)
    model, shares = Score.constant(features, asked_at), np.full(count, 1 / count)
    passes = allocation.iterations
    if celled:
        passes = min(MOST_PASSES, MOST_STEPS // (len(celled) + 1))
    devices = allocation.iterations * allocation.gradient_devices // passes
    for done in range(1, passes + 1):
        for request in moment_requests(allocation, moments, shares, devices, ask):
            moments.learn((yield request))
        mean = posterior_label_mean(moments.label(told))[0]
        gradient = moments.gradient(mean)
        mixture = Mixture.fit(known, gradient, separable_covariance(mean) ** 2, GRID_SIZE)
        each = gradient.precisions / np.maximum(moments.answers, 1.0)
        future = (passes - done) * devices * each
        shares = optimal_shares(known, mixture, gradient.precisions, future)
    weights = posterior_weights(known, gradient, mixture)
    for _ in range(ROUNDS):
        direction, std = known.score(weights), known.std(weights)
        along = Residual("direction", DIRECTION_CLIP * std)
        asked = allocation.gradient(features, along, np.full(count, 1 / count), known.scalings)
        devices = allocation.iterations * allocation.line_devices // ROUNDS
        found = yield ask("line", asked, devices, model, direction=direction)
        falls = known.gradient(found, along)
        crossing = _shrunk(falls.plus(-known.variances * weights), known.variances * std)
        target = posterior_weights(known, gradient.plus(-crossing), mixture)
        own = float(known.variances @ weights**2)
        longer = max(1 + float(weights @ crossing) / max(own, 1e-12), 1.0)
        weights = weights + STEP / longer * (target - weights)
    return weights, moments.label(told)


def moment_requests(
    allocation: Allocation,
    moments: Moments,
    shares: Floats,
    devices: int,
    ask: partial[StepRequest],
) -> Iterator[StepRequest]:
    """Return the steps in which devices tell all moments, of features in these shares.

    A direction is a category's code, so each category that is asked in cells has its own step.
    """
    features = moments.known.features
    apart = np.array([one.name in moments.celled for one in features])
    if not apart.all():
        others = [one for one, alone in zip(features, apart, strict=True) if not alone]
        asked = allocation.moments(others, moments.scalings, shares[~apart] / shares[~apart].sum())
        at = Score.constant(features, moments.asked_at)
        yield ask("gradient", asked, max(round(devices * float(shares[~apart].sum())), 1), at)
    other_class = Score.constant(features, -moments.sign)
    for feature, share in zip(features, shares.tolist(), strict=True):
        if feature.name in moments.celled:
            asked = allocation.class_values(feature, rate=bool(apart.all()))
            code = code_of(features, feature.name, moments.sign)
            wanted = max(round(devices * share), 1)
            yield ask("gradient", asked, wanted, other_class, direction=code)


def _shrunk(crossing: Gradient, unit: Floats) -> Floats:
    """Return what correlations take, shrunk as far as they are noise.

    How large they are the coordinates tell together, the accurate ones most, less one error of
    that: where there are none, what noise makes of them would only be added to the weights.
    """
    noise = 1 / np.maximum(crossing.precisions, 1e-30) / unit**2
    told = noise**-2 / float(np.sum(noise**-2))
    size = float(told @ ((crossing.means / unit) ** 2 - noise))
    size = max(size - math.sqrt(2 / float(np.sum(noise**-2))), 0.0)
    return crossing.means * size / (size + noise)
