"""Memory: what follows a memo's table, what it leaves in the memo, and what a change costs."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from harmony.mechanisms import Grid, Linear
from harmony.mechanisms.audit import log_ceiling
from harmony.mechanisms.memory import change_cost, memo_of, replacing
from harmony_device.errors import RefusedError
from harmony_device.tables import (
    TOTAL,
    CirculantTable,
    DenseTable,
    Promise,
    ReplaceTable,
    worst_ratio_of,
)


def test_a_memo_that_is_kept_once_more_often_breaks_epsilon() -> None:
    memo = CirculantTable([6 * TOTAL // 8, TOTAL // 8, TOTAL // 8])
    replace = replacing(memo, Fraction(1))
    Promise(1).check(memo, replace)
    more = ReplaceTable([replace.keep + 6, *(one - 2 for one in replace.counts)])
    with pytest.raises(RefusedError, match="times likelier"):
        Promise(1).check(memo, more)


def test_weights_may_differ_between_the_symbols_of_a_dense_table() -> None:
    eighth = TOTAL // 8
    memo = DenseTable([[5 * eighth, 2 * eighth, eighth], [eighth, 2 * eighth, 5 * eighth]])
    replace = replacing(memo, Fraction(1, 2))
    Promise(Fraction(1, 2)).check(memo, replace)
    assert replace.counts[1] < replace.counts[0] == replace.counts[2]
    assert log_ceiling(worst_ratio_of(replace.after(memo))) > 0.5 * (1 - 1e-12)


def test_the_product_is_a_tables_product_in_integers() -> None:
    """keep * T[i][s] + 2**53 * R[s], over 2**106, is the sum over memos of both tables' counts."""
    built = Linear.design(Fraction(1), 3, "auto", Fraction(2))
    table, replace = built.table, built.memo.replace
    rows = [[table.counts[(s - i) % 3] for s in range(3)] for i in range(3)]
    sent = [[replace.counts[s] + replace.keep * (s == m) for s in range(3)] for m in range(3)]
    products = [
        [sum(rows[i][m] * sent[m][s] for m in range(3)) for s in range(3)] for i in range(3)
    ]
    assert all(sum(row) == TOTAL * TOTAL for row in products)
    for s, (low, high) in enumerate(replace.after(DenseTable(rows))):
        assert (low, high) == (min(r[s] for r in products), max(r[s] for r in products))
    assert replace.after(table) == replace.after(DenseTable(rows))[:1]


def test_what_is_left_of_a_round_is_a_memo_that_keeps_memory_exactly() -> None:
    grid = Grid.design(Fraction(1))
    memo = memo_of(grid.probabilities, 1.0, 2.0)
    assert memo.min() > 0
    assert np.allclose(memo.sum(axis=1), 1)
    assert np.log(memo.max(axis=0) / memo.min(axis=0)).max() == pytest.approx(2.0)


@pytest.mark.parametrize(("epsilon", "memory"), [(1, 2), (2, 4), (1, 4), (0.5, 0.6)])
@pytest.mark.parametrize("values", [2, 3, 8, 64])
def test_the_cost_of_a_change_is_the_designs_closed_form(
    epsilon: float, memory: float, values: int
) -> None:
    from harmony.mechanisms.designs import memory_design

    built = Linear.design(Fraction(epsilon), values, "auto", Fraction(memory))
    design = memory_design(float(epsilon), float(memory), values)
    spent = float(built.memo.epsilon)
    assert built.memo.change == pytest.approx(design.change(float(epsilon), spent), rel=1e-9)


def test_a_memo_of_much_epsilon_makes_changes_cost_as_little_as_fresh_rounds() -> None:
    two = 1 / (1 + math.e)
    costs = [change_cost(1.0, memory, two, 2 * two) for memory in (1.01, 1.5, 2, 4, 8, 16)]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > 5
    assert costs[-1] == pytest.approx(1, abs=1e-5)
