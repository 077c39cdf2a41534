"""`grid`: one number in [-1, 1], rounded to a grid and randomised by an optimal table.

With two points and two symbols this is the paper's Algorithm 3: P[u = 1] is linear in t.

Privacy: the device sends a symbol drawn from row i of an integer table, i being the grid
point its value was rounded to.  `check_table` proves in integers that no symbol is more than
e**epsilon times likelier at one grid point than at another.  Rounding to the grid happens
before the table, so it cannot weaken that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from harmony_device.codes import GridCode
from harmony_device.tables import TOTAL, DenseTable

from ..arrays import Counts, Floats
from ..errors import SurveyError
from .decoded import Decoded
from .expected_error import ExpectedErrorMixin
from .memory import (
    SLACK,
    Memo,
    change_cost,
    memo_epsilon,
    memo_of,
    permanent_share,
    product_table,
    replacing,
)
from .moments import Moments
from .rounding import dense_counts, window_counts

TWO_POINTS_BELOW = 0.1
"""Below this epsilon the program's optimum is the two-point table."""

FEW_SYMBOLS = (7, 8, 9, 13)
"""Candidates for output values that are tried for a memo: with few symbols changes cost less."""


@dataclass(frozen=True, eq=False)
class Grid(ExpectedErrorMixin):
    """A numeric mechanism: a grid code, a dense table and the output value of each symbol.

    >>> grid = Grid.design(Fraction(1))
    >>> round(grid.worst_variance, 2), round(Grid.design(Fraction(1), "harmony").worst_variance, 2)
    (3.99, 4.68)
    """

    epsilon: Fraction
    code: GridCode
    table: DenseTable
    values: Floats
    memo: Memo | None = None

    @classmethod
    @lru_cache(maxsize=256)  # some 100 kB each
    def design(
        cls, epsilon: Fraction, mechanism: str = "auto", memory: Fraction | None = None
    ) -> Grid:
        """Return the paper's two-point table, or the one of least worst-case variance.

        With `memory`, the table is a memo's, which spends no more than that.
        """
        if memory is not None:
            return _remembering(cls.design(epsilon, mechanism), memory)
        if mechanism == "harmony" or epsilon <= TWO_POINTS_BELOW:
            counts = window_counts(epsilon, 2, [0])
            table = DenseTable([counts, counts[::-1]])
            scale = TOTAL / (counts[0] - counts[1])
            return cls(epsilon, GridCode(2), table, np.array([-scale, scale]))
        return _programmed(epsilon, *((17, 33) if epsilon <= 5 else (33, 65)))

    def _unbiased(self) -> Grid:
        """Let the output values absorb what rounding did to the expectations."""
        missing = self.points - self.probabilities @ self.values
        return replace(
            self, values=self.values + np.linalg.lstsq(self.probabilities, missing, rcond=None)[0]
        )

    @classmethod
    def from_document(
        cls, document: dict[str, Any], table: Any, epsilon: Fraction, memo: Memo | None = None
    ) -> Grid:
        """Read the mechanism from a survey document; the table was checked before."""
        values = document.get("outputs")
        if not isinstance(table, DenseTable):
            raise SurveyError("code: 'grid' needs a dense table")
        code = GridCode(document.get("points"))  # type: ignore[arg-type]  # checked inside
        numbers = isinstance(values, list) and all(isinstance(one, int | float) for one in values)
        if not numbers or len(values) != table.symbols:  # type: ignore[arg-type]
            raise SurveyError("code: 'outputs' must give a number for each symbol of the table")
        if code.points != table.inputs:
            raise SurveyError("code: 'points' must be the number of the table's inputs")
        grid = cls(epsilon, code, table, np.array(values, dtype=np.float64), memo)
        bias = grid.probabilities @ grid.values - grid.points
        if not np.all(np.abs(bias) < 1e-9 * max(1.0, float(np.abs(grid.values).max()))):
            raise SurveyError("code: 'outputs' do not give unbiased estimates with this table")
        return grid

    @cached_property
    def fresh_table(self) -> DenseTable:
        """The table of a report by who keeps no memo, as a simulation of one round."""
        if self.memo is None:
            return self.table
        return product_table(self.table, self.memo, self.epsilon)  # type: ignore[return-value]  # dense, too

    def to_document(self) -> dict[str, Any]:
        return self.code.to_document() | {"outputs": self.values.tolist()}

    @cached_property
    def probabilities(self) -> Floats:
        """probabilities[i, s]: the chance that a report of grid point i is symbol s."""
        kept = np.array(self.table.counts, dtype=np.float64) / TOTAL
        return kept if self.memo is None else self.memo.sent(kept)

    @cached_property
    def points(self) -> Floats:
        return np.linspace(-1, 1, self.code.points)

    @property
    def highest(self) -> float:
        """The most that one report can decode to."""
        return float(self.values.max())

    @property
    def lowest(self) -> float:
        """The least that one report can decode to."""
        return float(self.values.min())

    @cached_property
    def point_noise(self) -> Floats:
        """Variance of the decoded symbol at each grid point."""
        return self.probabilities @ self.values**2 - (self.probabilities @ self.values) ** 2

    def noise_at(self, t: Floats) -> Floats:
        """Variance of the decoded symbol for values t in [-1, 1], rounding included."""
        second = np.interp(t, self.points, self.point_noise + self.points**2)
        return second - np.asarray(t) ** 2

    def permanent_noise_at(self, t: Floats) -> Floats:
        """The part of `noise_at` that all rounds of a device have in common: memo and rounding."""
        if self.memo is None:
            return np.zeros_like(t)
        kept = np.array(self.table.counts, dtype=np.float64) / TOTAL
        second = kept @ self.memo.expected(self.values) ** 2
        return np.interp(t, self.points, second) - np.asarray(t) ** 2

    @cached_property
    def worst_variance(self) -> float:
        """The largest of `noise_at` over [-1, 1], exactly: it is a parabola between points."""
        second = self.point_noise + self.points**2
        slopes = np.diff(second) / np.diff(self.points)
        peaks = np.clip(slopes / 2, self.points[:-1], self.points[1:])
        return float(max(self.noise_at(peaks).max(), self.point_noise.max()))

    @property
    def reference_noise(self) -> float:
        """Noise variance of a report, before any data is seen."""
        return self.worst_variance

    @property
    def reference_variance(self) -> float:
        """Variance between devices to plan with: that of a value uniform over its range."""
        return 1 / 3

    def variance_of(self, t: Floats, share: float) -> float:
        """Return n times the variance of the mean of numbers like these, if `share` answers."""
        return float(self.noise_at(t).mean() + (1 - share) * np.var(t))

    def greatest_variance(self, share: float = 0.0) -> float:
        """Return what `expected_variance` is for the numbers at which it is greatest.

        Half of them are t and half are -t: with the second moment s(t) of a report, which is
        straight between grid points, the variance is s(t) - share * t^2.
        """
        second = self.point_noise + self.points**2
        slopes = np.diff(second) / np.diff(self.points)
        peaks = slopes / (2 * share) if share > 0 else np.copysign(np.inf, slopes)
        t = np.concatenate([self.points, np.clip(peaks, self.points[:-1], self.points[1:])])
        return float((np.interp(t, self.points, second) - share * t**2).max())

    @cached_property
    def decoded(self) -> Decoded:
        """What a report decodes to, for devices on each of the grid points."""
        return Decoded.of_moments(
            *(self.probabilities @ self.values**power for power in (1, 2, 3, 4))
        )

    def moments(self, cells: Counts) -> Moments:
        """Decode the counts of the symbols: the mean of t with the variance of a report."""
        n = int(cells.sum())
        if n == 0:
            return Moments(0, np.full(1, np.nan), np.full(1, np.inf))
        shares = cells[0] / n
        mean = float(shares @ self.values)
        observed = (float(shares @ self.values**2) - mean**2) * n / max(n - 1, 1)
        total = max(observed, float(self.point_noise.min()))
        return Moments(n, np.array([mean]), np.array([total]))

    def noise_of(self, cells: Counts) -> float:
        """Return the noise variance of a report, rounding to the grid aside.

        It depends on where the values lie, which the symbols tell only roughly: it is estimated
        through `_noise_weights`, and lies between its least and its greatest possible value.
        """
        fitted, slack = self._noise_weights
        shares = cells[0] / cells.sum()
        least, most = self.point_noise.min(), self.point_noise.max()
        return float(np.clip(shares @ fitted + slack, least, most))

    def kept_noise_of(self, cells: Counts) -> float:
        """Return the part of `noise_of` that all rounds have in common, and rather too little."""
        kept = self.permanent_noise_at(self.points)
        fitted, slack = self._weights_of(kept)
        shares = cells[0] / cells.sum()
        return float(np.clip(shares @ fitted - slack, kept.min(), kept.max()))

    @cached_property
    def _noise_weights(self) -> tuple[Floats, float]:
        return self._weights_of(self.point_noise)

    def _weights_of(self, noise: Floats) -> tuple[Floats, float]:
        """Weights w on symbols with E[w | point] near `noise`, and the most they miss."""
        fitted = np.asarray(np.linalg.lstsq(self.probabilities, noise, rcond=1e-6)[0], np.float64)
        missed = noise - self.probabilities @ fitted
        return fitted, float(np.abs(missed).max())


