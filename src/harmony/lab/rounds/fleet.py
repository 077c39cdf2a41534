"""A fleet of devices with memory, round after round: their tallies, as a server would count them.

`Survey.collect` draws every memo anew, as for devices that are seen once.  Here they keep them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from harmony_device.tables import TOTAL, CirculantTable, Table

from ...arrays import Floats
from ...errors import HarmonyError
from ...mechanisms import Linear
from ...rounds import Round
from ...survey import Survey
from ...tally import Tally, cell_shapes

Integers = NDArray[np.integer]


class Fleet:
    """Devices that answer one attribute a report, with what each was asked and what it keeps.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0, memory=2.0)
    >>> rng = np.random.default_rng(7)
    >>> fleet = Fleet(survey, 1_000, rng)
    >>> on = {"wifi": np.ones(1_000, int)}
    >>> fleet.tally(on, hm.Round("W1", bytes(16)), rng)
    <Tally of 'phones', round W1: 1,000 reports>
    """

    def __init__(self, survey: Survey, devices: int, rng: np.random.Generator) -> None:
        if survey.memory is None or survey.answers != 1:
            raise HarmonyError("a fleet is of a survey with memory and one answer a report")
        self.survey = survey
        mechanisms = survey.mechanisms[0]
        chances = np.array(survey.weights) / sum(survey.weights)
        asked = rng.choice(len(mechanisms), devices, p=chances)
        self._groups = [np.flatnonzero(asked == place) for place in range(len(mechanisms))]
        self._turns = rng.integers(0, survey.every or 1, devices)
        self._rows = [
            rng.integers(0, one.code.rows, len(group))
            for one, group in zip(mechanisms, self._groups, strict=True)
        ]
        self._dither = rng.random(devices)
        self._kept = [
            _drawn(one.table, len(group), rng)
            for one, group in zip(mechanisms, self._groups, strict=True)
        ]

    def tally(
        self, people: Mapping[str, NDArray[np.generic]], round: Round, rng: np.random.Generator
    ) -> Tally:
        """Count a round; `people` has numbers, or the places of values, for each device."""
        every = self.survey.every or 1
        turn = self._turns == (round.number or 0) % every
        counts = []
        for place, group in enumerate(self._groups):
            answering = turn[group]
            sent = self._sent(place, people[self.survey.attributes[place].name], rng)
            cells = np.zeros(cell_shapes(self.survey)[0][place], np.int64)
            np.add.at(cells, (self._rows[place][answering], sent[answering]), 1)
            counts.append(cells.ravel())
        return Tally.of(self.survey, round, np.concatenate(counts), (int(turn.sum()),))

    def _sent(self, place: int, values: NDArray[np.generic], rng: np.random.Generator) -> Integers:
        """Return the symbols of those who are asked about an attribute."""
        mechanism, group = self.survey.mechanisms[0][place], self._groups[place]
        own = np.asarray(values)[group]
        if isinstance(mechanism, Linear):
            assert mechanism.indices is not None, "the lab simulates small codes only"
            index: Integers = mechanism.indices[self._rows[place], own]
        else:
            index = self._rounded(place, own.astype(np.float64))
        kept = self._kept[place][np.arange(len(group)), index]
        assert mechanism.memo is not None
        replace = mechanism.memo.replace
        sums = np.cumsum([replace.keep, *replace.counts]) / TOTAL
        drawn = np.searchsorted(sums, rng.random(len(group)))
        return np.asarray(np.where(drawn > 0, drawn - 1, kept))

    def _rounded(self, place: int, numbers: Floats) -> Integers:
        """Round numbers to the grid, each device with the word that it keeps for that."""
        one = self.survey.attributes[place]
        points = len(self.survey.mechanisms[0][place].points)  # type: ignore[union-attr]  # a grid
        scaled = (numbers - one.low) / (one.high - one.low) * (points - 1)  # type: ignore[union-attr]
        return np.asarray(np.floor(scaled + self._dither[self._groups[place]])).astype(np.int64)


def _drawn(table: Table, devices: int, rng: np.random.Generator) -> Integers:
    """Return the symbol that each device keeps for each index."""
    counts = np.array(table.counts, np.float64) / TOTAL
    if isinstance(table, CirculantTable):
        counts = np.stack([np.roll(counts, index) for index in range(table.inputs)])
    draws = rng.random((devices, len(counts)))
    kept = [np.searchsorted(np.cumsum(row), draws[:, index]) for index, row in enumerate(counts)]
    return np.minimum(np.stack(kept, axis=1), table.symbols - 1)
