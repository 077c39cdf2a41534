"""Weighting to a population: estimates of strata, in the shares that these are known to have.

Who takes part is not who the population is.  If strata (an app's version, a country: known to the
server, never asked) have known shares, each is estimated by itself and counts by its share
(post-stratification).  The devices of a stratum stand for all of it, so the difference between
devices counts in full.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ..errors import HarmonyError
from ..near_names import did_you_mean
from ..tally import Tally
from .combine import Combined
from .influence import fill_groups
from .sampling import KnownSampling
from .sums import SumSampling


def check_strata(strata: object, population: object) -> tuple[list[Tally], list[float]]:
    """Return the strata's tallies and shares, or refuse them."""
    if not isinstance(strata, Mapping) or not all(
        isinstance(one, Tally) for one in strata.values()
    ):
        raise HarmonyError(
            "with 'population', give a mapping of strata to their tallies: "
            'survey.estimate({"2.0": tally, ...}, population={"2.0": 0.7, ...})'
        )
    if not isinstance(population, Mapping) or not population:
        raise HarmonyError("'population' must be a mapping of strata to their shares")
    for name in population:
        if name not in strata:
            near = did_you_mean(str(name), [str(one) for one in strata])
            raise HarmonyError(f"'population': there is no tally of {name!r}{near}")
    for name, tally in strata.items():
        if name not in population:
            raise HarmonyError(f"'population' lacks the share of {name!r}")
        share = population[name]
        number = isinstance(share, int | float) and not isinstance(share, bool)
        if not number or not 0 <= share <= 1:
            raise HarmonyError(f"'population': the share of {name!r} must lie between 0 and 1")
        if not tally.reports:
            raise HarmonyError(f"nobody of {name!r} reported: join it with another stratum")
    if abs(math.fsum(population.values()) - 1) > 1e-6:
        raise HarmonyError("'population': the shares must add up to 1")
    return list(strata.values()), [float(population[name]) for name in strata]


def combine_strata(
    strata: Sequence[Combined], shares: Sequence[float], reports: Sequence[int], dishonest: float
) -> Combined:
    """Add up the estimates of strata, each by its share."""
    if not all(one.n for one in strata):
        unknown = np.full(len(strata[0].sampling.estimates), np.nan)
        return Combined(0, KnownSampling(unknown, unknown + np.inf))
    parts = [
        share**2 * one.covariance
        for share, one in zip(shares, strata, strict=True)
        if one.covariance is not None
    ]
    influence = 0.0
    if dishonest:
        sizes = np.array(reports, np.float64)
        alone = np.array([one.influence for one in strata]) / (dishonest * sizes)
        each = (np.array(shares) * alone)[:, None]
        influence = float(fill_groups(each, sizes, dishonest * sizes.sum())[0])
    return Combined(
        sum(one.n for one in strata),
        SumSampling([one.sampling for one in strata], shares),
        influence,
        np.sum(parts, axis=0) if len(parts) == len(strata) else None,
    )
