"""Densities: what is believed so far about where a number lies.

A public domain may be a thousand times wider than the values in it, or end in a long tail, or
hold a spike.  So nothing is taken for granted: the domain is cut into bins that are equally likely
as far as is known, devices are asked for theirs, and the belief takes that in.  Then it is cut
again: where there is much, more finely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import Floats

OCTAVES = 14
"""How often the distance to an end is halved in a vague belief: down to 1/16,384 of the domain."""

EVEN_SHARE = 1 / 3
"""The share of a vague belief that is even over the domain; the rest is nearer to its ends."""

LACKING, LEAST_LACKING = 0.02, 0.1
"""The share of devices that are thought to lack a number before anyone is asked, and the one from
which on that is looked at: fewer may be noise, or a spike, and hardly move anything."""

LACKING_ERRORS = 4.0
"""... in standard errors of a share, if that is more."""

LEAST_SPIKE = 0.1
"""The share of devices from which on a spike counts."""

LEAST_MASS = 1e-15
NEWTON_STEPS = 60


class Counts(NamedTuple):
    """Shares of devices in the bins between `edges`, and the variance that noise gives each.

    The first and the last bin hold whatever lies beyond them, too.
    """

    edges: Floats
    shares: Floats
    variance: Floats
    missing: float | None = None
    """What a missing number has counted as, if there may be any."""

    def holds(self, numbers: Floats) -> Floats:
        """Return a row for each bin: 1 where it holds the number, and 0 elsewhere."""
        places = np.searchsorted(self.edges[1:-1], numbers, "right")
        return np.asarray(places == np.arange(len(self.shares))[:, None], np.float64)


@dataclass(frozen=True, eq=False)
class Density:
    """A belief that is even between edges: `masses` has the share of devices in each bin.

    A further share of the devices, `lacking`, has no such number.

    >>> even = Density.even(0.0, 8.0)
    >>> even.cut(4).tolist(), even.quantile(0.25)
    ([0.0, 2.0, 4.0, 6.0, 8.0], 2.0)
    """

    edges: Floats
    masses: Floats
    lacking: float = 0.0
    spike_width: float = 0.0
    """Bins that are no wider hold a spike: nothing cuts them."""

    @classmethod
    def even(cls, low: float, high: float) -> Density:
        """Return the belief that nothing is likelier than anything else."""
        return cls(np.array([low, high]), np.ones(1))

    @classmethod
    def vague(cls, low: float, high: float) -> Density:
        """Return the belief that any scale is as likely as any other: near the ends, and zero.

        >>> vague = Density.vague(0, 1000)
        >>> [round(float(edge), 1) for edge in vague.cut(6)]
        [0.0, 0.8, 25.1, 214.6, 548.7, 902.4, 1000.0]
        """
        width = high - low
        anchors = {low: 3.0, high: 1.0}
        if low < 0 < high:
            anchors = {low: 1.0, 0.0: 3.0, high: 1.0}
        distances = width * 0.5 ** np.arange(1, OCTAVES + 1)
        marks = [np.linspace(low, high, 9), np.array(list(anchors))]
        marks += [anchor + sign * distances for anchor in anchors for sign in (-1, 1)]
        edges = np.unique(np.concatenate(marks))
        edges = edges[(edges >= low) & (edges <= high)]
        widths, middles = np.diff(edges), (edges[1:] + edges[:-1]) / 2
        masses = EVEN_SHARE * widths / width
        total = sum(anchors.values())
        for anchor, weight in anchors.items():
            near = widths / np.maximum(np.abs(middles - anchor), distances[-1])
            masses = masses + (1 - EVEN_SHARE) * weight / total * near / near.sum()
        return cls(edges, masses)

    @property
    def _cumulative(self) -> Floats:
        cumulative = np.append(0.0, np.cumsum(self.masses))
        return np.asarray(cumulative / cumulative[-1])

    def below(self, at: Floats) -> Floats:
        """Return the share of devices whose number is below each of these."""
        return np.interp(at, self.edges, self._cumulative)

    def quantile(self, share: float) -> float:
        """Return the number that this share of devices is below."""
        return float(np.interp(share, self._cumulative, self.edges))

    @property
    def spike(self) -> int | None:
        """The place of the bin that is a spike, if there is one that counts."""
        if not self.spike_width:
            return None
        narrow = np.diff(self.edges) <= (1 + 1e-6) * self.spike_width
        place = int(np.argmax(self.masses * narrow))
        large = self.masses[place] >= LEAST_SPIKE * self.masses.sum()
        return place if narrow[place] and large else None

    @property
    def others(self) -> Density:
        """The belief about all devices that are not in the spike."""
        if (place := self.spike) is None:
            return self
        masses = self.masses.copy()
        masses[place] = LEAST_MASS
        return Density(self.edges, masses)

    def cut(self, bins: int) -> Floats:
        """Return the edges of so many equally likely bins (fewer, were they too narrow).

        A spike has a bin of its own, and the others are cut into equally likely ones.

        >>> spiked = Density(np.array([0.0, 1e-6, 9.0]), np.array([0.8, 0.2]), spike_width=1e-6)
        >>> spiked.cut(4).round(2).tolist()
        [0.0, 0.0, 3.0, 6.0, 9.0]
        """
        if (place := self.spike) is not None:
            others = self.others.cut(bins - 1)
            return np.unique(np.concatenate([others, self.edges[place : place + 2]]))
        edges = np.interp(np.linspace(0, 1, bins + 1), self._cumulative, self.edges)
        edges[0], edges[-1] = self.edges[0], self.edges[-1]
        least = 1e-9 * (edges[-1] - edges[0])
        apart = np.append(np.diff(edges) > least, True)
        apart[0] = True
        return np.unique(edges[apart])

    def spread(self) -> Density:
        """Return the belief by which bins suit a quantisation: wider, but tails keep some.

        Of all ways to cut a density into many bins, the error within bins is least if their edges
        are equally likely under its third root.
        """
        widths = np.diff(self.edges)
        return Density(self.edges, widths * (self.masses / widths) ** (1 / 3))

    def within(self, low: float, high: float) -> Density:
        """Return the belief once numbers are moved into [low, high]."""
        inside = self.edges[(self.edges > low) & (self.edges < high)]
        edges = np.concatenate([[low], inside, [high]])
        cumulative = self.below(edges)
        cumulative[0], cumulative[-1] = 0.0, 1.0
        masses = np.maximum(np.diff(cumulative), LEAST_MASS)
        return Density(edges, masses, self.lacking, self.spike_width)

    def believing(self, counts: Sequence[Counts]) -> Density:
        """Return the belief once devices have told in which bins their numbers lie.

        Of all densities it is the one for which the squares of what the counts miss, by their
        noise, and the divergence from this belief add up to least.  That is a convex problem with
        one unknown for each bin that was counted, and Newton's method solves it.  Devices that lack
        the number are one more bin, which is elsewhere in every count.

        >>> counts = Counts(np.array([0.0, 2.0, 8.0]), np.array([0.5, 0.5]), np.full(2, 1e-9))
        >>> Density.even(0.0, 8.0).believing([counts]).cut(4).round(3).tolist()
        [0.0, 1.0, 2.0, 5.0, 8.0]
        """
        if not counts:
            return self
        everywhere = np.unique(np.concatenate([self.edges, *(one.edges for one in counts)]))
        prior = np.maximum(np.diff(self.below(everywhere)), LEAST_MASS)
        prior /= prior.sum()
        inside = (everywhere[1:] + everywhere[:-1]) / 2
        if any(one.missing is not None for one in counts):
            prior = np.append((1 - LACKING) * prior, LACKING)
        at = [inside if one.missing is None else np.append(inside, one.missing) for one in counts]
        holds = np.concatenate([one.holds(here) for one, here in zip(counts, at, strict=True)])
        shares = np.concatenate([one.shares for one in counts])
        noise = np.concatenate([one.variance for one in counts])
        masses = _least_surprising(prior, holds, shares, noise)
        lacking = float(masses[len(inside) :].sum())
        size = sum(1 / float(np.mean(one.variance)) for one in counts)
        if 0 < lacking < max(LEAST_LACKING, LACKING_ERRORS / math.sqrt(size)):
            return self.believing([one._replace(missing=None) for one in counts])
        return Density(everywhere, masses[: len(inside)], lacking)

    def moved(self, middle: float, half: float) -> Density:
        """Return the belief about (x - middle) / half, where this one is about x."""
        edges = (self.edges - middle) / half
        return Density(edges, self.masses, self.lacking, self.spike_width / half)

    def points(self, count: int, low: float, high: float) -> Floats:
        """Return so many numbers, equally likely, moved into [low, high].

        A device that lacks the number counts as the mean of the others.
        """
        there = max(round(count * (1 - self.lacking)), 1)
        shares = (np.arange(there) + 0.5) / there
        points = np.clip(np.interp(shares, self._cumulative, self.edges), low, high)
        return np.append(points, np.full(count - there, points.mean()))


def _least_surprising(prior: Floats, holds: Floats, shares: Floats, noise: Floats) -> Floats:
    """Return the masses near the prior of which each bin that `holds` some has about its share."""
    pull = np.zeros(len(shares))

    def gain(pull: Floats) -> tuple[float, Floats]:
        exponents = pull @ holds
        top = float(exponents.max())
        masses = prior * np.exp(exponents - top)
        total = float(masses.sum())
        dual = pull @ shares - pull @ (noise * pull) / 2 - top - math.log(total)
        return float(dual), masses / total

    best, masses = gain(pull)
    for _ in range(NEWTON_STEPS):
        held = holds @ masses
        slopes = shares - noise * pull - held
        hessian = np.diag(noise) + (holds * masses) @ holds.T - np.outer(held, held)
        move = np.linalg.solve(hessian + 1e-12 * np.eye(len(pull)), slopes)
        length = 1.0
        while (found := gain(pull + length * move))[0] < best and length > 1e-6:
            length /= 2
        if found[0] <= best:
            break
        pull, (best, masses) = pull + length * move, found
        if np.abs(slopes).max() < 1e-9:
            break
    return masses
