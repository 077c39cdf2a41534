"""Tables: the only thing that touches privacy.

A table holds, for each input index, integer counts of the symbols that sum to exactly 2**53.
A device draws 53 bits and takes the first place whose running count exceeds the draw.

Privacy: given index i, symbol s leaves with probability T[i][s] / 2**53 exactly.  `check`
proves max_i T[i][s] <= e**epsilon * min_i T[i][s] for every s, in integers.  So whatever the
value was, no symbol is more than e**epsilon times likelier than under any other value.

A survey with memory walks two tables: T once for each index, to a symbol that the device keeps,
and in each round R, which keeps that symbol or replaces it.  Symbol s then leaves a round with
probability (keep * T[i][s] + 2**53 * R[s]) / 2**106, which `check` proves in the same way.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from .errors import RefusedError
from .exact import exp_floor, within_bound
from .protocol import MAX_SYMBOLS
from .strict_json import whole

TYPE_CHECKING = False  # `typing` and `fractions` cost more to import than all that runs here
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any, Union

DRAW_BITS = 53
TOTAL = 1 << DRAW_BITS


class DenseTable:
    """A table with its own row of counts for each input index.

    >>> coin = DenseTable([[3 << 51, 1 << 51], [1 << 51, 3 << 51]])
    >>> coin.walk(0, 0), coin.walk(0, TOTAL - 1)
    (0, 1)
    >>> coin.worst_ratio()
    Fraction(3, 1)
    """

    kind = "dense"

    def __init__(self, counts: list[list[int]]) -> None:
        if not isinstance(counts, (list, tuple)) or len(counts) < 2:
            raise RefusedError("table: 'counts' needs a row for each of at least two inputs")
        self.counts = [_checked_row(row, f"row {number}") for number, row in enumerate(counts)]
        if len({len(row) for row in self.counts}) != 1:
            raise RefusedError("table: all rows of 'counts' must have the same length")
        self.inputs = len(self.counts)
        self.symbols = len(self.counts[0])
        self._cumulative: list[list[int]] = [[]] * self.inputs  # of a row once it is walked

    def walk(self, index: int, draw: int) -> int:
        """Return the symbol for input `index` and a 53-bit uniform `draw`."""
        row = self._cumulative[index]
        if not row:
            row = self._cumulative[index] = list(accumulate(self.counts[index]))
        return bisect_right(row, draw)

    def extremes(self) -> list[tuple[int, int]]:
        """Return (smallest, largest) count over the inputs, for each symbol."""
        return [(min(column), max(column)) for column in zip(*self.counts)]

    def worst_ratio(self) -> Fraction:
        """Return the exact largest ratio of a symbol's probabilities under two inputs."""
        return worst_ratio_of(self.extremes())

    def to_document(self) -> dict[str, Any]:
        return {"kind": self.kind, "counts": [list(row) for row in self.counts]}


class CirculantTable:
    """A table whose row for index i is the row for index 0 turned by i places.

    One row describes it: the device walks that row to an offset, and sends (index + offset)
    modulo the number of symbols.  Every symbol meets every count as the index varies, so the
    bound is largest count against smallest.

    >>> table = CirculantTable([1 << 52, 1 << 51, 1 << 51])
    >>> table.walk(2, 0), table.walk(2, TOTAL - 1)
    (2, 1)
    >>> table.worst_ratio()
    Fraction(2, 1)
    """

    kind = "circulant"

    def __init__(self, counts: list[int]) -> None:
        self.counts = _checked_row(counts, "'counts'")
        self.inputs = self.symbols = len(self.counts)
        self._cumulative = list(accumulate(self.counts))

    def walk(self, index: int, draw: int) -> int:
        """Return the symbol for input `index` and a 53-bit uniform `draw`."""
        return (index + bisect_right(self._cumulative, draw)) % self.symbols

    def extremes(self) -> list[tuple[int, int]]:
        """Return (smallest, largest) count over the inputs: the same for each symbol."""
        return [(min(self.counts), max(self.counts))]

    def worst_ratio(self) -> Fraction:
        """Return the exact largest ratio of a symbol's probabilities under two inputs."""
        return worst_ratio_of(self.extremes())

    def to_document(self) -> dict[str, Any]:
        return {"kind": self.kind, "counts": list(self.counts)}


