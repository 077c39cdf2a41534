"""From scores to log-odds: what moments say of them, and whether devices see them tell anything."""

from __future__ import annotations

import numpy as np
import pytest

from harmony.learn.calibration import errors_apart
from harmony.learn.logit import with_moments
from harmony.learn.trainer import QuestionEstimate

RNG = np.random.default_rng(17)
SCORES = {"normal": RNG.normal(3, 2, 4000), "skewed": RNG.lognormal(0, 0.8, 4000)}


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.95])
@pytest.mark.parametrize("kind", SCORES)
def test_log_odds_have_the_mean_and_the_covariance_that_labels_have(kind: str, rate: float) -> None:
    scores = SCORES[kind]
    z = (scores - scores.mean()) / scores.std()
    odds = np.log(rate / (1 - rate)) + 0.8 * z
    labels = np.tanh(odds / 2)
    intercept, slope = with_moments(scores, labels.mean(), float(np.mean(scores * labels))
                                    - scores.mean() * labels.mean())  # fmt: skip
    assert intercept == pytest.approx(np.log(rate / (1 - rate)), abs=0.05)
    assert slope == pytest.approx(0.8, abs=0.05)


def test_a_score_that_is_as_wide_as_its_features_overlap_is_not_too_steep() -> None:
    """Two copies of a feature add up to a score that is twice as wide, and tells no more."""
    x = SCORES["normal"] - 3
    labels = np.tanh((x - 4) / 2)
    once, twice = (
        with_moments(width * x, labels.mean(), width * float(np.cov(x, labels)[0, 1]))
        for width in (1, 2)
    )
    assert once == pytest.approx(twice)


@pytest.mark.parametrize("mean", [-0.99, 0.99])
def test_log_odds_stay_finite_where_more_is_told_than_can_be(mean: float) -> None:
    intercept, slope = with_moments(SCORES["normal"], mean, 10.0)
    assert np.isfinite(intercept)
    assert 0 < slope <= 10


def test_scores_that_tell_nothing_are_rarely_clear() -> None:
    """Of 2,000 curves of noise and the same rate everywhere 3 are beyond 3 errors on average."""
    edges, shares, rate = np.array([-2.0, -1, 0, 1, 2]), np.array([0.1, 0.4, 0.4, 0.1]), 0.1
    truth = np.stack([(1 - rate) * shares, rate * shares], axis=1).ravel()
    noise = np.full(8, 1e-4)
    errors = np.array([
        errors_apart(edges, QuestionEstimate(1000, truth + RNG.normal(0, 0.01, 8), noise))
        for _ in range(2000)
    ])  # fmt: skip
    assert (errors > 3).sum() <= 12
    assert errors.std() == pytest.approx(1, abs=0.1)


def test_nobody_tells_nothing() -> None:
    nobody = QuestionEstimate(0, np.zeros(4), np.full(4, np.inf))
    assert errors_apart(np.array([-1.0, 0.0, 1.0]), nobody) == 0.0
