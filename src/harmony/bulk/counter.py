"""Counting reports: coins are recomputed from the ids, and every symbol added to its cell.

A report is an id and its symbols; which attribute and row it speaks of comes from the round's
seed.  For one answer a report, one compiled loop hashes the ids and counts the symbols while
both are in the nearest cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arrays import NO_TIERS, Counts, Tiers, Words
from ..rounds import Round
from .coins import Coins
from .jit import HALF, LOW_HALF, compiled, inlined
from .kernels.answer import LANES, extent
from .kernels.coin import BLOCK, coin_words

if TYPE_CHECKING:
    from ..survey import Survey

MOST_NAMED = 1 << 16
"""The most values of the first draw, over all tiers, that are looked up."""


class Counter:
    """Counts the reports of one survey and round; several may work at once, and then add up.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> counter = Counter(survey, hm.Round("1", bytes(16)))
    >>> ids, symbols = np.arange(3, dtype=np.uint64), np.array([0, 1, 1], np.uint8)
    >>> counter.add(ids, ids, NO_TIERS, [symbols])
    >>> counter.counts.tolist(), counter.wrong
    ([1, 2], 0)
    """

    def __init__(self, survey: Survey, round: Round) -> None:
        self._coins = Coins(survey, round)
        self._offered = len(survey.tiers)
        self._laid_out = _laid_out(self._coins)
        self._lanes = np.zeros((LANES, self._coins.cells + 1), np.int64)

    @property
    def counts(self) -> Counts:
        """The flat counts of a tally."""
        return np.asarray(self._lanes[:, :-1].sum(axis=0))

    @property
    def wrong(self) -> int:
        """How many answers had a symbol or a tier that the survey does not have."""
        return int(self._lanes[:, -1].sum())

    def add(
        self, low: Words, high: Words, tiers: Tiers, symbols: Sequence[NDArray[np.unsignedinteger]]
    ) -> None:
        """Count some reports: both words of their ids, their tiers, each answer's symbols.

        `tiers` may be empty where the survey has only one; its numbers must be the survey's.
        """
        tiers = tiers if self._offered > 1 else NO_TIERS
        if self._laid_out.size:
            seed, names = self._coins.seed, self._laid_out.shape[1] // self._offered
            _count_one(low, high, seed, self._laid_out, names, tiers, symbols[0], self._lanes)
            return
        sent = np.stack(symbols, axis=1).astype(np.uint16).reshape(-1)
        assigned = self._coins.assign(np.stack([low, high]), tiers)
        self._lanes[0, -1] += self._coins.count(assigned, sent, self._lanes[0, :-1])

    def add_cells(self, cells: NDArray[np.signedinteger]) -> None:
        """Count answers whose cells are known already."""
        _count_cells(cells, self._lanes)

    def add_counted(self, cells: Counts, counts: Counts) -> None:
        """Count answers whose cells are known already, each so many times."""
        known = (cells >= 0) & (cells < self._coins.cells)
        np.add.at(self._lanes[0], np.where(known, cells, -1), counts)

    def __iadd__(self, other: Counter) -> Counter:
        """Add what `other` counted."""
        self._lanes += other._lanes
        return self

    def __isub__(self, other: Counter) -> Counter:
        """Take back what `other` counted."""
        self._lanes -= other._lanes
        return self


def _laid_out(coins: Coins) -> Words:
    """Return rows, start and width of what each first draw names, tier after tier.

    For surveys of one answer; nothing where that is no small table.
    """
    tiers = len(coins.rows)
    if coins.answers > 1 or tiers * coins.weights.sum() > MOST_NAMED:
        return np.empty((3, 0), np.uint64)
    attributes = np.repeat(np.arange(len(coins.weights)), coins.weights)
    groups = np.concatenate([tier * len(coins.weights) + attributes for tier in range(tiers)])
    parts = coins.rows.reshape(-1)[groups], coins.starts[groups], coins.widths[groups]
    return np.stack(parts).astype(np.uint64)


@inlined
def _cell(word, key, symbol, laid_out, nowhere):  # type: ignore[no-untyped-def]
    rows, start, width = laid_out[0, key], laid_out[1, key], laid_out[2, key]
    row = ((word >> HALF) * rows) >> HALF
    return start + row * width + symbol if symbol < width else nowhere


@compiled
def _count_one(low, high, seed, laid_out, names, tiers, symbols, lanes):  # type: ignore[no-untyped-def]
    words = np.empty(BLOCK, np.uint64)
    drawn, nowhere = np.uint64(names), np.uint64(lanes.shape[1] - 1)
    even, odd = lanes[0], lanes[1]
    for first in range(0, len(symbols), BLOCK):
        size = min(BLOCK, len(symbols) - first)
        coin_words((low[first : first + size], high[first : first + size]), seed, 0, words[:size])
        sent = symbols[first : first + size]
        # The words become cells before any is counted: each loop is simple enough to be quick.
        if len(tiers):
            for place in range(size):
                key = ((words[place] & LOW_HALF) * drawn) >> HALF
                key += np.uint64(tiers[first + place]) * drawn
                symbol = np.uint64(sent[place])
                words[place] = _cell(words[place], key, symbol, laid_out, nowhere)
        else:
            for place in range(size):
                key = ((words[place] & LOW_HALF) * drawn) >> HALF
                symbol = np.uint64(sent[place])
                words[place] = _cell(words[place], key, symbol, laid_out, nowhere)
        for place in range(0, size - 1, 2):
            even[words[place]] += 1
            odd[words[place + 1]] += 1
        if size % 2:
            even[words[size - 1]] += 1


@compiled
def _count_cells(cells, lanes):  # type: ignore[no-untyped-def]
    """Count block after block; one whose cells all exist needs no look at each of them."""
    nowhere = lanes.shape[1] - 1
    a, b, c, d = lanes[0], lanes[1], lanes[2], lanes[3]
    for first in range(0, len(cells), BLOCK):
        some = cells[first : first + BLOCK]
        low, high = extent(some)
        fours = len(some) // 4 * 4 if low >= 0 and high < nowhere else 0
        for place in range(0, fours, 4):
            a[np.uint64(some[place])] += 1
            b[np.uint64(some[place + 1])] += 1
            c[np.uint64(some[place + 2])] += 1
            d[np.uint64(some[place + 3])] += 1
        for place in range(fours, len(some)):
            a[min(np.uint64(some[place]), np.uint64(nowhere))] += 1
