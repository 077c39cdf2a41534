"""`linear` with a sign: one coordinate block of a gradient, residual times indicator.

A device holds a level v of k and a sign s, the residual rounded at random to +-1.  The coin
picks a Hadamard row r of the levels, and the device sends the bit s * H[r, v] through
randomised response.  The all-ones row is left out: it would ask for the residual's mean, which
is the same for every attribute.

Privacy: the device sends a symbol from row i of a two-by-two table, and `check_table` proves in
integers that neither symbol is more than e**epsilon times likelier for one i than for the
other.  Level and sign act through i alone, and the row is public.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harmony_device.codes import LinearCode
from harmony_device.tables import TOTAL, CirculantTable, Table

from ..arrays import Counts, Floats
from ..errors import SurveyError
from .expected_error import ExpectedErrorMixin
from .linear import SMALL_TABLE
from .moments import Moments
from .rounding import window_counts
from .transforms import walsh_hadamard


@dataclass(frozen=True, eq=False)
class SignedLinear(ExpectedErrorMixin):
    """A signed categorical mechanism: Hadamard rows and randomised response.

    >>> signed = SignedLinear.design(Fraction(1), 5)
    >>> signed.code.rows, round(signed.scale, 3), round(signed.zero_variance, 2)
    (7, 2.164, 3.59)
    """

    epsilon: Fraction
    values: int
    code: LinearCode
    table: CirculantTable

    memo = None
    """Trainings, whose steps ask for signed answers, have no memory."""

    @classmethod
    @lru_cache(maxsize=2048)
    def design(cls, epsilon: Fraction, values: int, mechanism: str = "auto") -> SignedLinear:
        """Return the mechanism for `values` levels; there is one, whatever `mechanism` asks."""
        digits = 1 + (values - 1).bit_length()
        code = LinearCode((1 << digits - 1) + values, 2, digits, [1], signed=True)
        return cls(epsilon, values, code, CirculantTable(window_counts(epsilon, 2, [0])))

    @classmethod
    def from_document(
        cls, document: dict[str, Any], table: Table, epsilon: Fraction, values: int
    ) -> SignedLinear:
        """Read the mechanism from a survey document; the table was checked before."""
        built = cls.design(epsilon, values)
        if document.get("code") != "linear" or not isinstance(table, CirculantTable):
            raise SurveyError("code: a signed attribute needs code 'linear' and a circulant table")
        if any(document.get(field) != want for field, want in built.to_document().items()):
            raise SurveyError("code: must be the signed code of the attribute's values")
        if table.inputs != 2 or table.counts[0] <= table.counts[1]:
            raise SurveyError(
                "code: a signed code needs a table of two symbols, the first likelier"
            )
        return cls(epsilon, values, built.code, table)

    @property
    def fresh_table(self) -> CirculantTable:
        """Its table: trainings have no memory."""
        return self.table

    def to_document(self) -> dict[str, Any]:
        return self.code.to_document()

    @cached_property
    def scale(self) -> float:
        """What one symbol decodes to, up to its sign: (e^eps + 1) / (e^eps - 1)."""
        likely, unlikely = self.table.counts
        return TOTAL / (likely - unlikely)

    @property
    def highest(self) -> float:
        """The most that one report can decode to."""
        return self.scale * self.code.rows / (self.code.rows + 1)

    @property
    def lowest(self) -> float:
        """The least that one report can decode to."""
        return -self.highest

    @property
    def zero_variance(self) -> float:
        """n times the variance of the estimate for a level nobody has."""
        return self.highest**2

    @property
    def reference_noise(self) -> float:
        """Noise variance of a report, before any data is seen."""
        return self.zero_variance

    @property
    def reference_variance(self) -> float:
        """Variance between devices to plan with; the noise's bound includes it."""
        return 0.0

    def greatest_variance(self, share: float = 0.0) -> float:
        """Return the variance at its greatest; the noise's bound is that."""
        return self.zero_variance

    def moments(self, cells: Counts) -> Moments:
        """Decode the counts: for each level, the mean of sign times (indicator - 1 / size).

        The missing all-ones row takes away the mean sign, spread evenly over all `size` levels.
        """
        n = int(cells.sum())
        asked = cells.sum(axis=1)
        difference = (cells[:, 0] - cells[:, 1]).astype(np.float64)
        rows = np.divide(difference, asked, out=np.zeros(len(cells)), where=asked > 0)
        size = self.code.rows + 1
        spectrum = np.concatenate([[0.0], self.scale * rows])
        estimates: Floats = walsh_hadamard(spectrum)[: self.values] / size
        return Moments(n, estimates, np.full(self.values, self.zero_variance if n else np.inf))

    @cached_property
    def indices(self) -> NDArray[np.uint16] | None:
        """indices[row, value], where that is a small table."""
        values = (self.code.rows + 1) + self.values
        if self.code.rows * values > SMALL_TABLE:
            return None
        rows = range(self.code.rows)
        table = [[self.code.index(value, row) for value in range(values)] for row in rows]
        return np.array(table, np.uint16)
