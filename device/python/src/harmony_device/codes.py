"""Codes: from a value (and a row of the public coin) to an input index of a table.

This is pre-processing.  Nothing here can cost privacy, because the table's promise holds for
every pair of indices; it can only cost accuracy.
"""

from __future__ import annotations

from .errors import RefusedError
from .strict_json import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TWO_53 = 9007199254740992.0


class GridCode:
    """Round a number in [low, high] at random to one of `points` evenly spaced grid points.

    The two neighbours are chosen with probabilities that make the expectation the number
    itself.  There is one row.

    >>> code = GridCode(points=3)
    >>> code.index(75.0, 0.0, 100.0, word=0), code.index(75.0, 0.0, 100.0, word=2**64 - 1)
    (2, 1)
    """

    kind = "grid"
    rows = 1

    def __init__(self, points: int) -> None:
        points = whole(points)
        if type(points) is not int or not 2 <= points <= 1 << 16:
            raise RefusedError("code: 'points' must be an integer from 2 to 65536")
        self.points = points
        self.inputs = points

    def index(self, value: float, low: float, high: float, word: int) -> int:
        """Return the grid point for `value`, clipped to [low, high], and a 64-bit `word`."""
        clipped = low if value < low else high if value > high else value
        position = (clipped - low) / (high - low) * (self.points - 1)
        left = min(int(position), self.points - 2)
        return left + ((word >> 11) < int((position - left) * TWO_53))

    def to_document(self) -> dict[str, Any]:
        return {"code": self.kind, "points": self.points}


class LinearCode:
    """Write the value in base g with t digits; the index is row . value modulo g.

    The row picks a multiplier and a point of the projective space over the digits: a vector
    whose highest non-zero digit is one.  With g = 2 this is the Hadamard matrix of the paper's
    appendix without its all-ones row; with t = 1 and the one multiplier 1 the index is the value.

    >>> hadamard = LinearCode(values=4, base=2, digits=2, multipliers=[1])
    >>> [[hadamard.index(value, row) for value in range(4)] for row in range(hadamard.rows)]
    [[0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]]

    A `signed` code takes values whose highest digit is a sign: a level of a categorical
    attribute, and whether a number that goes with it is negative.  Its rows are the Hadamard
    rows of the levels, each with the sign's digit; the index is the row's entry times the sign.

    >>> signed = LinearCode(values=4, base=2, digits=2, multipliers=[1], signed=True)
    >>> [signed.index(value, 0) for value in range(4)]
    [0, 1, 1, 0]
    """

    kind = "linear"

    def __init__(
        self, values: int, base: int, digits: int, multipliers: list[int], signed: bool = False
    ) -> None:
        base, digits = whole(base), whole(digits)
        for field, number in (("base", base), ("digits", digits)):
            if type(number) is not int or number < 1:
                raise RefusedError(f"code: '{field}' must be a positive integer")
        if not 2 <= base <= 1 << 16 or digits > 32 or not base ** (digits - 1) < 1 << 32:
            raise RefusedError("code: 'base' must be at most 65536, 'digits' at most 32")
        if base**digits < values:
            raise RefusedError("code: 'base' ** 'digits' must reach the number of values")
        if not isinstance(multipliers, (list, tuple)) or not multipliers:
            raise RefusedError("code: 'multipliers' must be a list of integers")
        multipliers = [whole(one) for one in multipliers]
        if not all(type(one) is int and 0 < one < base for one in multipliers):
            raise RefusedError("code: 'multipliers' must lie between 1 and 'base' - 1")
        if type(signed) is not bool or (signed and (base != 2 or digits < 2)):
            raise RefusedError("code: 'signed' must be a boolean, and needs base 2 and two digits")
        if signed and not 2 ** (digits - 1) < values:
            raise RefusedError("code: 'digits' must be those of a level, and one for the sign")
        if signed and list(multipliers) != [1]:
            raise RefusedError("code: 'multipliers' must be [1] in a signed code")
        self.base = base
        self.digits = digits
        self.multipliers = list(multipliers)
        self.signed = signed
        self.points: int = (base**digits - 1) // (base - 1)
        if signed:
            self.points = (1 << digits - 1) - 1
        self.rows = self.points * len(self.multipliers)
        self.inputs = base
        if self.rows > 1 << 31:
            raise RefusedError("code: too many rows")

    def index(self, value: int, row: int) -> int:
        """Return the table index of value number `value` under `row`."""
        if self.digits == 1:
            return self.multipliers[row] * value % self.base
        multiplier, point = divmod(row, self.points)
        vector = self.vector(point)
        total = 0
        while vector:
            vector, row_digit = divmod(vector, self.base)
            value, value_digit = divmod(value, self.base)
            total += row_digit * value_digit
        return self.multipliers[multiplier] * total % self.base

    def vector(self, point: int) -> int:
        """Return projective point number `point`, as an integer whose base-g digits it is."""
        if self.signed:
            return self.points + 2 + point
        leading, before = 1, 0
        while point >= before + leading:
            before += leading
            leading *= self.base
        return leading + point - before

    def to_document(self) -> dict[str, Any]:
        document = {
            "code": self.kind,
            "base": self.base,
            "digits": self.digits,
            "multipliers": list(self.multipliers),
        }
        return document | {"signed": True} if self.signed else document
