"""Spikes: labels of which most are one number, and where the others lie.

Few devices place a label, and a fifth of them that lies beyond a spike is three or four errors,
anywhere on a scale of fourteen octaves.  So once a spike shows, some more devices tell where the
others are, in bins that are equally likely as far as is known, and all that was told is read
together: a spike, and a hump of others on a logarithmic scale, on one side of it or on both.  All
such labels are weighed by how well they fit, and the range ends where the noise that a wider one
brings and what it hides of the mean add up to least, over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..attributes import Numeric
from . import step as ask_for
from .allocation import Allocation
from .density import OCTAVES, Counts, Density
from .humps import LEAST_WEIGHT
from .placing import STAGES, Places, in_range, number_range
from .score import Score
from .trainer import Estimates, StepRequest
from .training import Training

SPIKE, LAST_STAGES = 0.5, 2
"""The share of devices in one bin of the last stages by which that holds a spike: bins are as
likely as one another, as far as was known, and only a spike cannot be cut any further."""

SIZE, MOST_FOR_OTHERS, BINS = 600.0, 0.15, 7
"""Answers without noise that tell where the others are, the most that they take of all devices, and
the bins that they are asked for."""

SURE_SIZE, MOST_TO_BE_SURE = 300.0, 0.08
"""The fewer others there are, the more answers it takes: so many by the square of their share, if
that is no more than such a share of all devices.  With fewer, one in nine trainings on invented
claims believed by noise that they lie elsewhere."""

MIDDLES = 0.5 ** np.arange(0.5, OCTAVES, 0.5)
WIDTHS = np.array([0.4, 0.8, 1.3])
OTHERS = np.array([0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5])
"""The humps that are weighed: how far their middles are from the spike, as shares of the domain;
their deviations, as logarithms; and the share of devices in them."""

NEAREST = 0.5 ** (OCTAVES + 2)
"""How wide a spike is at most, as a share of the domain."""

LEAST_VARIANCE, MOST_LOSS = 1e-12, 0.1
"""The least variance that a label may have, and the loss beyond which more is hardly worse: else
labels that nearly all are the same would decide, however unlikely."""

SURE = 2.0
"""The errors by which the likeliest hump must fit worse than noise explains, to be doubted."""

LEVEL_SHARE = 0.3
"""The share of the devices that will tell the level, by which a range's noise is weighed."""


def has_spike(counts: Sequence[Counts]) -> bool:
    """Whether most labels are one number."""
    last = counts[STAGES - LAST_STAGES : STAGES]
    return len(last) == LAST_STAGES and all(one.shares.max() > SPIKE for one in last)


@dataclass(frozen=True, eq=False)
class Spiked:
    """A spike, and what is believed of the others: humps, and how likely each is."""

    at: float
    edges: Floats
    weights: Floats
    below: Floats
    """The share of devices that is below each edge, for each hump; a step where the spike is."""
    fits: bool
    """Whether the counts miss the likeliest hump by no more than noise explains."""

    @classmethod
    def believing(cls, counts: Sequence[Counts]) -> Spiked:
        """Return the belief after these counts.

        >>> edges = np.array([0.0, 0.01, 0.1, 1.0])
        >>> told = Counts(edges, np.array([0.8, 0.2, 0.0]), np.full(3, 1e-4))
        >>> found = Spiked.believing([told])
        >>> low, high = found.range(noise=1e-3)
        >>> low, 0.04 < high < 0.25
        (0.0, True)
        """
        ends = float(counts[0].edges[0]), float(counts[0].edges[-1])
        at, width = _spike(counts), ends[1] - ends[0]
        away = np.append(NEAREST, 0.5 ** np.arange(OCTAVES + 1.0, -0.25, -0.5)) * width
        edges = np.unique(np.clip(np.concatenate([at - away, at + away]), *ends))
        misfits = 0.0
        for one in counts:
            shares = np.diff(_below(one.edges, at, ends), axis=1)
            misfits = misfits + np.sum((shares - one.shares) ** 2 / one.variance, axis=1)
        weights = np.exp((np.min(misfits) - misfits) / 2)
        likely = weights > LEAST_WEIGHT
        weights = weights[likely] / weights[likely].sum()
        bins = sum(len(one.shares) for one in counts)
        fits = float(np.min(misfits)) < bins + SURE * math.sqrt(2 * bins)
        return cls(at, edges, weights, _below(edges, at, ends)[likely], fits)

    @property
    def density(self) -> Density:
        """The belief as a density."""
        masses = np.diff(self.weights @ self.below)
        return Density(self.edges, np.maximum(masses, 1e-15))

    def cut(self, bins: int) -> Floats:
        """Return edges of bins: one holds the spike, and the others are equally likely."""
        density = self.density
        masses = density.masses.copy()
        place = int(np.searchsorted(self.edges, self.at, "right")) - 1
        place = min(max(place, 0), len(masses) - 1)
        masses[place] = 0.0
        others = Density(self.edges, np.maximum(masses, 1e-15)).cut(bins - 1)
        return np.unique(np.concatenate([others, self.edges[place : place + 2]]))

    def range(self, noise: float) -> tuple[float, float]:
        """Return the range of least risk, if the mean of all answers of one has this variance.

        Errors are relative to the label's variance: if there are labels far away they make that
        greater, too, and to lack them costs no more than their share.
        """
        middles = (self.edges[1:] + self.edges[:-1]) / 2 - self.at
        masses = np.diff(self.below, axis=1)
        variances = masses @ middles**2 - (masses @ middles) ** 2
        variances = np.maximum(variances, LEAST_VARIANCE)[:, None]
        low = self._end(self.at - self.edges[::-1], self.below[:, ::-1], variances, noise)
        high = self._end(self.edges - self.at, 1 - self.below, variances, noise)
        return self.at - low, self.at + high

    def _end(self, away: Floats, beyond: Floats, variances: Floats, noise: float) -> float:
        """Return how far from the spike a range ends.

        `beyond` is the share of devices that is farther away than so much, for each hump.
        """
        outside = away > 0
        if not outside.any():
            return 0.0
        away, beyond = away[outside], beyond[:, outside]
        areas = (beyond[:, 1:] + beyond[:, :-1]) / 2 * np.diff(away)
        hidden = np.append(np.cumsum(areas[:, ::-1], axis=1)[:, ::-1], beyond[:, :1] * 0, axis=1)
        losses = (hidden**2 + noise * (away / 2) ** 2) / variances
        risks = self.weights @ (losses / (1 + losses / MOST_LOSS))
        return float(away[np.argmin(risks)])


