"""What anybody could learn: known channels stay below it, and its limits are right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks import bounds, searching
from benchmarks.information import (
    Scores,
    least_error,
    most_of_anything,
    most_of_classes,
    most_of_numbers,
)
from benchmarks.populations import POPULATIONS

Floats = NDArray[np.float64]
EPSILONS = (0.4, 0.8, 1.0, 4.0)


@pytest.fixture(scope="module", params=["rate10", "rate1", "strong1", "half"])
def effects(request: pytest.FixtureRequest) -> bounds.Effects:
    return bounds.effects(POPULATIONS[request.param], 20_000, 1_000)


def information(scores: Scores, channel: Floats) -> float:
    """Return the trace of the information in answers: a row a record, a column an answer."""
    means = (scores.values * scores.chances[:, None]).T @ channel
    return float(np.sum(means**2 / (scores.chances @ channel)))


def randomised(answers: NDArray[np.int64], count: int, epsilon: float) -> Floats:
    """Return randomised response on answers from 0 to count - 1."""
    chances = np.where(answers[:, None] == np.arange(count), math.exp(epsilon), 1.0)
    return chances / chances.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_channel_tells_more_than_what_is_proved(effects: bounds.Effects, epsilon: float) -> None:
    rng = np.random.default_rng(1)
    for scores in effects.families:
        most = most_of_classes(scores, epsilon)
        for _ in range(20):
            along = scores.values @ rng.normal(size=scores.values.shape[1])
            above = (along > 0).astype(np.int64)
            three = np.where(scores.second, 1 + above, 0)
            for channel in (randomised(above, 2, epsilon), randomised(three, 3, epsilon)):
                assert information(scores, channel) <= most


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_what_is_found_is_below_what_is_proved_and_above_known_channels(
    effects: bounds.Effects, epsilon: float
) -> None:
    for scores in effects.families:
        count = scores.values.shape[1]
        found = searching.trace(scores, epsilon)
        assert found <= most_of_classes(scores, epsilon) * 1.001
        for place in range(count):
            above = (scores.values[:, place] > 0).astype(np.int64)
            three = np.where(scores.second, 1 + above, 0)
            assert information(scores, randomised(above, 2, epsilon)) <= found
            assert information(scores, randomised(three, 3, epsilon)) <= found


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_what_is_proved_of_numbers_is_above_the_sign_of_the_residual(epsilon: float) -> None:
    sign = 2 / math.pi * math.tanh(epsilon / 2) ** 2
    assert sign <= most_of_numbers(epsilon) <= most_of_anything(epsilon)


def test_what_is_proved_of_numbers_is_above_channels_of_three_and_four_bins() -> None:
    residuals = np.random.default_rng(2).normal(size=100_000)
    scores = Scores(residuals[:, None], np.full(100_000, 1e-5), residuals > 0)
    for epsilon in EPSILONS:
        for cut in (0.3, 0.6, 1.0):
            for edges in ([-cut, cut], [-cut, 0.0, cut]):
                bins = np.searchsorted(edges, residuals)
                told = information(scores, randomised(bins, len(edges) + 1, epsilon))
                assert told <= most_of_numbers(epsilon)


def test_a_label_alone_is_bounded_by_randomised_response_of_its_kind() -> None:
    """For a score of -1 or 1 no answer beats that of probability 1 / (e^ε + 1)."""
    scores = Scores(np.array([[-1.0], [1.0]]), np.array([0.5, 0.5]), np.array([False, True]))
    for epsilon in EPSILONS:
        most = most_of_classes(scores, epsilon)
        assert math.tanh(epsilon / 2) ** 2 <= most <= most_of_anything(epsilon)


def test_the_bound_goes_from_nothing_to_everything(effects: bounds.Effects) -> None:
    assert effects.proved(0.001, 1_000) < 0.01
    assert effects.proved(1.0, 10**12) > 0.999
    by_devices = [effects.proved(0.8, n) for n in (10**4, 10**5, 10**6, 10**7)]
    assert by_devices == sorted(by_devices)
    by_epsilon = [effects.proved(epsilon, 10**5) for epsilon in EPSILONS]
    assert by_epsilon == sorted(by_epsilon)


def test_the_searched_bound_is_above_what_a_known_channel_learns(effects: bounds.Effects) -> None:
    """Each coordinate is asked of as many, by the better of two channels."""
    devices, epsilon = 10**6, 0.8
    for scores in effects.families:
        count = scores.values.shape[1]
        told = np.zeros((count, count))
        for place in range(count):
            above = (scores.values[:, place] > 0).astype(np.int64)
            channel = randomised(np.where(scores.second, 1 + above, 0), 3, epsilon)
            means = (scores.values * scores.chances[:, None]).T @ channel
            told += (means / (scores.chances @ channel)) @ means.T * devices / count
        error = np.trace(np.linalg.inv(np.linalg.inv(effects.sizes) + told))
        assert searching.least_error(scores, effects.sizes, devices, epsilon) <= error


def test_information_is_spent_where_effects_are_large() -> None:
    assert least_error(np.array([1.0, 0.01]), 100, 0.5) == pytest.approx(1 / 51 + 0.01)
    assert least_error(np.array([1.0, 1.0]), 100, 50) == pytest.approx(2 / 101)


def test_the_benchmark_of_bounds_runs(capsys: pytest.CaptureFixture[str]) -> None:
    bounds.run(tiny=True)
    assert "searched" in capsys.readouterr().out
