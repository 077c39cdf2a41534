"""Intervals of values that were picked by their estimates hold for the pick."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.intervals import single
from harmony.estimate.picks import pick_interval
from harmony.estimate.sampling import KnownSampling


def missed(truth: np.ndarray, picked: int, rounds: int, seed: int) -> tuple[float, float, float]:
    """Return the shares of picked values below and above their intervals, and with single ones."""
    rng = np.random.default_rng(seed)
    below = above = alone = 0
    for _ in range(rounds):
        estimates = truth + rng.normal(size=len(truth))
        low, high = pick_interval(KnownSampling(estimates, np.ones(len(truth))), picked, 0.95)
        pick = np.argsort(-estimates)[:picked]
        below += int((truth[pick] < low[pick]).sum())
        above += int((truth[pick] > high[pick]).sum())
        alone += int((np.abs(truth[pick] - estimates[pick]) > single(0.95)).sum())
    total = rounds * picked
    return below / total, above / total, alone / total


@pytest.mark.parametrize(
    "truth",
    [np.zeros(500), np.linspace(0, 5, 500), np.repeat([0.0, 8.0], [476, 24]), np.arange(500.0)],
    ids=["all equal", "rising", "clear", "far apart"],
)
@pytest.mark.parametrize("picked", [1, 24, 400])
def test_of_the_picked_values_one_in_twenty_misses_at_most(truth: np.ndarray, picked: int) -> None:
    """False alarms: the shares scatter by at most 0.5%; five of that, under 1e-6 a case."""
    rounds = 2000 if picked == 1 else 200
    below, above, _ = missed(truth, picked, rounds, seed=picked)
    chance = 5 * np.sqrt(0.025 / rounds / min(picked, 20))
    assert below <= 0.025 + chance
    assert above <= 0.025 + chance


def test_single_intervals_would_miss_most_of_what_is_picked_from_noise() -> None:
    """As a page did that showed 24 of 500 values; here nearly all of them."""
    assert missed(np.zeros(500), 24, 50, seed=1)[2] > 0.5


def test_a_pick_of_everything_has_single_intervals() -> None:
    known = KnownSampling(np.array([0.1, 0.4]), np.array([0.01, 0.01]))
    low, high = pick_interval(known, 2, 0.95)
    assert high - low == pytest.approx(2 * single(0.95) * 0.1 * np.ones(2), abs=1e-6)


@pytest.fixture(scope="module")
def apps() -> hm.estimate.HistogramEstimate:
    survey = hm.Survey("apps", [hm.Integer("app", 0, 199)], epsilon=2.0)
    people = {"app": np.random.default_rng(5).geometric(0.02, 60_000) % 200}
    return survey.estimate(survey.collect(people, seed=7)).histogram("app")


def test_the_top_are_the_most_frequent_with_intervals_for_the_pick(apps) -> None:
    top = apps.top(5)
    order = sorted(apps.values, key=lambda value: -apps.frequencies[value])
    assert [row["value"] for row in top] == order[:5]
    single_ones, wide = apps.interval(), apps.interval(simultaneous=True)
    for row in top:
        value = row["value"]
        assert row["estimate"] == apps.frequencies[value]
        assert wide[value][0] < row["low"] < single_ones[value][0]
        assert row["high"] == pytest.approx(single_ones[value][1], abs=0.02 * row["stderr"])
        assert (row["simultaneous_low"], row["simultaneous_high"]) == wide[value]
        assert (row["low"], row["high"]) == apps.pick_interval(5, 0.95)[value]


def test_a_table_that_shows_everything_has_single_intervals_in_order(apps) -> None:
    assert apps.shown(200) == apps.rows()
    assert apps.left_out(200) == 0
    assert apps.shown(199) == apps.top(199)
    assert apps.left_out(199) == 1


@pytest.mark.parametrize("count", [0, -1, 2.0, "5", True])
def test_a_pick_needs_a_number_of_values(apps, count) -> None:
    with pytest.raises(hm.HarmonyError, match="'count' must be a positive integer"):
        apps.top(count)


def test_files_hold_the_pick_if_asked_to() -> None:
    survey = hm.Survey("s", [hm.Integer("k", 0, 9), hm.Numeric("x", 0, 1)], 2.0)
    people = {"k": np.arange(4000) % 10, "x": np.full(4000, 0.5)}
    result = survey.estimate(survey.collect(people, seed=1))
    rows = result.to_dict(top=3)["estimates"]
    assert rows[:3] == result.histogram("k").top(3)
    assert [row["attribute"] for row in rows] == ["k", "k", "k", "x"]
    assert len(result.to_csv(top=3).splitlines()) == 5
    assert len(result.to_dict()["estimates"]) == 11
