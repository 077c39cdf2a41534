"""Memory: a permanent symbol for each index, and each round a symbol drawn from that one.

A device draws memo[i] once for each index i, from row i of the memo's table P, and keeps it.  In a
round it sends memo[i] with probability r, or else a symbol drawn from weights w that depend on
nothing.  One round then is R[i][s] = r P[i][s] + w[s].

Any table R that keeps epsilon is such a product: take w in proportion to the least entries of R's
columns, which every row has in common, and what is left of R is a memo's table, of whichever
larger epsilon the share that was taken leaves.  So a round is as accurate as without memory.

Privacy: three bounds, each proved in integers (`harmony_device.tables`).  P keeps `memory`: so do
all rounds together, while the index stays, since they are functions of memo[i] and fresh
randomness.  R keeps `epsilon`: one round, whatever is known of no memo.  The symbols that are
sent keep `change` with respect to those that are kept, 1 + r / w[s]: so does each round in which
the index is another, whatever is known of all memos.  `histories` has the bound for all rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from harmony_device.exact import BOUND_BITS, exp_floor
from harmony_device.tables import (
    TOTAL,
    CirculantTable,
    DenseTable,
    ReplaceTable,
    Table,
    check_table,
)

from ..arrays import Floats
from .audit import log_ceiling

SLACK = 1.02
"""How much of a round's variance a design may lose for a smaller cost of changes."""

PERMANENT = 0.2
"""The share of a round's noise that stays in the memo, at least.

What stays cancels when two rounds are compared.  A memo that spends all that it may can be so
exact that nearly all noise is drawn anew in each round, where it hides changes: then it spends
less, which costs people less as well.
"""

UNIFORM = 1 << 30
"""One in so many draws of a product that is rounded is uniform."""

STEP = 1000
"""Memos spend so many thousandths: the least steps of the search below, and of what is shown."""


@dataclass(frozen=True, eq=False)
class Memo:
    """How a mechanism remembers: what its table may spend, and what each round replaces.

    The mechanism's own table is the memo's; `epsilon` is the most that it spends.
    """

    epsilon: Fraction
    replace: ReplaceTable

    @cached_property
    def change(self) -> float:
        """What a round may cost in which the answer is another one, rounded up."""
        return log_ceiling(self.replace.worst_ratio())

    def sent(self, kept: Floats) -> Floats:
        """Return the probabilities of what is sent, from those of what is kept."""
        return kept * (self.replace.keep / TOTAL) + self._weights

    def expected(self, outputs: Floats) -> Floats:
        """Return what the symbol that is sent decodes to on average, for each that is kept."""
        return outputs * (self.replace.keep / TOTAL) + self._weights @ outputs

    @cached_property
    def _weights(self) -> Floats:
        return np.array(self.replace.counts, np.float64) / TOTAL


