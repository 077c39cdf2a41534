"""Combining tiers and strata into one estimate of an attribute.

A stratum is a public group of devices whose share of the population is known; most surveys have
one.  Its tiers are weighed by their devices, or by their precision:

"devices" estimates the mean over the devices that reported, whoever chose which tier.
"precision" weighs by inverse variance, and is right if the tiers would answer alike.  The weights
use the variance that each mechanism promises before any data is seen: weights that followed the
data would bias the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Counts, Floats
from ..mechanisms import Grid, Linear, Mechanism
from .consistency import project_to_simplex
from .influence import Group, largest_influence
from .sampling import KnownSampling, MeanSampling, Sample, Sampling, ShareSampling, SumSampling
from .tiers import TierComparison, compare_tiers

WEIGHTINGS = ("devices", "precision")

COVARIANCE_VALUES = 64
"""Up to this many values, estimates come with their covariance."""


@dataclass(frozen=True)
class Stratum:
    """The counts of one group of devices: cells and reports for each tier."""

    cells: Sequence[Counts]
    tier_reports: Sequence[int]
    weight: float = 1.0

    @property
    def reports(self) -> int:
        return sum(self.tier_reports)


@dataclass(frozen=True)
class Combined:
    """Estimates of one attribute over all tiers and strata, in the mechanism's own units."""

    n: int
    sampling: Sampling
    influence: float = np.inf
    covariance: Floats | None = None
    tiers: TierComparison | None = None


@dataclass(frozen=True)
class _Part:
    """The answers of one tier of one stratum, and how much they count."""

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
    strata: Sequence[Stratum],
    weighting: str,
    dishonest: float,
) -> Combined:
    """Weigh each tier's estimate in each stratum, and add them up."""
    groups = [_parts(mechanisms, stratum, weighting) for stratum in strata]
    parts = [part for group in groups for part in group]
    n = sum(part.sample.answers for part in parts)
    if not all(groups):
        size = mechanisms[0].values if isinstance(mechanisms[0], Linear) else 1
        unknown = np.full(size, np.nan)
        return Combined(n, KnownSampling(unknown, unknown + np.inf))
    alike = weighting == "precision"
    sampling = _sum(
        [
            _sum([one.sampling for one in group], [one.weight for one in group], alike)
            for group in groups
        ],
        [stratum.weight for stratum in strata],
    )
    weights = [
        stratum.weight * part.weight
        for stratum, group in zip(strata, groups, strict=True)
        for part in group
    ]
    return Combined(
        n,
        sampling,
        largest_influence(
            [
                Group(part.reports, weight, part.sampling.estimates, _range(part.mechanism))
                for part, weight in zip(parts, weights, strict=True)
            ],
            dishonest * sum(stratum.reports for stratum in strata),
        ),
        _covariance(parts, weights, sampling.estimates),
        _tier_comparison(mechanisms, strata) if len(mechanisms) > 1 else None,
    )


def sampling_of(mechanism: Mechanism, cells: Counts, sample: Sample) -> Sampling:
    """Return how the estimates from one mechanism's counts scatter."""
    if isinstance(mechanism, Linear):
        return ShareSampling(mechanism.support_counts(cells), mechanism.p, mechanism.q, sample)
    assert isinstance(mechanism, Grid)
    moments, noise = mechanism.moments(cells), mechanism.noise_of(cells)
    spread = max(float(moments.total[0]) - noise, 0.0)
    return MeanSampling(float(moments.estimates[0]), mechanism.decoded, noise, spread, sample)


def _parts(mechanisms: Sequence[Mechanism], stratum: Stratum, weighting: str) -> list[_Part]:
    """Return the tiers that answered.

    The devices that a tier stands for are its share of the weight: then the finite-population
    parts add up to that of all tiers together.
    """
    answers = [int(cells.sum()) for cells in stratum.cells]
    if weighting == "precision":
        weights = [n / one.expected_variance() for n, one in zip(answers, mechanisms, strict=True)]
    else:
        weights = [
            float(reports) if n else 0.0
            for n, reports in zip(answers, stratum.tier_reports, strict=True)
        ]
    total = sum(weights)
    return [
        _Part(
            mechanism,
            cells,
            reports,
            Sample(n, stratum.reports * weight / total),
            weight / total,
        )
        for mechanism, cells, reports, n, weight in zip(
            mechanisms, stratum.cells, stratum.tier_reports, answers, weights, strict=True
        )
        if n
    ]


def _sum(parts: Sequence[Sampling], weights: Sequence[float], alike: bool = False) -> Sampling:
    if len(parts) == 1 and weights[0] == 1:
        return parts[0]
    return SumSampling(parts, weights, alike=alike)


def _range(mechanism: Mechanism) -> tuple[float, float]:
    return mechanism.lowest, mechanism.highest


def _covariance(
    parts: Sequence[_Part], weights: Sequence[float], estimates: Floats
) -> Floats | None:
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
    for part, weight in zip(parts, weights, strict=True):
        assert isinstance(part.mechanism, Linear)
        noise = part.mechanism.noise_covariance(shares)
        left = 1 - part.sample.asked
        total += weight**2 * (noise + left * spread) / part.sample.answers
    return total


def _tier_comparison(
    mechanisms: Sequence[Mechanism], strata: Sequence[Stratum]
) -> TierComparison | None:
    """Compare the tiers over all strata together."""
    whole = Stratum(
        [sum(cells[1:], cells[0]) for cells in zip(*(one.cells for one in strata), strict=True)],
        [sum(reports) for reports in zip(*(one.tier_reports for one in strata), strict=True)],
    )
    by_devices = _parts(mechanisms, whole, "devices")
    if len(by_devices) < 2:
        return None
    by_precision = _parts(mechanisms, whole, "precision")
    everywhere = [
        sampling_of(part.mechanism, part.cells, Sample(part.sample.answers, 1e15))
        for part in by_devices
    ]
    return compare_tiers(
        everywhere,
        SumSampling([one.sampling for one in by_devices], [one.weight for one in by_devices]),
        SumSampling(
            [one.sampling for one in by_precision],
            [one.weight for one in by_precision],
            alike=True,
        ),
    )
