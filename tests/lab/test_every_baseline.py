"""Properties that every baseline must have: exact epsilon, unbiased, variance as promised."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from scipy import stats

from harmony.lab.baselines import (
    Baseline,
    BassilySmith,
    Duchi,
    FiniteBaseline,
    HybridMechanism,
    Laplace,
    Piecewise,
    Rappor,
)

from .cases import CASES, FINITE, label, mechanisms_that_exist, users

every = pytest.mark.parametrize("case", CASES, ids=label)
finite = pytest.mark.parametrize("case", FINITE, ids=label)


def rng_of(case: Baseline) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(label(case).encode()))


def test_every_baseline_that_exists_is_checked() -> None:
    assert mechanisms_that_exist() == {type(case) for case in CASES}


@every
def test_it_has_the_epsilon_it_claims(case: Baseline) -> None:
    """By enumeration where finite, by its two densities where not."""
    exact = case.exact_epsilon()
    if isinstance(case, Duchi) and not case.private:
        above = 2 ** (case.d - 1) - (1 if case.d == 0 else _half(case.d))
        assert exact == pytest.approx(case.epsilon + np.log((2**case.d - above) / above))
    elif isinstance(case, Rappor):
        assert 0 < exact <= case.epsilon * (1 + 1e-12)  # below, where hashes collide
    else:
        assert exact == pytest.approx(case.epsilon, rel=1e-9)


def _half(d: int) -> int:
    from math import comb

    return comb(d, d // 2) // 2


@finite
def test_its_probabilities_are_probabilities(case: FiniteBaseline) -> None:
    probabilities = case.probabilities(case.extremes())
    assert np.all(probabilities >= 0)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert len(case.outcomes()) == probabilities.shape[1]
    assert np.array_equal(case.number(case.outcomes()), np.arange(len(case.outcomes())))


@finite
def test_its_decoded_mean_and_variance_are_exact(case: FiniteBaseline) -> None:
    data = users(case, 20, rng_of(case))
    probabilities, decoded = case.probabilities(data), case.decode(case.outcomes())
    mean = probabilities @ decoded
    scale = np.abs(decoded).max()
    assert np.allclose(mean, case.expectation(data), atol=1e-9 * scale)
    assert np.allclose(probabilities @ decoded**2 - mean**2, case.noise(data), rtol=1e-7)
    if case.unbiased:
        assert np.allclose(mean, case.target(data), atol=1e-9 * scale)


@finite
def test_its_sampler_draws_from_its_probabilities(case: FiniteBaseline) -> None:
    """Chi-squared over all outcomes, cells of fewer than 5 joined; false alarms: 1e-6 a case."""
    rng = rng_of(case)
    one = users(case, 1, rng)
    data = np.repeat(one, 20_000, axis=0)
    expected = case.probabilities(one)[0] * len(data)
    reports = case.randomize(data, rng)
    seen = np.bincount(case.number(reports), minlength=len(expected))
    order = np.argsort(expected)
    groups = np.maximum(np.cumsum(expected[order]) // 5, 0).astype(int)
    joined = np.zeros(groups.max() + 1), np.zeros(groups.max() + 1)
    np.add.at(joined[0], groups, expected[order])
    np.add.at(joined[1], groups, seen[order])
    used = joined[0] > 0
    if used.sum() > 1:
        statistic = ((joined[1] - joined[0])[used] ** 2 / joined[0][used]).sum()
        assert stats.chi2.sf(statistic, used.sum() - 1) > 1e-6


@every
def test_its_estimates_lie_within_five_standard_errors(case: Baseline) -> None:
    """False alarms: 5.7e-7 for each statistic, below 1e-3 over all cases."""
    rng = rng_of(case)
    data = users(case, 30_000, rng)
    estimates = case.estimate(case.randomize(data, rng))
    expected = case.expectation(data).mean(axis=0)
    assert np.all(np.abs(estimates - expected) < 5 * np.sqrt(case.variance(data)))
    if case.unbiased:
        assert np.allclose(expected, case.truth(data))


@every
def test_its_variance_is_what_repeated_runs_show(case: Baseline) -> None:
    """Squared errors of 3,000 single reports, averaged, within 6 of their own standard errors.

    False alarms: about 1e-8 for each statistic, by the normal approximation.
    """
    rng = rng_of(case)
    data = np.repeat(users(case, 1, rng), 3000, axis=0)
    squares = (case.decode(case.randomize(data, rng)) - case.expectation(data)) ** 2
    error = squares.std(axis=0) / np.sqrt(len(data))
    assert np.all(np.abs(squares.mean(axis=0) - case.noise(data)[0]) <= 6 * error + 1e-9)


@pytest.mark.parametrize("d", [20, 95])
def test_duchi_is_sampled_without_listing_tuples(d: int) -> None:
    """d = 95 would need 2^95 tuples; false alarms as above."""
    rng = np.random.default_rng(d)
    duchi = Duchi(1.0, d)
    data = rng.random((20_000, d)) * 2 - 1
    errors = duchi.estimate(duchi.randomize(data, rng)) - data.mean(axis=0)
    assert np.all(np.abs(errors) < 5 * np.sqrt(duchi.variance(data)))
    assert duchi.slope == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("case", [Laplace(1.0, 2), Piecewise(0.5), Piecewise(3.0)], ids=label)
def test_continuous_densities_integrate_to_one_and_bound_the_ratio(case: Baseline) -> None:
    x = np.linspace(-60, 60, 2_000_001)
    low, high = case.density(-1.0, x), case.density(1.0, x)
    assert low.sum() * (x[1] - x[0]) == pytest.approx(1, abs=1e-3)
    both = (low > 0) & (high > 0)
    share = case.epsilon / getattr(case, "d", 1)
    assert np.abs(np.log(low[both] / high[both])).max() == pytest.approx(share, rel=1e-6)


def test_bassily_and_smith_is_unbiased_over_matrices() -> None:
    """The mean of Phi^T Phi over 400 matrices is the identity; false alarms: 1e-4."""
    grams = np.array([BassilySmith(1.0, 4, 100, seed=seed).gram for seed in range(400)])
    off = grams[:, ~np.eye(4, dtype=bool)]
    assert np.allclose(grams[:, np.eye(4, dtype=bool)], 1)
    assert np.abs(off.mean()) < 4.5 * off.std() / np.sqrt(400 * 6)


def test_the_hybrid_mechanism_beats_both_its_parts_at_the_ends() -> None:
    both = HybridMechanism(2.0)
    worst = [part.noise(np.array([[1.0]]) if i else np.array([1.0])).max()
             for i, part in enumerate(both.parts)]  # fmt: skip
    assert both.noise(np.array([0.0, 1.0])).max() < max(worst)
