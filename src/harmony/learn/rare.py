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
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..attributes import Attribute
from ..mechanisms.designs import best_design
from .allocation import Allocation
from .correlations import Told, ask_correlations
from .features import Block, Features, Gradient
from .logit import posterior_label_mean
from .mixture import next_shares, posterior_weights
from .moments import Fitted, Moments, joined, rate_of
from .placing import Places
from .planning import answer_noise
from .score import Score, code_of
from .step import Residual
from .trainer import Estimates, QuestionEstimate, StepRequest

DIRECTION_CLIP = 2.5
ROUNDS = 2
"""How often devices are asked what scores take of each other."""

STEP = 0.75
"""How far to go to what that leaves to the weights, if nothing else were correlated."""

LEAST_SEEN = 40.0
"""How precisely weights must be told for it to matter, by themselves, how features go together."""

MOST_CELLED, MOST_CELLS = 16, 64
"""How many categories may be asked each in a step of its own, and how many values they may have."""

MOST_PASSES, MOST_STEPS = 6, 48
"""How often these steps are repeated, each time with as many devices as seem best, and how many
steps that may be."""


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


class Direction(NamedTuple):
    """Features, recentred, with their weights in log-odds."""

    known: Features
    weights: Floats
    covariance: Floats | None
    """That of the features, where devices have told of it."""
    told: QuestionEstimate
    """What is known of the label's mean."""
    label_covariance: float
    """That of the score with the label of -1 and 1."""


def weights_seen(allocation: Allocation, mean: float) -> float:
    """Return how precisely devices will tell weights, in log-odds: the inverse of a variance.

    A side moves with a weight by eight tenths of the rarer class.
    """
    devices = allocation.iterations * allocation.gradient_devices
    noise = allocation.noise * ((1 + abs(mean)) / 2) ** 2
    each = devices / len(allocation.training.features)
    return each * (0.8 * rate_of(mean)) ** 2 / noise


def learn_moments(
    allocation: Allocation,
    known: Features,
    places: Places,
    told: QuestionEstimate,
    ask: partial[StepRequest],
) -> Generator[StepRequest, Estimates, Direction]:
    """Find weights in log-odds, where one of two classes is rare."""
    features, count = known.features, len(known.blocks)
    asked_at = posterior_label_mean(told)[0]
    celled = celled_features(features, allocation.training.epsilon, asked_at)
    together = Told(known, None, 0)
    if weights_seen(allocation, asked_at) > LEAST_SEEN:
        together = yield from ask_correlations(allocation, known, places, ask)
    known = together.known
    moments = Moments(known, places, asked_at, celled, together.correlations)
    shares = np.full(count, 1 / count)
    passes = allocation.iterations
    if celled:
        passes = min(MOST_PASSES, MOST_STEPS // (len(celled) + 1))
    lines = 0 if together.devices else allocation.iterations * allocation.line_devices
    devices = allocation.descending_devices - sum(allocation.closer_devices)
    devices = (devices - together.devices - lines) // passes
    for done in range(1, passes + 1):
        for request in moment_requests(allocation, moments, shares, devices, ask):
            moments.learn((yield request))
        fitted = moments.fit(posterior_label_mean(joined(told, moments.told))[0])
        each = fitted.gradient.precisions / np.maximum(moments.answers, 1.0)
        future = (passes - done) * devices * each
        shares = next_shares(known, fitted.mixture, fitted.gradient, future)
    weights = fitted.weights
    if lines:
        weights = yield from _less_what_others_take(
            allocation, moments, fitted, lines // ROUNDS, ask
        )
    weights = moments.log_odds(fitted, weights)
    moved = moments.covariance_with(weights)
    return Direction(known, weights, fitted.covariance, joined(told, moments.told), moved)


def _less_what_others_take(
    allocation: Allocation,
    moments: Moments,
    fitted: Fitted,
    devices: int,
    ask: partial[StepRequest],
) -> Generator[StepRequest, Estimates, Floats]:
    """Return the weights where features take of each other what devices tell of the score."""
    known, weights, mixture = moments.known, fitted.weights, fitted.mixture
    model, count = Score.constant(known.features, moments.asked_at), len(known.blocks)
    for _ in range(ROUNDS):
        direction, std = known.score(weights), known.std(weights)
        along = Residual("direction", DIRECTION_CLIP * std)
        even = np.full(count, 1 / count)
        asked = allocation.gradient(known.features, along, even, known.scalings)
        found = yield ask("line", asked, devices, model, direction=direction)
        falls = known.gradient(found, along)
        crossing = _shrunk(falls.plus(-known.variances * weights), known.variances * std)
        target = posterior_weights(known, fitted.gradient.plus(-crossing), mixture)
        own = float(known.variances @ weights**2)
        longer = max(1 + float(weights @ crossing) / max(own, 1e-12), 1.0)
        weights = weights + STEP / longer * (target - weights)
    return weights


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
        asked = allocation.moments(
            others, moments.scalings(), shares[~apart] / shares[~apart].sum()
        )
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
