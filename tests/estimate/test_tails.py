"""Tails from four cumulants, against the exact sums that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm, poisson

from harmony.estimate.tails import opposite_tail, upper_tail

from .exact import cumulants


def tails_of(chances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the stated and the exact chance of each count or more."""
    counts = np.arange(len(chances), dtype=float)
    mean, *rest = cumulants(counts, chances)
    parts = tuple(np.full(len(counts), one) for one in rest)
    stated = upper_tail(counts - mean, parts, np.ones(len(counts)))
    return stated, chances[::-1].cumsum()[::-1]


@pytest.mark.parametrize("expected", [0.05, 0.3, 0.9, 2.0, 6.0, 25.0, 400.0])
@pytest.mark.parametrize("upwards", [True, False])
def test_tails_of_counts_are_right_to_a_tenth_where_limits_lie(
    expected: float, upwards: bool
) -> None:
    """Poisson counts, and their mirror image, from 50% down to 1%."""
    chances = poisson.pmf(np.arange(int(expected + 12 * expected**0.5 + 12)), expected)
    stated, exact = tails_of(chances if upwards else chances[::-1])
    where = (exact > 0.01) & (exact < 0.5)
    assert where.any() or not upwards
    assert stated[where] == pytest.approx(exact[where], rel=0.12, abs=0.004)


@pytest.mark.parametrize(("n", "p"), [(50, 0.5), (50, 0.1), (200, 0.02), (200, 0.98), (5000, 0.3)])
def test_tails_of_binomial_counts_are_right(n: int, p: float) -> None:
    stated, exact = tails_of(binom.pmf(np.arange(n + 1), n, p))
    where = (exact > 0.005) & (exact < 0.5)
    assert stated[where] == pytest.approx(exact[where], rel=0.1, abs=0.004)
    far = (exact > 1e-6) & (exact < 0.005)
    assert (stated[far] > 0.4 * exact[far]).all()  # what holds all at once needs far tails


@pytest.mark.parametrize(("up", "down"), [(0.04, 0.04), (0.02, 0.3), (0.3, 0.02), (0.45, 0.45)])
def test_few_lumps_up_and_down_have_the_chances_that_they_have(up: float, down: float) -> None:
    counts = np.arange(30)
    chances = np.convolve(poisson.pmf(counts, up), poisson.pmf(counts, down)[::-1])
    stated, exact = tails_of(chances)
    where = exact < 0.9
    assert stated[where] == pytest.approx(exact[where], rel=0.02, abs=1e-9)


def test_errors_of_many_reports_are_normal() -> None:
    z, one = np.array([-3.0, 0.0, 1.0, 2.5, 4.0]), np.ones(5)
    stated = upper_tail(z, (one, 0 * one, 0 * one), 0 * one)
    assert stated == pytest.approx(norm.sf(z), rel=1e-9)
    scaled = upper_tail(0.1 * z, (0.01 * one, 0 * one, 0 * one), 0 * one)
    assert scaled == pytest.approx(stated, rel=1e-9)


@pytest.mark.parametrize("kurtosis", [0.05, 0.5, 0.99])
def test_heavy_tails_are_heavier(kurtosis: float) -> None:
    """Cornish and Fisher's expansion says how much further the same chance reaches."""
    one = np.ones(1)
    reach = 2.5 + (2.5**3 - 3 * 2.5) * kurtosis / 24
    stated = upper_tail(reach * one, (one, 0 * one, kurtosis * one), 0 * one)
    assert stated[0] == pytest.approx(norm.sf(2.5), rel=0.25)
    assert stated[0] > upper_tail(reach * one, (one, 0 * one, 0 * one), 0 * one)[0]


def opposite(counts: np.ndarray, chances: np.ndarray, place: int) -> float:
    mean, *rest = cumulants(counts, chances)
    parts = tuple(np.array([one]) for one in rest)
    excess, step = np.array([counts[place] - mean]), np.ones(1)
    tail = upper_tail(excess, parts, step)
    return float(opposite_tail(tail, excess, parts, step, counts[:1] - mean)[0])


@pytest.mark.parametrize("expected", [0.3, 3.0, 12.0])
def test_the_other_side_adds_the_values_that_are_no_likelier(expected: float) -> None:
    counts = np.arange(60, dtype=float)
    chances = poisson.pmf(counts, expected)
    below, above = chances.cumsum(), chances[::-1].cumsum()[::-1]
    for place in np.flatnonzero((above < 0.2) & (above > 0.004)):
        found = opposite(counts, chances, place)
        no_likelier = below[below <= above[place] * 1.3]
        most = no_likelier.max() if len(no_likelier) else 0.0
        assert found <= most * 1.15 + 0.003


def test_nothing_lies_beyond_the_least_possible_estimate() -> None:
    """With 0.3 lies expected nobody can lie less than never."""
    counts = np.arange(20, dtype=float)
    assert opposite(counts, poisson.pmf(counts, 0.3), 2) == 0.0


def test_steps_that_are_next_to_nothing_are_none() -> None:
    """A sum of many parts may step by less than can be divided by."""
    excess, none = np.array([1.0, 2.0, 3.0]), np.zeros(3)
    normal = np.ones(3), none, none
    tail = upper_tail(excess, normal, none)
    least = np.full(3, -50.0)
    dense = opposite_tail(tail, excess, normal, none, least)
    assert opposite_tail(tail, excess, normal, np.full(3, 5e-324), least) == pytest.approx(dense)
