"""Tables: a table that is no table is refused, and the bound is the largest ratio it holds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from harmony_device import RefusedError
from harmony_device.exact import BOUND_BITS, exp_floor, within_bound
from harmony_device.tables import (
    TOTAL,
    CirculantTable,
    DenseTable,
    check_table,
    table_from_document,
)

HALF, QUARTER = TOTAL // 2, TOTAL // 4


@pytest.mark.parametrize(
    "document",
    [
        {"kind": "dense"},
        {"kind": "dense", "counts": None},
        {"kind": "dense", "counts": 7},
        {"kind": "dense", "counts": {"0": [HALF, HALF], "1": [HALF, HALF]}},
        {"kind": "dense", "counts": []},
        {"kind": "dense", "counts": [[HALF, HALF]]},
    ],
)
def test_a_dense_table_without_rows_for_two_inputs_is_refused(document: Any) -> None:
    with pytest.raises(RefusedError, match="'counts' needs a row for each of at least two inputs"):
        table_from_document(document)


@pytest.mark.parametrize("row", [None, 7, "77", {}, [], [TOTAL]])
def test_a_row_that_is_no_list_of_counts_is_refused(row: Any) -> None:
    said = "must list between 2 and 65536 counts"
    with pytest.raises(RefusedError, match=f"row 1 {said}"):
        table_from_document({"kind": "dense", "counts": [[HALF, HALF], row]})
    with pytest.raises(RefusedError, match=f"'counts' {said}"):
        table_from_document({"kind": "circulant", "counts": row})


@pytest.mark.parametrize(
    "row",
    [[TOTAL, 0], [TOTAL + 1, -1], [TOTAL - 2, 1.5], [TOTAL - 1, True], [HALF, None]],
)
def test_counts_are_positive_integers(row: Any) -> None:
    with pytest.raises(RefusedError, match="must hold positive integers only"):
        CirculantTable(row)


@pytest.mark.parametrize("change", [1, -1])
def test_a_row_sums_to_the_total(change: int) -> None:
    with pytest.raises(RefusedError, match=r"row 0 must sum to exactly 2\*\*53"):
        DenseTable([[HALF, HALF + change], [HALF, HALF]])


def test_a_count_may_be_written_as_a_double() -> None:
    table = CirculantTable([HALF, float(HALF)])  # type: ignore[list-item]
    assert [type(count) for count in table.counts] == [int, int]


def test_a_count_of_one_is_enough() -> None:
    assert CirculantTable([TOTAL - 1, 1]).symbols == 2


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(RefusedError, match="the same length"):
        DenseTable([[HALF, HALF], [HALF, QUARTER, QUARTER]])


@pytest.mark.parametrize("document", [None, 7, [], {}, {"kind": "other"}, {"kind": ["dense"]}])
def test_what_is_no_table_is_refused(document: Any) -> None:
    with pytest.raises(RefusedError, match="'kind' must be 'dense', 'circulant' or 'replace'"):
        table_from_document(document)


def test_the_worst_ratio_is_the_largest_of_all_symbols() -> None:
    dense = DenseTable([[HALF, QUARTER, QUARTER], [HALF, HALF - 1, 1]])
    assert dense.extremes() == [(HALF, HALF), (QUARTER, HALF - 1), (1, QUARTER)]
    assert dense.worst_ratio() == QUARTER
    circulant = CirculantTable([QUARTER, HALF, QUARTER])
    assert circulant.extremes() == [(QUARTER, HALF)]
    assert circulant.worst_ratio() == 2


def test_a_table_is_read_from_what_it_writes() -> None:
    for table in (CirculantTable([QUARTER, HALF, QUARTER]), DenseTable([[HALF, HALF]] * 3)):
        again = table_from_document(table.to_document())
        assert (again.kind, again.counts) == (table.kind, table.counts)
        assert (again.inputs, again.symbols) == (table.inputs, table.symbols)


def test_a_draw_at_a_running_sum_belongs_to_the_next_symbol() -> None:
    dense, circulant = DenseTable([[HALF, HALF]] * 2), CirculantTable([HALF, HALF])
    assert [dense.walk(1, draw) for draw in (0, HALF - 1, HALF, TOTAL - 1)] == [0, 0, 1, 1]
    assert [circulant.walk(1, draw) for draw in (0, HALF - 1, HALF, TOTAL - 1)] == [1, 1, 0, 0]


def test_any_one_symbol_beyond_the_bound_is_named() -> None:
    table = DenseTable([[HALF, QUARTER, QUARTER], [HALF, HALF - 1, 1]])
    with pytest.raises(RefusedError, match=r"table: symbol 2 is more than e\^2 times likelier"):
        check_table(table, 4.0, answers=2)


def test_the_bound_itself_is_kept_and_one_count_more_breaks_it() -> None:
    floor_exp = exp_floor(1)
    smallest = 10**15
    largest = smallest * floor_exp >> BOUND_BITS
    assert within_bound(largest, smallest, floor_exp)
    assert not within_bound(largest + 1, smallest, floor_exp)
    assert within_bound(7, 7, exp_floor(0))


@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 0.5, 1.0, Fraction(5, 3), 7.9, 20.0])
@pytest.mark.parametrize("parts", [1, 3, 1000])
def test_the_bound_is_as_close_as_it_says(epsilon: float | Fraction, parts: int) -> None:
    exponent = Fraction(epsilon) / parts
    term = total = Fraction(1)
    for order in range(1, 150):
        term *= exponent / order
        total += term
    bound = Fraction(exp_floor(epsilon, parts), 1 << BOUND_BITS)
    assert 0 <= total + 2 * term - bound < Fraction(1, 2**100)


@pytest.mark.parametrize("epsilon", [-5e-324, -0.5, 32.000001, Fraction(321, 10)])
def test_an_epsilon_beyond_all_that_is_promised_has_no_bound(epsilon: float | Fraction) -> None:
    with pytest.raises(ValueError, match="epsilon must lie between 0 and 32"):
        exp_floor(epsilon)


def test_the_bound_reaches_from_0_to_32() -> None:
    assert exp_floor(0.0) == 1 << BOUND_BITS
    assert exp_floor(32) == exp_floor(64.0, parts=2) > exp_floor(31.999)
