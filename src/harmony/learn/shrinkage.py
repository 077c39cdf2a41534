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


SURPRISE, WIDER = 0.1, 12.0
"""How likely a number is far from what was expected, and how many times as far it then may be."""


def surprised_mean(estimate: float, error: float, prior_mean: float, prior_std: float) -> float:
    """Return the posterior mean where the prior may be wrong: most of it is normal, a little wide.

    >>> [round(surprised_mean(one, 0.5, 1.0, 0.25), 2) for one in (1.0, 1.5, 4.0)]
    [1.0, 1.11, 3.92]
    """
    if not math.isfinite(error):
        return prior_mean
    means, weights = [], []
    for share, std in ((1 - SURPRISE, prior_std), (SURPRISE, WIDER * prior_std)):
        variance = std**2 + error**2
        surprise = (estimate - prior_mean) ** 2 / variance
        means.append(posterior_mean(estimate, error, prior_mean, std))
        weights.append(math.log(share) - (surprise + math.log(variance)) / 2)
    most = max(weights)
    likely = [math.exp(weight - most) for weight in weights]
    total = sum(weight * mean for weight, mean in zip(likely, means, strict=True))
    return total / sum(likely)
