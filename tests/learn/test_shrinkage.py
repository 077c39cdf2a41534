"""Posterior means where the prior may be wrong."""

from __future__ import annotations

import math

import pytest

from harmony.learn.shrinkage import posterior_mean, surprised_mean


@pytest.mark.parametrize("error", [0.05, 0.2, 1.0])
def test_what_was_expected_is_weighed_as_ever(error: float) -> None:
    for estimate in (0.6, 0.75, 0.9):
        usual = posterior_mean(estimate, error, 0.75, 0.25)
        assert surprised_mean(estimate, error, 0.75, 0.25) == pytest.approx(usual, abs=0.05)


def test_a_clear_surprise_is_believed_and_a_noisy_one_is_not() -> None:
    assert surprised_mean(11.0, 1.6, 0.75, 0.25) > 5
    assert surprised_mean(-4.0, 0.8, 0.75, 0.25) < 0
    assert surprised_mean(3.0, 2.0, 0.75, 0.25) < 1.2
    assert surprised_mean(3.0, math.inf, 0.75, 0.25) == 0.75


def test_it_rises_with_the_estimate() -> None:
    means = [surprised_mean(place / 10, 0.5, 0.75, 0.25) for place in range(-60, 80)]
    assert means == sorted(means)
