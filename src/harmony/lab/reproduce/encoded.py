"""People as the learning experiments need them: packed, with an income to predict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...attributes import Attribute, Numeric
from ...errors import HarmonyError
from ...learn.paper import DesignMatrix
from ...learn.paper.design_matrix import Column
from ..populations import Population, labels
from ..populations.encode import scaled
from .summary import Source

TARGET = "income"
"""The dependent variable of section 5.3; an extract must name its own so."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """Everybody's attributes but the income, and the income: scaled, and as a label.

    The label is 1 where the income is at least its mean, else -1.
    """

    name: str
    features: list[Attribute]
    matrix: DesignMatrix
    income: NDArray[np.float32]
    label: NDArray[np.float32]

    @property
    def n(self) -> int:
        return self.matrix.devices

    def target(self, panel: str) -> NDArray[np.float32]:
        return self.income if panel == "linear" else self.label

    def folds(self, count: int) -> Iterator[tuple[int, int]]:
        """Yield, for each fold, the first row to test on and how many."""
        ends = np.linspace(0, self.n, count + 1).astype(int).tolist()
        for start, stop in pairwise(ends):
            yield start, stop - start


def encode_people(
    people: Source, seed: int, advance: Callable[[int], None] = lambda done: None
) -> Encoded:
    """Read the people once, in chunks.

    Those of a file may be sorted, and are put in a random order; simulated ones have none.

    >>> from harmony.lab.populations import br
    >>> known = encode_people(br(1000), seed=1)
    >>> known.n, known.matrix.d, sorted(set(known.label.tolist()))
    (1000, 95, [-1.0, 1.0])
    >>> list(known.folds(3))
    [(0, 333), (333, 333), (666, 334)]
    """
    attributes = {one.name: one for one in people.attributes}
    target = attributes.pop(TARGET, None)
    if not isinstance(target, Numeric):
        raise HarmonyError(f"{people.name}: needs a numeric attribute called {TARGET!r} to predict")
    matrices, incomes = [], []
    for chunk in people.chunks():
        matrices.append(
            DesignMatrix.pack([_column(chunk[one.name], one) for one in attributes.values()])
        )
        incomes.append(scaled(chunk[TARGET], target))
        advance(len(incomes[-1]))
    numbers = np.concatenate([one.numbers for one in matrices])
    codes = np.concatenate([one.codes for one in matrices])
    income = np.concatenate(incomes)
    if not isinstance(people, Population):
        order = np.random.default_rng(seed).permutation(len(income))
        numbers, codes, income = numbers[order], codes[order], income[order]
    matrix = DesignMatrix(numbers, codes, matrices[0].sizes, matrices[0].is_number)
    label = labels(income, float(income.mean(dtype=np.float64))).astype(np.float32)
    return Encoded(people.name, list(attributes.values()), matrix, income, label)


def _column(values: NDArray[Any], attribute: Attribute) -> Column:
    if isinstance(attribute, Numeric):
        return scaled(values, attribute)
    return values, len(attribute.values)
