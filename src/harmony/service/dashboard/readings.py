"""Results of rounds, kept while they cannot change: a page shows many closed rounds at once."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import Depends, Request

from harmony.estimate.result import Result
from harmony.service.catalogue import Catalogue, RoundEntry, SurveyEntry
from harmony.service.problems import Problem
from harmony.service.weighting import Population, Weighted, weigh
from harmony.tally import Tally

from .recent import Recent

MOST_ROUNDS = 30
"""Rounds that a trend goes back."""

MOST_KEPT = 500

Shares = tuple[tuple[tuple[str, ...], float], ...]


class Readings:
    """Results by round and number of reports: a closed round only changes with that number."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._kept: dict[tuple[int, int], Result] = {}
        self._last: dict[int, tuple[Tally, Result]] = {}
        self._recent = Recent[Result]()
        self._weighted: dict[tuple[int, Shares], tuple[dict[str, Tally], Weighted]] = {}

    def result(self, entry: RoundEntry) -> Result:
        """Estimate a round; the same result while its tally is the same."""
        tally = self._catalogue.tally(entry)
        known = self._last.get(entry.live.id)
        if known is None or known[0] != tally:
            if len(self._last) >= MOST_KEPT:
                self._last.clear()
            known = self._last[entry.live.id] = (tally, entry.live.survey.estimate(tally))
        return known[1]

    def lately(self, entry: RoundEntry) -> Result:
        """Estimate a round as it was a few seconds ago at most: many may be looked at at once."""
        return self._recent.get(entry.live.id, lambda: self.result(entry))

    def history(self, entry: SurveyEntry, last: RoundEntry) -> list[Result]:
        """Estimate the rounds up to and including `last`, oldest first."""
        reports = self._catalogue.reports()
        rounds = [one for one in entry.rounds.values() if one.live.id <= last.live.id]
        return [self._known(one, reports.get(one.live.id, 0)) for one in rounds[-MOST_ROUNDS:]]

    def windows(self, entry: SurveyEntry, last: RoundEntry) -> list[Result]:
        """Estimate as many rounds together as rotation takes to hear everyone, oldest first.

        There are none without rotation.
        """
        every = entry.survey.every
        rounds = [one for one in entry.rounds.values() if one.live.id <= last.live.id]
        if every is None or not every <= min(len(rounds), MOST_ROUNDS):
            return []
        tallies = [self._catalogue.tally(one) for one in rounds[-MOST_ROUNDS:]]
        return [
            entry.survey.estimate(tallies=tallies[stop - every : stop])
            for stop in range(every, len(tallies) + 1)
        ]

    def tallies(self, entry: RoundEntry) -> dict[str, Tally]:
        """Read the tallies of a round's strata."""
        return self._catalogue.tallies(entry)

    def weighted(self, entry: RoundEntry, population: Population, least: int) -> Weighted:
        """Weigh a round to a population; the same result while its tallies are the same."""
        tallies, key = self.tallies(entry), (entry.live.id, tuple(population.items()))
        known = self._weighted.get(key)
        if known is None or known[0] != tallies:
            if len(self._weighted) >= MOST_KEPT:
                self._weighted.clear()
            found = weigh(entry.live.survey, tallies, population, least)
            known = self._weighted[key] = (tallies, found)
        return known[1]

    def weighted_history(
        self, entry: SurveyEntry, last: RoundEntry, population: Population, least: int
    ) -> list[Weighted]:
        """Weigh the rounds up to and including `last`, oldest first, but those that cannot be."""
        rounds = [one for one in entry.rounds.values() if one.live.id < last.live.id]
        found = []
        for one in rounds[1 - MOST_ROUNDS :]:
            with suppress(Problem):  # too few of a stratum reported in it
                found.append(self.weighted(one, population, least))
        return [*found, self.weighted(last, population, least)]

    def _known(self, entry: RoundEntry, reports: int) -> Result:
        if entry.closed is None:
            return self.result(entry)
        key = (entry.live.id, reports)
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = self.result(entry)
        return self._kept[key]


def _readings(request: Request) -> Readings:
    readings = request.app.state.readings
    assert isinstance(readings, Readings)
    return readings


Read = Annotated[Readings, Depends(_readings)]
