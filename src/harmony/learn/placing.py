"""Placing: where numbers lie in their domains, before anything is asked about them.

A few devices tell in which of a few bins a number lies, four times over, each time in bins that
are equally likely as far as is known (`density`).  From there on a number is seen in its *range*,
which the steps' documents name as its domain: what lies outside counts as the nearer end.  Tails
may be long and devices few, so a range reaches some times as far from the median as what the
devices placed.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import Floats
from ..attributes import Attribute, Numeric
from . import step as ask_for
from .allocation import EQUAL_SHARE, Allocation, coin_weights
from .density import Counts, Density
from .humps import believing_humps
from .score import Score
from .step import Question
from .trainer import Estimates, QuestionEstimate, StepRequest
from .training import Training

STAGES = 4
CLOSER_BINS = 16

POINTS = 512
"""How many points stand for the devices, where a number's moments are computed."""

REACHES, LEAST_REACH = ((0.75, 7.0), (0.9, 5.0), (0.95, 4.0)), 3.5
"""How far a range reaches beyond the median, in distances from there to quantiles; and to the first
of these if that is hardly known."""

LABEL_REACHES, LEAST_LABEL_REACH = ((0.75, 6.0), (0.9, 4.0), (0.95, 3.0)), 4.5
"""The same for a label: a wide range makes all answers about it noisy, and what lies beyond moves
every prediction."""

ERRORS = 6.0
"""A quantile is known if so many standard errors of a share still leave some beyond it."""

STAND_INS = (0.25, 0.5, 0.25, 0.5)
"""The quantiles that a missing number counts as, stage by stage: were it always the same one,
numbers would seem to lie there."""

LEAST_WIDTH = 1e-7
"""The least width of a range, as a share of the domain."""


@dataclass
class Places:
    """What is believed of each number, and how frequent the values of other features are."""

    priors: dict[str, Density] = field(default_factory=dict)
    counts: dict[str, list[Counts]] = field(default_factory=dict)
    densities: dict[str, Density] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    """The answers without noise that would have placed each number as well."""
    frequencies: dict[str, QuestionEstimate] = field(default_factory=dict)
    may_lack: set[str] = field(default_factory=set)
    """The numbers of which it is not said what a missing one counts as."""

    def in_ranges(self, features: Sequence[Attribute]) -> tuple[Attribute, ...]:
        """Return the features as devices see them from here on: numbers in their ranges.

        A number that is missing counts as the mean, unless the feature says what it counts as.
        """
        seen = []
        for feature in features:
            if isinstance(feature, Numeric):
                low, high = self.range_of(feature.name)
                missing = feature.missing
                if missing is None:
                    missing = float(self.densities[feature.name].points(POINTS, low, high).mean())
                missing = min(max(missing, low), high)
                feature = replace(feature, low=low, high=high, missing=missing)
            seen.append(feature)
        return tuple(seen)

    def label_range(self, label: Numeric) -> tuple[Numeric, Floats]:
        """Return the label in its range, and points of that which stand for devices, scaled."""
        size = self.sizes.get(label.name, 0.0)
        density = self.densities[label.name]
        return in_range(density, *number_range(density, size, label=True), label)

    def points(self, feature: Numeric, count: int = POINTS) -> Floats:
        """Return numbers that stand for devices, a feature's range scaled to [-1, 1]."""
        half = (feature.high - feature.low) / 2
        density = self.densities[feature.name].moved(feature.low + half, half)
        return density.points(count, -1.0, 1.0)

    def range_of(self, name: str) -> tuple[float, float]:
        return number_range(self.densities[name], self.sizes.get(name, 0.0))

    def questions(
        self, features: Sequence[Attribute], feature_shares: Floats
    ) -> tuple[Question, ...]:
        """Ask again, for more accuracy: features in proportion to their shares."""
        questions = []
        for feature, weight in zip(features, coin_weights(feature_shares), strict=True):
            if isinstance(feature, Numeric):
                density = self.densities[feature.name].within(feature.low, feature.high)
                edges = density.cut(CLOSER_BINS)
                questions.append(ask_for.place(feature, edges, weight))
            else:
                questions.append(ask_for.frequency(feature, weight))
        return tuple(questions)

    def learn(
        self, asked: tuple[Question, ...], estimates: Estimates, seen: Sequence[Attribute]
    ) -> None:
        """Take in what devices have told, who have `seen` the features like this."""
        stand_ins = {
            one.name: one.missing
            for one in seen
            if isinstance(one, Numeric) and one.name in self.may_lack
        }
        for question in asked:
            name, estimate = question.about, estimates[question.name]
            if name in self.densities and estimate.n:
                edges = np.array(question.attribute.edges)  # type: ignore[union-attr]  # numeric
                counts = self.counts.setdefault(name, [])
                told = edges, estimate.estimates, estimate.variance
                counts.append(Counts(*told, stand_ins.get(name)))
                size = 1 / float(np.mean(estimate.variance))
                self.sizes[name] = self.sizes.get(name, 0.0) + size
                beliefs = self.priors[name], self.densities[name]
                self.densities[name] = believing_humps(*beliefs, counts)
            elif name not in self.densities:
                before = self.frequencies.get(name)
                self.frequencies[name] = estimate if before is None else before.pooled(estimate)


