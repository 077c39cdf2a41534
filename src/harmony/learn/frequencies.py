"""How frequent values are, from few answers: what all values of a feature tell about each.

The weight of a value is its gradient divided by its frequency.  Few devices are asked for those,
so of many values most are lost in the noise; and if one is thought to be rarer than it is, its
weight is too large by as much.  Shrinking all frequencies alike would do that to those that stand
out.  So how frequencies are distributed is learned from all of them (empirical Bayes): a few large
ones and a long tail, as often as not.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats

MOST_VALUES = 512
"""Up to so many, values are counted and told apart well enough by gradients alone."""

RATIO = 1.25
"""Of each frequency that is thought of to the one before; the priors around them overlap."""

IMAGINED = 2.0
"""Values beside those that there are, for which all these are as likely as one another."""

ITERATIONS = 60


class Frequencies(NamedTuple):
    """What is believed of how frequent a feature's values are."""

    means: Floats
    """Posterior means, which add up to one."""
    divisors: Floats
    """What to divide gradients by to make weights of them."""

    @classmethod
    def of(cls, estimates: Floats, variance: Floats) -> Frequencies:
        """Return what is believed after these estimates, with noise of these variances.

        With p the frequency of a value, w its weight and g = p w the gradient, the factor h for
        which p (w - h g)^2 is least on average is E[p^2] / E[p^3]: a divisor that is too large
        costs less than one that is too small.

        >>> noise = 0.02 * np.random.default_rng(1).normal(size=600)
        >>> told = np.r_[0.4, 0.2, np.full(598, 0.4 / 598)] + noise
        >>> Frequencies.of(told, np.full(600, 0.02**2)).divisors[:3].round(2).tolist()
        [0.41, 0.22, 0.01]
        >>> shrink_frequencies(told, np.full(600, 0.02**2))[:3].round(2).tolist()
        [0.07, 0.04, 0.0]
        """
        shrunk = shrink_frequencies(estimates, variance)
        noise = float(np.mean(variance))
        if len(estimates) <= MOST_VALUES or not math.isfinite(noise):
            return cls(shrunk, shrunk)
        places = _places(estimates, noise)
        spreads = ((RATIO - 1) * places) ** 2
        total = spreads + noise
        logarithms = -((estimates[:, None] - places) ** 2) / total / 2 - np.log(total) / 2
        likelihoods = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
        proportions = np.full(len(places), 1 / len(places))
        for _ in range(ITERATIONS):
            responsibilities = likelihoods * proportions
            responsibilities /= responsibilities.sum(axis=1, keepdims=True)
            proportions = responsibilities.sum(axis=0) + IMAGINED / len(places)
            proportions /= proportions.sum()
        means = (places * noise + estimates[:, None] * spreads) / total
        variances = spreads * noise / total
        first = (responsibilities * means).sum(axis=1)
        second = (responsibilities * (means**2 + variances)).sum(axis=1)
        third = (responsibilities * (means**3 + 3 * means * variances)).sum(axis=1)
        first = np.maximum(first, 1e-9)
        return cls(first / first.sum(), np.minimum(np.maximum(third / second, first), 0.99))


def _places(estimates: Floats, noise: float) -> Floats:
    """Return frequencies from next to nothing to the greatest that these may be estimates of."""
    error, equal = math.sqrt(noise), 1 / len(estimates)
    least = min(error, equal) / 10
    most = max(float(estimates.max()) + error, equal)
    count = math.ceil(math.log(most / least) / math.log(RATIO)) + 1
    return np.asarray(np.geomspace(least, most, count))


def shrink_frequencies(estimates: Floats, variance: Floats) -> Floats:
    """Shrink estimated frequencies towards equal ones, by their noise; keep all above zero.

    >>> shrink_frequencies(np.array([0.7, 0.2, 0.1]), np.full(3, 1e-9)).round(2).tolist()
    [0.7, 0.2, 0.1]
    >>> shrink_frequencies(np.array([0.7, 0.2, 0.1]), np.full(3, np.inf)).round(2).tolist()
    [0.33, 0.33, 0.33]
    """
    count = len(estimates)
    equal = 1 / count
    noise = float(np.mean(variance))
    if not math.isfinite(noise):
        return np.full(count, equal)
    signal = max(0.0, float(np.mean((estimates - equal) ** 2)) - noise)
    shrunk = equal + (estimates - equal) * (signal / (signal + noise) if signal else 0.0)
    shrunk = np.maximum(shrunk, equal / 10)
    frequencies: Floats = shrunk / shrunk.sum()
    return frequencies
