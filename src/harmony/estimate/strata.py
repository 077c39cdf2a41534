"""Weighting to a population: estimates of strata, in the shares that these are known to have.

Who takes part is not who the population is.  If strata (an app's version, a country: known to the
server, never asked) have known shares, each is estimated by itself and counts by its share
(post-stratification).  The devices of a stratum stand for all of it, so the difference between
devices counts in full.  What several attributes tell of together is a weighted sum over strata as
well: each stratum is a source by itself, with its own frequencies and its own errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from ..arrays import Floats
from ..errors import HarmonyError
from ..near_names import did_you_mean
from ..tally import Tally
from .combine import Combined, tier_parts
from .consistency import project_to_simplex
from .influence import fill_groups
from .sampling import KnownSampling
from .sources import Source, smoothed
from .sums import SumSampling
from .together import Answers


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
        number = isinstance(share, Real) and not isinstance(share, bool)
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


@dataclass(frozen=True, eq=False)
class WeightedSource(Source):
    """One attribute's frequencies in a population, of which the strata have known shares."""

    strata: Sequence[tuple[float, Source]] = ()

    @classmethod
    def of(cls, strata: Sequence[tuple[float, Source]], reports: Sequence[int]) -> WeightedSource:
        """Add up strata by their shares; if one has no answers, nothing is known of the whole."""
        size = strata[0][1].size
        if not all(one.parts for _, one in strata):
            return cls(size, ())
        parts = [
            replace(part, weight=share * part.weight) for share, one in strata for part in one.parts
        ]
        pairs = zip(strata, reports, strict=True)
        redrawn = math.fsum(share**2 / devices for (share, _), devices in pairs)
        return cls(size, parts, redrawn=redrawn, strata=strata)

    def scatter(self, weights: Floats, shares: Floats, overlap: float) -> Floats:
        """Return the covariance of weighted sums: each stratum's, with its own frequencies."""
        total = np.zeros((len(weights), len(weights)))
        for share, one in self.strata:
            own = smoothed(project_to_simplex(one.frequencies), one.answers)
            total += share**2 * one.scatter(weights, own, overlap)
        return total


@dataclass(frozen=True, eq=False)
class WeightedAnswers(Answers):
    """The tallies of strata, which count by the `shares` that these have in the population."""

    shares: Sequence[float] = ()

    turns = None

    def drift(self, place: int) -> None:
        """Return nothing: strata are of one round."""

    def combined(self, place: int) -> Combined:
        """Return the estimates of one attribute in the population."""
        alone = [
            Answers(
                self.survey,
                [tally],
                self.weighting,
                self.dishonest,
                self.too_wide,
                self.sample_of,
            ).combined(place)
            for tally in self.tallies
        ]
        reports = [tally.reports for tally in self.tallies]
        return combine_strata(alone, self.shares, reports, self.dishonest)

    def histogram(self, place: int) -> Combined:
        """Return the estimates of one attribute, from its own answers alone.

        Those who answer a crosstab may be the same people again, so joining it would not make
        their difference from the population smaller.
        """
        return self.combined(place)

    def source(self, place: int) -> Source:
        """Return one attribute as a source of frequencies in the population."""
        if place not in self._sources:
            self._sources[place] = self._weighted(place)
        return self._sources[place]

    def _weighted(self, place: int) -> WeightedSource:
        size, tiers = len(self.survey.attributes[place].values), len(self.survey.tiers)
        strata = []
        for first, share in zip(range(0, len(self.cells), tiers), self.shares, strict=True):
            here = slice(first, first + tiers)
            mechanisms = [tier[place] for tier in self.mechanisms[here]]
            cells = [tier[place] for tier in self.cells[here]]
            parts = tier_parts(mechanisms, cells, self.tier_reports[here], self.weighting)
            strata.append((share, Source(size, parts)))
        return WeightedSource.of(strata, [tally.reports for tally in self.tallies])
