"""Chances: how likely it is that a prefix is one of something common, given all steps so far.

A place that stands out by z standard deviations is likelier to be common by a Bayes factor that
grows as e^(z^2 / 2); but there are many places.  A prefix passes its own chance on to how it
goes on, so one that was doubtful must stand out more in the next step, and one that is certain is
not made more certain.  What a prefix holds is used up by those of its extensions that stand out:
the next best one has the chance that what is left of the prefix is common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from ..arrays import Floats

MOST_DEVIATIONS = 12.0
"""How far something common may stand out, all distances up to it being as likely beforehand."""

EXPLAINED = 2.0
"""What is left of a prefix is nothing if it is below so many standard deviations."""

EXPLAINED_WEIGHT = 0.05
"""The weight of tests under a prefix of which nothing seems to be left."""


class Prefix(NamedTuple):
    """A kept prefix: its bits, its estimate with a standard deviation, and its log chance."""

    bits: str
    estimate: float
    deviation: float
    log_chance: float

    @property
    def chance(self) -> float:
        """The chance that it is the prefix of something common."""
        return math.exp(self.log_chance)


ROOT = Prefix("", 1.0, 0.0, 0.0)


def log_bayes_factor(z: Floats) -> Floats:
    """Return how much likelier z deviations are of something common than of nothing.

    >>> [round(float(one), 1) for one in log_bayes_factor(np.array([0.0, 3.0, 6.0]))]
    [-2.3, 2.9, 16.4]
    """
    return np.asarray(z * z / 2 + log_ndtr(z) + math.log(math.sqrt(2 * math.pi) / MOST_DEVIATIONS))


def log_chance(log_odds: Floats) -> Floats:
    """Return the logarithm of the chance that these odds are."""
    return np.asarray(-np.logaddexp(0.0, -log_odds))


class Standing(NamedTuple):
    """The places of a step that stand out, the best of each prefix first."""

    estimates: Floats
    chances: Floats
    """Of each place, before the step: that of what is left of its prefix."""
    log_odds: Floats
    explained: NDArray[np.bool_]
    """Of each prefix: whether its extensions explain all that it holds."""


def standing_odds(
    prefixes: Sequence[Prefix],
    prefix: NDArray[np.int64],
    estimates: Floats,
    deviation: float,
    bits: int,
    expected: float,
) -> Standing:
    """Return the odds of places that stand out, given their prefixes; places are sorted so.

    `expected` is how many common extensions a prefix is thought to have.
    """
    z = estimates / deviation
    mass = np.array([one.estimate for one in prefixes])
    spread = np.sqrt(np.array([one.deviation for one in prefixes]) ** 2 + deviation**2)
    own = np.array([one.log_chance for one in prefixes])
    prior = math.log(expected) - bits * math.log(2)
    is_likely = z > math.sqrt(2 * bits * math.log(2))
    taken = np.where(is_likely, estimates, 0.0)
    before = _sum_before(prefix, taken)
    left = (mass[prefix] - before) / spread[prefix]
    remaining = np.where(before > 0, log_chance(log_bayes_factor(left) + prior), 0.0)
    weights = np.minimum(own[prefix], remaining)
    log_odds = weights + prior + log_bayes_factor(z)
    whole = np.bincount(prefix, weights=taken, minlength=len(prefixes))
    explained = (whole > 0) & (mass - whole < EXPLAINED * spread)
    return Standing(estimates, np.exp(weights), log_odds, explained)


def _sum_before(groups: NDArray[np.int64], numbers: Floats) -> Floats:
    """Return for each number the sum of those before it in its group; groups are contiguous."""
    running = np.cumsum(numbers) - numbers
    starts = np.append(True, groups[1:] != groups[:-1]) if len(groups) else np.empty(0, np.bool_)
    first = np.maximum.accumulate(np.where(starts, np.arange(len(groups)), 0))
    return np.asarray(running - running[first])
