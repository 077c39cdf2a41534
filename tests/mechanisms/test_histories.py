"""The bound over histories, as a function of what differs between two of them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from harmony.mechanisms.histories import MemoryCosts

COSTS = MemoryCosts(epsilon=1.0, memory=2.0, change=1.5, inputs=3)


def test_equal_histories_cannot_be_told_apart() -> None:
    assert COSTS.between([0, 1, 2], [0, 1, 2]) == 0


def test_an_answer_that_never_changes_costs_memory_however_long() -> None:
    assert COSTS.between([0] * 1000, [2] * 1000) == 2.0


def test_each_part_that_is_another_answer_costs_memory() -> None:
    assert COSTS.between([0] * 100 + [1] * 100, [1] * 100 + [2] * 100) == 4.0


def test_a_part_that_stays_what_it_is_costs_nothing() -> None:
    assert COSTS.between([0] * 100 + [1] * 100, [2] * 100 + [1] * 100) == 2.0


def test_each_round_that_differs_costs_a_change() -> None:
    assert COSTS.between([0] * 100 + [1] * 100, [0] * 98 + [1] * 102) == 3.0


def test_one_report_costs_epsilon() -> None:
    assert COSTS.between([0], [1]) == 1.0
    assert (COSTS.worst(1), COSTS.steady(1), COSTS.worst(0), COSTS.steady(0)) == (1.0, 1.0, 0, 0)


def test_two_reports_of_one_answer_cost_memory_or_two_changes_whatever_is_less() -> None:
    assert COSTS.steady(2) == 2.0
    assert MemoryCosts(1.0, 9.0, 1.5, 2).steady(3) == 4.0


@pytest.mark.parametrize(("inputs", "rounds"), [(2, 1), (2, 2), (2, 5), (2, 7), (3, 2), (3, 4)])
@pytest.mark.parametrize(("memory", "change"), [(2.0, 1.4), (2.0, 5.0), (8.0, 1.1), (0.1, 3.0)])
def test_no_pair_is_beyond_the_worst_and_the_bound_does_not_depend_on_the_order(
    inputs: int, rounds: int, memory: float, change: float
) -> None:
    costs = MemoryCosts(1.0, memory, change, inputs)
    histories = list(product(range(inputs), repeat=rounds))
    bounds = np.array([[costs.between(a, b) for a in histories] for b in histories])
    assert bounds.max() <= costs.worst(rounds) + 1e-9
    assert np.allclose(bounds, bounds.T)
    if inputs == 2 or memory > change:
        assert bounds.max() == pytest.approx(costs.worst(rounds))


def test_more_rounds_never_cost_less() -> None:
    costs = [COSTS.worst(rounds) for rounds in range(60)]
    assert costs == sorted(costs)
