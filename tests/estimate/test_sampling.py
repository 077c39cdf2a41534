"""How estimates scatter if the truth is so and so, against exact sums and simulated sums."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from harmony.estimate.answers import FunctionalSampling, MeanSampling, ShareSampling
from harmony.estimate.combine import sampling_of
from harmony.estimate.sampling import KnownSampling, Sample
from harmony.estimate.sums import SumSampling
from harmony.mechanisms import Grid, Linear

from .exact import cumulants, support_chances


def at(numbers: tuple[np.ndarray, ...]) -> tuple[float, ...]:
    return tuple(float(one[0]) for one in numbers)


@pytest.mark.parametrize("epsilon", [1, 4, 8])
@pytest.mark.parametrize(("answers", "devices"), [(60, 60), (60, 90), (60, 2000)])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_a_share_scatters_as_the_exact_sum_over_samples_and_lies_says(
    epsilon: int, answers: int, devices: int, share: float
) -> None:
    linear = Linear.design(Fraction(epsilon), 4)
    chances = support_chances(linear.p, linear.q, answers, devices, round(share * devices))
    sampling = ShareSampling(np.arange(answers + 1), linear.p, linear.q, Sample(answers, devices))
    mean, variance, third, fourth = cumulants(sampling.estimates, chances)
    stated = at(sampling.cumulants(np.array([share])))
    assert mean == pytest.approx(share, abs=1e-9)
    assert stated[0] == pytest.approx(variance, rel=1e-6)
    assert stated[1] == pytest.approx(third, abs=0.1 * variance**1.5)
    assert stated[2] == pytest.approx(fourth, abs=0.15 * variance**2 + 0.2 * abs(fourth))


def test_a_share_beyond_the_edge_scatters_as_on_it() -> None:
    sampling = ShareSampling(np.array([3]), 0.9, 0.1, Sample(50, 80))
    assert at(sampling.cumulants(np.array([-0.2]))) == at(sampling.cumulants(np.array([0.0])))
    assert at(sampling.cumulants(np.array([1.2]))) == at(sampling.cumulants(np.array([1.0])))
    assert sampling.extremes == pytest.approx((-0.125, 1.125))
    assert sampling.step == pytest.approx([1 / 40])


def test_standard_errors_are_stated_with_a_few_answers_more_where_not_everyone_was_asked() -> None:
    supports = np.array([0, 5, 50])
    everyone = ShareSampling(supports, 0.999, 0.001, Sample(50, 50))
    assert everyone.likely == pytest.approx(np.clip(everyone.estimates, 0, 1))
    few = ShareSampling(supports, 0.999, 0.001, Sample(50, 1e9))
    expected = (few.estimates * 50 + 1.5) / 53
    assert few.likely == pytest.approx(np.clip(expected, 0, 1))
    half = ShareSampling(supports, 0.999, 0.001, Sample(50, 100))
    assert half.likely[0] == pytest.approx((half.estimates[0] * 50 + 0.75) / 51.5)
    assert half.variance == pytest.approx(half.cumulants(half.likely)[0])


@pytest.mark.parametrize("epsilon", [1, 4, 8])
def test_the_share_of_several_values_is_one_sum(epsilon: int) -> None:
    """Worked out from the covariance of the frequencies instead, for two of six values."""
    linear = Linear.design(Fraction(epsilon), 6)
    shares = np.array([0.3, 0.25, 0.2, 0.15, 0.1, 0.0])
    weights = np.array([1.0, 0, 1, 0, 0, 0])
    sampling = FunctionalSampling(0.5, linear.decoded_sum(weights), shares, Sample(1000, 4000))
    noise = weights @ linear.noise_covariance(shares) @ weights
    expected = (noise + 0.75 * 4000 / 3999 * 0.25) / 1000
    assert sampling.cumulants(np.array([0.5]))[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("truth", [0.0, 0.2, 0.9])
def test_another_truth_of_a_sum_has_the_noise_that_one_share_would_have(truth: float) -> None:
    """With one weight a sum is a share, whose noise depends on nothing else."""
    linear = Linear.design(Fraction(4), 5)
    share = ShareSampling(np.array([100]), linear.p, linear.q, Sample(200, 300))
    shares = np.array([0.4, 0.3, 0.2, 0.1, 0.0])
    one = FunctionalSampling(
        float(share.estimates[0]), linear.decoded_sum(np.eye(5)[0]), shares, Sample(200, 300)
    )
    found, expected = (x.cumulants(np.array([truth])) for x in (one, share))
    assert found[0] == pytest.approx(expected[0], rel=0.02)
    assert found[1] == pytest.approx(expected[1], abs=0.05 * float(expected[0][0]) ** 1.5)


def mean_sampling(grid: Grid, spread: float, sample: Sample) -> MeanSampling:
    noise = float(grid.point_noise.max())
    anywhere = np.full(len(grid.points), 1 / len(grid.points))
    return MeanSampling(0.1, grid.decoded, anywhere, noise, spread, sample)


@pytest.mark.parametrize("epsilon", [1, 4, 8])
def test_the_noise_of_a_mean_is_what_its_table_says(epsilon: int) -> None:
    grid = Grid.design(Fraction(epsilon))
    everyone = mean_sampling(grid, 0.3, Sample(100, 100))
    edge = float(everyone.cumulants(np.array([1.0]))[0][0])
    assert edge == pytest.approx(grid.point_noise[-1] / 100, rel=1e-9)
    inside = float(everyone.cumulants(np.array([0.3]))[0][0])
    rounding = (grid.points[1] - grid.points[0]) ** 2 / 4
    assert inside == pytest.approx((grid.point_noise.max() + rounding) / 100, rel=1e-9)
    assert everyone.cumulants(np.array([1.7]))[0][0] == pytest.approx(edge)


def test_the_spread_of_numbers_counts_for_those_who_were_not_asked() -> None:
    grid = Grid.design(Fraction(4))
    some, everyone = (
        mean_sampling(grid, 0.3, Sample(100, devices)).cumulants(np.array([0.2]))[0][0]
        for devices in (400, 100)
    )
    rounding = (grid.points[1] - grid.points[0]) ** 2 / 4
    expected = everyone + (0.75 * 400 / 399 * 0.3 - 0.75 * rounding) / 100
    assert some == pytest.approx(expected, rel=1e-9)


def test_a_mean_at_the_edge_leaves_no_room_for_spread() -> None:
    grid = Grid.design(Fraction(4))
    sampling = mean_sampling(grid, 0.3, Sample(100, 1e12))
    at_edge = float(sampling.cumulants(np.array([-1.0]))[0][0])
    assert at_edge == pytest.approx(grid.point_noise[0] / 100, rel=1e-6)
    near = float(sampling.cumulants(np.array([-0.95]))[0][0])
    assert near < at_edge + (1 - 0.95**2) / 100 + 1e-4


def test_the_papers_two_points_leave_the_spread_open() -> None:
    """Everyone answers: what two points cannot tell is counted as if all sat at the mean."""
    grid = Grid.design(Fraction(4), "harmony")
    sampling = mean_sampling(grid, 0.0, Sample(100, 100))
    for mean in (0.0, 0.4, -0.8):
        expected = (grid.highest**2 - mean**2) / 100
        assert sampling.cumulants(np.array([mean]))[0][0] == pytest.approx(expected, rel=1e-9)


PARTS = (
    ShareSampling(np.array([30, 50]), 0.8, 0.3, Sample(100, 200)),
    ShareSampling(np.array([9, 11]), 0.99, 0.01, Sample(20, 50)),
)


def test_a_sum_scatters_as_its_parts_together() -> None:
    both = SumSampling(PARTS, (0.8, 0.2))
    assert both.estimates == pytest.approx(0.8 * PARTS[0].estimates + 0.2 * PARTS[1].estimates)
    expected = 0.64 * PARTS[0].variance + 0.04 * PARTS[1].variance
    assert both.variance == pytest.approx(expected)
    low, high = both.extremes
    assert low == pytest.approx(0.8 * PARTS[0].extremes[0] + 0.2 * PARTS[1].extremes[0])
    assert high == pytest.approx(0.8 * PARTS[0].extremes[1] + 0.2 * PARTS[1].extremes[1])


def test_another_truth_of_a_sum_is_shared_by_what_the_parts_add_to_the_variance() -> None:
    both = SumSampling(PARTS, (0.8, -0.2))
    moves = [w * part.variance for w, part in zip((0.8, -0.2), PARTS, strict=True)]
    away = 0.05 / (0.8 * moves[0] - 0.2 * moves[1])
    truths = [part.estimates + away * move for part, move in zip(PARTS, moves, strict=True)]
    assert 0.8 * truths[0] - 0.2 * truths[1] == pytest.approx(both.estimates + 0.05)
    first, second = (part.cumulants(truth) for part, truth in zip(PARTS, truths, strict=True))
    found = both.cumulants(both.estimates + 0.05)
    for order, power in enumerate((2, 3, 4)):
        expected = 0.8**power * first[order] + (-0.2) ** power * second[order]
        assert found[order] == pytest.approx(expected)


def test_parts_that_are_alike_have_the_truth_of_the_sum() -> None:
    both = SumSampling(PARTS, (0.8, 0.2), alike=True)
    truth = np.array([0.3, 0.3])
    expected = 0.64 * PARTS[0].cumulants(truth)[0] + 0.04 * PARTS[1].cumulants(truth)[0]
    assert both.cumulants(truth)[0] == pytest.approx(expected)
    assert both.variance == pytest.approx(both.cumulants(both.likely)[0])


def test_steps_are_seen_as_far_as_other_parts_leave_them_sharp() -> None:
    sharp = ShareSampling(np.array([5]), 0.999, 0.001, Sample(10, 10))
    exact = KnownSampling(np.array([0.0]), np.array([1e-9]))
    blurred = KnownSampling(np.array([0.0]), np.array([1.0]))
    assert SumSampling([sharp, exact], (1, 1)).step == pytest.approx(sharp.step, rel=1e-4)
    assert SumSampling([sharp, blurred], (1, 1)).step == pytest.approx([0.0], abs=1e-12)
    assert SumSampling([sharp, exact], (0.5, 1)).step == pytest.approx(sharp.step / 2, rel=1e-4)


def test_known_errors_are_the_same_whatever_the_truth() -> None:
    known = KnownSampling(np.array([0.3, 0.4]), np.array([0.01, 0.04]))
    for truth in (np.zeros(2), np.ones(2)):
        assert known.cumulants(truth)[0].tolist() == [0.01, 0.04]
    assert known.step.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("places", [[16], [3, 20], [0, 32]])
def test_numbers_at_few_points_leave_no_rounding(places: list[int]) -> None:
    """Numbers between two points have the most that reports of these two allow: a quarter."""
    grid = Grid.design(Fraction(12))
    gap = float(grid.points[1] - grid.points[0])
    for moved, added in ((0, 0.0), (1, gap**2 / 4)):
        chances = [
            grid.probabilities[[place, place + (moved if place < 32 else -moved)]]
            for place in places
        ]
        cells = np.round(1e6 * np.mean(chances, axis=(0, 1)))[None, :].astype(np.int64)
        n = int(cells.sum())
        found = float(sampling_of(grid, cells, Sample(n, n)).variance[0])
        assert found == pytest.approx((grid.noise_of(cells) + added) / n, rel=0.02)