def _spike(counts: Sequence[Counts]) -> float:
    """Return where the spike is: in the fullest bin of all counts."""
    low, high = float(counts[0].edges[0]), float(counts[0].edges[-1])
    for one in counts:
        fullest = int(np.argmax(one.shares))
        left, right = float(one.edges[fullest]), float(one.edges[fullest + 1])
        if left < high and right > low:
            low, high = max(low, left), min(high, right)
    first, last = float(counts[0].edges[0]), float(counts[0].edges[-1])
    return first if low == first else last if high == last else (low + high) / 2


def _below(edges: Floats, at: float, ends: tuple[float, float]) -> Floats:
    """Return the share below each edge, for each share, middle, width and side of a hump."""
    low, high = ends
    spike = np.asarray(edges > at, np.float64)
    rows = []
    for middle in MIDDLES * (high - low):
        for deviation in WIDTHS:
            above = _hump(edges - at, high - at, middle, deviation)
            under = 1 - _hump(at - edges, at - low, middle, deviation)
            sides = [(at < high, above), (at > low, under), (low < at < high, (above + under) / 2)]
            rows += [spike + share * (one - spike) for may, one in sides if may for share in OTHERS]
    found = np.stack(rows)
    found[:, edges <= low], found[:, edges >= high] = 0.0, 1.0
    return found


def _hump(away: Floats, reach: float, middle: float, deviation: float) -> Floats:
    """Return the share of a log-normal hump, cut off at its reach, that is nearer than each."""
    scaled = np.log(np.maximum(np.append(away, reach), 1e-300) / middle) / deviation
    nearer = np.array([math.erfc(-one / math.sqrt(2)) / 2 for one in scaled])
    return np.asarray(np.clip(nearer[:-1] / max(nearer[-1], 1e-12), 0.0, 1.0))


def find_others(
    training: Training, allocation: Allocation, places: Places
) -> Generator[StepRequest, Estimates, None]:
    """Ask where the other labels are, if most are one number."""
    label = training.label
    counts = places.counts.get(label.name, [])
    if not isinstance(label, Numeric) or not has_spike(counts):
        return
    allocation.others_devices = devices_for_others(counts, allocation.noise, allocation.devices)
    asked = (ask_for.label_place(label, Spiked.believing(counts).cut(BINS)),)
    zero = Score.constant(training.features)
    found = yield StepRequest("places", asked, allocation.others_devices, zero, zero)
    places.learn(asked, found, ())


def devices_for_others(counts: Sequence[Counts], noise: float, devices: int) -> int:
    """Return how many of the devices are to tell where the other labels are.

    `noise` is the variance of one answer.

    >>> edges, errors = np.array([0.0, 1.0, 9.0]), np.full(2, 1e-4)
    >>> for spike in (0.6, 0.9):
    ...     placed = [Counts(edges, np.array([spike, 1 - spike]), errors)] * STAGES
    ...     [devices_for_others(placed, 4.0, devices) for devices in (1000, 1_000_000)]
    [150, 7500]
    [150, 80000]
    """
    last = counts[STAGES - LAST_STAGES : STAGES]
    others = max(1 - float(np.mean([one.shares.max() for one in last])), 0.01)
    least = min(SIZE * noise, MOST_FOR_OTHERS * devices)
    sure = min(SURE_SIZE / others**2 * noise, MOST_TO_BE_SURE * devices)
    return max(1, round(max(least, sure)))


def label_range(places: Places, label: Numeric, noise: float) -> tuple[Numeric, Floats]:
    """Return the label in its range, and points of that which stand for devices, scaled.

    `noise` is the variance of the mean of all devices' answers of one.
    """
    counts = places.counts.get(label.name, [])
    if not has_spike(counts):
        return places.label_range(label)
    found = Spiked.believing(counts)
    low, high = found.range(noise / LEVEL_SHARE)
    if found.fits:
        return in_range(found.density, low, high, label)
    density = places.densities[label.name]  # devices enough to tell that there is more than a hump
    left, right = number_range(density, places.sizes[label.name], label=True)
    return in_range(density, min(low, left), max(high, right), label)
