"""Where a rare class lies, beside what many drawn people have."""

from __future__ import annotations

import numpy as np
import pytest

from harmony.learn.tilts import Tilted, blurred, intercept_of, log_odds_of, normal_class

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.3, 0.9])
@pytest.mark.parametrize("std", [0.0, 0.5, 3.0])
def test_the_intercept_gives_the_class_its_rate(rate: float, std: float) -> None:
    scores, frequencies = RNG.normal(0, 2, 50), RNG.dirichlet(np.ones(50))
    intercept = intercept_of(scores, frequencies, rate, std)
    assert frequencies @ blurred(intercept + scores, std)[0] == pytest.approx(rate, rel=1e-6)


def test_outliers_do_not_hide_the_intercept() -> None:
    """One of a hundred has log-odds a thousand higher than the others."""
    scores, frequencies = np.append(np.zeros(99), 1000.0), np.full(100, 0.01)
    for rate in (0.001, 0.01, 0.2):
        intercept = intercept_of(scores, frequencies, rate)
        assert frequencies @ blurred(intercept + scores, 0)[0] == pytest.approx(rate, rel=1e-6)


def test_the_class_lies_where_drawn_people_of_it_are() -> None:
    """A million people: five errors of each share."""
    n, points = 1_000_000, np.array([-1.0, 0.0, 2.0])
    frequencies = np.array([0.3, 0.5, 0.2])
    place = RNG.choice(3, n, p=frequencies)
    odds = 0.8 * points[place] + RNG.normal(0, 0.7, n)
    intercept = intercept_of(0.8 * points, frequencies, 0.05, 0.7)
    members = place[RNG.random(n) < 1 / (1 + np.exp(-odds - intercept))]
    found = np.bincount(members, minlength=3) / len(members)
    expected = Tilted.of(0.8 * points, frequencies, 0.05, 0.7).shares
    assert found == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(len(members)))


def test_shares_move_as_log_odds_do() -> None:
    points, frequencies = np.array([-1.0, 0.0, 2.0]), np.array([0.3, 0.5, 0.2])
    tilted, step = Tilted.of(points, frequencies, 0.05, 0.7), 1e-4
    moved = Tilted.of((1 + step) * points, frequencies, 0.05, 0.7)
    assert (moved.shares - tilted.shares) / step == pytest.approx(tilted.moved(points), abs=1e-3)
    assert float(tilted.moved(points).sum()) == pytest.approx(0, abs=1e-12)


def test_chances_tell_the_log_odds_that_others_blur() -> None:
    odds = np.linspace(-8, 4, 25)
    for std in (0.0, 1.0, 2.5):
        assert log_odds_of(blurred(odds, std)[0], std) == pytest.approx(odds, abs=1e-6)


def test_what_normal_log_odds_explain_is_what_drawn_people_show() -> None:
    """Five errors of a million people."""
    intercept, explained = normal_class(1.5, 0.04)
    chances = 1 / (1 + np.exp(-intercept - 1.5 * RNG.normal(0, 1, 1_000_000)))
    assert chances.mean() == pytest.approx(0.04, abs=5 * chances.std() / 1000)
    assert 4 * chances.var() == pytest.approx(explained, rel=0.02)
