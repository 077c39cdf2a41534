"""Where the bins of a curve meet, and what noise in it is expected to cost."""

from __future__ import annotations

import math

import numpy as np
import pytest

from harmony.learn.calibration import fit_log_odds, score_density
from harmony.learn.curves import calibration_loss, curve_edges, gain_of, points_of
from harmony.learn.trainer import QuestionEstimate

DENSITY = score_density(0.0, 1.0)
POINTS = points_of(DENSITY)
TENTH = (-2.6, 1.05)
"""Log-odds of a class that one in ten has."""


def rate_known(log_odds: tuple[float, float], variance: float) -> QuestionEstimate:
    mean = float(np.tanh((log_odds[0] + log_odds[1] * POINTS) / 2).mean())
    return QuestionEstimate(1000, np.array([mean]), np.array([variance]))


def edges_for(epsilon: float, devices: int, log_odds: tuple[float, float] = TENTH) -> np.ndarray:
    return curve_edges(DENSITY, lambda _: log_odds, epsilon, devices, rate_known(log_odds, 1e-4))


def test_the_noisier_a_curve_the_fewer_bins_it_has() -> None:
    assert len(edges_for(1.0, 1_000)) == 3
    assert len(edges_for(1.0, 30_000)) == 5
    assert len(edges_for(4.0, 300_000)) > 6


def test_bins_meet_where_the_rarer_class_is() -> None:
    common, rare = (edges_for(1.0, 1_000, (intercept, 1.0))[1] for intercept in (0.0, -4.0))
    assert abs(common) < 0.05
    assert rare > 0.7


@pytest.mark.parametrize("log_odds", [(0.0, 0.0), (0.0, 500.0), (-60.0, 1.0)])
def test_certain_labels_have_edges_too(log_odds: tuple[float, float]) -> None:
    edges = edges_for(1.0, 1000, log_odds)
    assert np.isfinite(edges).all()
    assert np.isfinite(gain_of(POINTS, log_odds))


def test_a_curve_costs_as_much_as_was_expected() -> None:
    """300 curves of two bins: their mean loss has an error of 5%, and 25% are 5 errors."""
    rng, noise, count = np.random.default_rng(4), 1e-5, 300
    edges = edges_for(1.0, 1_000)
    owners = np.clip(np.searchsorted(edges, POINTS, "right") - 1, 0, 1)
    z = (POINTS - POINTS.mean()) / POINTS.std()
    chances = 1 / (1 + np.exp(-(TENTH[0] + TENTH[1] * z)))
    positive = np.bincount(owners, chances) / len(z)
    shares = np.stack([np.bincount(owners) / len(z) - positive, positive], axis=1).ravel()
    label = rate_known(TENTH, 1e-6)
    losses = []
    for _ in range(count):
        told = QuestionEstimate(
            1000, shares + rng.normal(0, math.sqrt(noise), 4), np.full(4, noise)
        )
        found = fit_log_odds(lambda _: TENTH, DENSITY, edges, told, label)
        odds = found.slope * (POINTS - found.threshold)
        losses.append(np.mean(np.logaddexp(0, odds) - chances * odds))
    right = TENTH[0] + TENTH[1] * z
    cost = np.mean(losses) - np.mean(np.logaddexp(0, right) - chances * right)
    assert cost == pytest.approx(calibration_loss(z, owners, TENTH, noise, label), rel=0.25)
