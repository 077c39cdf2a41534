"""Few devices find a number that fills next to nothing of its domain."""

from __future__ import annotations

import numpy as np
import pytest

from harmony.learn.density import Counts, Density
from harmony.learn.humps import believing_humps

RUNS, STAGES, NOISE = 16, 4, 0.09


def drawn(kind: str, rng: np.random.Generator) -> np.ndarray:
    if kind == "skewed":
        return rng.lognormal(0, 0.7, 20_000)
    if kind == "even":
        return rng.uniform(0, 3, 20_000)
    assert kind == "far from the ends"
    return rng.normal(700, 2, 20_000)


def found(numbers: np.ndarray, noise: float, rng: np.random.Generator) -> Density:
    """Let devices tell bins of 0 to 1,000, stage by stage, with this noise in every share."""
    vague = believed = Density.vague(0, 1000)
    counts: list[Counts] = []
    for _ in range(STAGES):
        edges = believed.cut(8)
        shares = np.histogram(numbers, edges)[0] / len(numbers)
        noisy = shares + rng.normal(0, noise, len(shares))
        counts.append(Counts(edges, noisy, np.full(len(shares), noise**2)))
        believed = believing_humps(vague, believed, counts)
    return believed


@pytest.mark.parametrize("kind", ["skewed", "even", "far from the ends"])
def test_noise_does_not_move_a_number_far_away(kind: str) -> None:
    """Its mean is off by less than its deviation; 2 of 16 may fail.

    A tenth of noise at the far end of the domain would move the mean by a hundred deviations.
    """
    rng = np.random.default_rng(11)
    numbers = drawn(kind, rng)
    off = []
    for _ in range(RUNS):
        points = found(numbers, NOISE, rng).points(512, 0.0, 1000.0)
        middle = np.sort(points)[26:-26]  # ranges cut the rest off
        off.append(abs(middle.mean() - numbers.mean()) / numbers.std())
    assert np.sum(np.array(off) > 1) <= 2


def test_two_humps_are_seen_where_there_are_devices_enough() -> None:
    rng = np.random.default_rng(12)
    numbers = np.concatenate([rng.normal(200, 10, 10_000), rng.normal(800, 10, 10_000)])
    shares = found(numbers, 0.002, rng).below(np.array([100.0, 500.0, 900.0]))
    assert shares.tolist() == pytest.approx([0, 0.5, 1], abs=0.02)
