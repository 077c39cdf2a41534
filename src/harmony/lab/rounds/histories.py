"""Every pair of histories of a small survey with memory: how well their reports tell them apart.

Reports of rounds in which two histories have the same pair of answers may be exchanged, so a pair
of histories is a table of how many rounds have each pair of answers, and what is seen is how often
each symbol was sent in each of its cells.  All of these are tried; the losses are computed in
floating point, and those that come near their bound again in integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import numpy as np

from harmony_device.tables import CirculantTable, DenseTable

from ...arrays import Counts, Floats
from ...mechanisms import Linear
from ...mechanisms.audit import log_ceiling
from ...mechanisms.histories import MemoryCosts

NEAR = 1e-6
"""Losses within this of their bound are computed exactly."""


@dataclass(frozen=True)
class Worst:
    """What all pairs of histories of so many rounds showed.

    `loss` is the largest logarithm of a likelihood ratio, over all pairs and reports, of the
    pair `first` and `second`; `bound` is the largest of the pairs' own bounds, and `tightest` the
    largest loss of a pair as a share of its own.  `shown` is the figure that users see.
    """

    rounds: int
    pairs: int
    outcomes: int
    loss: float
    bound: float
    shown: float
    tightest: float
    broken: int
    first: tuple[int, ...]
    second: tuple[int, ...]


def enumerate_histories(mechanism: Linear, rounds: int) -> Worst:
    """Try all pairs of histories of a mechanism with memory, and all that can be seen of them.

    >>> two = Linear.design(Fraction(1), 2, "auto", Fraction(2))
    >>> worst = enumerate_histories(two, rounds=4)
    >>> worst.broken, round(worst.loss, 2), round(worst.bound, 2)
    (0, 3.37, 4.24)
    """
    tables = _Tables(mechanism)
    costs = MemoryCosts(
        float(mechanism.epsilon),
        float(mechanism.memo.epsilon),  # type: ignore[union-attr]  # it has memory
        mechanism.memo.change,  # type: ignore[union-attr]
        tables.inputs,
    )
    pairs = outcomes = broken = 0
    loss, most, tightest = -math.inf, 0.0, 0.0
    worst: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    for together in _pairs(tables.inputs, rounds):
        first, second = _histories(together)
        seen = _outcomes(together, tables.symbols)
        losses = tables.losses(seen)
        bound = costs.between(first, second)
        most, largest = max(most, bound), float(losses.max())
        if largest >= bound - NEAR:
            near = seen[losses >= bound - NEAR]
            largest = max(log_ceiling(tables.exact_ratio(one)) for one in near)
        pairs += 1
        outcomes += len(seen)
        broken += largest > bound + math.ulp(bound) * 8  # both are logarithms, rounded
        tightest = max(tightest, largest / bound if bound else 0.0)
        if largest > loss:
            loss, worst = largest, (first, second)
    shown = costs.worst(rounds)
    return Worst(rounds, pairs, outcomes, loss, most, shown, tightest, broken, *worst)


class _Tables:
    """A mechanism's tables as matrices of integers: index to kept symbol, and to sent symbol."""

    def __init__(self, mechanism: Linear) -> None:
        table, memo = mechanism.table, mechanism.memo
        assert memo is not None
        self.inputs, self.symbols = table.inputs, table.symbols
        if isinstance(table, DenseTable):
            self.kept = [list(row) for row in table.counts]
        else:
            assert isinstance(table, CirculantTable)
            places = range(self.symbols)
            self.kept = [[table.counts[(s - i) % self.symbols] for s in places] for i in places]
        self.sent = [
            [count + memo.replace.keep * (s == m) for s, count in enumerate(memo.replace.counts)]
            for m in range(self.symbols)
        ]
        self._kept = np.array(self.kept, np.float64) / 2.0**53
        self._logs = np.log(np.array(self.sent, np.float64) / 2.0**53)

    def losses(self, seen: Counts) -> Floats:
        """Log-likelihood ratios of the two histories, seen[outcome, first, second, symbol]."""
        return self._log_likelihood(seen.sum(axis=2)) - self._log_likelihood(seen.sum(axis=1))

    def _log_likelihood(self, by_index: Counts) -> Floats:
        products = np.exp(by_index.astype(np.float64) @ self._logs.T)  # outcome, index, memo
        return np.asarray(np.log((self._kept * products).sum(axis=2)).sum(axis=1))

    def exact_ratio(self, seen: Counts) -> Fraction:
        """The likelihood ratio of one outcome, in integers."""
        first, second = (self._likelihood(seen.sum(axis=axis).tolist()) for axis in (1, 0))
        return Fraction(first, second)

    def _likelihood(self, by_index: list[list[int]]) -> int:
        return math.prod(
            sum(
                row[memo] * math.prod(self.sent[memo][s] ** n for s, n in enumerate(counts))
                for memo in range(self.symbols)
            )
            for row, counts in zip(self.kept, by_index, strict=True)
        )


def _pairs(inputs: int, rounds: int) -> Iterator[Counts]:
    """Yield the tables of pairs of answers, one of each kind that renaming the answers makes."""
    for flat in _compositions(rounds, inputs * inputs):
        table = np.array(flat).reshape(inputs, inputs)
        names = permutations(range(inputs))
        if flat == max(tuple(table[np.ix_(one, one)].reshape(-1)) for one in names):
            yield table


def _histories(together: Counts) -> tuple[tuple[int, ...], tuple[int, ...]]:
    first, second = np.nonzero(together)
    often = together[first, second]
    return tuple(np.repeat(first, often).tolist()), tuple(np.repeat(second, often).tolist())


def _outcomes(together: Counts, symbols: int) -> Counts:
    """Return every way to see symbols in the cells: outcomes[..., first, second, symbol]."""
    size = len(together)
    cells = [_compositions(int(n), symbols) for n in together.reshape(-1)]
    return np.array(list(product(*cells)), np.int64).reshape(-1, size, size, symbols)


@cache
def _compositions(total: int, parts: int) -> tuple[tuple[int, ...], ...]:
    if parts == 1:
        return ((total,),)
    return tuple(
        (first, *rest)
        for first in range(total + 1)
        for rest in _compositions(total - first, parts - 1)
    )
