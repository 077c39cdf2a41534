"""Scores go as far as they should, also where labels are skewed."""

from __future__ import annotations

import numpy as np
import pytest

from harmony import Numeric
from harmony.learn import Training
from harmony.learn.collecting import train
from harmony.learn.length import Length, prior_length
from harmony.learn.records import Records

RNG = np.random.default_rng(8)
CLAIMS = np.append(np.zeros(90), np.linspace(1, 4, 10))
"""Nine in ten have none."""


@pytest.mark.parametrize("deviations", [1.0, 2.5])
def test_lengths_of_labels_that_are_not_skewed_are_what_slopes_say(deviations: float) -> None:
    length = Length.clipped(np.linspace(-3, 3, 99), deviations)
    assert length.longer(0.2) == pytest.approx(0.2, abs=1e-6)
    assert length.error(0.1) == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("deviations", [1.0, 1.5, 2.5])
def test_counts_have_longer_scores_than_clipped_residuals_ask_for(deviations: float) -> None:
    """300,000 drawn people; half to all of what a clip hides is undone, so nothing is too long."""
    x = RNG.normal(0, 1, 300_000)
    y = RNG.poisson(np.exp(0.6 * x - 0.7)).astype(float)
    score = np.cov(x, y)[0, 1] * x
    half = score / 2
    residuals = y - y.mean() - half
    clip = deviations * residuals.std()
    length = Length.clipped(y[:2000], deviations)
    seen = np.mean(np.clip(residuals, -clip, clip) * half) / np.var(half) / length.kept
    assert seen < 0.9
    assert seen + (1 - seen) / 4 < length.longer(seen) < 1.05


def test_few_answers_do_not_make_labels_skewed() -> None:
    few, many = (Length.clipped(CLAIMS, 1.0, size).shown for size in (10.0, 1e6))
    assert few > 0.9
    assert many < 0.7
    assert prior_length(CLAIMS, 10.0)[0] < prior_length(CLAIMS, 1e6)[0] / 3


def test_the_less_noise_the_farther_residuals_are_clipped() -> None:
    clips = [Length.best(CLAIMS, 1e6, noise).deviations for noise in (10.0, 0.01, 1e-6)]
    assert clips == sorted(clips)
    assert clips[0] < clips[-1]


def test_scores_of_claims_are_as_long_as_least_squares_has_them() -> None:
    """Of eight seeds they had .73 to 1.00 of that."""
    rng, n = np.random.default_rng(6), 300_000
    x = rng.uniform(-1, 1, n)
    y = np.where(rng.random(n) < 0.15 + 0.1 * x, np.exp(rng.normal(0.5 * x, 0.6, n)), 0.0)
    features, label = [Numeric("x", -1, 1)], Numeric("y", 0, 100)
    training = Training("claims", 4.0, "squared", label, features, n)
    model = train(training, Records({"x": x, "y": y}, features, label), seed=6).model
    low, high = model.predict({"x": np.array([-1.0, 1.0])})
    slope = np.cov(x, y)[0, 1] / np.var(x)
    assert (high - low) / 2 == pytest.approx(slope, rel=0.3)
