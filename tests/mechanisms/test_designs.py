"""Designs: the window, its multipliers and the choice among them, by search and by counting."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from harmony.mechanisms.designs import (
    MOST_CELLS,
    Design,
    best_design,
    is_prime,
    multipliers,
    window,
)

PRIMES = [number for number in range(2, 45) if is_prime(number)]
WIDE = [Design(base, 1, width) for base in PRIMES for width in range(1, max(base // 2, 1) + 1)]


def likely(design: Design, epsilon: float) -> tuple[float, float]:
    """Return p and q, by going through all symbols of all rows for two values."""
    e, places = math.exp(epsilon), set(window(design))
    total = len(places) * e + design.base - len(places)
    own = others = 0.0
    for one in multipliers(design):
        turned = {place + one * 1 for place in places}
        own += len(places) * e / total
        shared = len({place % design.base for place in turned} & places)
        others += (shared * e + len(places) - shared) / total
    rows = len(multipliers(design))
    return own / rows, others / rows


@pytest.mark.parametrize("design", WIDE, ids=str)
def test_multipliers_turn_a_window_into_a_difference_family(design: Design) -> None:
    """Every difference of two values meets the window as often as every other one."""
    places = window(design)
    assert len(set(places)) == len(places) == design.width
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] < design.base
    factors = multipliers(design)
    assert len(factors) == (design.base - 1) // design.subgroup_order
    assert factors[0] == 1
    differences = Counter(
        factor * (one - other) % design.base
        for factor in factors for one in places for other in places if one != other
    )  # fmt: skip
    assert len(set(differences.values())) <= 1
    assert len(differences) == (design.base - 1 if design.width > 1 else 0)
    assert design.cells == len(factors) * design.base


@pytest.mark.parametrize("design", [one for one in WIDE if one.width > 1], ids=str)
def test_the_variance_is_that_of_the_windows_themselves(design: Design) -> None:
    for epsilon in (0.5, 2.0):
        p, q = likely(design, epsilon)
        assert design.variance(epsilon) == pytest.approx(q * (1 - q) / (p - q) ** 2, rel=1e-9)


@pytest.mark.parametrize(("base", "digits"), [(2, 1), (2, 4), (3, 3), (5, 2)])
def test_values_that_share_an_index_speak_for_each_other(base: int, digits: int) -> None:
    """Of all rows, the share on which two values agree is (g^(t-1) - 1) / (g^t - 1)."""
    e = math.exp(1.0)
    p = e / (e + base - 1)
    same = (base ** (digits - 1) - 1) / (base**digits - 1)
    q = same * p + (1 - same) * (1 - p) / (base - 1)
    assert Design(base, digits, 1).variance(1.0) == pytest.approx(q * (1 - q) / (p - q) ** 2)


@pytest.mark.parametrize(
    ("design", "order", "cells"),
    [
        (Design(7, 1, 1), 6, 7),
        (Design(7, 1, 3), 3, 14),
        (Design(7, 1, 4), 3, 14),
        (Design(7, 1, 2), 2, 21),
        (Design(2, 5, 1), 1, 62),
        (Design(3, 3, 1), 2, 39),
        (Design(6, 1, 3, subsets=True), 1, 20),
    ],
)
def test_the_size_of_a_tally(design: Design, order: int, cells: int) -> None:
    assert (design.subgroup_order, design.cells) == (order, cells)


def every_design(values: int) -> list[Design]:
    """Return all designs for a few values, with any window."""
    found = [Design(values, 1, 1)]
    found += [
        Design(values, 1, width, subsets=True)
        for width in range(2, values)
        if math.comb(values, width) <= 400
    ]
    for base in PRIMES:
        digits = math.ceil(math.log(values) / math.log(base) - 1e-9)
        found += [Design(base, max(digits, 1), width) for width in range(1, base)]
        if base > values:
            break
    return found


@pytest.mark.parametrize("values", [2, 3, 4, 6, 8, 9, 14, 16, 30, 32])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 3.0, 5.0])
def test_no_design_has_a_better_variance_or_one_as_good_with_fewer_cells(
    epsilon: float, values: int
) -> None:
    chosen = best_design(epsilon, values)
    others = every_design(values)
    least = min(one.variance(epsilon) for one in others)
    assert chosen.variance(epsilon) <= 1.01 * least
    good = [one for one in others if one.variance(epsilon) <= 1.01 * least]
    assert chosen.cells == min(one.cells for one in good)
    equal = [one for one in good if one.cells == chosen.cells]
    assert chosen.variance(epsilon) == min(one.variance(epsilon) for one in equal)


@pytest.mark.parametrize(
    ("epsilon", "values"), [(0.1, 1000), (4.0, 1000), (1.0, 50_000), (8.0, 5000), (8.0, 300_000)]
)
def test_a_large_attribute_keeps_its_tally_within_bounds(epsilon: float, values: int) -> None:
    design = best_design(epsilon, values)
    assert design.base**design.digits >= values
    assert design.base <= 65_536
    assert design.cells <= max(MOST_CELLS, 4 * values)
