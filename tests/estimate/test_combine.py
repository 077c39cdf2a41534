"""Combining tiers, scaling to an attribute's units and saying whether it is enough, by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.combine import combine
from harmony.estimate.intervals import check_confidence, simultaneous, single
from harmony.mechanisms import Grid, Linear

TIERS = [Linear.design(Fraction(1, 2), 3), Linear.design(Fraction(2), 3)]
CELLS = [np.array([[40, 30, 20]]), np.array([[100, 60, 20]])]
REPORTS = [150, 400]


def weighed(weighting: str) -> tuple[Any, np.ndarray, list[Any]]:
    """Return the combined estimate, the tiers' weights and their moments."""
    combined = combine(TIERS, CELLS, REPORTS, weighting, 0.01)
    moments = [tier.moments(cells) for tier, cells in zip(TIERS, CELLS, strict=True)]
    if weighting == "precision":
        weights = np.array([90 / TIERS[0].expected_variance(), 180 / TIERS[1].expected_variance()])
    else:
        weights = np.array([150.0, 400.0])
    return combined, weights / weights.sum(), moments


@pytest.mark.parametrize("weighting", ["precision", "devices"])
def test_tiers_are_weighed_by_precision_or_by_devices(weighting: str) -> None:
    combined, weights, moments = weighed(weighting)
    estimates = weights[0] * moments[0].estimates + weights[1] * moments[1].estimates
    variance = sum(w**2 * one.variance(550) for w, one in zip(weights, moments, strict=True))
    assert combined.n == 270
    assert np.allclose(combined.estimates, estimates, rtol=1e-12)
    assert np.allclose(combined.variance, variance, rtol=1e-12)


@pytest.mark.parametrize("weighting", ["precision", "devices"])
def test_the_influence_is_what_dishonest_devices_of_the_worst_tier_can_do(weighting: str) -> None:
    """1% of 550 devices, all in one tier, each as far from the estimate as a report can be."""
    combined, weights, moments = weighed(weighting)
    reached = []
    for tier, weight, reports, one in zip(TIERS, weights, REPORTS, moments, strict=True):
        reach = max(tier.highest - one.estimates.min(), one.estimates.max() - tier.lowest)
        reached.append(weight * 5.5 / reports * reach)
    assert combined.influence == pytest.approx(max(reached), rel=1e-12)


def test_dishonest_devices_are_at_most_a_whole_tier() -> None:
    combined = combine(TIERS, CELLS, [90, 460], "devices", 0.5)
    weights = np.array([90, 460]) / 550
    reached = []
    for tier, weight, share, cells in zip(TIERS, weights, (1.0, 275 / 460), CELLS, strict=True):
        estimates = tier.moments(cells).estimates
        reach = max(tier.highest - estimates.min(), estimates.max() - tier.lowest)
        reached.append(weight * share * reach)
    assert combined.influence == pytest.approx(max(reached), rel=1e-12)


@pytest.mark.parametrize("weighting", ["precision", "devices"])
def test_a_tier_that_nobody_chose_is_left_out(weighting: str) -> None:
    nothing = np.zeros((1, 3), np.int64)
    both = combine(TIERS, [nothing, CELLS[1]], [0, 400], weighting, 0.01)
    alone = combine(TIERS[1:], CELLS[1:], [400], weighting, 0.01)
    assert both.n == alone.n == 180
    assert np.array_equal(both.estimates, alone.estimates)
    assert np.array_equal(both.variance, alone.variance)
    assert both.influence == alone.influence
    assert np.allclose(both.correlation, alone.correlation)


def test_a_tier_whose_devices_were_not_asked_is_left_out() -> None:
    nothing = np.zeros((1, 3), np.int64)
    combined = combine(TIERS, [nothing, CELLS[1]], [50, 400], "devices", 0.01)
    assert np.array_equal(combined.estimates, TIERS[1].moments(CELLS[1]).estimates)
    assert np.array_equal(combined.variance, TIERS[1].moments(CELLS[1]).variance(450))


def test_a_tier_with_a_single_answer_counts() -> None:
    one = np.array([[0, 1, 0]])
    combined = combine(TIERS, [one, CELLS[1]], [1, 400], "devices", 0.01)
    moments = TIERS[0].moments(one).estimates, TIERS[1].moments(CELLS[1]).estimates
    assert np.allclose(combined.estimates, (moments[0] + 400 * moments[1]) / 401, rtol=1e-12)


