"""Humps: what is believed of a number while few devices have told where theirs lies.

Counts of few devices are mostly noise, and a twentieth of that noise at the far end of a wide
domain moves a mean further than all that is there.  But most numbers have one hump, with a tail on
either side.  So humps of many places and widths are weighed by how well they fit the counts, and
their mixture is the belief that the counts are then taken into: where they are accurate they have
the last word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Floats
from .density import LEAST_MASS, Counts, Density

PEAKS = 32
"""The humps' peaks: so many quantiles of what is believed so far."""

WIDTHS = 0.5 ** np.arange(2.0, 15.0)
"""The scales of either side, as shares of the domain."""

MOST_SKEWED = 3
"""How many of these one side may be wider than the other."""

LEAST_WEIGHT = 1e-4
VAGUE_SHARE = 0.002
"""What is left of the belief that holds without any counts."""

SURE = 2.0
"""The standard errors by which humps must fit worse than noise explains, to be doubted."""


def believing_humps(prior: Density, believed: Density, counts: Sequence[Counts]) -> Density:
    """Return the belief once devices have told in which bins their numbers lie.

    It is that in humps, whose peaks are where numbers were `believed` to be, as far as these fit
    the counts up to noise, and has what the counts tell beyond that.

    >>> edges = np.array([0.0, 250.0, 500.0, 750.0, 1000.0])
    >>> counts = [Counts(edges, np.array([0.9, 0.2, -0.2, 0.1]), np.full(4, 0.01))]
    >>> vague = Density.vague(0, 1000)
    >>> believed = vague.believing(counts)
    >>> believed.quantile(0.97) > 750 > believing_humps(vague, believed, counts).quantile(0.97)
    True
    """
    lacking = prior.believing(counts).lacking
    counts = [_of_those_that_have_one(one, lacking) for one in counts]
    ends, peaks = prior.edges[[0, -1]], believed.cut(2 * PEAKS)[1::2]
    humps = _humps(ends, peaks)
    misfits = np.zeros(len(humps))
    for one in counts:
        missed = np.diff(_below(one.edges, humps, ends)) - one.shares
        misfits += np.sum(missed**2 / one.variance, axis=1)
    weights = np.exp((misfits.min() - misfits) / 2)
    likely = weights > LEAST_WEIGHT
    edges = np.unique(np.concatenate([prior.edges, *(one.edges for one in counts)]))
    masses = weights[likely] @ np.diff(_below(edges, humps[likely], ends)) / weights[likely].sum()
    # What the humps miss is noise, unless it is more than that: then they are not all there is.
    bins = sum(len(one.shares) for one in counts)
    beyond = max(float(misfits.min()) / bins - 1 - SURE * math.sqrt(2 / bins), 0.0)
    doubt = beyond / (1 + beyond)
    vague, share = np.diff(prior.below(edges)), max(doubt, VAGUE_SHARE)
    mixed = (1 - share) * masses + share * vague / vague.sum()
    inside = (edges[1:] + edges[:-1]) / 2
    seen = [
        one._replace(shares=expected + doubt * (one.shares - expected))
        for one in counts
        for expected in [one.holds(inside) @ mixed]
    ]
    found = Density(edges, np.maximum(mixed, LEAST_MASS)).believing(seen)
    return replace(found, lacking=lacking)


def _of_those_that_have_one(counts: Counts, lacking: float) -> Counts:
    """Return the counts of the devices that have the number, if this share of them lacks it."""
    if counts.missing is None or not lacking:
        return counts._replace(missing=None)
    stand_ins = lacking * counts.holds(np.array([counts.missing]))[:, 0]
    left = 1 - lacking
    return Counts(counts.edges, (counts.shares - stand_ins) / left, counts.variance / left**2)


def _humps(ends: Floats, peaks: Floats) -> Floats:
    """Return humps with these peaks between two ends: a peak, and the scales on both sides of it.

    >>> _humps(np.array([0.0, 1.0]), np.array([0.3]))[0].tolist()
    [0.3, 0.25, 0.25]
    """
    places = range(len(WIDTHS))
    pairs = [(a, b) for a in places for b in places if abs(a - b) <= MOST_SKEWED]
    scales = (ends[1] - ends[0]) * WIDTHS[np.array(pairs)]
    return np.column_stack([np.repeat(peaks, len(pairs)), np.tile(scales, (len(peaks), 1))])


def _below(edges: Floats, humps: Floats, ends: Floats) -> Floats:
    """Return the share of each hump, cut off at both ends, that is below each edge.

    >>> low_and_high = np.array([0.0, 1.0])
    >>> _below(np.array([0.0, 0.3, 1.0]), np.array([[0.3, 0.01, 0.02]]), low_and_high).round(3)
    array([[0.   , 0.333, 1.   ]])
    """
    peaks, left, right = humps.T[:, :, None]
    away = np.concatenate([ends, edges]) - peaks
    lower = away < 0
    logistic = 1 / (1 + np.exp(-np.clip(away / np.where(lower, left, right), -40, 40)))
    share = left / (left + right)
    below = np.where(lower, 2 * share * logistic, share + (1 - share) * (2 * logistic - 1))
    low, high = below[:, :1], below[:, 1:2]
    shares: Floats = (below[:, 2:] - low) / np.maximum(high - low, LEAST_MASS)
    return shares
