"""Intervals by inverting tests: the truths at which what was estimated would be no surprise.

Each candidate is judged with the error that estimates have *there* (score intervals; Wilson's is
the simplest).  Where counts are small the test adds up the chances of whatever is no likelier
than what was seen, on both sides (Blaker 2000), which wastes less than cutting off the same chance
on each side, and never covers too rarely.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ..arrays import Floats
from .intervals import check_confidence
from .sampling import Sampling
from .tails import opposite_tail, upper_tail

STRAIGHT, HALVINGS = 12, 24
"""Steps of a search: along straight lines at first, then by halves."""

CLOSE = 1e-4
"""Standard errors by which a limit may be off."""

SCAN = np.linspace(0.0, 1.0, 33)[:, None]
"""Candidates between the limit that is surely wide enough and the one that surely is not."""

COARSE = 12.0
"""Steps in a standard error above which an estimate is as good as dense."""

NODES = 513
"""Estimates at which limits are found where there are more: between them they are smooth."""


def score_interval(sampling: Sampling, confidence: float) -> tuple[Floats, Floats]:
    """Return (low, high) for each estimate: around the truth with this confidence.

    >>> from harmony.estimate.answers import ShareSampling
    >>> from harmony.estimate.sampling import Sample
    >>> from harmony.estimate.score import score_interval
    >>> asked = ShareSampling(np.array([0, 200]), 0.999, 0.0005, Sample(200, 200))
    >>> low, high = score_interval(asked, 0.95)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0062, 0.9983], [0.0023, 1.0079])
    """
    alpha = 1 - check_confidence(confidence)
    return (
        _limits(sampling, alpha, upwards=False, both_sides=True),
        _limits(sampling, alpha, upwards=True, both_sides=True),
    )


def score_bounds(sampling: Sampling, below: float, above: float) -> tuple[Floats, Floats]:
    """Return (low, high) such that the truth is below low, or above high, with these chances."""
    return (
        _limits(sampling, below, upwards=False, both_sides=False),
        _limits(sampling, above, upwards=True, both_sides=False),
    )


def surprise(sampling: Sampling, truth: Floats) -> Floats:
    """Return how likely estimates would be as far from these truths, on both sides: p-values."""
    chances = [
        _Search(sampling, sampling.estimates, sampling.step, upwards).chance(truth, both_sides=True)
        for upwards in (False, True)
    ]
    return np.minimum(np.where(sampling.estimates >= truth, *chances), 1.0)


def _limits(sampling: Sampling, alpha: float, *, upwards: bool, both_sides: bool) -> Floats:
    estimates = sampling.estimates
    if not sampling.uniform:
        search = _Search(sampling, estimates, sampling.step, upwards)
        return search.limits(alpha, both_sides)
    nodes, places = np.unique(estimates, return_inverse=True)
    step = float(sampling.step[0])
    between = len(nodes) > NODES and np.sqrt(sampling.variance.min()) > COARSE * step
    if between:
        nodes = np.linspace(nodes[0], nodes[-1], NODES)
    search = _Search(sampling, nodes, np.full(len(nodes), step), upwards)
    found = search.limits(alpha, both_sides)
    return np.interp(estimates, nodes, found) if between else found[places]


class _Search:
    """Looks for the last truth on one side of each estimate that the estimate does not refute."""

    def __init__(self, sampling: Sampling, estimates: Floats, step: Floats, upwards: bool) -> None:
        self._sampling, self._estimates, self._step = sampling, estimates, step
        self._sign = -1.0 if upwards else 1.0
        lowest, highest = sampling.extremes
        self._least = -highest if upwards else lowest

    def limits(self, alpha: float, both_sides: bool) -> Floats:
        if not both_sides:
            return self._where_tail_is(alpha)
        wide = self._where_tail_is(alpha / 2)
        error = np.sqrt(self._sampling.cumulants(wide)[0])
        if np.all(error > COARSE * self._step):
            return wide  # as good as dense: both sides hold the same chance
        narrow = self._where_tail_is(alpha)
        candidates = wide + (narrow - wide) * SCAN
        refuted = self.chance(candidates, both_sides=True) <= alpha
        refuted[-1] = False
        first = np.argmin(refuted, axis=0)  # the acceptable ones may have gaps: keep them all
        return np.asarray(candidates[np.maximum(first - 1, 0), np.arange(len(first))])

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

    def _where_tail_is(self, chance: float) -> Floats:
        """Return the truth at which what was estimated, or more, has this chance.

        In standard errors the tail is nearly linear in the truth, so a straight line between
        what is known finds it in a few steps; halving does where counts make it jump.
        """
        wanted = float(ndtri(chance))
        inner, outer = self._estimates, self._beyond(chance)
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

    def _beyond(self, chance: float) -> Floats:
        """Return truths that are certainly refuted: ever further away until all are."""
        reach = np.sqrt(self._sampling.cumulants(self._estimates)[0]) + self._step
        for _ in range(60):
            outer = self._estimates - self._sign * reach
            likely = self.chance(outer, both_sides=False) > chance
            if not likely.any():
                break
            reach = np.where(likely, 2 * reach, reach)
        return outer
