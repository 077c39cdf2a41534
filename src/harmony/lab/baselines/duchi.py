"""Duchi et al.'s method for d numbers: as published, and as the paper's section 3.1 fixes it.

Privacy: given the rounded tuple v, the report is uniform on the half of the cube that agrees
with v in more than d/2 signs (T+) or uniform on the rest (T-).  When d is odd the halves are
equally large, and u = 1 with probability e^eps / (e^eps + 1) makes every tuple of T+ exactly
e^eps times likelier than one of T-.  When d is even the ties fall into T-, which is larger:
with the published P[u = 1] the ratio is e^eps |T-| / |T+| (three times too large, for d = 2).  The
fix weighs u by the sizes, P[u = 1] = e^eps C_d / ((e^eps - 1) C_d + 2^d) with C_d = |T+|.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from ...arrays import Counts, Floats
from ...mechanisms.sign_tuples import fixed_u_probability, halves, sign_scale
from .base import Data, FiniteBaseline, Reports, choose_positions


@dataclass(frozen=True)
class Duchi(FiniteBaseline):
    """d numbers in [-1, 1]; a report is d signs, standing for a tuple of {-B, B}^d.

    Reports are drawn in O(d): first how many signs agree with v, from its exact distribution,
    then which.

    >>> round(Duchi(1.0, d=2, fixed=False).exact_epsilon() - 1, 6) == round(math.log(3), 6)
    True
    >>> round(Duchi(1.0, d=2).exact_epsilon(), 6)
    1.0
    """

    epsilon: float
    d: int
    fixed: bool = True

    @property
    def name(self) -> str:
        return "Duchi" if self.fixed else "Duchi as published"

    @property
    def unbiased(self) -> bool:
        return self.fixed or self.d % 2 == 1

    @property
    def private(self) -> bool:
        """Whether the mechanism keeps its epsilon."""
        return self.unbiased

    @cached_property
    def u_probability(self) -> float:
        """P[u = 1], the chance of a report from T+."""
        if self.fixed:
            return fixed_u_probability(self.epsilon, self.d)
        return 1 / (1 + math.exp(-self.epsilon))

    @cached_property
    def B(self) -> float:  # noqa: N802  the paper's symbol
        """The scale of equation (2), which makes the fixed estimator unbiased."""
        return sign_scale(self.epsilon, self.d)

    @cached_property
    def agreement(self) -> Floats:
        """The distribution of the number of signs that agree with v: 0 to d."""
        above, below = halves(self.d)
        return np.array(
            [
                self.u_probability * (math.comb(self.d, agree) / above)
                if 2 * agree > self.d
                else (1 - self.u_probability) * (math.comb(self.d, agree) / below)
                for agree in range(self.d + 1)
            ]
        )

    @cached_property
    def slope(self) -> float:
        """The decoded report's mean is `slope` times the value: 1 unless biased."""
        signs = 2 * np.arange(self.d + 1) / self.d - 1
        return self.B * float(self.agreement @ signs)

    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        v = np.where(rng.random(data.shape) * 2 - 1 < data, 1, -1).astype(np.int8)
        running = np.cumsum(self.agreement)
        draws = rng.random(len(data)) * running[-1]
        agree = np.searchsorted(running, draws, side="right")
        kept = choose_positions(agree, self.d, rng)
        return np.where(kept, v, -v)

    def decode(self, reports: Reports) -> Floats:
        return self.B * np.asarray(reports, np.float64)

    def target(self, data: Data) -> Floats:
        return np.asarray(data, np.float64)

    def expectation(self, data: Data) -> Floats:
        return self.slope * self.target(data)

    def noise(self, data: Data) -> Floats:
        return self.B**2 - self.expectation(data) ** 2

    def extremes(self) -> Data:
        return self.outcomes()

    def outcomes(self) -> Reports:
        if self.d > 12:
            raise ValueError("2^d reports are too many to list; d must be at most 12")
        return np.array(list(product((-1, 1), repeat=self.d)))

    def number(self, reports: Reports) -> Counts:
        powers = 2 ** np.arange(self.d - 1, -1, -1)
        return np.asarray((reports > 0) @ powers, np.int64)

    def probabilities(self, data: Data) -> Floats:
        """Sum over the 2^d roundings v: only for enumeration, never for sampling."""
        cube = self.outcomes()
        rounded = np.prod(0.5 + 0.5 * data[:, None, :] * cube[None, :, :], axis=2)
        return np.asarray(rounded @ self.given_rounding)

    @cached_property
    def given_rounding(self) -> Floats:
        """P[report | v] for every pair, which depends on the number of agreeing signs alone."""
        cube = self.outcomes()
        agree = (cube @ cube.T + self.d) // 2
        ways = np.array([math.comb(self.d, count) for count in range(self.d + 1)])
        return np.asarray((self.agreement / ways)[agree])
