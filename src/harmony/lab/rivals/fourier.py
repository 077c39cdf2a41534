"""Joint tables of all pairs from their Fourier coefficients (after Cormode et al. 2018).

A value is written in bits.  The table of two attributes is the sum of the products of signs that
their bits give, each times its mean over the people: a coefficient.  Every device is asked for one
coefficient, drawn by a public coin, and answers its own sign by randomised response.  Coefficients
of one attribute serve all pairs that it is in, so the tables agree with each other from the start.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from ...arrays import Counts, Floats
from ...estimate.consistency import project_to_simplex

Coefficient = tuple[tuple[int, int], ...]
"""Attributes with the bits of each that count, by their number from one."""


def signs(values: int) -> Floats:
    """Return the sign of each value (a column) for each set of bits (a row), none of them first.

    >>> signs(3)
    array([[ 1.,  1.,  1.],
           [ 1., -1.,  1.],
           [ 1.,  1., -1.],
           [ 1., -1., -1.]])
    """
    sets = np.arange(1 << max(values - 1, 1).bit_length())
    odd = [[(bits & value).bit_count() % 2 for value in range(values)] for bits in sets.tolist()]
    return 1.0 - 2.0 * np.array(odd)


def coefficients(attributes: int, sets: int) -> list[Coefficient]:
    """Return the coefficients that tell the tables of all pairs, but for the constant.

    >>> len(coefficients(10, 4))
    435
    """
    alone: list[Coefficient] = [
        ((one, bits),) for one in range(attributes) for bits in range(1, sets)
    ]
    return alone + [
        ((first, bits), (second, others))
        for first, second in combinations(range(attributes), 2)
        for bits in range(1, sets)
        for others in range(1, sets)
    ]


def fourier_tables(
    people: Counts, values: int, epsilon: float, seed: int, *, singles: float | None = None
) -> dict[tuple[int, int], Floats]:
    """Return the table of each pair of columns of `people`, all with values 0 to `values` - 1.

    `singles` is the share of the devices that coefficients of one attribute get; by default all
    coefficients are asked as often.
    """
    rng = np.random.default_rng(seed)
    characters = signs(values)
    asked = coefficients(people.shape[1], len(characters))
    alone = sum(len(one) == 1 for one in asked)
    share = alone / len(asked) if singles is None else singles
    chances = np.repeat(
        [share / alone, (1 - share) / (len(asked) - alone)], [alone, len(asked) - alone]
    )
    coins = np.split(rng.permutation(len(people)), _ends(chances, len(people)))
    truthful = 1 / (1 + math.exp(-epsilon))
    known: dict[Coefficient, float] = {}
    for one, devices in zip(asked, coins, strict=True):
        own = np.ones(len(devices))
        for attribute, bits in one:
            own *= characters[bits, people[devices, attribute]]
        said = np.where(rng.random(len(devices)) < truthful, own, -own)
        known[one] = float(said.mean()) / (2 * truthful - 1) if len(devices) else 0.0
    found = {}
    for first, second in combinations(range(people.shape[1]), 2):
        table = np.ones((values, values))
        for bits in range(len(characters)):
            for others in range(len(characters)):
                key = tuple(pair for pair in ((first, bits), (second, others)) if pair[1])
                if key:
                    table += known[key] * np.outer(characters[bits], characters[others])
        table /= len(characters) ** 2
        found[first, second] = project_to_simplex(table.ravel()).reshape(table.shape)
    return found


def _ends(chances: Floats, devices: int) -> Counts:
    """Return where each coefficient's devices end, in a random order of all, but the last's."""
    return np.round(np.cumsum(chances)[:-1] * devices).astype(np.int64)