@pytest.mark.parametrize("cells", [[[900, 100]], [[100, 900]]])
def test_a_mean_can_be_moved_furthest_away_from_its_nearer_end(cells: list[list[int]]) -> None:
    """A report decodes to plus or minus the same number, whatever the mean is."""
    grid = Grid.design(Fraction(1), "harmony")
    combined = combine([grid], [np.array(cells)], [1000], "precision", 0.01)
    furthest = grid.highest + abs(combined.estimates[0])
    assert combined.influence == pytest.approx(0.01 * furthest, rel=1e-12)


def test_without_answers_nothing_is_known() -> None:
    nothing = np.zeros((1, 3), np.int64)
    combined = combine(TIERS, [nothing, nothing], [0, 0], "precision", 0.01)
    assert (combined.n, combined.influence, combined.correlation) == (0, np.inf, None)
    assert np.isnan(combined.estimates).all()
    assert combined.estimates.shape == combined.variance.shape == (3,)
    assert not np.isfinite(combined.variance).any()


def test_the_correlation_of_tiers_is_that_of_their_weighed_sum() -> None:
    combined, weights, _ = weighed("precision")
    covariance = sum(
        weight**2 * tier.covariance(cells) / cells.sum()
        for weight, tier, cells in zip(weights, TIERS, CELLS, strict=True)
    )
    errors = np.sqrt(np.diag(covariance))
    assert np.allclose(combined.correlation, covariance / np.outer(errors, errors), rtol=1e-9)
    assert np.allclose(np.diag(combined.correlation), 1.0)


def test_means_and_large_histograms_come_without_a_correlation() -> None:
    grid, wide = Grid.design(Fraction(1), "harmony"), Linear.design(Fraction(8), 65)
    for mechanism in (grid, wide):
        cells = np.ones((mechanism.code.rows, mechanism.table.symbols), np.int64)
        assert combine([mechanism], [cells], [100], "precision", 0.0).correlation is None


def survey_of(attribute: hm.Attribute) -> tuple[hm.Survey, hm.Tally]:
    """Return a survey and a tally of it: most devices are at one end of the domain."""
    survey = hm.Survey("s", [attribute], 4.0, mechanism="harmony")
    ends = attribute.values or (10.0, 30.0)
    values = [ends[-1]] * 1500 + [ends[0]] * 500
    return survey, survey.collect({attribute.name: values}, seed=1)


def test_a_mean_is_scaled_to_its_range() -> None:
    survey, tally = survey_of(hm.Numeric("x", 10, 30))
    grid = survey.mechanisms[0][0]
    combined = combine([grid], tally.cells[0], [2000], "precision", 0.02)
    mean = survey.estimate(tally, dishonest=0.02)["x"]
    assert mean.mean == pytest.approx(20 + 10 * combined.estimates[0], rel=1e-12)
    assert mean.stderr == pytest.approx(10 * np.sqrt(combined.variance[0]), rel=1e-12)
    assert mean.influence == pytest.approx(10 * combined.influence, rel=1e-12)
    assert (mean.low, mean.high, mean.n, mean.epsilon) == (10, 30, 2000, 4.0)
    low, high = mean.interval(0.9)
    assert (low + high) / 2 == pytest.approx(mean.mean)
    assert high - mean.mean == pytest.approx(1.6448536 * mean.stderr, rel=1e-6)


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
    assert simultaneous(confidence, 1, np.eye(1)) == pytest.approx(errors, rel=0.002)


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
    histogram = survey.estimate(tally)["k"]
    each, together = histogram.interval(0.9), histogram.interval(0.9, simultaneous=True)
    for value in range(4):
        middle, error = histogram.frequencies[value], histogram.stderr[value]
        assert each[value] == pytest.approx((middle - 1.644854 * error, middle + 1.644854 * error))
        assert together[value][1] > each[value][1] > middle > each[value][0] > together[value][0]
    assert histogram.interval() == histogram.interval(0.95)
    assert "raw" not in repr(histogram)
    assert "errors" not in repr(histogram)
    assert "correlation" not in repr(histogram)
    reach = histogram.critical(0.9, together=True)
    assert reach == simultaneous(0.9, 4, histogram.correlation)
    assert histogram.critical(0.9, together=False) == single(0.9)


def test_a_histogram_without_reports_has_no_reach_and_no_consistent_form() -> None:
    survey = hm.Survey("s", [hm.Integer("k", 0, 3)], 4.0)
    histogram = survey.estimate(hm.Tally.empty(survey, hm.Round.open("1")))["k"]
    assert histogram.critical(0.9, together=True) == single(0.9)
    assert all(np.isnan(one) for one in histogram.consistent.values())
