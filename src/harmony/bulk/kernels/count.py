"""Counting what was sent, compiled: the cells of answers, and marks put into shares."""

from __future__ import annotations

import numpy as np
from numba import types

from ..fields import HALF
from ..jit import array, kernel, read_only

_U16, _U32, _U64, _I64 = types.uint16, types.uint32, types.uint64, types.int64


@kernel(
    read_only(_U32), read_only(_U32), read_only(_U16), read_only(_I64), read_only(_I64), array(_I64)
)
def locate(group, row, symbols, starts, widths, cells):  # type: ignore[no-untyped-def]  # numba infers
    """Fill `cells` with the flat place of every answer's count, -1 where its table has none."""
    for place in range(len(symbols)):
        key, symbol = group[place], np.int64(symbols[place])
        inside = symbol < widths[key]
        cell = starts[key] + np.int64(row[place]) * widths[key] + symbol
        cells[place] = cell if inside else -1


@kernel(read_only(_U64), _I64, _I64, array(_I64), array(_U64))
def spread(mixed, number, passes, starts, ordered):  # type: ignore[no-untyped-def]
    """Fill `ordered` with the marks of one of several passes, share after share, and `starts`."""
    shares = len(starts) - 1
    wide, first = np.uint64(passes * shares), number * shares
    starts[:] = 0
    for place in range(len(mixed)):
        share = np.int64(((mixed[place] >> HALF) * wide) >> HALF) - first
        if 0 <= share < shares:
            starts[share + 1] += 1
    for share in range(shares):
        starts[share + 1] += starts[share]
    ends = starts[:-1].copy()
    for place in range(len(mixed)):
        share = np.int64(((mixed[place] >> HALF) * wide) >> HALF) - first
        if 0 <= share < shares:
            ordered[ends[share]] = mixed[place]
            ends[share] += 1
