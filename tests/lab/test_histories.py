"""Every pair of histories of small surveys with memory: the bound holds, and is nearly reached."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harmony.lab.rounds.histories import enumerate_histories
from harmony.mechanisms import Linear

PAIRS = ((2, 1), (4, 2), (8, 4))
CASES = [
    (memory, epsilon, values, rounds)
    for memory, epsilon in PAIRS
    for values, most in ((2, 8), (3, 6))
    for rounds in range(1, most + 1)
] + [(2, 1, 3, 8)]


@pytest.mark.parametrize(("memory", "epsilon", "values", "rounds"), CASES)
def test_no_pair_of_histories_breaks_its_bound(
    memory: int, epsilon: int, values: int, rounds: int
) -> None:
    mechanism = Linear.design(Fraction(epsilon), values, "auto", Fraction(memory))
    worst = enumerate_histories(mechanism, rounds)
    assert worst.broken == 0
    assert 0.65 * worst.bound < worst.loss <= worst.bound
    assert worst.shown == pytest.approx(worst.bound, rel=1e-12), "users see the bound itself"
    if rounds > 3:
        assert worst.tightest > 0.98, "a pair's own bound is reached to within 2%"


def test_the_literatures_formula_is_broken_by_a_pair_of_histories() -> None:
    """Arcolezi et al. (2023) say g * eps_inf for all rounds: 4 for two values at (2, 1)."""
    worst = enumerate_histories(Linear.design(Fraction(1), 2, "auto", Fraction(2)), 8)
    assert worst.loss > 6.1
