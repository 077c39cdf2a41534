"""`linear`: one of k values, through a linear code over g digits and a circulant table.

The value is written in base g; the public coin picks a row, and the index is row . value
modulo g.  The table then makes a window of w symbols e**epsilon times likelier than the rest.
w = 1 is g-ary randomised response; g = 2 is the paper's Hadamard code without its all-ones
row; one digit with a wider window has exactly the variance of subset selection, because the
rows turn the window into a difference family.  `designs` lists the choices.

Privacy: whatever the row, the device sends a symbol from row i of a circulant table, and
`check_table` proves in integers that its largest count is at most e**epsilon times its
smallest.  The coin is public and independent of the value, so it cannot weaken that.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harmony_device.codes import LinearCode
from harmony_device.tables import TOTAL, CirculantTable, DenseTable, Table

from ..arrays import Counts, Floats
from ..errors import SurveyError
from .decoded import Decoded
from .designs import Design, best_design, is_prime, memory_design, multipliers, window
from .expected_error import ExpectedErrorMixin
from .memory import Memo, memo_epsilon, product_table, replacing
from .moments import Moments
from .rounding import window_counts
from .subsets import subset_table
from .transforms import index_table, radon

SMALL_TABLE = 1 << 14


@dataclass(frozen=True, eq=False)
class Linear(ExpectedErrorMixin):
    """A categorical mechanism: a linear code and a table with a window of likely symbols.

    >>> linear = Linear.design(Fraction(1), 16)
    >>> linear.code.base, linear.code.digits, linear.code.rows, round(linear.zero_variance, 2)
    (17, 1, 4, 3.15)
    """

    epsilon: Fraction
    values: int
    code: LinearCode
    table: Table
    memo: Memo | None = None

    @classmethod
    @lru_cache(maxsize=2048)
    def design(
        cls,
        epsilon: Fraction,
        values: int,
        mechanism: str = "auto",
        memory: Fraction | None = None,
    ) -> Linear:
        """Return the paper's code (g = 2, w = 1), or the one of least variance.

        With `memory`, the table is a memo's, which spends no more than that.
        """
        if mechanism == "harmony":
            design = Design(base=2, digits=max(1, (values - 1).bit_length()), width=1)
        elif memory is None:
            design = best_design(float(epsilon), values)
        else:
            design = memory_design(float(epsilon), float(memory), values)
        if memory is None:
            return cls(epsilon, values, *_built(design, values, epsilon))
        share = partial(design.permanent, float(epsilon), values=values)
        spent = min(memory, Fraction(memo_epsilon(float(epsilon), float(memory), share)))
        code, table = _built(design, values, spent)
        return cls(epsilon, values, code, table, Memo(spent, replacing(table, epsilon)))

    @classmethod
    def from_document(
        cls,
        document: dict[str, Any],
        table: Table,
        epsilon: Fraction,
        values: int,
        memo: Memo | None = None,
    ) -> Linear:
        """Read the mechanism from a survey document; the table was checked before."""
        code = LinearCode(
            values,
            document.get("base"),  # type: ignore[arg-type]  # LinearCode checks all three
            document.get("digits"),  # type: ignore[arg-type]
            document.get("multipliers"),  # type: ignore[arg-type]
        )
        if code.inputs != table.inputs:
            raise SurveyError("code: 'base' must be the number of the table's inputs")
        if code.digits > 1 and not is_prime(code.base):
            raise SurveyError("code: 'base' must be prime when there is more than one digit")
        if memo and isinstance(table, CirculantTable) and len(set(memo.replace.counts)) > 1:
            raise SurveyError("code: 'replace' must treat all symbols of a circulant table alike")
        linear = cls(epsilon, values, code, table, memo)
        if not linear.balanced:
            raise SurveyError("code: the rows do not treat all values alike")
        return linear

    @cached_property
    def fresh_table(self) -> Table:
        """The table of a report by who keeps no memo, as a simulation of one round."""
        if self.memo is None:
            return self.table
        return product_table(self.table, self.memo, self.epsilon)

    def to_document(self) -> dict[str, Any]:
        return self.code.to_document()

    @cached_property
    def _likely(self) -> NDArray[np.bool_]:
        """Which counts of the table are the tall ones: a row for each index, or the one row."""
        counts = np.array(self.table.counts)
        likely: NDArray[np.bool_] = counts > (int(counts.min()) + int(counts.max())) // 2
        return likely

    @cached_property
    def support(self) -> Floats:
        """support[i, s] is 1 where symbol s supports index i: it is one of its likely symbols."""
        if isinstance(self.table, DenseTable):
            return self._likely.astype(np.float64)
        shifts = np.arange(self.code.base)
        shifted = self._likely[(shifts[None, :] - shifts[:, None]) % len(shifts)]
        return np.asarray(shifted, np.float64)

    def _by_index(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return, for each row and index, the sum of the cells whose symbols support it."""
        if isinstance(self.table, DenseTable):
            return np.stack([cells[:, likely].sum(axis=1) for likely in self._likely], axis=1)
        shifted = [np.roll(cells, -int(place), axis=1) for place in np.flatnonzero(self._likely)]
        return np.asarray(np.sum(shifted, axis=0, dtype=cells.dtype))

    def _by_symbol(self, by_index: Floats) -> Floats:
        """Return, for each row and symbol, the sum over the indices that it supports."""
        if isinstance(self.table, DenseTable):
            return by_index @ self._likely
        shifted = [np.roll(by_index, int(place), axis=1) for place in np.flatnonzero(self._likely)]
        return np.asarray(np.sum(shifted, axis=0))

    @cached_property
    def _kept(self) -> Floats:
        """kept[i, j]: probability that the table's symbol for index i supports index j.

        A circulant table needs only its first row: the others are shifts of it.
        """
        return self._by_index(np.atleast_2d(np.array(self.table.counts, np.float64) / TOTAL))

    @cached_property
    def _sent(self) -> Floats:
        """The chances of what is sent, laid out as the table's counts."""
        counts = np.array(self.table.counts, np.float64) / TOTAL
        return counts if self.memo is None else self.memo.sent(counts)

    @cached_property
    def _agreement(self) -> Floats:
        """agreement[i, j]: probability that the symbol that is sent for i supports index j."""
        return self._by_index(np.atleast_2d(self._sent))

    @cached_property
    def p(self) -> float:
        """Probability that a report supports the device's own value."""
        return self._support(self._agreement)[0]

    @cached_property
    def q(self) -> float:
        """Probability that a report supports any one other value."""
        return self._support(self._agreement)[1]

    def _support(self, agreement: Floats) -> tuple[float, float]:
        base, digits = self.code.base, self.code.digits
        same = (base ** (digits - 1) - 1) / (base**digits - 1)
        p, own = float(np.diag(agreement).mean()), np.diag(agreement).sum()
        others = (agreement.sum() - own) / (agreement.size - len(agreement))
        return p, float(same * p + (1 - same) * others)

    @cached_property
    def balanced(self) -> bool:
        """Whether, over the rows, every other value is supported equally often."""
        if not self._likely.any() or self.p <= self.q:
            return False
        base = self.code.base
        if isinstance(self.table, DenseTable):
            off = self._agreement[~np.eye(base, dtype=bool)]
            return bool(np.ptp(off) < 1e-12 and np.ptp(np.diag(self._agreement)) < 1e-12)
        differences = np.outer(self.code.multipliers, np.arange(1, base)) % base
        return bool(np.ptp(self._agreement[0][differences].mean(axis=0)) < 1e-12)

    @property
    def highest(self) -> float:
        """The most that one report can decode to."""
        return (1 - self.q) / (self.p - self.q)

    @property
    def lowest(self) -> float:
        """The least that one report can decode to."""
        return -self.q / (self.p - self.q)

    def noise_at(self, frequency: Floats) -> Floats:
        """Variance of the decoded report of a value with this frequency, privacy noise alone."""
        return _noise(self.p, self.q, frequency)

    def permanent_noise_at(self, frequency: Floats) -> Floats:
        """The part of `noise_at` that all rounds of a device have in common: its memo's."""
        if self.memo is None:
            return np.zeros_like(frequency)
        return _noise(*self.kept_support, frequency)

    @cached_property
    def kept_support(self) -> tuple[float, float]:
        """The chances that a memo supports the device's own value, and any one other value."""
        return self._support(self._kept)

    @property
    def zero_variance(self) -> float:
        """n times the variance of the estimate for a value nobody has."""
        return float(self.noise_at(np.array(0.0)))

    @property
    def reference_noise(self) -> float:
        """Noise variance of a report, before any data is seen: all values equally frequent."""
        return float(self.noise_at(np.array(1 / self.values)))

    @property
    def reference_variance(self) -> float:
        """Variance between devices to plan with: all values equally frequent."""
        return (1 - 1 / self.values) / self.values

    def variance_at(self, frequency: Floats, share: float) -> Floats:
        """Return n times the variance for values of these frequencies, if `share` answers."""
        return self.noise_at(frequency) + (1 - share) * frequency * (1 - frequency)

    def greatest_variance(self, share: float = 0.0) -> float:
        """Return what `expected_variance` is for the frequency at which it is greatest.

        It is a parabola that opens downwards, or a line where everyone answers.
        """
        rise = float(self.noise_at(np.array(1.0)) - self.noise_at(np.array(0.0)))
        peak = np.clip(0.5 + rise / (2 * (1 - share)), 0, 1) if share < 1 else 0.0
        return float(self.variance_at(np.array([0.0, peak, 1.0]), share).max())

    def moments(self, cells: Counts) -> Moments:
        """Decode the counts by row and symbol: k frequencies with the variance of a report."""
        n = int(cells.sum())
        if n == 0:
            nothing = np.full(self.values, np.nan)
            return Moments(0, nothing, nothing + np.inf)
        estimates = (self.support_counts(cells) / n - self.q) / (self.p - self.q)
        # Two successes and two failures more keep a rare value's variance away from zero.
        smooth = np.clip((estimates * n + 2) / (n + 4), 0, 1)
        return Moments(n, estimates, self.noise_at(smooth) + smooth * (1 - smooth))

    def support_counts(self, cells: Counts) -> Counts:
        """Return, for each value, how many reports support it: exact integers."""
        return radon(self._by_index(cells), self.code)[: self.values]

    @cached_property
    def indices(self) -> NDArray[np.uint16] | None:
        """indices[row, value], where that is a small table."""
        if self.code.rows * self.values > SMALL_TABLE:
            return None
        return index_table(self.code, self.values).astype(np.uint16)

    def decoded_sum(self, weights: Floats) -> Decoded:
        """Return what a report says about a weighted sum of frequencies, for each value.

        Kind u of the result are the devices whose value is number u.
        """
        index = index_table(self.code, self.values)
        by_index = np.zeros((self.code.rows, self.code.base))
        np.add.at(by_index, (np.arange(self.code.rows)[:, None], index), weights[None, :])
        decoded = (self._by_symbol(by_index) - self.q * weights.sum()) / (self.p - self.q)
        unlikely, likely = self._sent[~self._likely].mean(), self._sent[self._likely].mean()
        moments = []
        for power in (1, 2, 3, 4):
            symbols = decoded**power
            of_index = unlikely * symbols.sum(axis=1, keepdims=True)
            of_index = of_index + (likely - unlikely) * self._by_index(symbols)
            moments.append(np.take_along_axis(of_index, index, axis=1).mean(axis=0))
        return Decoded.of_moments(*moments)

    def reach(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the least and the most that a report can decode to, of weighted sums, a row each.

        The coin chooses the row, so it is the average over rows of what the sender chooses.
        """
        index = index_table(self.code, self.values)
        rows = np.arange(self.code.rows)[:, None]
        ends = []
        for one in weights:
            by_index = np.zeros((self.code.rows, self.code.base))
            np.add.at(by_index, (rows, index), one[None, :])
            decoded = (self._by_symbol(by_index) - self.q * one.sum()) / (self.p - self.q)
            ends.append((decoded.min(axis=1).mean(), decoded.max(axis=1).mean()))
        lowest, highest = np.array(ends).T
        return lowest, highest

    def noise_covariance(self, shares: Floats) -> Floats:
        """Return the covariance that privacy noise gives one decoded report.

        `shares` is how frequent the values are among the devices.
        """
        supports = self.support[index_table(self.code, self.values)]  # row, value, symbol
        unlikely, likely = self._sent[~self._likely].mean(), self._sent[self._likely].mean()
        chances = (unlikely + (likely - unlikely) * (shares @ supports)) / self.code.rows
        weighed = supports * chances[:, None, :]
        both = np.matmul(weighed, supports.transpose(0, 2, 1)).sum(axis=0)
        mean = weighed.sum(axis=(0, 2))
        total = (both - np.outer(mean, mean)) / (self.p - self.q) ** 2
        noise: Floats = total - (np.diag(shares) - np.outer(shares, shares))
        return noise


def _built(design: Design, values: int, epsilon: Fraction) -> tuple[LinearCode, Table]:
    """Return a design's code, and its table for this epsilon."""
    if design.subsets:
        code = LinearCode(values, design.base, 1, [1])
        return code, subset_table(epsilon, values, design.width)
    code = LinearCode(values, design.base, design.digits, multipliers(design))
    return code, CirculantTable(window_counts(epsilon, design.base, window(design)))


def _noise(p: float, q: float, frequency: Floats) -> Floats:
    """Variance of a decoded report that supports its own value with chance p, others with q."""
    share = np.asarray(frequency)
    return (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2
