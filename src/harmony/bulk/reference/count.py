"""Counting what was sent, in NumPy: the cells of answers, and marks put into shares."""

from __future__ import annotations

import numpy as np

from ...arrays import Counts, Symbols, Words
from ..fields import HALF, Groups, Rows


def locate(
    group: Groups, row: Rows, symbols: Symbols, starts: Counts, widths: Counts, cells: Counts
) -> None:
    """Fill `cells` with the flat place of every answer's count, -1 where its table has none."""
    width = widths[group]
    cells[:] = np.where(symbols < width, starts[group] + row * width + symbols, -1)


def spread(mixed: Words, number: int, passes: int, starts: Counts, ordered: Words) -> None:
    """Fill `ordered` with the marks of one of several passes, share after share, and `starts`."""
    shares = len(starts) - 1
    share = ((mixed >> HALF) * np.uint64(passes * shares) >> HALF).astype(np.int64)
    share -= number * shares
    chosen = (share >= 0) & (share < shares)
    share, mixed = share[chosen], mixed[chosen]
    starts[0] = 0
    starts[1:] = np.cumsum(np.bincount(share, minlength=shares))
    ordered[: len(mixed)] = mixed[np.argsort(share.astype(np.uint16), kind="stable")]
