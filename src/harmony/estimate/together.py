"""Estimates that several attributes of a survey tell of together: distributions and crosstabs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Counts, Floats
from ..attributes import Signed
from ..crosstab import Crosstab
from ..distribution import Distribution
from ..mechanisms import Linear, Mechanism
from ..questions import Part
from .combine import Combined, combine, tier_parts
from .common import Alike, Turns
from .crosstab import CrosstabEstimate
from .distribution import DistributionEstimate
from .influence import Group, extreme_places, largest_influence, spread_places
from .joint import JoinedSampling, Joint
from .margins import Marginal, Margins
from .sources import Source, overlap_of
from .window import repeated, repetition, spoken_of

if TYPE_CHECKING:
    from ..survey import Survey
    from ..tally import Tally

WORDS = ("name", "reads", "question", "weight", "level_of")
"""What attributes that ask the same may differ in."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The tallies of one round or more with the options of `estimate`, attribute by attribute.

    Rounds add up as tiers do: a part for each tier of each round.
    """

    survey: Survey
    tallies: Sequence[Tally]
    weighting: str
    dishonest: float
    too_wide: float
    sample_of: float | None = None
    """How many devices the reports are a sample of, if not of those that rotation asks."""

    @cached_property
    def devices(self) -> float:
        """How many devices the estimates speak of."""
        return self.sample_of or spoken_of(self.survey, self.tallies)

    @cached_property
    def mechanisms(self) -> list[tuple[Mechanism, ...]]:
        """The mechanisms of each part."""
        return [tier for _ in self.tallies for tier in self.survey.mechanisms]

    @cached_property
    def cells(self) -> list[tuple[Counts, ...]]:
        """The counts of each part."""
        return [tier for one in self.tallies for tier in one.cells]

    @cached_property
    def tier_reports(self) -> list[int]:
        """How many reports each part has."""
        return [reports for one in self.tallies for reports in one.tier_reports]

    @property
    def reports(self) -> int:
        """How many reports there are."""
        return sum(self.tier_reports)

    def drift(self, place: int) -> float | None:
        """Return how likely rounds whose answers are alike would differ this much."""
        tiers = self._independent(place).tiers
        return None if len(self.tallies) == 1 or tiers is None else tiers.p_value

    def combined(self, place: int) -> Combined:
        """Return the estimates of one attribute, over all tiers and rounds."""
        found = self._with_alike(place)
        if len(self.tallies) == 1:
            return found
        asked = found.n / self.devices if self.reports else 1.0
        mechanism = self.survey.mechanisms[0][place]
        sampling = repeated(found.sampling, mechanism, asked, self._times)
        covariance = found.covariance
        if covariance is not None and self._times > 1:
            factor = np.sqrt(sampling.variance / found.sampling.variance)
            covariance = covariance * np.outer(factor, factor)
        return replace(found, sampling=sampling, covariance=covariance, tiers=None)

    def _with_alike(self, place: int) -> Combined:
        """Return the estimates of one attribute, with what other rounds may share of them."""
        found = self._independent(place)
        if self.turns is None or found.spread is None:
            return found
        # What is kept counts for memory alone, which tiers do not go with.
        asked = found.n / self.reports
        mechanism, estimates = self.survey.mechanisms[0][place], found.sampling.estimates
        cells = np.sum([tier[place] for tier in self.cells[:: len(self.survey.tiers)]], axis=0)
        alike = Alike.of(mechanism, cells, estimates, found.spread, asked)
        return replace(found, alike=alike)

    @cached_property
    def turns(self) -> Turns | None:
        """Who was heard, if rounds of the survey may hear the same devices."""
        return Turns.of(self.survey, self.tallies)

    def _independent(self, place: int) -> Combined:
        """Return the estimates of one attribute, if errors of rounds are independent."""
        if place not in self._combined:
            self._combined[place] = combine(
                [tier[place] for tier in self.mechanisms],
                [tier[place] for tier in self.cells],
                self.tier_reports,
                self.weighting,
                self.dishonest,
                self.devices,
            )
        return self._combined[place]

    @cached_property
    def _combined(self) -> dict[int, Combined]:
        return {}

    @cached_property
    def _times(self) -> float:
        return repetition(self.survey, self.tallies)

    def histogram(self, place: int) -> Combined:
        """Return the estimates of one attribute, joined with the crosstabs that it is part of."""
        alone = self.combined(place)
        attribute = self.survey.attributes[place]
        assert not isinstance(attribute, Crosstab)
        told = [one for _, one in self._marginals[what_is_asked(attribute)]]
        if len(told) == 1 or not alone.n:
            return alone
        joined = Margins(told, self.devices, self._overlap)
        source = self.source(place)
        sampling = JoinedSampling(
            joined.frequencies,
            alone.sampling,
            joined.variances(alone.sampling, source),
            joined.shares,
            joined.higher(source),
        )
        return replace(
            alone,
            n=sum(one.source.answers for one in told),
            influence=self._influence(*joined.weights(extreme_places(joined.frequencies))),
            sampling=sampling,
            covariance=joined.covariance,
            alike=None,
        )

    def source(self, place: int) -> Source:
        """Return one attribute as a source of frequencies."""
        if place not in self._sources:
            mechanisms = [tier[place] for tier in self.mechanisms]
            cells = [tier[place] for tier in self.cells]
            parts = tier_parts(mechanisms, cells, self.tier_reports, self.weighting, self.devices)
            size = len(self.survey.attributes[place].values)
            self._sources[place] = Source(size, parts, self._times)
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
            self.devices,
            self._overlap,
            self.too_wide,
        )
        if found.n:
            leaves = np.arange(len(found.edges) - 1)
            below = (leaves < spread_places(len(leaves))[1:, None]).astype(np.float64)
            influence = self._influence(sources, found.tree.adjoint(below))
            object.__setattr__(found, "influence", influence)
        return found

    def crosstab(self, question: Crosstab, place: int) -> CrosstabEstimate:
        """Return the crosstab that is the attribute number `place`."""
        first, second = question.parts
        combined = self.combined(place)
        rows, columns = (
            [one for at, one in self._marginals.get(what_is_asked(part), []) if at != place]
            for part in (first, second)
        )
        joint = Joint(
            self.source(place),
            (len(first.values), len(second.values)),
            rows,
            columns,
            self.devices,
            self._overlap,
        )
        found = CrosstabEstimate(
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
        if found.n:
            moved = found.moved_most()
            # What is moved as far as it can be is no longer moved in proportion.
            influence = self._influence(*joint.weights(moved)) if len(moved) else np.inf
            object.__setattr__(found, "influence", min(influence, found.widest))
        return found

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
                    found.setdefault(what_is_asked(part), []).append((place, known))
            elif one.values and not isinstance(one, Signed):
                known = Marginal(self.source(place), (len(one.values), 1))
                found.setdefault(what_is_asked(one), []).append((place, known))
        return found

    def _influence(self, sources: Sequence[Source], weights: Sequence[Floats]) -> float:
        """Return how far dishonest devices could move any of these sums over sources, a row each.

        A device does its worst with whatever the coin asks it.
        """
        groups = []
        for cells, reports in zip(self.cells, self.tier_reports, strict=True):
            said, lowest, highest = (np.zeros(len(weights[0])) for _ in range(3))
            share = 0.0
            for source, rows in zip(sources, weights, strict=True):
                for part in source.parts:
                    if not any(part.cells is one for one in cells):
                        continue
                    assert isinstance(part.mechanism, Linear)
                    reach = part.mechanism.reach(rows)
                    said += rows @ part.sampling.estimates
                    lowest, highest, share = lowest + reach[0], highest + reach[1], part.weight
            if reports and share:
                groups.append(Group(reports, share, said, (lowest, highest)))
        return largest_influence(groups, self.dishonest * self.reports)


def what_is_asked(part: Part) -> str:
    """Return what an attribute asks, whatever it is called."""
    document = part.to_document()
    told = {key: value for key, value in document.items() if key not in WORDS}
    return json.dumps([part.source, told], sort_keys=True)
