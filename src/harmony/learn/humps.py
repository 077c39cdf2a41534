"""Humps: what is believed of a number once devices have told where theirs lies.

Counts hold noise, and a fiftieth of the devices at the far end of a wide domain, which noise puts
there, moves a mean further than all that is there.  But most numbers have one hump, with a tail on
either side that is short or long, and perhaps a spike at an end of the domain or at zero.  So such
numbers of many places, widths and tails are weighed by how well they fit the counts, and their
mixture is the belief.  Only where a count departs from it by more than noise does, that is believed
instead: then there is more than a hump.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from .density import LEAST_MASS, Counts, Density

PEAKS, MOST_HUMPS = 24, 800
"""The humps' peaks: so many quantiles of what is believed so far.  And how many humps of those that
may fit are tried with every tail: where few are refuted, some stand for all."""

WIDTHS = 0.5 ** np.arange(2.0, 16.0)
"""The scales of either side, as shares of the domain."""

MOST_SKEWED = 3
"""How many of these one side may be wider than the other."""

_PAIRS = [(a, b) for a in WIDTHS for b in WIDTHS if 0.5**MOST_SKEWED <= a / b <= 2.0**MOST_SKEWED]

TAILS, TAIL_CHANCES = (0.0, 0.25, 0.5), (1.0, 0.5, 0.2)
"""How long tails may be, and how likely that is: those of a logistic curve, and of powers of four
and two."""

SPIKES = np.array([0.0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 0.96])
SPIKE_CHANCES = np.array([1.0, *[1 / 32] * 8])
"""The shares of devices that a spike may have, and how likely they are."""

SPIKE_WIDTH = 2.0**-20
"""How wide a spike is, as a share of the domain."""

LEAST_WEIGHT, HOPELESS = 1e-4, 30.0
"""The least weight of a hump that counts, and the misfit beyond the least that no count makes up.
"""

VAGUE_SHARE = 0.002
"""What is left of the belief that holds without any counts."""

SURE = 2.5
"""The standard errors by which a count must depart from humps to be believed instead."""


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
    lacking = 0.0
    if any(one.missing is not None for one in counts):
        lacking = prior.believing(counts).lacking
    counts = [_of_those_that_have_one(one, lacking) for one in counts]
    ends = prior.edges[[0, -1]]
    spike = _Spike.within(ends, counts)
    marks = [prior.edges, spike.edges, *(one.edges for one in counts)]
    edges = np.unique(np.concatenate(marks))
    mixed = _mixed(ends, believed.cut(2 * PEAKS)[1::2], spike, counts, edges)
    vague = np.diff(prior.below(edges))
    mixed = (1 - VAGUE_SHARE) * mixed + VAGUE_SHARE * vague / vague.sum()
    inside = (edges[1:] + edges[:-1]) / 2
    seen = []
    for one in counts:
        expected = one.holds(inside) @ mixed
        apart = one.shares - expected
        noise = SURE**2 * one.variance / np.maximum(apart**2, 1e-30)
        seen.append(one._replace(shares=expected + apart * np.maximum(1 - noise, 0.0)))
    found = Density(edges, np.maximum(mixed, LEAST_MASS)).believing(seen)
    return replace(found, lacking=lacking, spike_width=SPIKE_WIDTH * float(ends[1] - ends[0]))


def _mixed(
    ends: Floats, peaks: Floats, spike: _Spike, counts: Sequence[Counts], edges: Floats
) -> Floats:
    """Return the masses between edges of all humps, with a spike or none, as far as they fit."""
    humps, _ = _fitting(_humps(ends, peaks), ends, spike, counts, 2 * HOPELESS)
    humps = humps[:: 1 + len(humps) // MOST_HUMPS]
    humps = np.vstack([np.column_stack([humps[:, :3], np.full(len(humps), one)]) for one in TAILS])
    humps, misfits = _fitting(humps, ends, spike, counts, HOPELESS)
    chances = np.interp(humps[:, 3], TAILS, TAIL_CHANCES)
    weights = np.exp((misfits.min() - misfits) / 2) * SPIKE_CHANCES[:, None] * chances
    weights = weights / weights.sum()
    each = (1 - SPIKES) @ weights
    likely = each > LEAST_WEIGHT * each.max()
    masses = each[likely] @ np.diff(_below(edges, humps[likely], ends))
    masses *= each.sum() / each[likely].sum()
    inside = (edges[1:] + edges[:-1]) / 2
    held = (inside > spike.edges[0]) & (inside < spike.edges[1])
    masses = masses + float(SPIKES @ weights.sum(axis=1)) * held / max(held.sum(), 1)
    return np.asarray(masses / masses.sum(), np.float64)


def _fitting(
    humps: Floats, ends: Floats, spike: _Spike, counts: Sequence[Counts], hopeless: float
) -> tuple[Floats, Floats]:
    """Return the humps that may fit, and by how much they miss the counts, by share of a spike."""
    misfits = np.zeros((len(SPIKES), len(humps)))
    for one in counts:
        shares = np.diff(_below(one.edges, humps, ends))
        missed, moved = shares - one.shares, one.holds(spike.at)[:, 0] - shares
        level, slope, curve = (
            np.sum(product / one.variance, axis=1)
            for product in (missed**2, missed * moved, moved**2)
        )
        misfits += level + 2 * SPIKES[:, None] * slope + SPIKES[:, None] ** 2 * curve
        likely = misfits.min(axis=0) < misfits.min() + hopeless
        humps, misfits = humps[likely], misfits[:, likely]
    return humps, misfits


class _Spike(NamedTuple):
    """Where a spike may be, and the bin that it is."""

    at: Floats
    edges: Floats

    @classmethod
    def within(cls, ends: Floats, counts: Sequence[Counts]) -> _Spike:
        """Return the likeliest one: where the fullest bins of all counts meet.

        It is at zero, or at the end that is nearest to it, if that is there.
        """
        low, high = ends.tolist()
        width, likely = SPIKE_WIDTH * (high - low), min(max(0.0, low), high)
        for one in counts:
            fullest = int(np.argmax(one.shares))
            left, right = one.edges[fullest : fullest + 2].tolist()
            if left < high and right > low:
                low, high = max(low, left), min(high, right)
        if not low <= likely <= high:
            return cls(np.array([(low + high) / 2]), np.array([low, high]))
        edges = [likely - width, likely] if likely == ends[1] else [likely, likely + width]
        return cls(np.array([likely]), np.array(edges))


def _of_those_that_have_one(counts: Counts, lacking: float) -> Counts:
    """Return the counts of the devices that have the number, if this share of them lacks it."""
    if counts.missing is None or not lacking:
        return counts._replace(missing=None)
    stand_ins = lacking * counts.holds(np.array([counts.missing]))[:, 0]
    left = 1 - lacking
    return Counts(counts.edges, (counts.shares - stand_ins) / left, counts.variance / left**2)


def _humps(ends: Floats, peaks: Floats) -> Floats:
    """Return humps with these peaks between two ends: a peak, the scales on both sides, a tail.

    >>> _humps(np.array([0.0, 1.0]), np.array([0.3]))[0].tolist()
    [0.3, 0.25, 0.25, 0.25]
    """
    width = float(ends[1] - ends[0])
    sides = [(width * a, width * b, TAILS[1]) for a, b in _PAIRS]
    return np.column_stack([np.repeat(peaks, len(sides)), np.tile(sides, (len(peaks), 1))])


def _below(edges: Floats, humps: Floats, ends: Floats) -> Floats:
    """Return the share of each hump, cut off at both ends, that is below each edge.

    >>> low_and_high = np.array([0.0, 1.0])
    >>> _below(np.array([0.0, 0.3, 1.0]), np.array([[0.3, 0.01, 0.02, 0.0]]), low_and_high).round(3)
    array([[0.   , 0.333, 1.   ]])
    """
    peaks, left, right, tail = humps.T[:, :, None]
    away = np.concatenate([ends, edges]) - peaks
    lower = away < 0
    away = away / np.where(lower, left, right)
    slower = np.maximum(tail, 1e-9)
    away = np.where(tail > 0, np.arcsinh(slower * away) / slower, away)
    logistic = 1 / (1 + np.exp(-np.clip(away, -40, 40)))
    share = left / (left + right)
    below = np.where(lower, 2 * share * logistic, share + (1 - share) * (2 * logistic - 1))
    low, high = below[:, :1], below[:, 1:2]
    shares: Floats = (below[:, 2:] - low) / np.maximum(high - low, LEAST_MASS)
    return shares