class ReplaceTable:
    """A table that keeps a symbol, or replaces it by one that does not depend on it.

    Its first count is of the draws that keep the symbol; then there is one for each symbol.

    >>> table = ReplaceTable([1 << 52, 1 << 51, 1 << 51])
    >>> table.walk(1, 0), table.walk(1, 1 << 52), table.walk(1, TOTAL - 1)
    (1, 0, 1)
    >>> table.worst_ratio()
    Fraction(3, 1)
    """

    kind = "replace"

    def __init__(self, counts: list[int]) -> None:
        row = _checked_row(counts, "'counts'")
        if len(row) < 3:
            raise RefusedError("table: 'counts' needs one to keep, and one for each symbol")
        self.keep, *self.counts = row
        self.symbols = len(self.counts)
        self._cumulative = list(accumulate(row))

    def walk(self, symbol: int, draw: int) -> int:
        """Return the symbol that is sent for one that is kept, and a 53-bit uniform `draw`."""
        place = bisect_right(self._cumulative, draw)
        return place - 1 if place else symbol

    def extremes(self) -> list[tuple[int, int]]:
        """Return (smallest, largest) count over the symbols that are kept, for each sent one."""
        return [(count, count + self.keep) for count in self.counts]

    def after(self, table: Table) -> list[tuple[int, int]]:
        """Return the extremes of both tables, one after the other, in counts of 2**106."""
        extremes = table.extremes()
        counts = self.counts if len(extremes) > 1 else [min(self.counts)]
        return [
            (self.keep * low + count * TOTAL, self.keep * high + count * TOTAL)
            for (low, high), count in zip(extremes, counts)
        ]

    def worst_ratio(self) -> Fraction:
        """Return the exact largest ratio of a sent symbol's probabilities under two kept ones."""
        return worst_ratio_of(self.extremes())

    def to_document(self) -> dict[str, Any]:
        return {"kind": self.kind, "counts": [self.keep, *self.counts]}


if TYPE_CHECKING:
    Table = Union[DenseTable, CirculantTable]
else:
    Table = (DenseTable, CirculantTable)  # what `isinstance` takes on every Python

_KINDS = {one.kind: one for one in (DenseTable, CirculantTable, ReplaceTable)}


def table_from_document(document: Any) -> Any:
    """Read a table from a survey document, refusing anything that is not one."""
    kind = document.get("kind") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise RefusedError("table: 'kind' must be 'dense', 'circulant' or 'replace'")
    return _KINDS[kind](document.get("counts"))  # each checks it


def check_table(table: Table, epsilon: float | Fraction, answers: int = 1) -> None:
    """Prove that `table` spends at most epsilon / answers, or raise RefusedError.

    >>> check_table(CirculantTable([1 << 52, 1 << 51, 1 << 51]), 0.7)
    >>> check_table(CirculantTable([1 << 52, 1 << 51, 1 << 51]), 0.69)
    Traceback (most recent call last):
    ...
    harmony_device.errors.RefusedError: table: symbol 0 is more than e^0.69 times likelier ...
    """
    Promise(epsilon, answers).check(table)


class Promise:
    """What tables may spend: epsilon / answers each."""

    __slots__ = ("_floor_exp", "_spent")

    def __init__(self, epsilon: float | Fraction, answers: int = 1) -> None:
        self._floor_exp = exp_floor(epsilon, answers)
        self._spent = float(epsilon) / answers

    def check(self, table: Table | ReplaceTable, replace: ReplaceTable | None = None) -> None:
        """Prove that `table`, or `replace` after it, keeps the promise, or raise RefusedError."""
        extremes = table.extremes() if replace is None else replace.after(table)  # type: ignore[arg-type]
        for symbol, (smallest, largest) in enumerate(extremes):
            if not within_bound(largest, smallest, self._floor_exp):
                raise RefusedError(
                    f"table: symbol {symbol} is more than e^{self._spent:g} times likelier "
                    "under one value than under another; it does not keep its promised epsilon"
                )


def worst_ratio_of(extremes: list[tuple[int, int]]) -> Fraction:
    """Return the exact largest ratio of a symbol's largest and smallest counts."""
    from fractions import Fraction

    return max(Fraction(high, low) for low, high in extremes)


def _checked_row(row: Any, where: str) -> list[int]:
    if not isinstance(row, (list, tuple)) or not 2 <= len(row) <= MAX_SYMBOLS:
        raise RefusedError(f"table: {where} must list between 2 and {MAX_SYMBOLS} counts")
    counts: list[int] = list(row)
    if set(map(type, counts)) != {int}:
        counts = [whole(count) for count in counts]
    if set(map(type, counts)) != {int} or min(counts) < 1:
        raise RefusedError(f"table: {where} must hold positive integers only")
    if sum(counts) != TOTAL:
        raise RefusedError(f"table: {where} must sum to exactly 2**53")
    return counts
