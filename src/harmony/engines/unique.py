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

from ..arrays import Words
from ..bulk.backend import backend
from ..bulk.threads import share_out

MARKS_AT_ONCE = 1 << 27
"""One gibibyte of marks."""

SHARES = 64
"""The marks of a pass are sorted in so many shares, small enough to sort quickly."""

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
    mixed = low * _LOW
    mixed ^= high * _HIGH
    return mixed


def spread(mixed: Words, number: int = 0, passes: int = 1) -> list[Words]:
    """Return the marks that belong to one of several passes, in shares by their highest bits.

    >>> [part.tolist() for part in spread(np.array([1, 2**63], np.uint64))[:: SHARES // 2]]
    [[1], [9223372036854775808]]
    """
    starts, ordered = np.empty(SHARES + 1, np.int64), np.empty(len(mixed), np.uint64)
    backend(len(mixed)).spread(np.ascontiguousarray(mixed), number, passes, starts, ordered)
    return np.split(ordered[: starts[-1]], starts[1:-1])


def repeated(parts: Sequence[list[Words]], workers: int = 1) -> Words:
    """Return the marks that occur more than once in what `spread` gave, each once, in order.

    >>> marks = [spread(np.array(some, np.uint64)) for some in ([5, 3], [3, 9])]
    >>> repeated(marks, workers=2).tolist()
    [3]
    """

    def look(shares: Iterator[int]) -> list[Words]:
        found = []
        for share in shares:
            ordered = np.concatenate([_NOTHING, *(part[share] for part in parts)])
            ordered.sort()
            found.append(ordered[1:][ordered[1:] == ordered[:-1]])
        return found

    by_worker = share_out(iter(range(SHARES)), workers, look)
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
