"""Few devices find a number that fills next to nothing of its domain."""

from __future__ import annotations

import numpy as np
import pytest

from harmony.learn.density import Counts, Density
from harmony.learn.features import best_scaling
from harmony.learn.humps import believing_humps
from harmony.learn.placing import number_range

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


@pytest.mark.parametrize("kind", ["skewed", "even", "far from the ends", "mostly zero"])
def test_a_number_is_not_believed_to_be_much_wider_than_it_is(kind: str) -> None:
    """In its range its deviation is at most twice the true one; 1 of 16 may fail.

    Before humps had tails and spikes one in four failed of those that fill a thousandth.
    """
    rng = np.random.default_rng(13)
    numbers = (
        rng.exponential(2, 20_000) * (rng.random(20_000) < 0.3)
        if kind == "mostly zero"
        else drawn(kind, rng)
    )
    wide = []
    for _ in range(RUNS):
        believed = found(numbers, 0.05, rng)
        low, high = number_range(believed, 1500.0)
        true = float(np.clip(numbers, low, high).std())
        wide.append(float(believed.points(512, low, high).std()) / true)
    assert np.sum(np.array(wide) > 2) <= 1


def test_a_spike_is_found_where_it_is_and_has_a_bin_of_its_own() -> None:
    rng = np.random.default_rng(14)
    numbers = rng.exponential(3, 20_000) * (rng.random(20_000) < 0.4)
    believed = found(numbers, 0.03, rng)
    assert believed.spike is not None
    edges = believed.cut(8)
    shares = np.histogram(numbers, edges)[0] / len(numbers)
    assert 0 == edges[0] < edges[1] < 0.01
    assert shares[0] == pytest.approx(0.6, abs=0.02)
    assert believed.below(edges[1:2])[0] == pytest.approx(0.6, abs=0.1)


@pytest.mark.parametrize("rate", [0.5, 0.2])
def test_zeros_and_ones_are_scaled_to_both_ends(rate: float) -> None:
    points = (np.arange(512) < 512 * rate).astype(float)
    middle, reach = best_scaling(points)
    assert np.clip((np.array([0.0, 1.0]) - middle) / reach, -1, 1).tolist() == [-1, 1]
