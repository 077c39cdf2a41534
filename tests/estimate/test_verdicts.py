"""A verdict compares signal with noise, knowing how many values there are."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.sampling import KnownSampling
from harmony.estimate.verdicts import apart_from_zero, histogram_verdict


def estimated(k: int, values: np.ndarray, epsilon: float, seed: int = 1):
    survey = hm.Survey("s", [hm.Integer("k", 0, k - 1)], epsilon)
    return survey.estimate(survey.collect({"k": values}, seed=seed)).histogram("k")


def test_pure_noise_is_not_ok() -> None:
    """As it was found: 2,000 values, 20,000 devices, epsilon 1; errors 27 times the shares."""
    values = np.arange(20_000) % 2000
    assert estimated(2000, values, 1.0).verdict == "too few reports to say"


def test_a_few_frequent_values_among_many_are_named() -> None:
    rng = np.random.default_rng(1)
    values = np.where(
        rng.random(50_000) < 0.3, rng.integers(0, 3, 50_000), rng.integers(0, 2000, 50_000)
    )
    histogram = estimated(2000, values, 1.0)
    assert histogram.verdict == "only 3 of 2,000 values can be told apart from zero"
    assert set(histogram.detected) == {0, 1, 2}
    assert histogram.detected[0] == max(histogram.frequencies, key=histogram.frequencies.get)
    assert [row["value"] for row in histogram.rows() if row["detected"]] == [0, 1, 2]
    assert not histogram.enough


def test_values_that_have_most_answers_make_a_histogram_ok() -> None:
    values = np.repeat([0, 1, 2], [30_000, 20_000, 10_000])
    histogram = estimated(40, values, 1.0)
    assert histogram.verdict == "ok"
    assert set(histogram.detected) == {0, 1, 2}


@pytest.mark.parametrize(("epsilon", "devices"), [(1.0, 2000), (6.0, 300)])
def test_a_value_that_nobody_has_is_told_apart_in_at_most_one_round_of_twenty(
    epsilon: float, devices: int
) -> None:
    """More than 30 of 300 rounds have a chance of 1e-4."""
    values = np.zeros(devices, int)
    wrong = sum(estimated(30, values, epsilon, seed).detected != (0,) for seed in range(300))
    assert wrong <= 30


def test_the_level_is_shared_by_all_values() -> None:
    for k, least in ((1, 1.645), (10, 2.569), (1000, 3.887)):
        for estimate, apart in ((least + 0.01, True), (least - 0.01, False)):
            found = apart_from_zero(KnownSampling(np.full(k, estimate), np.ones(k)))
            assert found.all() == found.any() == apart


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ([0.5, 0.3, 0.2], "ok"),
        ([0.49, 0.31, 0.2], "only 1 of 3 values can be told apart from zero"),
    ],
)
def test_half_of_the_answers_is_enough(shares: list[float], verdict: str) -> None:
    apart = np.array([True, False, False])
    assert histogram_verdict(False, apart, np.array(shares)) == verdict
    assert histogram_verdict(True, apart, np.array(shares)) == "too few reports to say"
    assert histogram_verdict(False, ~apart & False, np.array(shares)) == "too few reports to say"
