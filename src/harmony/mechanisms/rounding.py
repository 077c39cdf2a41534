"""From real probabilities to integer tables that keep epsilon exactly.

Probabilities come from formulas and solvers in floating point.  What ships is integers, and
the bound `largest <= e**epsilon * smallest` must hold for the integers, so rounding always
gives way on the side of the smallest count: it may be too large, never too small.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from harmony_device.exact import BOUND_BITS, exp_floor
from harmony_device.tables import TOTAL

from ..errors import SurveyError


def window_counts(epsilon: Fraction, symbols: int, window: list[int]) -> list[int]:
    """Return counts for a circulant table whose `window` places are e**epsilon times likelier.

    The smallest count is the least one whose e**epsilon multiples can fill 2**53, so the
    realised epsilon is short of the promised one only by the last bit.

    >>> counts = window_counts(Fraction(1), 3, [0])
    >>> sum(counts) == TOTAL, counts[0] / counts[1]
    (True, 2.718281828459043)
    """
    floor_exp = exp_floor(epsilon)
    width = len(window)

    def ceiling(low: int) -> int:
        return low * floor_exp >> BOUND_BITS

    low, high = 1, TOTAL
    while low < high:
        middle = (low + high) // 2
        if width * ceiling(middle) + (symbols - width) * middle >= TOTAL:
            high = middle
        else:
            low = middle + 1
    tall, excess = divmod(TOTAL - (symbols - width) * low, width)
    if tall < low:
        raise SurveyError(f"epsilon {float(epsilon):g} is too small for {symbols} symbols")
    counts = [low] * symbols
    for place, position in enumerate(window):
        counts[position] = tall + (place < excess)
    return counts


def dense_counts(epsilon: Fraction, probabilities: NDArray[np.float64]) -> list[list[int]]:
    """Round each row of `probabilities` to counts that sum to 2**53 and keep epsilon exactly.

    Each symbol's smallest probability is first raised by a small margin, which opens room between
    e**epsilon times it and the entries at the top; the rows' small surpluses go there.
    """
    floor_exp = exp_floor(epsilon)
    for margin in (1e-12, 1e-10, 1e-8, 1e-6):
        floors = [int(low * (1 + margin) * TOTAL) + 1 for low in probabilities.min(axis=0)]
        ceilings = [low * floor_exp >> BOUND_BITS for low in floors]
        rows = [_fill_row(row, floors, ceilings) for row in probabilities.tolist()]
        if all(row is not None for row in rows):
            return [row for row in rows if row is not None]
    raise SurveyError(f"no integer table keeps epsilon {float(epsilon):g}")


def _fill_row(row: list[float], floors: list[int], ceilings: list[int]) -> list[int] | None:
    """Round one row between its bounds to a sum of 2**53, or return None if they forbid it."""
    counts = [
        min(max(round(entry * TOTAL), low), high)
        for entry, low, high in zip(row, floors, ceilings, strict=True)
    ]
    missing = TOTAL - sum(counts)
    # The likeliest symbols change least in proportion, so they take the change.
    for place in sorted(range(len(counts)), key=lambda place: -counts[place]):
        room = (ceilings if missing > 0 else floors)[place] - counts[place]
        change = min(missing, room) if missing > 0 else max(missing, room)
        counts[place] += change
        missing -= change
    return counts if missing == 0 else None