def _programmed(epsilon: Fraction, points: int, symbols: int) -> Grid:
    """Return the table of least worst-case variance, with so many candidates for symbols."""
    from .grid_program import least_variance  # loads scipy's solvers

    probabilities, values = least_variance(float(epsilon), points, symbols)
    table = DenseTable(dense_counts(epsilon, probabilities))
    return Grid(epsilon, GridCode(points), table, values)._unbiased()


def _remembering(plain: Grid, memory: Fraction) -> Grid:
    """Return a mechanism with memory that is nearly as accurate in each round as a plain one."""
    epsilon, points, most = plain.epsilon, plain.code.points, float(memory)
    tried = [plain]
    if points > 2:
        tried += [_programmed(epsilon, points, few) for few in FEW_SYMBOLS]
    good = [one for one in tried if one.worst_variance <= SLACK * plain.worst_variance]

    def change(one: Grid) -> float:
        least = one.probabilities.min(axis=0)
        return change_cost(float(epsilon), most, float(least.min()), float(least.sum()))

    best = min(good, key=change)
    share = partial(permanent_share, best.probabilities, best.values, float(epsilon))
    spent = min(memory, Fraction(memo_epsilon(float(epsilon), most, share)))
    kept = memo_of(best.probabilities, float(epsilon), float(spent))
    table = DenseTable(dense_counts(spent, kept))
    memo = Memo(spent, replacing(table, epsilon))
    return Grid(epsilon, best.code, table, best.values, memo)._unbiased()
