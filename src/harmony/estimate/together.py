"""Estimates that several attributes of a survey tell of together: distributions and crosstabs."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..attributes import Signed
from ..crosstab import Crosstab
from ..distribution import Distribution
from ..mechanisms import Linear
from ..questions import Part
from .combine import Combined, combine, tier_parts
from .crosstab import CrosstabEstimate
from .distribution import DistributionEstimate
from .influence import Group, largest_influence
from .joint import JoinedSampling, Joint, Marginal
from .sources import Source, overlap_of

if TYPE_CHECKING:
    from ..survey import Survey
    from ..tally import Tally

WORDS = ("name", "reads", "question", "weight", "level_of")
"""What attributes that ask the same may differ in."""


@dataclass(frozen=True, eq=False)
class Answers:
    """A tally with the options of `estimate`, attribute by attribute."""

    survey: Survey
    tally: Tally
    weighting: str
    dishonest: float
    too_wide: float
    devices: float | None = None
    """How many the reports are a sample of, if they do not speak for themselves alone."""

    def combined(self, place: int) -> Combined:
        """Return the estimates of one attribute, over all tiers."""
        return combine(
            [tier[place] for tier in self.survey.mechanisms],
            [tier[place] for tier in self.tally.cells],
            self.tally.tier_reports,
            self.weighting,
            self.dishonest,
            self.devices,
        )

    def histogram(self, place: int) -> Combined:
        """Return the estimates of one attribute, joined with the crosstabs that it is part of."""
        alone = self.combined(place)
        attribute = self.survey.attributes[place]
        assert not isinstance(attribute, Crosstab)
        told = [one for _, one in self._marginals[_asked(attribute)]]
        if len(told) == 1 or not alone.n:
            return alone
        precisions = np.array([one.precision for one in told])
        shares = precisions / precisions.sum()
        about = sum(
            share * (one.frequencies() - one.frequencies().mean())
            for share, one in zip(shares.tolist(), told, strict=True)
        )
        gain = 1 / self.source(place).variance / float(precisions.sum())
        estimates = np.asarray(about) + 1 / self.source(place).size
        return replace(
            alone,
            n=sum(one.source.answers for one in told),
            sampling=JoinedSampling(estimates, alone.sampling, np.full(len(estimates), gain)),
            covariance=None if alone.covariance is None else gain * alone.covariance,
        )

    def source(self, place: int) -> Source:
        """Return one attribute as a source of frequencies."""
        if place not in self._sources:
            mechanisms = [tier[place] for tier in self.survey.mechanisms]
            cells = [tier[place] for tier in self.tally.cells]
            parts = tier_parts(mechanisms, cells, self.tally.tier_reports, self.weighting)
            size = len(self.survey.attributes[place].values)
            self._sources[place] = Source(size, parts)
        return self._sources[place]

    def distribution(self, question: Distribution, first: int) -> DistributionEstimate:
        """Return a distribution, of which the coarsest level is the attribute number `first`."""
        sources = [self.source(first + level) for level in range(len(question.sizes))]
        found = DistributionEstimate(
            question.name,
            question,
            sum(source.answers for source in sources),
            self.survey.epsilon,
            np.inf,
            sources,
            self.tally.reports,
            self._overlap,
            self.too_wide,
        )
        if found.n:
            object.__setattr__(found, "influence", self._influence(found))
        return found

    def crosstab(self, question: Crosstab, place: int) -> CrosstabEstimate:
        """Return the crosstab that is the attribute number `place`."""
        first, second = question.parts
        combined = self.combined(place)
        rows, columns = (
            [one for at, one in self._marginals.get(_asked(part), []) if at != place]
            for part in (first, second)
        )
        joint = Joint(
            self.source(place),
            (len(first.values), len(second.values)),
            rows,
            columns,
            self.tally.reports,
            self._overlap,
        )
        return CrosstabEstimate(
            question.name,
            question,
            combined.n,
            self.survey.epsilon,
            combined.influence,
            joint,
            combined.sampling,
            self.too_wide,
            combined.tiers,
        )

    @cached_property
    def _sources(self) -> dict[int, Source]:
        return {}

    @cached_property
    def _overlap(self) -> float:
        return overlap_of(self.survey.answers, len(self.survey.attributes))

    @cached_property
    def _marginals(self) -> dict[str, list[tuple[int, Marginal]]]:
        """What tells of an attribute that is asked in several ways, by what is asked."""
        found: dict[str, list[tuple[int, Marginal]]] = {}
        for place, one in enumerate(self.survey.attributes):
            if isinstance(one, Crosstab):
                shape = len(one.parts[0].values), len(one.parts[1].values)
                for axis, part in enumerate(one.parts):
                    known = Marginal(self.source(place), shape, axis)
                    found.setdefault(_asked(part), []).append((place, known))
            elif one.values and not isinstance(one, Signed):
                known = Marginal(self.source(place), (len(one.values), 1))
                found.setdefault(_asked(one), []).append((place, known))
        return found

    def _influence(self, one: DistributionEstimate) -> float:
        """Return how far dishonest devices could move the CDF at an edge of the coarsest bins."""
        leaves = np.arange(len(one.edges) - 1)
        edges = one.tree.starts[0][1:, None]
        weights = one.tree.adjoint((leaves < edges).astype(np.float64))
        groups = []
        for tier, reports in enumerate(self.tally.tier_reports):
            said, lowest, highest = (np.zeros(len(edges)) for _ in range(3))
            share = 0.0
            for source, rows in zip(one.sources, weights, strict=True):
                for part in source.parts:
                    if (
                        part.reports != reports
                        or part.mechanism not in self.survey.mechanisms[tier]
                    ):
                        continue
                    assert isinstance(part.mechanism, Linear)
                    reach = part.mechanism.reach(rows)
                    said += rows @ part.sampling.estimates
                    lowest, highest, share = lowest + reach[0], highest + reach[1], part.weight
            if reports and share:
                groups.append(Group(reports, share, said, (lowest, highest)))
        return largest_influence(groups, self.dishonest * self.tally.reports)


def _asked(part: Part) -> str:
    """Return what an attribute asks, whatever it is called."""
    document = part.to_document()
    told = {key: value for key, value in document.items() if key not in WORDS}
    return json.dumps([part.source, told], sort_keys=True)
