"""Combining tiers, scaling to an attribute's units and saying whether it is enough, by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.combine import combine, sampling_of
from harmony.estimate.intervals import (
    check_confidence,
    confidence_of_each,
    simultaneous,
    single,
)
from harmony.estimate.sampling import Sample
from harmony.estimate.score import score_interval
from harmony.mechanisms import Grid, Linear

TIERS = [Linear.design(Fraction(1, 2), 3), Linear.design(Fraction(2), 3)]
CELLS = [np.array([[40, 30, 20]]), np.array([[100, 60, 20]])]
REPORTS = [150, 400]
NOBODY = np.zeros((1, 3), np.int64)


def combined(cells: Any, reports: Any, weighting: str, dishonest: float = 0.01) -> Any:
    return combine(TIERS, cells, reports, weighting, dishonest)


def weights_of(weighting: str) -> np.ndarray:
    if weighting == "precision":
        weights = np.array([90 / TIERS[0].expected_variance(), 180 / TIERS[1].expected_variance()])
    else:
        weights = np.array([150.0, 400.0])
    return weights / weights.sum()


@pytest.mark.parametrize("weighting", ["precision", "devices"])
def test_tiers_are_weighed_by_precision_or_by_devices(weighting: str) -> None:
    both, weights = combined(CELLS, REPORTS, weighting), weights_of(weighting)
    parts = [tier.moments(cells).estimates for tier, cells in zip(TIERS, CELLS, strict=True)]
    assert both.n == 270
    expected = weights[0] * parts[0] + weights[1] * parts[1]
    assert np.allclose(both.sampling.estimates, expected, rtol=1e-12)


@pytest.mark.parametrize("weighting", ["precision", "devices"])
def test_the_finite_population_part_is_that_of_all_tiers_together(weighting: str) -> None:
    """Each device that was asked stands for weight / answers, those not asked for nothing.

    Over random orders of one population, a sum with such weights varies by the population's
    variance times the sum of squares of what the weights miss of 1 / devices.
    """
    both, weights = combined(CELLS, REPORTS, weighting), weights_of(weighting)
    share = np.full(3, 0.3)
    answers = np.array([90, 180])
    noise = sum(
        weight**2 * tier.noise_at(share) / n
        for weight, tier, n in zip(weights, TIERS, answers, strict=True)
    )
    missed = float((weights**2 / answers).sum() - 1 / 550)
    stated = 0.0
    for part, weight in zip(both.sampling.parts, weights, strict=True):
        stated = stated + weight**2 * part.cumulants(share)[0]
    assert np.allclose(stated, noise + 0.21 * missed, rtol=0.01)


def test_with_everyone_asked_tiers_have_noise_alone() -> None:
    """The case that was found: each tier seemed a small sample of all, six times too wide."""
    cells = [np.array([[40, 30, 20]]), np.array([[400, 300, 200]])]
    both = combined(cells, [90, 900], "devices")
    shares = [np.clip(part.estimates, 0, 1) for part in both.sampling.parts]
    noise = sum(
        (size / 990) ** 2 * tier.noise_at(share) / size
        for size, tier, share in zip((90, 900), TIERS, shares, strict=True)
    )
    assert np.allclose(both.sampling.variance, noise, rtol=1e-9)


@pytest.mark.parametrize("weighting", ["precision", "devices"])
def test_a_tier_that_nobody_chose_is_left_out(weighting: str) -> None:
    both = combined([NOBODY, CELLS[1]], [0, 400], weighting)
    alone = combine(TIERS[1:], CELLS[1:], [400], weighting, 0.01)
    assert both.n == alone.n == 180
    assert np.array_equal(both.sampling.estimates, alone.sampling.estimates)
    assert np.array_equal(both.sampling.variance, alone.sampling.variance)
    assert both.influence == alone.influence
    assert both.tiers is None
    assert np.allclose(both.covariance, alone.covariance)


def test_a_tier_whose_devices_were_not_asked_is_left_out() -> None:
    """The other tier then stands for all devices that reported."""
    both = combined([NOBODY, CELLS[1]], [50, 400], "devices")
    alone = sampling_of(TIERS[1], CELLS[1], Sample(180, 450))
    assert np.array_equal(both.sampling.estimates, alone.estimates)
    assert np.array_equal(both.sampling.variance, alone.variance)


def test_a_tier_with_a_single_answer_counts() -> None:
    one = np.array([[0, 1, 0]])
    both = combined([one, CELLS[1]], [1, 400], "devices")
    parts = TIERS[0].moments(one).estimates, TIERS[1].moments(CELLS[1]).estimates
    assert np.allclose(both.sampling.estimates, (parts[0] + 400 * parts[1]) / 401, rtol=1e-12)


@pytest.mark.parametrize("cells", [[[900, 100]], [[100, 900]]])
def test_a_mean_can_be_moved_furthest_away_from_its_nearer_end(cells: list[list[int]]) -> None:
    """A report decodes to plus or minus the same number, whatever the mean is."""
    grid = Grid.design(Fraction(1), "harmony")
    one = combine([grid], [np.array(cells)], [1000], "precision", 0.01)
    furthest = grid.highest + abs(one.sampling.estimates[0])
    assert one.influence == pytest.approx(0.01 * furthest, rel=1e-12)


def test_without_answers_nothing_is_known() -> None:
    nothing = combined([NOBODY, NOBODY], [0, 0], "precision")
    assert (nothing.n, nothing.influence, nothing.covariance) == (0, np.inf, None)
    assert np.isnan(nothing.sampling.estimates).all()
    assert nothing.sampling.estimates.shape == nothing.sampling.variance.shape == (3,)
    assert not np.isfinite(nothing.sampling.variance).any()


def test_the_covariance_has_the_variances_on_its_diagonal() -> None:
    both = combined([100 * cells for cells in CELLS], [15_000, 40_000], "devices")
    assert np.allclose(np.diag(both.covariance), both.sampling.variance, rtol=0.05)
    assert np.linalg.eigvalsh(both.covariance).min() > -1e-12
    assert both.covariance.sum() == pytest.approx(0, abs=1e-12)  # frequencies add up to one


def test_with_everyone_asked_errors_go_together_as_lies_do_not_as_answers() -> None:
    """At epsilon 8 nine in ten say "a": who lies about one value speaks for one of the others."""
    linear = Linear.design(Fraction(8), 3)
    cells = np.array([[900, 60, 40]])
    everyone = combine([linear], [cells], [1000], "devices", 0.01).covariance
    shares = np.array([900.5, 60.5, 40.5]) / 1001.5
    assert np.allclose(everyone, linear.noise_covariance(shares) / 1000, rtol=0.01, atol=1e-12)


def test_means_and_large_histograms_come_without_a_covariance() -> None:
    grid, wide = Grid.design(Fraction(1), "harmony"), Linear.design(Fraction(8), 65)
    for mechanism in (grid, wide):
        cells = np.ones((mechanism.code.rows, mechanism.table.symbols), np.int64)
        assert combine([mechanism], [cells], [100], "precision", 0.0).covariance is None


def survey_of(attribute: hm.Attribute) -> tuple[hm.Survey, hm.Tally]:
    """Return a survey and a tally of it: most devices are at one end of the domain."""
    survey = hm.Survey("s", [attribute], 4.0, mechanism="harmony")
    ends = attribute.values or (10.0, 30.0)
    values = [ends[-1]] * 1500 + [ends[0]] * 500
    return survey, survey.collect({attribute.name: values}, seed=1)


def test_a_mean_is_scaled_to_its_range() -> None:
    survey, tally = survey_of(hm.Numeric("x", 10, 30))
    grid = survey.mechanisms[0][0]
    one = combine([grid], tally.cells[0], [2000], "precision", 0.02)
    mean = survey.estimate(tally, dishonest=0.02).mean("x")
    assert mean.mean == pytest.approx(20 + 10 * one.sampling.estimates[0], rel=1e-12)
    assert mean.stderr == pytest.approx(10 * np.sqrt(one.sampling.variance[0]), rel=1e-12)
    assert mean.influence == pytest.approx(10 * one.influence, rel=1e-12)
    assert (mean.low, mean.high, mean.n, mean.epsilon) == (10, 30, 2000, 4.0)
    low, high = mean.interval(0.9)
    assert (low + high) / 2 == pytest.approx(mean.mean, abs=0.1 * mean.stderr)
    ends = np.array(score_interval(one.sampling, 0.9))[:, 0]
    assert (low, high) == pytest.approx(tuple(20 + 10 * ends), rel=1e-12)
    assert high - low == pytest.approx(2 * 1.6448536 * mean.stderr, rel=0.02)


@pytest.mark.parametrize(("share", "verdict"), [(1.001, "ok"), (0.999, "too few reports to say")])
def test_an_interval_wider_than_the_stated_share_is_too_wide(share: float, verdict: str) -> None:
    survey, tally = survey_of(hm.Numeric("x", 10, 30))
    width = 2 * 1.959963985 * survey.estimate(tally)["x"].stderr / 20
    assert survey.estimate(tally, too_wide=share * width)["x"].verdict == verdict
    survey, tally = survey_of(hm.Integer("k", 0, 3))
    width = 2 * 1.959963985 * max(survey.estimate(tally)["k"].errors)
    assert survey.estimate(tally, too_wide=share * width)["k"].verdict == verdict


def test_an_interval_of_exactly_the_stated_share_is_not_too_wide() -> None:
    survey, tally = survey_of(hm.Integer("k", 0, 3))
    width = 2 * single(0.95) * float(survey.estimate(tally)["k"].errors.max())
    assert survey.estimate(tally, too_wide=width)["k"].verdict == "ok"


@pytest.mark.parametrize(("reports", "verdict"), [(80, "too few reports to say"), (160, "ok")])
def test_a_fifth_of_the_domain_is_too_wide_unless_told_otherwise(
    reports: int, verdict: str
) -> None:
    """Half of the devices are asked, and hardly anyone lies: about 1.96 / sqrt(reports) wide."""
    survey = hm.Survey("s", [hm.Boolean("b"), hm.Boolean("c")], 12.0, answers=1)
    column = [True, False] * (reports // 2)
    histogram = survey.estimate(survey.collect({"b": column, "c": column}, seed=3))["b"]
    width = 2 * 1.96 * histogram.errors.max()
    assert 0.1 < width < 0.4
    assert histogram.verdict == verdict == ("ok" if width <= 0.2 else "too few reports to say")


@pytest.mark.parametrize("share", [0, 1, 0.5])
def test_shares_between_zero_and_one_are_taken(share: float) -> None:
    survey, tally = survey_of(hm.Integer("k", 0, 3))
    assert survey.estimate(tally, too_wide=share, dishonest=share).dishonest == share


@pytest.mark.parametrize("share", [-0.001, 1.001, "0.1", None, float("nan")])
@pytest.mark.parametrize("field", ["too_wide", "dishonest"])
def test_other_shares_are_refused(share: Any, field: str) -> None:
    survey, tally = survey_of(hm.Integer("k", 0, 3))
    with pytest.raises(hm.HarmonyError, match=f"'{field}' must be a share between 0 and 1"):
        survey.estimate(tally, **{field: share})


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 1.1, "0.9", None, float("nan")])
def test_a_confidence_lies_between_zero_and_one(confidence: Any) -> None:
    with pytest.raises(hm.HarmonyError, match="'confidence' must lie between 0 and 1"):
        check_confidence(confidence)
    with pytest.raises(hm.HarmonyError):
        simultaneous(confidence, 3)


@pytest.mark.parametrize(
    ("confidence", "errors"), [(0.5, 0.67449), (0.9, 1.64485), (0.95, 1.95996), (0.99, 2.57583)]
)
def test_critical_values_are_those_of_the_normal_distribution(
    confidence: float, errors: float
) -> None:
    assert single(confidence) == pytest.approx(errors, abs=1e-5)
    assert simultaneous(confidence, 1) == pytest.approx(errors, abs=1e-5)
    assert simultaneous(confidence, 1, np.eye(1)) == pytest.approx(errors, rel=0.01)


def test_simultaneous_intervals_of_independent_estimates_multiply() -> None:
    assert simultaneous(0.9, 2) == pytest.approx(single(0.9**0.5))
    assert simultaneous(0.9, 2, np.eye(2)) == pytest.approx(single(0.9**0.5), rel=0.005)
    half = np.array([[1.0, 0.5], [0.5, 1.0]])
    assert single(0.9) < simultaneous(0.9, 2, half) < simultaneous(0.9, 2)
    same = np.ones((3, 3))
    assert simultaneous(0.9, 3, same) == pytest.approx(single(0.9), rel=0.005)


def test_a_correlation_that_is_off_by_rounding_is_taken() -> None:
    """Three frequencies add up to one: the least eigenvalue is zero, or a hair below."""
    together = np.full((3, 3), -0.5 - 1e-12) + (1.5 + 1e-12) * np.eye(3)
    assert np.isfinite(simultaneous(0.95, 3, together))


def test_a_histogram_says_how_far_its_intervals_reach() -> None:
    survey, tally = survey_of(hm.Integer("k", 0, 3))
    histogram = survey.estimate(tally).histogram("k")
    each, together = histogram.interval(0.9), histogram.interval(0.9, simultaneous=True)
    for value in range(4):
        middle, error = histogram.frequencies[value], histogram.stderr[value]
        reach = 1.644854 * error
        assert each[value] == pytest.approx((middle - reach, middle + reach), abs=0.1 * error)
        assert together[value][1] > each[value][1] > middle > each[value][0] > together[value][0]
    assert histogram.interval() == histogram.interval(0.95)
    for hidden in ("sampling", "covariance", "tiers"):
        assert hidden not in repr(histogram)
    surer = confidence_of_each(0.9, 4, histogram.correlation)
    assert together == histogram.interval(surer)


def test_a_histogram_without_reports_has_no_interval_and_no_consistent_form() -> None:
    survey = hm.Survey("s", [hm.Integer("k", 0, 3)], 4.0)
    histogram = survey.estimate(hm.Tally.empty(survey, hm.Round.open("1"))).histogram("k")
    assert np.isnan(list(histogram.interval(0.9, simultaneous=True).values())).all()
    assert np.isnan([row["low"] for row in histogram.top(2)]).all()
    assert all(np.isnan(one) for one in histogram.consistent.values())
    assert histogram.detected == ()


def test_a_correlation_never_makes_intervals_narrower_than_single_ones() -> None:
    """The case that was found: empty cells gave a correlation of nothing, and zero width."""
    for correlation in (np.zeros((3, 3)), 0.1 * np.eye(3), np.ones((3, 3))):
        assert single(0.95) <= simultaneous(0.95, 3, correlation) <= simultaneous(0.95, 3)


def test_how_sure_each_interval_must_be_follows_from_how_far_all_must_reach() -> None:
    assert single(confidence_of_each(0.95, 7)) == pytest.approx(simultaneous(0.95, 7))
    assert confidence_of_each(0.95, 1) == pytest.approx(0.95)