def replacing(table: Table, epsilon: Fraction) -> ReplaceTable:
    """Return what must follow a memo's table so that both together keep `epsilon`.

    A symbol's weight is the least that brings its largest probability within e**epsilon of its
    smallest, if the memo is kept as often as the weights leave room for.

    >>> from harmony_device.tables import CirculantTable, check_table
    >>> memo = CirculantTable([3 * TOTAL // 4, TOTAL // 4])
    >>> replace = replacing(memo, Fraction(1, 2))
    >>> round(replace.keep / TOTAL, 4), round(replace.counts[0] / TOTAL, 4)
    (0.4898, 0.2551)
    """
    floor_exp, scale = exp_floor(epsilon), 1 << BOUND_BITS
    extremes = table.extremes()
    if len(extremes) == 1:  # a circulant table treats all symbols alike, and so do we
        extremes = extremes * table.symbols
    lacking = [max(0, high * scale - low * floor_exp) for low, high in extremes]

    def weights(keep: int) -> list[int]:
        return [max(1, -(-keep * one // ((floor_exp - scale) * TOTAL))) for one in lacking]

    least, most = 1, TOTAL
    while least < most:  # the first `keep` that, with its weights, fills all draws
        middle = (least + most) // 2
        if middle + sum(weights(middle)) >= TOTAL:
            most = middle
        else:
            least = middle + 1
    counts = weights(least)
    return ReplaceTable([TOTAL - sum(counts), *counts])


def product_table(table: Table, memo: Memo, epsilon: Fraction) -> Table:
    """Return what is sent as one table, for who draws a memo anew: it keeps `epsilon`.

    The product has counts out of 2**106.  They are rounded to 2**53, and a billionth of all draws
    made uniform, which is more than rounding can take from the promise; that is then proved.

    >>> from harmony_device.tables import CirculantTable
    >>> kept = CirculantTable([3 * TOTAL // 4, TOTAL // 4])
    >>> sent = product_table(kept, Memo(Fraction(2), replacing(kept, Fraction(1))), Fraction(1))
    >>> round(sent.counts[0] / sent.counts[1], 6)
    2.718282
    """
    rows = table.counts if isinstance(table, DenseTable) else [table.counts]
    sent = [_rounded(row, memo.replace) for row in rows]
    found: Table = DenseTable(sent) if isinstance(table, DenseTable) else CirculantTable(sent[0])
    check_table(found, epsilon)
    return found


def _rounded(row: Sequence[int], replace: ReplaceTable) -> list[int]:
    product = zip(row, replace.counts, strict=True)
    counts = [
        (replace.keep * kept + TOTAL * weight) * (UNIFORM - 1) // (UNIFORM * TOTAL)
        for kept, weight in product
    ]
    more, rest = divmod(TOTAL - sum(counts), len(counts))
    return [count + more + (place < rest) for place, count in enumerate(counts)]


def taken_share(epsilon: float, memory: float) -> float:
    """Return how much of its columns' least entries a round's table gives to the replacement.

    What is left keeps `memory` exactly: (e**epsilon - c) / (1 - c) = e**memory.
    """
    return (math.exp(memory) - math.exp(epsilon)) / math.expm1(memory)


def change_cost(epsilon: float, memory: float, least: float, total: float) -> float:
    """Return what a round may cost in which the answer is another one: log(1 + r / w).

    `least` and `total` are the smallest and the sum of the least entries of the columns of a
    round's table.

    >>> round(change_cost(1.0, 2.0, 1 / (1 + math.e), 2 / (1 + math.e)), 3)  # two symbols
    1.408
    """
    taken = taken_share(epsilon, memory)
    return math.log1p((1 - taken * total) / (taken * least))


def memo_of(probabilities: Floats, epsilon: float, memory: float) -> Floats:
    """Return the memo's table that, with what is common to all rows replaced, gives a round's.

    >>> memo_of(np.array([[0.75, 0.25], [0.25, 0.75]]), math.log(3), math.log(9)).round(9)
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    common = taken_share(epsilon, memory) * probabilities.min(axis=0)
    return np.asarray((probabilities - common) / (1 - common.sum()))


def permanent_share(probabilities: Floats, outputs: Floats, epsilon: float, memory: float) -> float:
    """Return how much of a round's noise is a memo's, all rows together.

    >>> two = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> round(permanent_share(two, np.array([-2.0, 2.0]), math.log(3), math.log(9)), 4)
    0.1875
    """
    common = taken_share(epsilon, memory) * probabilities.min(axis=0)
    decoded = outputs * (1 - common.sum()) + common @ outputs
    square = (probabilities @ outputs) ** 2
    permanent = memo_of(probabilities, epsilon, memory) @ decoded**2 - square
    return float(permanent.sum() / (probabilities @ outputs**2 - square).sum())


def memo_epsilon(epsilon: float, memory: float, share: Callable[[float], float]) -> float:
    """Return what a memo should spend, `memory` at most, to leave the PERMANENT share of noise.

    `share` tells, for what a memo spends, how much of one round's noise is then permanent.

    >>> memo_epsilon(1.0, 4.0, lambda spent: 1 / spent**2), memo_epsilon(1.0, 9.0, lambda _: 0.5)
    (2.236, 9.0)
    """
    if share(memory) >= PERMANENT:
        return memory
    least, most = math.ceil(epsilon * STEP), math.floor(memory * STEP)
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if share(middle / STEP) >= PERMANENT else (least, middle)
    return least / STEP
