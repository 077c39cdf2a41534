"""Every mechanism that Harmony can design, at every epsilon and size worth checking.

A new mechanism is checked by existing: `Mechanism` is the union of all mechanism classes, and
each must appear below through its `design`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

from harmony.mechanisms import Grid, Linear, Mechanism, SignedLinear
from harmony.survey import MECHANISMS

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
SIZES = (2, 3, 5, 6, 8, 9, 14, 16, 64, 1000, 50_000)


@dataclass(frozen=True)
class Case:
    kind: type
    epsilon: float
    values: int | None
    mechanism: str

    def build(self) -> Mechanism:
        if self.values is None:
            return self.kind.design(Fraction(self.epsilon), self.mechanism)
        return self.kind.design(Fraction(self.epsilon), self.values, self.mechanism)

    def __str__(self) -> str:
        size = "" if self.values is None else f"-k{self.values}"
        return f"{self.kind.__name__.lower()}-{self.mechanism}{size}-eps{self.epsilon:g}"


SHAPES: dict[type, tuple[int | None, ...]] = {Grid: (None,), Linear: SIZES, SignedLinear: SIZES}

CASES = [
    Case(kind, epsilon, values, mechanism)
    for kind in get_args(Mechanism)
    for mechanism in MECHANISMS
    for values in SHAPES[kind]
    for epsilon in EPSILONS
]

SMALL_CASES = [case for case in CASES if (case.values or 0) <= 64]
