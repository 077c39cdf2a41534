"""Intervals by inverting tests: the truths at which what was estimated would be no surprise.

Each candidate is judged with the error that estimates have *there* (score intervals; Wilson's is
the simplest).  Where counts are small the test adds up the chances of whatever is no likelier
than what was seen, on both sides (Blaker 2000), which wastes less than cutting off the same chance
on each side, and never covers too rarely.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..arrays import Floats
from .misses import Limits, Misses
from .sampling import Sampling
from .stacked import stacked
from .tails import opposite_tail, upper_tail

STRAIGHT, HALVINGS = 12, 24
"""Steps of a search: along straight lines at first, then by halves."""

CLOSE = 1e-4
"""Standard errors by which a limit may be off."""

SCAN = np.linspace(0.0, 1.0, 33)[:, None, None]
"""Candidates between the limit that is surely wide enough and the one that surely is not."""

COARSE = 12.0
"""Steps in a standard error above which an estimate is as good as dense."""

NODES = 513
"""Estimates at which limits are found where there are more: between them they are smooth."""


MOST_TOGETHER = 1 << 14
"""Estimates that are searched together, so that memory has a bound."""


Wanted = tuple[Sampling, Misses]
"""Limits to be found."""


def score_interval(sampling: Sampling, confidence: float) -> Limits:
    """Return (low, high) for each estimate: around the truth with this confidence.

    >>> from harmony.estimate.answers import ShareSampling
    >>> from harmony.estimate.sampling import Sample
    >>> from harmony.estimate.score import score_interval
    >>> asked = ShareSampling(np.array([0, 200]), 0.999, 0.0005, Sample(200, 200))
    >>> low, high = score_interval(asked, 0.95)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0062, 0.9983], [0.0023, 1.0079])
    """
    return limits(sampling, Misses.of_interval(confidence))


def limits(sampling: Sampling, misses: Misses) -> Limits:
    """Return (low, high) for each estimate, which miss the truth this often; they are kept."""
    find_limits([(sampling, misses)])
    return sampling.known_limits[misses]


def find_limits(wanted: Iterable[Wanted]) -> None:
    """Find limits of many samplings in a few searches, so that they are known when asked for.

    A search takes as many steps for thousands of estimates as for one.
    """
    kinds: dict[Hashable, list[_AtNodes]] = {}
    for sampling, misses in dict.fromkeys(wanted):
        if misses not in sampling.known_limits:
            one = _AtNodes.of(sampling, misses)
            kinds.setdefault((misses.together, type(one.nodes)), []).append(one)
    for alike in kinds.values():
        for together in _at_most(MOST_TOGETHER, alike):
            sizes = [len(one.nodes.estimates) for one in together]
            search = _Search(stacked([one.nodes for one in together]), sizes)
            chances = np.repeat([one.misses[:2] for one in together], sizes, axis=0).T
            found = search.limits(chances, both_sides=together[0].misses.together)
            for one, ends in zip(together, np.split(found, np.cumsum(sizes)[:-1], 1), strict=True):
                one.keep(*ends)


def surprise(sampling: Sampling, truth: Floats) -> Floats:
    """Return how likely estimates would be as far from these truths, on both sides: p-values."""
    below, above = _Search(sampling, [len(truth)]).chance(truth, both_sides=True)
    return np.asarray(np.minimum(np.where(sampling.estimates >= truth, below, above), 1.0))


@dataclass(frozen=True)
class _AtNodes:
    """Limits to be found at `nodes`: the estimates, or fewer if all of them scatter alike."""

    sampling: Sampling
    misses: Misses
    nodes: Sampling
    places: NDArray[np.intp] | None
    """Which node each estimate is, unless they lie between nodes."""

    @classmethod
    def of(cls, sampling: Sampling, misses: Misses) -> _AtNodes:
        estimates = sampling.estimates
        if not sampling.uniform:
            return cls(sampling, misses, sampling, np.arange(len(estimates)))
        nodes, places = np.unique(estimates, return_inverse=True)
        dense = np.sqrt(sampling.variance.min()) > COARSE * float(sampling.step[0])
        if len(nodes) <= NODES or not dense:
            return cls(sampling, misses, sampling.at(nodes), places)
        nodes = np.linspace(nodes[0], nodes[-1], NODES)
        return cls(sampling, misses, sampling.at(nodes), None)

    def keep(self, low: Floats, high: Floats) -> None:
        """Keep what was found at the nodes, for the estimates."""
        if self.places is not None:
            ends = low[self.places], high[self.places]
        else:
            at, nodes = self.sampling.estimates, self.nodes.estimates
            ends = np.interp(at, nodes, low), np.interp(at, nodes, high)
        self.sampling.known_limits[self.misses] = ends


def _at_most(most: int, wanted: Sequence[_AtNodes]) -> Iterator[list[_AtNodes]]:
    """Cut into lists of so many estimates, or of one that has more by itself."""
    batch: list[_AtNodes] = []
    count = 0
    for one in wanted:
        size = len(one.nodes.estimates)
        if batch and count + size > most:
            yield batch
            batch, count = [], 0
        batch.append(one)
        count += size
    yield batch


class _Search:
    """Looks for the last truth on either side of each estimate that the estimate does not refute.

    Arrays have a row for the lower limits and one for the upper ones.  `sizes` says how many of
    the estimates belong together.
    """

    _sign = np.array([[1.0], [-1.0]])

    def __init__(self, sampling: Sampling, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._sampling, self._estimates, self._step = sampling, sampling.estimates, sampling.step
        lowest, highest = sampling.extremes
        self._least = np.stack(np.broadcast_arrays(lowest, np.negative(highest), self._step)[:2])

    def limits(self, chances: Floats, *, both_sides: bool) -> Floats:
        if not both_sides:
            return self._where_tail_is(chances)
        wide = self._where_tail_is(chances / 2)
        coarse = self._any(np.sqrt(self._sampling.cumulants(wide)[0]) <= COARSE * self._step)
        if not coarse.any():
            return wide  # as good as dense: both sides hold the same chance
        narrow = self._where_tail_is(chances)
        candidates = wide + (narrow - wide) * SCAN
        refuted = self.chance(candidates, both_sides=True) <= chances
        refuted[-1] = False
        first = np.argmin(refuted, axis=0)  # the acceptable ones may have gaps: keep them all
        found = np.take_along_axis(candidates, np.maximum(first - 1, 0)[None], axis=0)[0]
        return np.where(coarse, found, wide)

    def _any(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Say for each estimate whether a flag is set for any that it belongs to."""
        starts = np.cumsum([0, *self._sizes[:-1]])
        return np.repeat(np.logical_or.reduceat(flags, starts, axis=1), self._sizes, axis=1)

    def chance(self, truth: Floats, *, both_sides: bool) -> Floats:
        """How likely an estimate is as far from this truth, on its own side or on both."""
        variance, third, fourth = self._sampling.cumulants(truth)
        cumulants = variance, self._sign * third, fourth
        excess = self._sign * (self._estimates - truth)
        tail = upper_tail(excess, cumulants, self._step)
        if not both_sides:
            return tail
        least = self._least - self._sign * truth
        return tail + opposite_tail(tail, excess, cumulants, self._step, least)

    def _where_tail_is(self, chance: Floats) -> Floats:
        """Return the truths at which what was estimated, or more, has this chance.

        In standard errors the tail is nearly linear in the truth, so a straight line between
        what is known finds it in a few steps; halving does where counts make it jump.
        """
        wanted = ndtri(chance)
        outer = self._beyond(chance)
        inner = np.broadcast_to(self._estimates, outer.shape)
        above = self._deviate(inner) - wanted
        below = self._deviate(outer) - wanted
        for step in range(STRAIGHT + HALVINGS):
            if step < STRAIGHT:
                share = above / np.where(above > below, above - below, 1.0)
                middle = inner + np.clip(share, 0.01, 0.99) * (outer - inner)
            else:
                middle = (inner + outer) / 2
            found = self._deviate(middle) - wanted
            likely, done = found > 0, np.abs(found) < CLOSE
            # The end that stays counts half (the Illinois rule), or it would stay for good.
            above, below = np.where(likely, found, above / 2), np.where(likely, below / 2, found)
            inner = np.where(likely | done, middle, inner)
            outer = np.where(likely & ~done, outer, middle)
            if np.all(inner == outer):
                break
        return outer

    def _deviate(self, truth: Floats) -> Floats:
        """Return the tail as a normal deviate."""
        tail = self.chance(truth, both_sides=False)
        return np.asarray(ndtri(np.clip(tail, 1e-300, 1 - 1e-16)))

    def _beyond(self, chance: Floats) -> Floats:
        """Return truths that are certainly refuted: ever further away until all are."""
        reach = np.sqrt(self._sampling.cumulants(self._estimates)[0]) + self._step
        for _ in range(60):
            outer = self._estimates - self._sign * reach
            likely = self.chance(outer, both_sides=False) > chance
            if not likely.any():
                break
            reach = np.where(likely, 2 * reach, reach)
        return outer
