"""Harmony for a tuple of numbers and categories: the protocol of the paper's section 3.2.

Privacy: the attribute j is independent of the data; given j, the report is an epsilon-LDP answer
about that attribute alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Counts, Floats
from .base import Data, FiniteBaseline, Reports, debiasing, one_hot
from .orthogonal import HarmonyCategorical


@dataclass(frozen=True)
class HarmonyMixed(FiniteBaseline):
    """`numeric` numbers in [-1, 1], then one code for each size in `sizes`.

    A report is (j, s, bit); s is 0 for a numeric attribute.  The statistics are the means, then
    the frequencies of each categorical attribute.

    >>> HarmonyMixed(1.0, numeric=2, sizes=(3, 2)).d
    4
    """

    epsilon: float
    numeric: int
    sizes: tuple[int, ...]

    @property
    def d(self) -> int:
        return self.numeric + len(self.sizes)

    @cached_property
    def parts(self) -> list[HarmonyCategorical]:
        return [HarmonyCategorical(self.epsilon, k) for k in self.sizes]

    @cached_property
    def _starts(self) -> Counts:
        """Where each categorical attribute's frequencies start among the statistics."""
        return self.numeric + np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        j = rng.integers(0, self.d, len(data))
        t = np.take_along_axis(data, j[:, None], axis=1)[:, 0]
        bit = rng.random(len(data)) < 0.5 + t / (2 * debiasing(self.epsilon))
        reports = np.stack([j, np.zeros_like(j), bit], axis=1)
        for place, part in enumerate(self.parts, self.numeric):
            asked = j == place
            reports[asked, 1:] = part.randomize(data[asked, place].astype(np.int64), rng)
        return reports

    def decode(self, reports: Reports) -> Floats:
        decoded = np.zeros((len(reports), int(self._starts[-1])))
        signs = 2 * reports[:, 2] - 1
        numeric = reports[:, 0] < self.numeric
        decoded[numeric, reports[numeric, 0]] = debiasing(self.epsilon) * signs[numeric]
        for number, part in enumerate(self.parts):
            asked = reports[:, 0] == self.numeric + number
            columns = slice(self._starts[number], self._starts[number + 1])
            decoded[asked, columns] = part.decode(reports[asked, 1:])
        return self.d * decoded

    def target(self, data: Data) -> Floats:
        shown = [one_hot(data[:, self.numeric + at], k) for at, k in enumerate(self.sizes)]
        return np.hstack([np.asarray(data[:, : self.numeric], np.float64), *shown])

    def noise(self, data: Data) -> Floats:
        return self.d * debiasing(self.epsilon) ** 2 - self.target(data) ** 2

    def extremes(self) -> Data:
        """Probabilities are linear in each number, and each report is about one attribute."""
        longest = max(2, *self.sizes) if self.sizes else 2
        rows = np.arange(longest)
        ends = np.where(rows % 2, 1.0, -1.0)
        columns = [ends] * self.numeric + [rows % k for k in self.sizes]
        return np.stack(columns, axis=1)

    def outcomes(self) -> Reports:
        rows = [1] * self.numeric + [part.K for part in self.parts]
        return np.array(
            [(j, s, b) for j, size in enumerate(rows) for s in range(size) for b in (0, 1)]
        )

    def number(self, reports: Reports) -> Counts:
        rows = [1] * self.numeric + [part.K for part in self.parts]
        starts = np.concatenate([[0], np.cumsum(rows)])
        return np.asarray(2 * (starts[reports[:, 0]] + reports[:, 1]) + reports[:, 2], np.int64)

    def probabilities(self, data: Data) -> Floats:
        ones = 0.5 + data[:, : self.numeric] / (2 * debiasing(self.epsilon))
        blocks = [np.stack([1 - ones, ones], axis=2).reshape(len(data), -1)]
        for place, part in enumerate(self.parts, self.numeric):
            blocks.append(part.probabilities(data[:, place].astype(np.int64)))
        return np.hstack(blocks) / self.d
