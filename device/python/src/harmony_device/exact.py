"""Rigorous integer bounds of e^epsilon: the arithmetic behind every privacy check.

A table is private when `largest <= e**epsilon * smallest` for each symbol.  e**epsilon is
irrational, so the check is made against an integer that is certainly below it.  Every step
here rounds down, and every quantity is positive, so the result can only err on the safe side.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` and `fractions` cost more to import than all that runs here
if TYPE_CHECKING:
    from fractions import Fraction

BOUND_BITS = 128
"""`exp_floor` returns e**epsilon scaled by 2**BOUND_BITS."""

_WORK_BITS = 256
_HALVINGS = 6
"""e**epsilon is e**(epsilon / 2**6) squared six times: 20 / 64 is well inside the series."""

_MOST = 32


def exp_floor(epsilon: float | Fraction, parts: int = 1) -> int:
    """Return an integer at most `e**(epsilon / parts) * 2**BOUND_BITS`, and within 2**-100 of it.

    The float `epsilon` is taken at its exact binary value.

    >>> from fractions import Fraction
    >>> exp_floor(0) == 1 << BOUND_BITS
    True
    >>> bound = Fraction(exp_floor(1), 1 << BOUND_BITS)
    >>> Fraction(271828182845904523, 10**17) < bound < Fraction(271828182845904524, 10**17)
    True
    >>> exp_floor(1.0, parts=3) == exp_floor(Fraction(1, 3))
    True
    """
    numerator, denominator = epsilon.as_integer_ratio()
    denominator *= parts
    if not 0 <= numerator <= _MOST * denominator:
        raise ValueError(f"epsilon must lie between 0 and {_MOST}")
    floor_power = (numerator << _WORK_BITS) // (denominator << _HALVINGS)
    floor_term = floor_sum = 1 << _WORK_BITS
    order = 0
    while floor_term:
        order += 1
        floor_term = (floor_term * floor_power >> _WORK_BITS) // order
        floor_sum += floor_term
    for _ in range(_HALVINGS):
        floor_sum = floor_sum * floor_sum >> _WORK_BITS
    return floor_sum >> (_WORK_BITS - BOUND_BITS)


def within_bound(largest: int, smallest: int, floor_exp: int) -> bool:
    """Whether `largest <= e**epsilon * smallest`, given `floor_exp = exp_floor(epsilon)`.

    >>> within_bound(271828, 100000, exp_floor(1)), within_bound(271829, 100000, exp_floor(1))
    (True, False)
    """
    return largest << BOUND_BITS <= floor_exp * smallest
