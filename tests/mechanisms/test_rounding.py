"""Integer tables: they sum to the total, keep epsilon to the last count, and waste nothing."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from harmony import SurveyError
from harmony.mechanisms.audit import log_ceiling
from harmony.mechanisms.rounding import dense_counts, window_counts
from harmony.mechanisms.sign_tuples import fixed_u_probability, halves, sign_scale
from harmony.mechanisms.subsets import subset_table
from harmony_device.exact import BOUND_BITS, exp_floor
from harmony_device.tables import TOTAL, DenseTable, check_table


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Fraction(8)])
@pytest.mark.parametrize(
    ("symbols", "window"), [(2, [0]), (5, [4, 1]), (17, [0, 3, 5, 6]), (9, [2])]
)
def test_no_smaller_count_could_fill_the_row(
    epsilon: Fraction, symbols: int, window: list[int]
) -> None:
    counts = window_counts(epsilon, symbols, window)
    assert (len(counts), sum(counts)) == (symbols, TOTAL)
    floor_exp, width = exp_floor(epsilon), len(window)
    low = min(counts)
    assert [place for place in range(symbols) if counts[place] > low] == sorted(window)
    less = low - 1
    assert width * (less * floor_exp >> BOUND_BITS) + (symbols - width) * less < TOTAL
    tall = [counts[place] for place in window]
    assert tall == sorted(tall, reverse=True)
    assert tall[0] - tall[-1] <= 1
    assert tall[0] <= low * floor_exp >> BOUND_BITS


@pytest.mark.parametrize(("symbols", "window"), [(3, [0]), (1000, [0, 1])])
def test_an_epsilon_too_small_for_the_symbols_is_refused(symbols: int, window: list[int]) -> None:
    with pytest.raises(SurveyError, match=f"epsilon 0 is too small for {symbols} symbols"):
        window_counts(Fraction(0), symbols, window)


def test_an_epsilon_that_just_reaches_is_taken() -> None:
    assert window_counts(Fraction(0), 2, [0]) == [TOTAL // 2, TOTAL // 2]


@pytest.mark.parametrize("seed", range(5))
def test_probabilities_are_rounded_to_counts_that_keep_epsilon(seed: int) -> None:
    rng = np.random.default_rng(seed)
    epsilon = Fraction(3, 2)
    probabilities = rng.uniform(1, math.exp(1.2), (4, 7))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    while (probabilities.max(axis=0) / probabilities.min(axis=0)).max() > math.exp(1.5):
        probabilities = (probabilities + 1 / 7) / 2
    counts = dense_counts(epsilon, probabilities)
    table = DenseTable(counts)
    check_table(table, epsilon)
    assert np.abs(np.array(counts) / TOTAL - probabilities).max() < 1e-11


def test_probabilities_at_the_very_bound_are_rounded_too() -> None:
    e = math.exp(1.0)
    probabilities = np.array([[e, 1, 1], [1, e, 1], [1, 1, e]]) / (e + 2)
    counts = dense_counts(Fraction(1), probabilities)
    check_table(DenseTable(counts), Fraction(1))
    assert np.abs(np.array(counts) / TOTAL - probabilities).max() < 1e-9


def test_probabilities_beyond_the_bound_are_refused() -> None:
    with pytest.raises(SurveyError, match="no integer table keeps epsilon 1"):
        dense_counts(Fraction(1), np.full((3, 3), 0.05) + 0.85 * np.eye(3))


@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3), Fraction(10, 3), Fraction(2**46, 7)])
def test_a_logarithm_is_the_least_float_that_is_not_below_it(ratio: Fraction) -> None:
    found = log_ceiling(ratio)
    below = math.nextafter(found, -math.inf)
    assert ratio <= Fraction(exp_floor(found) + 2**40, 1 << BOUND_BITS)
    if ratio > 1:
        assert ratio > Fraction(exp_floor(below), 1 << BOUND_BITS)
    else:
        assert found == 0.0


def test_logarithms_round_up_whichever_way_the_nearest_float_lies() -> None:
    """Of many ratios, the nearest float is below the logarithm of about half."""
    raised = 0
    for numerator in range(2, 60):
        found = log_ceiling(Fraction(numerator))
        assert Fraction(exp_floor(found) + 2**40, 1 << BOUND_BITS) >= numerator
        raised += found != math.log(numerator)
    assert 15 < raised < 45


@pytest.mark.parametrize(("values", "width"), [(4, 2), (6, 3), (8, 2), (5, 1)])
def test_a_subset_is_likely_for_the_values_that_it_holds(values: int, width: int) -> None:
    table = subset_table(Fraction(1), values, width)
    check_table(table, Fraction(1))
    assert (table.inputs, table.symbols) == (values, math.comb(values, width))
    middle = TOTAL // table.symbols
    for value, row in enumerate(table.counts):
        likely = [subset for subset, count in zip(
            combinations(range(values), width), row, strict=True) if count > middle]  # fmt: skip
        assert likely == [one for one in combinations(range(values), width) if value in one]
        assert sorted(row) == sorted(table.counts[0])


def tuples(d: int) -> list[list[int]]:
    return [[1 if number >> place & 1 else -1 for place in range(d)] for number in range(2**d)]


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_the_papers_constants_by_going_through_all_tuples(d: int) -> None:
    """The device's own tuple is all ones: T+ are the tuples whose signs add up to more than 0."""
    above = [one for one in tuples(d) if sum(one) > 0]
    below = [one for one in tuples(d) if sum(one) <= 0]
    assert halves(d) == (len(above), len(below))
    for epsilon in (0.5, 2.0):
        coin, e = fixed_u_probability(epsilon, d), math.exp(epsilon)
        assert coin / len(above) == pytest.approx(e * (1 - coin) / len(below), rel=1e-12)
        mean = coin * np.mean(above, axis=0) + (1 - coin) * np.mean(below, axis=0)
        assert np.allclose(mean * sign_scale(epsilon, d), 1.0, rtol=1e-12)
