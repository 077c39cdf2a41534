"""Whether devices of different tiers answer alike, and what each way of weighing them costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .sampling import Sampling

ALARM = 1e-3
"""The p-value of a warning, over all attributes together: one in a thousand honest rounds."""


@dataclass(frozen=True)
class TierComparison:
    """What the tiers of one attribute say about each other.

    `p_value` is how likely tiers that answer alike would differ this much.  `by_devices` and
    `by_precision` are the largest standard errors of the attribute's estimates with either
    weighting: what it costs to be right also where tiers differ.
    """

    p_value: float
    by_devices: float
    by_precision: float

    def scaled(self, unit: float) -> TierComparison:
        """Return the same with standard errors in other units."""
        return TierComparison(self.p_value, unit * self.by_devices, unit * self.by_precision)


@dataclass(frozen=True)
class TierWarning:
    """An attribute that devices of different tiers answer differently."""

    attribute: str
    p_value: float
    weighting: str

    def __str__(self) -> str:
        differ = (
            f"{self.attribute}: devices of different tiers answer differently "
            f"(p = {self.p_value:.1g})"
        )
        if self.weighting == "devices":
            return f"{differ}; tiers are weighed by their devices, which is right all the same"
        return f"{differ}; weighing by precision is biased then: weigh by 'devices'"


def compare_tiers(
    tiers: Sequence[Sampling], by_devices: Sampling, by_precision: Sampling
) -> TierComparison:
    """Compare tiers; `tiers` say how each scatters as a sample of people like its own."""
    return TierComparison(
        _differ_by_chance(tiers, by_precision.likely),
        float(np.sqrt(by_devices.variance.max())),
        float(np.sqrt(by_precision.variance.max())),
    )


def _differ_by_chance(tiers: Sequence[Sampling], together: Floats) -> float:
    """Return the p-value of Cochran's Q, corrected for the number of values.

    Variances are those that the tiers would have if all of them were as `together` says.
    """
    from scipy.special import chdtrc

    variances = np.stack([tier.cumulants(together)[0] for tier in tiers])
    estimates = np.stack([tier.estimates for tier in tiers])
    precision = 1 / variances
    middle = (precision * estimates).sum(axis=0) / precision.sum(axis=0)
    q = (precision * (estimates - middle) ** 2).sum(axis=0)
    least = float(chdtrc(len(tiers) - 1, q).min())
    return min(1.0, max(len(q) - 1, 1) * least)