def number_range(
    density: Density, size: float = math.inf, *, label: bool = False
) -> tuple[float, float]:
    """Return the range in which a number is seen.

    >>> low, high = number_range(Density(np.array([0.0, 20.0, 100.0]), np.array([0.99, 0.01])))
    >>> round(low), 20 < high < 60
    (0, True)
    """
    if (place := density.spike) is not None:
        share = float(density.masses[place] / density.masses.sum())
        low, high = number_range(density.others, size * (1 - share) ** 2, label=label)
        spike_low, spike_high = density.edges[place : place + 2].tolist()
        return min(low, spike_low), max(high, spike_high)
    domain_low, domain_high = float(density.edges[0]), float(density.edges[-1])
    median = density.quantile(0.5)
    reaches = [(REACHES[0][0], LEAST_LABEL_REACH if label else LEAST_REACH)]
    for share, times in LABEL_REACHES if label else REACHES:
        known = min(size * ((1 - share) / ERRORS) ** 2, 1.0)
        # Of a label a quantile that is not known counts for nothing: noise at the far end of a
        # domain would make its range, and all answers about it, a hundred times too wide.
        reaches.append((share, times * (math.floor(known) if label else known)))
    low = min(median + times * (density.quantile(1 - share) - median) for share, times in reaches)
    high = max(median + times * (density.quantile(share) - median) for share, times in reaches)
    least = LEAST_WIDTH * (domain_high - domain_low)
    low, high = max(low, domain_low), min(high, domain_high)
    if high - low < least:
        low, high = max(low - least, domain_low), min(high + least, domain_high)
    return low, high


def in_range(density: Density, low: float, high: float, label: Numeric) -> tuple[Numeric, Floats]:
    """Return the label in a range, which is scaled as its density is, and points of that, scaled.

    The points stand for devices.

    >>> in_range(Density.even(-1.0, 1.0), -0.5, 0.5, Numeric("y", 0, 100))[0].low
    25.0
    """
    half, unit = (high - low) / 2, (label.high - label.low) / 2
    points = density.moved(low + half, half).points(POINTS, -1.0, 1.0)
    low, high = label.low + (low + 1) * unit, label.low + (high + 1) * unit
    return replace(label, low=low, high=high), points


def find_places(
    training: Training, allocation: Allocation
) -> Generator[StepRequest, Estimates, Places]:
    """Ask for the places of numbers, and for the frequencies of everything else."""
    places = Places()
    numbers = [one for one in (*training.features, training.label) if isinstance(one, Numeric)]
    for number in numbers:
        density = Density.vague(number.low, number.high)
        if number is training.label:  # it is asked scaled
            half = (number.high - number.low) / 2
            density = density.moved(number.low + half, half)
        elif not allocation.places_numbers:
            density = Density.even(number.low, number.high)
        places.priors[number.name] = places.densities[number.name] = density
        if number is not training.label and number.missing is None:
            places.may_lack.add(number.name)
    asked_about = [
        one
        for one in (*training.features, training.label)
        if one is training.label
        or (allocation.learns and (allocation.places_numbers or not isinstance(one, Numeric)))
    ]
    stages = STAGES if any(isinstance(one, Numeric) for one in asked_about) else 1
    for _, quantile in zip(range(stages), STAND_INS, strict=False):
        asked = tuple(_question(training, places, one, allocation) for one in asked_about)
        devices = max(allocation.placing_devices // stages, 1)
        zero = Score.constant([_with_stand_in(one, places, quantile) for one in training.features])
        estimates = yield StepRequest("places", asked, devices, zero, zero)
        places.learn(asked, estimates, zero.features)
    return places


def _with_stand_in(feature: Attribute, places: Places, quantile: float) -> Attribute:
    """Let a number that is missing count as a quantile, unless the feature says what it counts as.

    It is known where it then is, so the share of the devices that lack it can be told.
    """
    if not isinstance(feature, Numeric) or feature.missing is not None:
        return feature
    return replace(feature, missing=places.densities[feature.name].quantile(quantile))


def _question(
    training: Training, places: Places, attribute: Attribute, allocation: Allocation
) -> Question:
    bins = allocation.placing_bins
    if attribute is training.label:
        weight = allocation.label_weight
        if not isinstance(attribute, Numeric):
            question = ask_for.product(("label", 1.0), weight=weight)
            return replace(question, about=attribute.name)
        return ask_for.label_place(attribute, places.densities[attribute.name].cut(8), weight)
    if isinstance(attribute, Numeric):
        return ask_for.place(attribute, places.densities[attribute.name].cut(bins), EQUAL_SHARE)
    return ask_for.frequency(attribute, EQUAL_SHARE)
