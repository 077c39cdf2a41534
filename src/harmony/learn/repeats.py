"""Repeats: how often the same rows were learned from in this process, and what that adds up to.

Every fit of a row costs its device one more epsilon.  Cross-validation, a search over parameters
and one model a class fit the same rows many times over without saying so.  Rows are recognised by
a hash of their features, whatever part of a table they come in, and only some of them are kept:
those whose hash is small, which are the same in every part.  Rows that look alike are nobody's, so
a table that has hardly any others is recognised as a whole.  Nothing of it leaves the process.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

import numpy as np

from ..arrays import Words
from .records import Records

KEPT_ROWS = 512
"""About how many rows of a table are kept."""

MOST_KEPT = 1 << 17
"""Those of all tables together; the oldest are forgotten first."""

SHARE = 0.4
"""A table was fitted as often as at least this share of its rows: of three folds, half."""


DISTINCT = 0.98
"""The share of rows that must look like no other for any to be recognised."""


class Fits(NamedTuple):
    """How often rows were fitted, and the sum of the epsilons of those fits."""

    times: int
    epsilon: float


class Ledger:
    """The rows that were fitted, and how often.

    >>> ledger = Ledger()
    >>> rows = np.random.default_rng(0).integers(0, 1 << 64, 3000, np.uint64)
    >>> ledger.count(rows[:2000], 1.0), ledger.count(rows[1000:], 1.0), ledger.count(rows, 0.5)
    (Fits(times=1, epsilon=1.0), Fits(times=2, epsilon=2.0), Fits(times=3, epsilon=2.5))
    """

    def __init__(self) -> None:
        self._fits: OrderedDict[int, Fits] = OrderedDict()
        self._lock = Lock()

    def count(self, rows: Words, epsilon: float) -> Fits:
        """Count a fit of rows with these hashes, and return how often they were fitted by now."""
        kept = _kept(rows)
        with self._lock:
            counted = []
            for row in kept:
                before = self._fits.pop(row, Fits(0, 0.0))
                now = Fits(before.times + 1, before.epsilon + epsilon)
                self._fits[row] = now
                counted.append(now)
            while len(self._fits) > MOST_KEPT:
                self._fits.popitem(last=False)
        # The smallest hashes: larger tables, up to four times, have kept those rows, too.
        known = sorted(counted[: max(len(counted) // 4, 1)])
        return known[int((1 - SHARE) * len(known))]


def _kept(rows: Words) -> list[int]:
    """Return the rows that stand for a table, small hashes first; or the hash of it all."""
    # A power of two, so that most parts of a table keep the same rows as the whole of it.
    bits = max(len(rows) // KEPT_ROWS, 1).bit_length() - 1
    some = rows[rows >> np.uint64(64 - bits) == 0] if bits else rows
    distinct, counts = np.unique(some, return_counts=True)
    alone = distinct[counts == 1]
    if len(alone) > DISTINCT * len(some):
        return [int(row) for row in alone]
    return [int(np.sum(mixed(rows), dtype=np.uint64))]


def mixed(words: Words) -> Words:
    """Mix the bits of words (splitmix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def hashed_rows(records: Records) -> Words:
    """Return a hash of the features of each row, in the rows' own order."""
    total = np.zeros(records.devices, np.uint64)
    for column in records.raw_features():
        total = mixed(total + column.astype(np.float64).view(np.uint64))
    return total


LEDGER = Ledger()
