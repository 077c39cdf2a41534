"""Shrinkage: an estimate with its error, and the prior that it is weighed against."""

from __future__ import annotations

import math


def posterior_mean(estimate: float, error: float, prior_mean: float, prior_std: float) -> float:
    """Return the posterior mean of a number with a normal prior, from a noisy estimate of it.

    >>> (posterior_mean(3.0, 0.0, 1.0, 0.5), posterior_mean(3.0, 0.5, 1.0, 0.5),
    ...  posterior_mean(3.0, math.inf, 1.0, 0.5))
    (3.0, 2.0, 1.0)
    """
    if not math.isfinite(error):
        return prior_mean
    weight = prior_std**2 / (prior_std**2 + error**2)
    return prior_mean + weight * (estimate - prior_mean)
