"""Counting reports: coins are recomputed from the ids, and every symbol added to its cell.

A report is an id and its symbols; which attribute and row it speaks of comes from the round's
seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arrays import NO_TIERS, Counts, Tiers, Words
from ..rounds import Round
from .coins import Coins

if TYPE_CHECKING:
    from ..survey import Survey

CHUNK = 1 << 14
"""Reports whose cells are found before they are counted: few enough for the nearest caches."""


class Counter:
    """Counts the reports of one survey and round; several may work at once, and then add up.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> counter = Counter(survey, hm.Round("1", bytes(16)))
    >>> ids, symbols = np.arange(3, dtype=np.uint64), np.array([0, 1, 1], np.uint8)
    >>> counter.add(ids, ids, NO_TIERS, [symbols])
    >>> counter.counts.tolist(), counter.invalid
    ([1, 2], 0)
    """

    def __init__(self, survey: Survey, round: Round) -> None:
        self._coins = Coins(survey, round)
        self._offered = len(survey.tiers)
        self._counts = np.zeros(self._coins.cells + 1, np.int64)

    @property
    def counts(self) -> Counts:
        """The flat counts of a tally."""
        return self._counts[:-1]

    @property
    def invalid(self) -> int:
        """How many answers had a symbol, or a cell, that the survey does not have."""
        return int(self._counts[-1])

    def add(
        self, low: Words, high: Words, tiers: Tiers, symbols: Sequence[NDArray[np.unsignedinteger]]
    ) -> None:
        """Count some reports: both words of their ids, their tiers, each answer's symbols.

        `tiers` may be empty where the survey has only one; its numbers must be the survey's.
        """
        tiers = tiers if self._offered > 1 else NO_TIERS
        for first in range(0, len(low), CHUNK):
            some = slice(first, first + CHUNK)
            ids = np.stack([low[some], high[some]])
            sent = np.stack([column[some] for column in symbols], axis=1)
            self._add(self._coins.locate(ids, tiers[some], sent.astype(np.uint16).reshape(-1)))

    def add_cells(self, cells: NDArray[np.signedinteger]) -> None:
        """Count answers whose cells are known already."""
        if len(cells) and (cells.min() < 0 or cells.max() >= self._coins.cells):
            cells = np.where((cells < 0) | (cells >= self._coins.cells), -1, cells)
        self._add(cells)

    def _add(self, cells: NDArray[np.signedinteger]) -> None:
        """Count answers by their cells, which exist or are -1: the last count."""
        np.add.at(self._counts, cells, 1)

    def __iadd__(self, other: Counter) -> Counter:
        """Add what `other` counted."""
        self._counts += other._counts
        return self

    def __isub__(self, other: Counter) -> Counter:
        """Take back what `other` counted."""
        self._counts -= other._counts
        return self
