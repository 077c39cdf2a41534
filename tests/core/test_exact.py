"""The bound of e^epsilon is rigorous, and the check against it decides to the last count."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harmony.mechanisms.rounding import window_counts
from harmony_device.errors import RefusedError
from harmony_device.exact import BOUND_BITS, exp_floor, within_bound
from harmony_device.tables import TOTAL, CirculantTable, check_table


def exponential(epsilon: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = 120
        return Fraction((Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp())


@given(st.floats(min_value=1e-6, max_value=25))
def test_the_bound_is_below_the_exponential_and_close_to_it(epsilon: float) -> None:
    bound = Fraction(exp_floor(epsilon), 1 << BOUND_BITS)
    exact = exponential(Fraction(epsilon))
    assert 0 <= exact - bound <= exact / 2**100


@given(st.fractions(min_value=0, max_value=10, max_denominator=10**6))
def test_the_bound_takes_fractions_at_their_exact_value(epsilon: Fraction) -> None:
    assert Fraction(exp_floor(epsilon), 1 << BOUND_BITS) <= exponential(epsilon)


@given(st.floats(min_value=0.001, max_value=20), st.integers(min_value=1, max_value=TOTAL))
def test_the_check_draws_the_line_where_the_real_inequality_does(epsilon: float, low: int) -> None:
    floor_exp = exp_floor(epsilon)
    last_allowed = int(exponential(Fraction(epsilon)) * low)
    assert within_bound(last_allowed, low, floor_exp)
    assert not within_bound(last_allowed + 1, low, floor_exp)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0, 8.0])
@pytest.mark.parametrize("symbols", [2, 3, 5, 17, 1009])
def test_a_count_moved_past_the_line_is_refused_and_not_before(
    epsilon: float, symbols: int
) -> None:
    counts = window_counts(Fraction(epsilon), symbols, [0])
    exact = exponential(Fraction(epsilon))

    def moved(by: int) -> CirculantTable:
        return CirculantTable([counts[0] + by, counts[1] - by, *counts[2:]])

    first_wrong = next(by for by in range(10_000) if counts[0] + by > exact * (counts[1] - by))
    check_table(moved(first_wrong - 1), epsilon)
    with pytest.raises(RefusedError):
        check_table(moved(first_wrong), epsilon)


@given(st.floats(min_value=0.01, max_value=12), st.integers(2, 300), st.data())
def test_window_tables_sum_exactly_and_keep_epsilon(
    epsilon: float, symbols: int, data: st.DataObject
) -> None:
    width = data.draw(st.integers(1, symbols - 1))
    counts = window_counts(Fraction(epsilon), symbols, list(range(width)))
    table = CirculantTable(counts)
    check_table(table, epsilon)
    assert sum(counts) == TOTAL


@pytest.mark.parametrize(
    "counts",
    [
        [],
        [TOTAL],
        [TOTAL, 0],
        [TOTAL + 1, -1],
        [0.5, TOTAL - 1, 0.5],
        [True, TOTAL - 1],
        "no table",
        None,
        [TOTAL // 2, TOTAL // 2 - 1],
    ],
)
def test_what_is_no_table_is_refused(counts: object) -> None:
    with pytest.raises(RefusedError, match="table"):
        CirculantTable(counts)  # type: ignore[arg-type]
