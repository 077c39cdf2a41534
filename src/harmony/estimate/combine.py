"""Combining the tiers of one attribute into one unbiased estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Counts, Floats
from ..mechanisms import Linear, Mechanism


@dataclass(frozen=True)
class Combined:
    """Estimates of one attribute over all tiers, in the mechanism's own units."""

    n: int
    estimates: Floats
    variance: Floats
    influence: float
    correlation: Floats | None


def combine(
    mechanisms: Sequence[Mechanism],
    cells: Sequence[Counts],
    tier_reports: Sequence[int],
    weighting: str,
    dishonest: float,
) -> Combined:
    """Weigh each tier's estimate and add them up.

    "precision" weighs by inverse variance.  The weights use the variance that each mechanism
    promises before any data is seen: weights that followed the data would bias the result.
    "devices" weighs by the number of devices, for when those who choose more privacy differ
    from the others in what they answer.
    """
    moments = [mechanism.moments(part) for mechanism, part in zip(mechanisms, cells, strict=True)]
    answered = np.array([one.n for one in moments], dtype=np.float64)
    size = len(moments[0].estimates)
    if not answered.sum():
        unknown = np.full(size, np.nan)
        return Combined(0, unknown, unknown + np.inf, np.inf, None)
    if weighting == "precision":
        weights = answered / np.array([one.expected_variance() for one in mechanisms])
    else:
        weights = np.where(answered > 0, np.array(tier_reports, dtype=np.float64), 0.0)
    weights /= weights.sum()
    reports = sum(tier_reports)
    used = [tier for tier, weight in enumerate(weights) if weight > 0]
    estimates = sum(weights[tier] * moments[tier].estimates for tier in used)
    variance = sum(weights[tier] ** 2 * moments[tier].variance(reports) for tier in used)
    return Combined(
        int(answered.sum()),
        np.asarray(estimates),
        np.asarray(variance),
        max(
            float(weights[tier])
            * min(1.0, dishonest * reports / tier_reports[tier])
            * _largest_deviation(mechanisms[tier], moments[tier].estimates)
            for tier in used
        ),
        _correlation(mechanisms, cells, weights),
    )


def _largest_deviation(mechanism: Mechanism, estimates: Floats) -> float:
    """How far one report can lie from the estimate: what each dishonest device can add."""
    return float(max(mechanism.highest - estimates.min(), estimates.max() - mechanism.lowest))


def _correlation(
    mechanisms: Sequence[Mechanism], cells: Sequence[Counts], weights: Floats
) -> Floats | None:
    """Correlation of the estimates of a small histogram, for simultaneous intervals."""
    total: Floats | None = None
    for mechanism, part, weight in zip(mechanisms, cells, weights, strict=True):
        if weight > 0:
            if not isinstance(mechanism, Linear):
                return None
            covariance = mechanism.covariance(part)
            if covariance is None:
                return None
            share = weight**2 * covariance / part.sum()
            total = share if total is None else total + share
    if total is None:
        return None
    scale = np.sqrt(np.maximum(np.diag(total), 1e-300))
    return np.asarray(total / np.outer(scale, scale))
