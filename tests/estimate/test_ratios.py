"""Ratios and their differences: intervals hold and false alarms are rare, also in small groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.group_means import group_means
from harmony.estimate.ratios import RatioDifferences, Ratios
from harmony.estimate.rounding import most_rounding
from harmony.estimate.sampling import EVERYONE
from harmony.estimate.score import score_interval, surprise

MANY = 4_000
ERRORS = np.array([[0.5, 0.2], [0.2, 0.4]])
LIMITS = 0.0, 10.0


def drawn(rng: np.random.Generator, ratio: float, below: float) -> Ratios:
    """Return what many draws tell of one ratio, whose denominator is `below`."""
    found = rng.multivariate_normal([ratio * below, below], ERRORS, MANY)
    return Ratios(*found.T, np.broadcast_to(ERRORS, (MANY, 2, 2)), LIMITS)


@pytest.mark.parametrize(
    ("ratio", "below", "least", "most"),
    [
        (4.0, (100.0, 100.0), 0.04, 0.06),
        (4.0, (100.0, 20.0), 0.04, 0.06),
        (4.0, (5.0, 5.0), 0.0, 0.06),
        (4.0, (100.0, 1.0), 0.0, 0.06),
        (0.0, (20.0, 20.0), 0.0, 0.06),
        (10.0, (3.0, 3.0), 0.0, 0.06),
    ],
)
def test_equal_ratios_seldom_seem_to_differ(
    ratio: float, below: tuple[float, float], least: float, most: float
) -> None:
    """4,000 differences of equal ratios: 5% +- 1% seem to differ, by three standard errors.

    Of groups too small to tell, and at the edge, fewer do.
    """
    rng = np.random.default_rng(6)
    both = RatioDifferences(*(drawn(rng, ratio, one) for one in below))
    p_values = surprise(both, np.zeros(MANY))
    alarms = np.nan_to_num(p_values, nan=1.0) <= 0.05
    assert least <= alarms.mean() <= most


def test_intervals_of_differences_hold_the_truth_and_the_estimate() -> None:
    """1,000 intervals: 95% +- 2% hold, three standard errors."""
    rng = np.random.default_rng(7)
    sides = (drawn(rng, 3.0, 40.0), drawn(rng, 5.0, 15.0))
    both = RatioDifferences(*(one.some(range(1_000)) for one in sides))
    low, high = score_interval(both, 0.95)
    assert 0.93 <= ((low <= 2.0) & (high >= 2.0)).mean() <= 0.97
    assert np.all((low <= both.estimates) & (both.estimates <= high))
    assert np.all((low >= -10.001) & (high <= 10.001))
    assert np.std(both.estimates) == pytest.approx(np.sqrt(both.variance).mean(), rel=0.1)


def test_nobody_in_a_group_leaves_everything_possible() -> None:
    survey = hm.Survey("s", [hm.Crosstab(hm.Integer("a", 0, 2), hm.Numeric("x", 0, 10))], 4.0)
    people = {"a": np.arange(2_000) % 2, "x": np.arange(2_000) % 10}
    results = [
        survey.estimate(survey.collect(people, seed=seed, round=hm.Round(f"W{seed}", bytes(16))))
        for seed in range(8)
    ]
    nobody = [one for one in results if np.isnan(one.crosstab("a x x").means()[2][0])]
    assert nobody  # half of the estimates of an empty group's size are negative
    change = hm.compare(nobody[0], next(one for one in results if one is not nobody[0]))["a x x"]
    row = change.rows()[2]
    assert np.isnan(row["difference"])
    assert (row["low"], row["high"]) == (-10, 10)
    assert row["p_value"] == pytest.approx(1)
    assert 0 <= change.p_value <= 1
    assert change.changed() == ()


@pytest.mark.parametrize("points", [2, 3, 6])
def test_rounding_never_adds_more_than_supposed(points: int) -> None:
    rng = np.random.default_rng(8)
    for _ in range(50):
        numbers = rng.beta(*rng.uniform(0.05, 5, 2), 300) * (points - 1)
        cell = np.minimum(numbers.astype(int), points - 2)
        inside = numbers - cell
        shares = np.bincount(cell, 1 - inside, points) + np.bincount(cell + 1, inside, points)
        added = (inside * (1 - inside)).mean()
        assert added <= most_rounding(shares[None, :] / 300)[0] + 1e-12


def test_devices_that_were_heard_unevenly_make_means_no_narrower() -> None:
    survey = hm.Survey("s", [hm.Crosstab(hm.Integer("a", 0, 2), hm.Numeric("x", 0, 10))], 4.0)
    people = {"a": np.arange(3_000) % 3, "x": np.arange(3_000) % 10}
    one = survey.estimate(survey.collect(people, seed=1)).crosstab("a x x")
    assert one.number is not None
    shares = np.maximum(one.projected, 1e-4)
    all_at_once, uneven = (
        group_means(replace(one.joint, devices=devices), one.number, shares).covariances[:, 0, 0]
        for devices in (EVERYONE, -3_000.0)
    )
    assert np.all(uneven > all_at_once)


def test_means_of_groups_that_everyone_answers_are_not_taken_for_a_sample() -> None:
    """At epsilon 8 nearly all error is rounding: means are off by 0.7 to 1.15 standard errors."""
    survey = hm.Survey("s", [hm.Crosstab(hm.Integer("a", 0, 2), hm.Numeric("x", 0, 10))], 8.0)
    rng = np.random.default_rng(9)
    people = {"a": rng.integers(0, 3, 2_000), "x": rng.random(2_000) * 10}
    truths = [people["x"][people["a"] == group].mean() for group in range(3)]
    off = []
    for seed in range(100):
        one = survey.estimate(survey.collect(people, seed=seed)).crosstab("a x x")
        ends = np.array(list(one.means().values()))
        off.append((ends[:, 0] - truths) / ((ends[:, 2] - ends[:, 1]) / 2 / 1.96))
    assert 0.7 < np.sqrt(np.mean(np.square(off))) < 1.15
