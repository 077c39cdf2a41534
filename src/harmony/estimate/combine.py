"""Combining the tiers of one attribute into one estimate.

"devices" weighs tiers by the number of their devices: it estimates the mean over the devices that
reported, whoever chose which tier.  "precision" weighs by inverse variance, and is right if the
tiers would answer alike.  Its weights use the variance that each mechanism promises before any
data is seen: weights that followed the data would bias the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Counts, Floats
from ..mechanisms import Grid, Linear, Mechanism
from .answers import MeanSampling, ShareSampling
from .common import Alike
from .consistency import project_to_simplex
from .influence import Group, largest_influence
from .rounding import likely_points
from .sampling import EVERYONE, KnownSampling, Sample, Sampling
from .sums import SumSampling
from .tiers import TierComparison, compare_tiers

WEIGHTINGS = ("devices", "precision")

COVARIANCE_VALUES = 64
"""Up to this many values, estimates come with their covariance."""


@dataclass(frozen=True)
class Combined:
    """Estimates of one attribute over all tiers, in the mechanism's own units."""

    n: int
    sampling: Sampling
    influence: float = np.inf
    covariance: Floats | None = None
    tiers: TierComparison | None = None
    spread: Floats | None = None
    """The variance between devices, roughly."""
    alike: Alike | None = None
    """What other rounds may have in common with these."""


@dataclass(frozen=True)
class Part:
    """The answers of one tier, and how much they count."""

    mechanism: Mechanism
    cells: Counts
    reports: int
    sample: Sample
    weight: float
    sampling: Sampling = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sampling", sampling_of(self.mechanism, self.cells, self.sample))


def combine(
    mechanisms: Sequence[Mechanism],
    cells: Sequence[Counts],
    tier_reports: Sequence[int],
    weighting: str,
    dishonest: float,
    devices: float | None = None,
) -> Combined:
    """Weigh each tier's estimate, and add them up.

    What is estimated is about `devices`: those that reported unless more are given, of which
    they are a sample.
    """
    parts = tier_parts(mechanisms, cells, tier_reports, weighting, devices)
    if not parts:
        size = mechanisms[0].values if isinstance(mechanisms[0], Linear) else 1
        unknown = np.full(size, np.nan)
        return Combined(0, KnownSampling(unknown, unknown + np.inf))
    sampling = _together(parts, alike=weighting == "precision")
    groups = [
        Group(part.reports, part.weight, part.sampling.estimates, _range(part.mechanism))
        for part in parts
    ]
    return Combined(
        sum(part.sample.answers for part in parts),
        sampling,
        largest_influence(groups, dishonest * sum(tier_reports)),
        _covariance(parts, sampling.estimates),
        _compare(mechanisms, cells, tier_reports) if len(parts) > 1 else None,
        np.sum([part.weight * part.sampling.spread for part in parts], axis=0),
    )


def sampling_of(mechanism: Mechanism, cells: Counts, sample: Sample) -> Sampling:
    """Return how the estimates from one mechanism's counts scatter."""
    if isinstance(mechanism, Linear):
        return ShareSampling(mechanism.support_counts(cells), mechanism.p, mechanism.q, sample)
    assert isinstance(mechanism, Grid)
    moments, noise = mechanism.moments(cells), mechanism.noise_of(cells)
    spread = max(float(moments.total[0]) - noise, 0.0)
    points = likely_points(mechanism, cells)
    estimate = float(moments.estimates[0])
    return MeanSampling(estimate, mechanism.decoded, points, noise, spread, sample)


def tier_parts(
    mechanisms: Sequence[Mechanism],
    cells: Sequence[Counts],
    tier_reports: Sequence[int],
    weighting: str,
    devices: float | None = None,
) -> list[Part]:
    """Return the tiers that answered.

    The devices that a tier stands for are its share of the weight: then the finite-population
    parts add up to that of all tiers together.
    """
    answers = [int(part.sum()) for part in cells]
    if weighting == "precision":
        weights = [n / one.expected_variance() for n, one in zip(answers, mechanisms, strict=True)]
    else:
        weights = [
            float(reports) if n else 0.0 for n, reports in zip(answers, tier_reports, strict=True)
        ]
    total, devices = sum(weights), devices or sum(tier_reports)
    return [
        Part(mechanism, part, reports, Sample(n, devices * weight / total), weight / total)
        for mechanism, part, reports, n, weight in zip(
            mechanisms, cells, tier_reports, answers, weights, strict=True
        )
        if n
    ]


def _together(parts: Sequence[Part], *, alike: bool) -> Sampling:
    if len(parts) == 1:
        return parts[0].sampling
    return SumSampling(
        [part.sampling for part in parts], [part.weight for part in parts], alike=alike
    )


def _range(mechanism: Mechanism) -> tuple[float, float]:
    return mechanism.lowest, mechanism.highest


def _covariance(parts: Sequence[Part], estimates: Floats) -> Floats | None:
    """Return the covariance of the estimates of a small histogram, for what needs several.

    It is worked out from the histogram, half an answer more for each value, not from the cells: at
    large epsilon nearly all of those are empty.
    """
    if not isinstance(parts[0].mechanism, Linear) or len(estimates) > COVARIANCE_VALUES:
        return None
    n, k = sum(part.sample.answers for part in parts), len(estimates)
    shares = (project_to_simplex(estimates) * n + 0.5) / (n + 0.5 * k)
    spread = np.diag(shares) - np.outer(shares, shares)
    total = np.zeros((k, k))
    for part in parts:
        assert isinstance(part.mechanism, Linear)
        noise = part.mechanism.noise_covariance(shares)
        left = 1 - part.sample.asked
        total += part.weight**2 * (noise + left * spread) / part.sample.answers
    return total


def _compare(
    mechanisms: Sequence[Mechanism], cells: Sequence[Counts], tier_reports: Sequence[int]
) -> TierComparison:
    by_devices = tier_parts(mechanisms, cells, tier_reports, "devices")
    by_precision = tier_parts(mechanisms, cells, tier_reports, "precision")
    like_their_own = [
        sampling_of(part.mechanism, part.cells, Sample(part.sample.answers, EVERYONE))
        for part in by_devices
    ]
    return compare_tiers(
        like_their_own, _together(by_devices, alike=False), _together(by_precision, alike=True)
    )
