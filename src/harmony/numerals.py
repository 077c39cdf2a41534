"""Numbers in words: with so many digits that none is taken for another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

DIGITS, MOST_DIGITS = 6, 17

MOVED = 1e-3
"""How far a number may be written from where it is, as a share of the least gap between two."""

WHOLE = 1e15
"""Whole numbers below are written out where six digits are too few."""


def numerals(numbers: Sequence[float]) -> tuple[str, ...]:
    """Write rising numbers, such as the edges of bins, so that they can be told apart.

    >>> numerals([0, 100 / 3, 200 / 3, 100])
    ('0', '33.3333', '66.6667', '100')
    >>> numerals([20240101, 20240102, 20240201])
    ('20240101', '20240102', '20240201')
    """
    near = MOVED * min((right - left for left, right in pairwise(numbers)), default=0.0)
    for digits in range(DIGITS, MOST_DIGITS + 1):
        written = tuple(_write(number, digits) for number in numbers)
        off = (abs(float(one) - at) for one, at in zip(written, numbers, strict=True))
        if all(one <= near for one in off):
            break
    return written


def _write(number: float, digits: int) -> str:
    if digits > DIGITS and number == int(number) and abs(number) < WHOLE:
        return str(int(number))
    return f"{number:.{digits}g}"
