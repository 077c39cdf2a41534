"""Subset selection as a dense table, for the few small k that no prime base serves well.

The symbols are all w-subsets of the values; those that hold the device's value are e**epsilon
times likelier than the others.  For k = 6, 8, 9 or 14 this beats every linear design.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

from harmony_device.tables import DenseTable

from .rounding import window_counts


def subset_table(epsilon: Fraction, values: int, width: int) -> DenseTable:
    """Return the table over the subsets of size `width`, in lexicographic order.

    >>> subset_table(Fraction(1), 4, 2).symbols
    6
    """
    likely = comb(values - 1, width - 1)
    total = comb(values, width)
    # One row of counts serves every value: only which subsets are the likely ones differs.
    counts = window_counts(epsilon, total, list(range(likely)))
    rows = []
    subsets = list(combinations(range(values), width))
    for value in range(values):
        tall, short = iter(counts[:likely]), iter(counts[likely:])
        rows.append([next(tall) if value in subset else next(short) for subset in subsets])
    return DenseTable(rows)
