"""Finding devices that reported more than once, in memory that does not grow with the log.

Each id is mixed into one 64-bit mark.  Equal ids have equal marks, so sorting the marks shows
the few devices that may have reported twice; only those are then compared in full.  A log too
long for its marks to fit is taken in several passes, each over a share of the marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..coins import Words
from ..threads import share_out

MARKS_AT_ONCE = 1 << 27
"""One gibibyte of marks."""

_NOTHING = np.empty(0, np.uint64)
_LOW, _HIGH = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def passes(reports: int, at_once: int = MARKS_AT_ONCE) -> int:
    """Return how many passes a log of so many reports takes.

    >>> passes(50_000_000), passes(1_000_000_000)
    (1, 8)
    """
    return -(-reports // at_once)


def marks(low: Words, high: Words) -> Words:
    """Return the marks of some ids."""
    return low * _LOW ^ high * _HIGH


def share(mixed: Words, turn: int, turns: int) -> Words:
    """Return those of the marks that belong to this turn: its share of the highest bits."""
    if turns == 1:
        return mixed
    chosen: Words = mixed[((mixed >> np.uint64(32)) * np.uint64(turns)) >> np.uint64(32) == turn]
    return chosen


def repeated(parts: Sequence[Words], workers: int = 1) -> Words:
    """Return the marks that occur more than once, each once, in order.

    >>> repeated([np.array([5, 3], np.uint64), np.array([3, 9], np.uint64)], workers=2).tolist()
    [3]
    """

    def look(turns: Iterator[int]) -> list[Words]:
        found = []
        for turn in turns:
            ordered = np.concatenate(
                [_NOTHING, *(share(part, turn, 2 * workers) for part in parts)]
            )
            ordered.sort()
            found.append(ordered[1:][ordered[1:] == ordered[:-1]])
        return found

    by_worker = share_out(iter(range(2 * workers)), workers, look)
    return np.unique(np.concatenate(list(chain(*by_worker))))


def later_ones(ids: tuple[Words, Words], order: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Return which reports are not the first of their device, in the order of these columns.

    >>> low = np.array([7, 8, 7, 7], np.uint64)
    >>> later_ones((low, low), [np.array([3, 1, 2, 4])]).tolist()
    [True, False, False, True]
    """
    low, high = ids
    places = np.lexsort([*reversed(order), high, low])
    again = np.zeros(len(low), np.bool_)
    same = (low[places][1:] == low[places][:-1]) & (high[places][1:] == high[places][:-1])
    again[places[1:][same]] = True
    return again
