"""Frequencies of many values are told from few answers."""

from __future__ import annotations

import numpy as np
import pytest

from harmony.learn.features import Block
from harmony.learn.frequencies import MOST_VALUES, Frequencies, shrink_frequencies


def explained(divisors: np.ndarray, truth: np.ndarray, effects: np.ndarray) -> float:
    """Return the share of the effects that gradients without noise explain, divided by these."""
    left = effects - effects * truth / divisors
    return 1 - float(truth @ left**2) / float(truth @ effects**2)


@pytest.mark.parametrize(("values", "noise"), [(600, 0.01), (1000, 0.01)])
def test_frequencies_that_fall_with_the_rank_are_divided_by(values: int, noise: float) -> None:
    """On 20 draws; the average is seven standard errors or more above what is asked."""
    rng = np.random.default_rng(21)
    truth = 1 / np.arange(1, values + 1)
    truth /= truth.sum()
    shares, shrunk = [], []
    for _ in range(20):
        effects = rng.normal(0, 1, values)
        told, variance = truth + rng.normal(0, noise, values), np.full(values, noise**2)
        shares.append(explained(Frequencies.of(told, variance).divisors, truth, effects))
        shrunk.append(explained(shrink_frequencies(told, variance), truth, effects))
    assert np.mean(shares) > 0.4
    assert np.mean(shares) > np.mean(shrunk) + 0.1


def test_frequencies_without_noise_are_what_they_are() -> None:
    truth = np.random.default_rng(22).dirichlet(np.full(600, 0.5))
    found = Frequencies.of(truth, np.full(600, 1e-12))
    common = truth > 1e-4
    assert found.means[common] == pytest.approx(truth[common], rel=0.01)
    assert found.divisors[common] == pytest.approx(truth[common], rel=0.01)


@pytest.mark.parametrize("values", [3, MOST_VALUES, MOST_VALUES + 1])
def test_nothing_is_known_without_answers(values: int) -> None:
    found = Frequencies.of(np.zeros(values), np.full(values, np.inf))
    assert found.means == pytest.approx(np.full(values, 1 / values))
    assert found.divisors == pytest.approx(found.means)


@pytest.mark.parametrize("values", [600, 5000])
def test_noise_alone_leaves_means_that_add_up_and_divisors_that_are_no_less(values: int) -> None:
    noise = np.random.default_rng(23).normal(0, 0.05, values)
    found = Frequencies.of(1 / values + noise, np.full(values, 0.05**2))
    assert found.means.sum() == pytest.approx(1.0)
    assert found.means.min() > 0
    assert np.all((found.divisors > 0) & (found.divisors < 1))
    assert Block.of_values(*found).variances.min() > 0
