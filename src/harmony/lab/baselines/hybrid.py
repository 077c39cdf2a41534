"""Hybrid, the paper's rival in figure 1: Duchi et al. for the numbers, Bassily-Smith for the rest.

Privacy: Duchi's part spends d_n epsilon / d and each of the d_c others epsilon / d, with
independent coins, so together they spend epsilon by composition (section 5.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Floats
from .base import Baseline, Data, Reports, one_hot
from .bassily_smith import BETA, BassilySmith
from .duchi import Duchi


@dataclass(frozen=True)
class Hybrid(Baseline):
    """`numeric` numbers in [-1, 1], then one code for each size in `sizes`.

    A report is the d_n signs of Duchi's method, then (s, bit) for each category.

    >>> round(Hybrid(1.0, numeric=2, sizes=(3, 4), users=1000).exact_epsilon(), 9)
    1.0
    """

    epsilon: float
    numeric: int
    sizes: tuple[int, ...]
    users: int
    beta: float = BETA
    seed: int = 0

    @property
    def unbiased(self) -> bool:
        return not self.sizes

    @property
    def d(self) -> int:
        return self.numeric + len(self.sizes)

    @cached_property
    def duchi(self) -> Duchi:
        return Duchi(self.numeric * self.epsilon / self.d, self.numeric)

    @cached_property
    def parts(self) -> list[BassilySmith]:
        share = self.epsilon / self.d
        return [
            BassilySmith(share, k, self.users, self.beta, self.seed + place)
            for place, k in enumerate(self.sizes)
        ]

    def _codes(self, data: Data, part: int) -> Data:
        return np.asarray(data[:, self.numeric + part], np.int64)

    def _answer(self, reports: Reports, part: int) -> Reports:
        start = self.numeric + 2 * part
        return reports[:, start : start + 2]

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        signs = self.duchi.randomize(data[:, : self.numeric], rng)
        answers = [
            part.randomize(self._codes(data, place), rng) for place, part in enumerate(self.parts)
        ]
        return np.hstack([signs, *answers])

    def decode(self, reports: Reports) -> Floats:
        answers = [
            part.decode(self._answer(reports, place)) for place, part in enumerate(self.parts)
        ]
        return np.hstack([self.duchi.decode(reports[:, : self.numeric]), *answers])

    def target(self, data: Data) -> Floats:
        shown = [one_hot(self._codes(data, at), k) for at, k in enumerate(self.sizes)]
        return np.hstack([np.asarray(data[:, : self.numeric], np.float64), *shown])

    def expectation(self, data: Data) -> Floats:
        shown = [part.expectation(self._codes(data, at)) for at, part in enumerate(self.parts)]
        return np.hstack([self.duchi.expectation(data[:, : self.numeric]), *shown])

    def noise(self, data: Data) -> Floats:
        shown = [part.noise(self._codes(data, at)) for at, part in enumerate(self.parts)]
        return np.hstack([self.duchi.noise(data[:, : self.numeric]), *shown])

    def exact_epsilon(self) -> float:
        return self.duchi.exact_epsilon() + sum(part.exact_epsilon() for part in self.parts)
