"""Mechanisms over several rounds: what they cost exactly, and errors as their formulas say."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np
import pytest

from harmony.lab.rounds import (
    Chained,
    DBitFlip,
    LGrr,
    Loloha,
    LOsue,
    Rappor,
    Remembering,
    ask_a_year,
)

PAIRS = ((2.0, 1.0), (4.0, 2.0), (8.0, 4.0))
SMALL: list[Chained] = [
    made(2.0, 1.0, k) for made in (Rappor, LOsue, LGrr, Loloha, Remembering) for k in (2, 7)
] + [DBitFlip(2.0, k=7, d=1), DBitFlip(2.0, k=7, d=3), Loloha(4.0, 2.0, k=7, binary=True)]
ROUNDS = 4


def label(case: Chained) -> str:
    return f"{case.name}-{case.memory:g}-{case.epsilon:g}-k{case.k}"


every = pytest.mark.parametrize("case", SMALL, ids=label)


@every
def test_it_costs_what_it_says(case: Chained) -> None:
    permanent, one = case.exact()
    if isinstance(case, DBitFlip):
        # One bit tells half as much as two values differ by.
        assert permanent == pytest.approx(case.memory / (2 if case.d == 1 else 1))
        return
    exact_round = not isinstance(case, Loloha) or case.g == 2
    assert permanent <= case.memory * (1 + 1e-9)
    assert one <= case.epsilon * (1 + 1e-9)
    assert one > (0.999999 if exact_round else 0.9) * case.epsilon


@every
def test_errors_of_rounds_changes_and_windows_are_as_its_formulas_say(case: Chained) -> None:
    """Steady histories.  300 runs of k values: each sum of squares has a relative standard error
    of at most sqrt(2 / 300) = 0.08, and five of those are allowed: false alarms below 1e-5."""
    rng = np.random.default_rng(zlib.crc32(label(case).encode()))
    users, runs = 400, 300
    data = np.minimum(rng.geometric(0.4, users) - 1, case.k - 1)
    truth = np.bincount(data, minlength=case.k) / users
    histories = np.repeat(data[:, None], ROUNDS, axis=1)
    found = np.stack([case.estimates(histories, rng) for _ in range(runs)])
    expected = [
        (found[:, 0] - truth, case.round_variance),
        (found[:, 1] - found[:, 0], case.change_variance),
        (found.mean(axis=1) - truth, lambda f: case.window_variance(ROUNDS, f)),
    ]
    for errors, variance in expected:
        promised = sum(variance(f) for f in truth) / users
        bias = errors.mean(axis=0)
        assert (np.abs(bias) <= 5 * np.sqrt(promised / runs) + 1e-9).all()
        assert (errors**2).sum(axis=1).mean() == pytest.approx(promised, rel=0.4, abs=1e-9)


@pytest.mark.parametrize(("memory", "epsilon"), PAIRS)
@pytest.mark.parametrize("k", [2, 16, 64, 360])
def test_ours_is_below_the_others_in_a_round_and_a_fifth_below_fresh_answers_in_a_change(
    memory: float, epsilon: float, k: int
) -> None:
    ours = Remembering(memory, epsilon, k)
    for other in (Rappor, LOsue, Loloha):
        assert ours.round_variance() < other(memory, epsilon, k).round_variance()
    assert ours.round_variance() <= LGrr(memory, epsilon, k).round_variance() * 1.0001
    for frequency in (0.0, 1 / k):
        fresh = 2 * ours.round_variance(frequency)
        assert ours.change_variance(frequency) <= 0.8 * fresh * (1 + 1e-9)


def test_the_trials_figures_are_these() -> None:
    """n x variance of a round at (2, 1), k = 16: 3.15 against 3.92, 3.68 and 4.20."""
    found = [made(2.0, 1.0, 16).round_variance() for made in (Remembering, Rappor, LOsue, Loloha)]
    assert [round(one, 2) for one in found] == [3.15, 3.92, 3.68, 4.2]


def test_a_value_that_changes_is_estimated_where_it_is() -> None:
    """Five standard errors of one run: false alarms below 1e-5."""
    rng = np.random.default_rng(20)
    before = rng.integers(0, 3, 40_000)
    after = np.where(rng.random(40_000) < 0.3, (before + 1) % 7, before)
    for case in (replace(one, k=7) for one in SMALL if one.k == 7 or isinstance(one, DBitFlip)):
        found = case.estimates(np.stack([before, after], axis=1), rng)
        truth = np.stack([np.bincount(one, minlength=7) for one in (before, after)]) / 40_000
        error = np.sqrt(np.vectorize(case.round_variance)(truth) / 40_000)
        assert (np.abs(found - truth) < 5 * error).all()


def test_a_year_is_seen_as_the_formulas_say() -> None:
    """Errors of 16 weeks of four values: each root mean square has a relative standard error of
    about 1 / sqrt(2 * 48) = 0.10, more for overlapping months; half as much again is allowed."""
    devices = 20_000
    seen, estimates = ask_a_year(devices, weeks=16)
    plain, rotation, memory = seen
    truth = estimates[0].mean(axis=0)
    ours = Remembering(2.0, 1.0, 4)
    expected = float(np.sqrt(np.mean([ours.round_variance(f) for f in truth]) / devices))
    assert plain.week == pytest.approx(expected, rel=0.5)
    assert memory.week == pytest.approx(expected, rel=0.5)
    assert rotation.week == pytest.approx(2 * expected, rel=0.5)
    assert memory.change < plain.change < rotation.change
    assert plain.month < rotation.month
