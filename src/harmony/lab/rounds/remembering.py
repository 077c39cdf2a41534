"""Our own memory, in the form in which the others are compared."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from harmony_device.tables import TOTAL, CirculantTable

from ...arrays import Floats
from ...mechanisms import Linear
from ...mechanisms.audit import log_ceiling
from ...mechanisms.memory import Memo
from .chained import Chained, Codes, Support


@dataclass(frozen=True)
class Remembering(Chained):
    """`Survey(..., epsilon, memory)` with one attribute of k values.

    >>> ours = Remembering(2.0, 1.0, k=16)
    >>> round(ours.round_variance(), 2), round(ours.change_variance() / 2, 2)
    (3.15, 2.46)
    """

    memory: float
    epsilon: float
    k: int

    @property
    def name(self) -> str:
        return "Harmony"

    @cached_property
    def mechanism(self) -> Linear:
        """The mechanism that a survey would have."""
        return Linear.design(Fraction(self.epsilon), self.k, "auto", Fraction(self.memory))

    @property
    def memo(self) -> Memo:
        """What it remembers."""
        assert self.mechanism.memo is not None
        return self.mechanism.memo

    @property
    def permanent(self) -> Support:
        return Support(*self.mechanism.kept_support)

    @property
    def sent(self) -> Support:
        return Support(self.mechanism.p, self.mechanism.q)

    @cached_property
    def _rows(self) -> Floats:
        """Running sums of the memo's table, a row for each index."""
        table = self.mechanism.table
        counts = np.array(table.counts, np.float64) / TOTAL
        if isinstance(table, CirculantTable):
            counts = np.stack([np.roll(counts, index) for index in range(table.inputs)])
        return np.cumsum(counts, axis=1)

    def remember(self, users: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """Return each user's row of the code, and kept[user, index]."""
        draws = rng.random((users, len(self._rows)))
        kept = [np.searchsorted(row, draws[:, index]) for index, row in enumerate(self._rows)]
        return rng.integers(0, self.mechanism.code.rows, users), np.stack(kept, axis=1)

    def supported(self, kept: tuple[Codes, Codes], data: Codes, rng: np.random.Generator) -> Floats:
        rows, memos = kept
        indices = self.mechanism.indices
        assert indices is not None, "the lab simulates small codes only"
        memo = memos[np.arange(len(data)), indices[rows, data]]
        replace = self.memo.replace
        place = np.searchsorted(
            np.cumsum([replace.keep, *replace.counts]) / TOTAL, rng.random(len(data))
        )
        sent = np.where(place > 0, place - 1, memo)
        cells = np.zeros((self.mechanism.code.rows, self.mechanism.table.symbols), np.int64)
        np.add.at(cells, (rows, sent), 1)
        return np.asarray(self.mechanism.support_counts(cells), np.float64)

    def exact(self) -> tuple[float, float]:
        from harmony_device.tables import worst_ratio_of

        table = self.mechanism.table
        return (
            log_ceiling(table.worst_ratio()),
            log_ceiling(worst_ratio_of(self.memo.replace.after(table))),
        )
