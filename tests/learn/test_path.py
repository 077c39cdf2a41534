"""What gradients along a path tell about the covariance of features, and about its end."""

from __future__ import annotations

import numpy as np

from harmony import Numeric
from harmony.learn.density import Density
from harmony.learn.features import Features, Gradient
from harmony.learn.path import Path
from harmony.learn.placing import Places

COVARIANCE = np.array([[1.0, 0.95, 0.0], [0.95, 1.0, 0.0], [0.0, 0.0, 1.0]])
WEIGHTS = np.array([1.0, -1.0, 0.3])


def three_numbers() -> Features:
    names = ("a", "b", "c")
    places = Places(densities={name: Density.even(-1, 1) for name in names})
    return Features.of([Numeric(name, -1, 1) for name in names], places)


def walked(iterations: int, std: float, seed: int = 3) -> tuple[np.ndarray, Path]:
    """Go where the path says, each time, by gradients with this noise."""
    rng, known = np.random.default_rng(seed), three_numbers()
    path, weights = Path.begun(known.variances), np.zeros(3)
    for _ in range(iterations):
        gradient = COVARIANCE @ (WEIGHTS - weights) + rng.normal(0, std, 3)
        path.add(Gradient(gradient, np.full(3, 1 / std**2)), weights)
        target = path.target(known, total=1.0)[0]
        path.take(target - weights)
        weights = target
    return weights, path


def test_an_effect_in_the_difference_of_correlated_features_is_found_in_few_iterations() -> None:
    weights, path = walked(iterations=6, std=1e-3)
    np.testing.assert_allclose(weights, WEIGHTS, atol=0.1)
    covariance = path.falls().covariance
    assert covariance is not None
    np.testing.assert_allclose(covariance, COVARIANCE, atol=0.1)


def test_noise_is_not_taken_for_correlations() -> None:
    """Of 20 paths whose gradients are mostly noise, none is seen to have any (by 3 nats)."""
    seen = [walked(6, std=0.5, seed=seed)[1].falls().covariance for seed in range(20)]
    assert all(covariance is None for covariance in seen)


def test_what_is_seen_is_a_covariance_with_the_known_variances() -> None:
    covariance = walked(iterations=4, std=1e-2)[1].falls().covariance
    assert covariance is not None
    np.testing.assert_allclose(np.diag(covariance), 1.0)
    assert np.linalg.eigvalsh(covariance).min() > 0
