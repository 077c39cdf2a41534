"""Every mechanism that Harmony can design, at every epsilon and size worth checking.

A new mechanism is checked by existing: `Mechanism` is the union of all mechanism classes, and
each must appear below through its `design`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

from harmony.mechanisms import Grid, Linear, Mechanism, SignedLinear
from harmony.survey_fields import MECHANISMS

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
SIZES = (2, 3, 5, 6, 8, 9, 14, 16, 64, 1000, 50_000)


@dataclass(frozen=True)
class Case:
    kind: type
    epsilon: float
    values: int | None
    mechanism: str
    memory: float | None = None

    def build(self) -> Mechanism:
        size = () if self.values is None else (self.values,)
        memory = () if self.memory is None else (Fraction(self.memory),)
        return self.kind.design(Fraction(self.epsilon), *size, self.mechanism, *memory)

    def __str__(self) -> str:
        size = "" if self.values is None else f"-k{self.values}"
        memory = "" if self.memory is None else f"-memory{self.memory:g}"
        return f"{self.kind.__name__.lower()}-{self.mechanism}{size}-eps{self.epsilon:g}{memory}"


SHAPES: dict[type, tuple[int | None, ...]] = {Grid: (None,), Linear: SIZES, SignedLinear: SIZES}

CASES = [
    Case(kind, epsilon, values, mechanism)
    for kind in get_args(Mechanism)
    for mechanism in MECHANISMS
    for values in SHAPES[kind]
    for epsilon in EPSILONS
]

MEMORY = ((0.05, 0.1), (0.5, 1.0), (1.0, 2.0), (1.0, 5.0), (4.0, 8.0))
"""Epsilons of one round, and of all rounds of an answer that never changes."""

MEMORY_CASES = [
    Case(kind, epsilon, values, mechanism, memory)
    for kind in (Grid, Linear)
    for mechanism in MECHANISMS
    for values in SHAPES[kind]
    for epsilon, memory in MEMORY
]
CASES += MEMORY_CASES

SMALL_CASES = [case for case in CASES if (case.values or 0) <= 64]
