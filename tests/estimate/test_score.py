"""Score intervals cover as they say, worked out exactly: no chance is involved."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from harmony.estimate.answers import ShareSampling
from harmony.estimate.misses import Misses
from harmony.estimate.sampling import KnownSampling, Sample, Sampling, SomeSampling
from harmony.estimate.score import find_limits, limits, score_interval
from harmony.estimate.sums import SumSampling
from harmony.mechanisms import Linear

from .exact import support_chances

SAMPLES = [(50, 50), (200, 200), (60, 150), (1000, 1000)]
HAVING = [0.0, 0.02, 1 / 3, 0.5, 1.0]


def covered(
    epsilon: float, k: int, sample: tuple[int, int], share: float, confidence: float
) -> tuple[float, float]:
    """Return the exact coverage, and how many counts a standard error is."""
    linear = Linear.design(Fraction(epsilon), k)
    answers, devices = sample
    having = round(share * devices)
    chances = support_chances(linear.p, linear.q, answers, devices, having)
    counts = np.flatnonzero(chances > 1e-9)
    sampling = ShareSampling(counts, linear.p, linear.q, Sample(answers, devices))
    low, high = score_interval(sampling, confidence)
    truth = having / devices
    error = float(np.sqrt(sampling.cumulants(np.array([truth]))[0][0]))
    inside = chances[counts][(low <= truth) & (truth <= high)].sum()
    return float(inside), error / float(sampling.step[0])


@pytest.mark.parametrize("epsilon", [1, 4, 6, 8, 10, 12])
@pytest.mark.parametrize("k", [2, 3, 16])
def test_single_intervals_cover_at_least_as_often_as_they_should(epsilon: int, k: int) -> None:
    """Down to fifty devices, whatever share has the value: 95% and 99%, to less than 1.5%."""
    for sample in SAMPLES:
        for share in HAVING:
            where = (sample, share)
            narrow, steps = covered(epsilon, k, sample, share, 0.95)
            wide, _ = covered(epsilon, k, sample, share, 0.99)
            assert narrow >= 0.935, where
            assert wide >= 0.98, where
            # With fewer than three counts in a standard error no set of counts comes closer.
            assert steps < 3 or sample[0] < 1000 or narrow <= 0.975, where


def test_an_interval_never_has_zero_width() -> None:
    """Two hundred devices that all say "a", at epsilon 8: the case that was found."""
    linear = Linear.design(Fraction(8), 3)
    for supports in ([200, 0, 0], [199, 1, 0]):
        sampling = ShareSampling(np.array(supports), linear.p, linear.q, Sample(200, 200))
        for confidence in (0.5, 0.95, 0.9999):
            low, high = score_interval(sampling, confidence)
            assert (high - low > 0.3 / 200).all()


def test_with_many_reports_intervals_are_the_estimate_and_its_standard_errors() -> None:
    sampling = ShareSampling(np.array([450_000, 500_000]), 0.6, 0.4, Sample(10**6, 10**6))
    for confidence, errors in ((0.9, 1.644854), (0.95, 1.959964), (0.999, 3.290527)):
        low, high = score_interval(sampling, confidence)
        reach = errors * np.sqrt(sampling.variance)
        assert low == pytest.approx(sampling.estimates - reach, abs=0.005 * reach.max())
        assert high == pytest.approx(sampling.estimates + reach, abs=0.005 * reach.max())


def test_more_values_than_nodes_have_the_limits_that_each_would_have_alone() -> None:
    """Limits are found at some estimates and interpolated between them."""
    rng = np.random.default_rng(3)
    counts = rng.integers(300_000, 500_000, 3000)
    sample = Sample(10**6, 2 * 10**6)
    many = ShareSampling(counts, 0.5, 0.3, sample)
    low, high = score_interval(many, 0.95)
    few = ShareSampling(counts[:40], 0.5, 0.3, sample)
    alone = score_interval(few, 0.95)
    error = float(np.sqrt(many.variance.min()))
    assert np.abs(low[:40] - alone[0]).max() < 0.002 * error
    assert np.abs(high[:40] - alone[1]).max() < 0.002 * error


def test_equal_estimates_have_equal_limits_in_any_order() -> None:
    counts = np.array([7, 3, 7, 0, 3])
    low, high = score_interval(ShareSampling(counts, 0.9, 0.05, Sample(40, 60)), 0.9)
    assert (low[0], high[0]) == (low[2], high[2])
    assert (low[1], high[1]) == (low[4], high[4])
    assert low[3] < low[1] < low[0]
    assert high[3] < high[1] < high[0]


def test_bounds_cut_off_the_chances_that_are_asked_for() -> None:
    known = KnownSampling(np.array([2.0]), np.array([0.25]))
    low, high = limits(known, Misses(0.025, 0.1))
    assert low == pytest.approx([2 - 0.5 * 1.959964], abs=1e-5)
    assert high == pytest.approx([2 + 0.5 * 1.281552], abs=1e-5)


def many_samplings() -> list[Sampling]:
    """Shares by several mechanisms, sums of them, and means: dense ones, and coarse ones."""
    shares = [
        ShareSampling(np.array([3, 11, 11, 25]), 0.9, 0.05, Sample(50, 80)),
        ShareSampling(np.array([0, 200]), 0.999, 0.0005, Sample(200, 200)),
        ShareSampling(np.array([450_000, 500_000]), 0.6, 0.4, Sample(10**6, 10**6)),
        ShareSampling(np.arange(40_000, 40_600), 0.5, 0.3, Sample(10**5, 10**6)),
    ]
    sums = [SumSampling(pair, [1.0, -1.0]) for pair in [shares[1:3], shares[2:0:-1]]]
    sums.append(SumSampling(shares[1:3], [0.3, 0.7], alike=True, constant=0.25))
    return [*shares, *sums, KnownSampling(np.arange(3.0), np.ones(3)), SomeSampling(sums[0], [1])]


def test_limits_found_at_once_are_those_that_are_found_one_by_one() -> None:
    wanted = [Misses.of_interval(0.95), Misses.of_interval(0.99), Misses(0.001, 0.025)]
    together = many_samplings()
    find_limits((sampling, misses) for misses in wanted for sampling in together)
    for known, alone in zip(together, many_samplings(), strict=True):
        for misses in wanted:
            np.testing.assert_allclose(known.known_limits[misses], limits(alone, misses), rtol=1e-9)


def test_more_estimates_than_are_searched_together_are_searched_in_turns() -> None:
    share, misses = many_samplings()[0], Misses(0.025, 0.025)
    some = [SumSampling([share], [weight]) for weight in np.linspace(0.5, 1.0, 5_000)]
    find_limits((one, misses) for one in some)
    alone = limits(SumSampling([share], [1.0]), misses)
    np.testing.assert_allclose(some[-1].known_limits[misses], alone, rtol=1e-9)


@pytest.mark.parametrize(("epsilon", "most"), [(6, 0.995), (3, 0.97)])
def test_a_difference_is_covered_as_often_as_it_should(epsilon: int, most: float) -> None:
    """Two rounds of 120 devices, all sums worked out: at epsilon 6 hardly any device lies."""
    linear = Linear.design(Fraction(epsilon), 3)
    sample = Sample(120, 120)
    first, second = (support_chances(linear.p, linear.q, 120, 120, x) for x in (20, 32))
    pairs = [(a, b) for a in np.flatnonzero(first > 1e-6) for b in np.flatnonzero(second > 1e-6)]
    before, after = (
        ShareSampling(np.array(side), linear.p, linear.q, sample)
        for side in zip(*pairs, strict=True)
    )
    low, high = score_interval(SumSampling([after, before], [1, -1]), 0.95)
    weights = np.array([first[a] * second[b] for a, b in pairs])
    inside = weights[(low <= 0.1) & (high >= 0.1)].sum() / weights.sum()
    assert 0.94 <= inside <= most
