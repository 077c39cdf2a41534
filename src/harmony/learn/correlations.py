"""Correlations: how features go together, asked of a few devices without their label.

The gradient at weights w is b - S w, with S the covariance of the features.  Gradients along a path
tell S by their differences only, which have the label's noise twice.  But the gradient of a
direction p is S p, and needs no label.  So where coordinates are few, some devices tell the columns
of S: the gradients of directions along one coordinate each.  That finds, roughly, which features go
together.  A combination that then seems to have next to no variance, such as the difference of two
features that nearly determine one another, is asked for its mean and its variance by itself: those
are small numbers, which devices tell with an error as small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..attributes import Numeric
from . import step as ask_for
from .allocation import Allocation
from .features import Features
from .placing import Places
from .score import Score
from .step import Residual
from .trainer import Estimates, StepRequest

MOST_COORDINATES = 20
"""Above so many nobody is asked: there is a step for each, and every pair needs its devices."""

COLUMNS_SHARE, VARIANCE_SHARE = 0.05, 0.008
"""Of the devices, at most: for all columns together, and for one combination."""

WANTED_ERROR, USELESS_ERROR = 0.1, 0.22
"""The error of a correlation that will do, and one with which asking costs more than it tells.
"""

ANSWER_NOISE = 2.6
"""The variance of an answer about two normal numbers, both clipped at half a deviation, where that
of a bit from -1 to 1 is one."""

NUMBER_CLIP, VALUES_CLIP, VARIANCE_CLIP = 0.5, 1.5, 2.5
"""Where directions are clipped, in their deviations: a number, a coordinate of values, and a
combination that is asked for its variance."""

LEAST_KEPT = 0.05

SEEMING, SEEMING_MOST, SEEMING_DOUBT = 0.13, 1.26, 0.05
"""Two normal numbers of correlation r, both clipped at half a deviation, seem to have a correlation
a of 1.26 at most, and r = a - .13 a^3; how far off that is for others, relative to r."""

SIZES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)
"""The sizes that correlations may have."""

IMAGINED, ITERATIONS = 3.0, 50
"""Pairs that are thought of beside those that there are, none of them correlated, and how often it
is estimated anew how common each size is."""

EVIDENCE = 3.0
"""By how much the logarithm of their likelihood must be greater for correlations to be seen."""

NARROW, ROUGH, MOST_COMBINATIONS = 0.3, 0.3, 4
"""Combinations that may have less variance than the first, where features have one, are asked for
it while its error, relative to it, is greater than the second; and how many may be."""

LEAST_VARIANCE = 0.01


@dataclass(frozen=True)
class Correlations:
    """What is believed of the correlations of coordinates: a normal distribution over all pairs.

    >>> pair = Correlations(2, np.array([[0], [1]]), np.array([0.9]), np.array([[0.01]]))
    >>> difference = np.array([1, -1]) / math.sqrt(2)
    >>> pair.with_variance(difference, 0.02, 1e-6).matrix.round(2).tolist()
    [[1.0, 0.98], [0.98, 1.0]]
    """

    width: int
    pairs: NDArray[np.int64]
    """The two coordinates of every pair: they are of different features."""
    means: Floats
    covariance: Floats

    @property
    def matrix(self) -> Floats:
        """The correlations that are believed, which may not be possible together."""
        found = np.eye(self.width)
        first, second = self.pairs
        found[first, second] = found[second, first] = self.means
        return found

    @property
    def doubts(self) -> Floats:
        """For each row of the matrix, the covariance of what is believed of its entries."""
        places = np.full((self.width, self.width), len(self.means))
        first, second = self.pairs
        places[first, second] = places[second, first] = np.arange(len(first))
        padded = np.pad(self.covariance, ((0, 1), (0, 1)))  # within a feature all is known
        doubts: Floats = padded[places[:, :, None], places[:, None, :]]
        return doubts

    def errors(self, vectors: Floats) -> Floats:
        """Return the error of the variance of each combination; `vectors` has them as columns."""
        rows = 2 * vectors[self.pairs[0]] * vectors[self.pairs[1]]
        variances = np.einsum("pk,pq,qk->k", rows, self.covariance, rows, optimize=True)
        errors: Floats = np.sqrt(np.maximum(variances, 0.0))
        return errors

    def with_variance(self, vector: Floats, variance: float, noise: float) -> Correlations:
        """Return what is believed once the variance of a combination is told, with this noise."""
        row = 2 * vector[self.pairs[0]] * vector[self.pairs[1]]
        shared = self.covariance @ row
        gain = shared / (float(row @ shared) + noise)
        missed = variance - float(vector @ self.matrix @ vector)
        means, covariance = self.means + gain * missed, self.covariance - np.outer(gain, shared)
        return replace(self, means=means, covariance=covariance)


def possible(
    matrix: Floats, errors: Callable[[Floats], Floats], least: float = LEAST_VARIANCE
) -> Floats:
    """Return the correlations next to a matrix: no combination has less variance than its error."""
    eigenvalues, vectors = np.linalg.eigh(matrix)
    found = (vectors * np.maximum(eigenvalues, least + errors(vectors))) @ vectors.T
    roots = np.sqrt(np.diag(found))
    correlations: Floats = found / roots / roots[:, None]
    return correlations


class Told(NamedTuple):
    """What devices have told: features, recentred, their correlations, if any, and how many did."""

    known: Features
    correlations: Correlations | None
    devices: int


def ask_correlations(
    allocation: Allocation, known: Features, places: Places, ask: partial[StepRequest]
) -> Generator[StepRequest, Estimates, Told]:
    """Ask how coordinates go together, if there are devices enough to see it."""
    width, count = len(known.variances), len(known.blocks)
    answers = ANSWER_NOISE * allocation.noise * width**2 / 2  # each pair is asked twice
    devices = min(answers / WANTED_ERROR**2, COLUMNS_SHARE * allocation.devices)
    if count < 2 or width > MOST_COORDINATES or devices < answers / USELESS_ERROR**2:
        return Told(known, None, 0)
    ask, roots = partial(ask, model=Score.constant(known.features)), np.sqrt(known.variances)
    each, columns, precisions = round(devices / width), [], []
    for place, axis in enumerate(np.eye(width)):
        along = _clipped_axis(known, places, place)
        shares = np.where(np.arange(count) == known.owners[place], 0.0, 1 / (count - 1))
        asked = allocation.gradient(known.features, along, shares, known.scalings)
        found = yield ask("line", asked, each, direction=known.score(axis / roots))
        column = known.gradient(found, along)
        columns.append(column.means / roots)
        precisions.append(column.precisions * known.variances)
    seen, believed = _believed(known, np.stack(columns, axis=1), np.stack(precisions, axis=1))
    spent, each = width * each, round(VARIANCE_SHARE * allocation.devices)
    for _ in range(MOST_COMBINATIONS):
        vector, deviation = _rough_combination(believed)
        if not deviation:
            break
        clip = VARIANCE_CLIP * deviation
        asked = tuple(ask_for.product(*(("direction", clip),) * power) for power in (1, 2))
        found = yield ask("line", asked, each, direction=known.score(vector / roots))
        spent += each
        mean, square = (found[one.name] for one in asked)
        if not mean.n or not square.n:
            break
        variance = clip**2 * (square.mean - mean.mean**2)
        noise = clip**4 * float(square.variance[0] + 4 * mean.mean**2 * mean.variance[0])
        seen = seen or variance < NARROW
        believed = believed.with_variance(vector, variance, noise)
        # Along such a combination even a small error of the features' means is large.
        known = known.recentred(clip * mean.mean * vector * roots)
    return Told(known, believed if seen else None, spent)


def _rough_combination(believed: Correlations) -> tuple[Floats, float]:
    """Return the combination that may have least variance for its error, and its deviation.

    That is zero if what is known of all of them will do.
    """
    variances, vectors = np.linalg.eigh(believed.matrix)
    errors = believed.errors(vectors)
    narrow = variances - errors < NARROW
    rough = np.where(narrow, errors / np.maximum(variances, LEAST_VARIANCE), 0.0)
    place = int(np.argmax(rough))
    known = rough[place] < ROUGH
    return vectors[:, place], 0.0 if known else math.sqrt(max(variances[place], errors[place]))


def _clipped_axis(known: Features, places: Places, place: int) -> Residual:
    """Return how a direction along one coordinate, of deviation one, is clipped."""
    owner = int(known.owners[place])
    feature, block = known.features[owner], known.blocks[owner]
    assert block.basis is not None  # it has few values
    if isinstance(feature, Numeric):
        points = (places.points(feature) - block.means) * block.basis[0]
        chances, clip = np.full(len(points), 1 / len(points)), NUMBER_CLIP
    else:
        points = block.basis[:, place - int(np.argmax(known.owners == owner))]
        points, chances = points / math.sqrt(known.variances[place]), block.means
        points, clip = points - chances @ points, VALUES_CLIP
    kept = clip * float(chances @ (points * np.clip(points / clip, -1, 1)))
    return Residual("direction", clip, max(kept, LEAST_KEPT))


def _believed(known: Features, columns: Floats, precisions: Floats) -> tuple[bool, Correlations]:
    """Return whether any pairs are seen to be correlated, and what is believed of all.

    A correlation has one of a few sizes; how common each is, is estimated from all pairs.
    """
    first, second = np.triu_indices(len(columns), 1)
    apart = known.owners[first] != known.owners[second]
    pairs = np.stack([first[apart], second[apart]])
    one, other = tuple(pairs), tuple(pairs[::-1])
    total = np.maximum(precisions[one] + precisions[other], 1e-9)
    means = (columns[one] * precisions[one] + columns[other] * precisions[other]) / total
    squares = np.array(SIZES)[:, None] ** 2
    variances = squares + 1 / total
    logarithms = -(np.log(variances) + means**2 / variances) / 2
    most = logarithms.max(axis=0)
    likelihoods = np.exp(logarithms - most)
    proportions = np.full((len(SIZES), 1), 1 / len(SIZES))
    for _ in range(ITERATIONS):
        likely = proportions * likelihoods
        likely /= likely.sum(axis=0)
        proportions = likely.sum(axis=1, keepdims=True)
        proportions[0] += IMAGINED
        proportions /= proportions.sum()
    evidence = np.log((proportions * likelihoods).sum(axis=0)) + most - logarithms[0]
    kept = squares / variances
    expected = (likely * kept).sum(axis=0) * means
    second_moments = (likely * (squares * (1 - kept) + (kept * means) ** 2)).sum(axis=0)
    doubts = np.maximum(second_moments - expected**2, 1e-6)
    numbers = np.array([isinstance(one, Numeric) for one in known.features])[known.owners]
    bend = SEEMING * (numbers[pairs[0]] & numbers[pairs[1]])
    seeming = np.clip(expected, -SEEMING_MOST, SEEMING_MOST)
    found = seeming - bend * seeming**3
    doubts = doubts * (1 - 3 * bend * seeming**2) ** 2 + (SEEMING_DOUBT * found) ** 2
    believed = Correlations(len(columns), pairs, found, np.diag(doubts))
    return float(evidence.sum()) >= EVIDENCE, believed
