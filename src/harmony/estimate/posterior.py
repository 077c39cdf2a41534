"""Frequencies of many values by empirical Bayes: what is learnt from all of them about each."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .sampling import Sampling

CANDIDATES = 160
ITERATIONS = 200

STEPS = 16
"""Steps in a standard error to which estimates are rounded: many values then share the work."""


def posterior_means(sampling: Sampling) -> Floats:
    """Return the posterior mean of each frequency, scaled to add up to one.

    The prior is the distribution of true frequencies under which the estimates are most likely
    (Kiefer and Wolfowitz 1956), found by EM over candidates from zero to the largest.

    >>> from harmony.estimate.sampling import KnownSampling
    >>> few = np.r_[[0.5, 0.3], np.full(98, 0.002) + 0.01 * (-1) ** np.arange(98)]
    >>> means = posterior_means(KnownSampling(few, np.full(100, 1e-4)))
    >>> means[:2].round(2).tolist(), round(float(np.ptp(means[2:])), 3)
    ([0.51, 0.31], 0.001)
    """
    error = float(np.sqrt(np.median(sampling.variance)))
    rounded = np.round(sampling.estimates * STEPS / error)
    places, which, counts = np.unique(rounded, return_inverse=True, return_counts=True)
    seen = places * error / STEPS
    largest = max(float(seen.max()), error)
    truths = np.r_[0.0, np.geomspace(min(0.02 * error, largest / 2), largest, CANDIDATES - 1)]
    spread = np.sqrt(_variance_at(sampling, truths))
    chances = np.exp(-(((seen[:, None] - truths) / spread) ** 2) / 2) / spread
    chances = np.maximum(chances, 1e-300)
    prior = np.full(CANDIDATES, 1 / CANDIDATES)
    for _ in range(ITERATIONS):
        prior *= (counts / (chances @ prior)) @ chances / counts.sum()
    weighed = chances * prior
    means: Floats = (weighed @ truths / weighed.sum(axis=1))[which]
    return np.asarray(means / means.sum())


def _variance_at(sampling: Sampling, truths: Floats) -> Floats:
    """Return the variance of the estimate of a value that is so frequent, for each candidate."""
    if sampling.uniform:
        return sampling.cumulants(truths)[0]
    everywhere = np.repeat(truths[:, None], len(sampling.estimates), axis=1)
    return np.asarray(np.median(sampling.cumulants(everywhere)[0], axis=1))
