"""Single intervals: how often they cover, how wide they are, how standard errors fit.

Counts are drawn from their exact distribution: of the devices some are asked (hypergeometric), and
each report supports a value with its chance (binomial).  So one call judges thousands of rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.stats import binom

from harmony.estimate.answers import ShareSampling
from harmony.estimate.combine import sampling_of
from harmony.estimate.intervals import confidence_of_each
from harmony.estimate.sampling import Sample, Sampling
from harmony.estimate.score import score_interval
from harmony.estimate.sums import SumSampling
from harmony.mechanisms import Grid, Linear

ORACLE = 2 * 1.959964
"""Standard errors in the width of an interval for who knows the error: no shorter one holds."""


@dataclass(frozen=True)
class Covered:
    """What was found in one setting, at worst over the truths that were tried."""

    least_95: float
    most_95: float
    least_99: float
    width: float
    """Mean width of 95% intervals over the oracle's, at the truth where that is largest."""
    least_z: float
    most_z: float
    """The standard deviation of errors over their standard errors."""
    counts: float
    """Steps between possible estimates in a standard error; with few no interval is exact."""


def together(found: Sequence[Covered]) -> Covered:
    return Covered(
        min(one.least_95 for one in found),
        max(one.most_95 for one in found),
        min(one.least_99 for one in found),
        max(one.width for one in found),
        min(one.least_z for one in found),
        max(one.most_z for one in found),
        min(one.counts for one in found),
    )


def frequencies(shape: str, k: int, devices: int) -> list[int]:
    """Return how many devices have a value, for some values of a population of this shape."""
    if shape == "even":
        return [round(devices / k)]
    if shape == "Zipf":
        total = sum(1 / rank for rank in range(1, k + 1))
        ranks = sorted({1, 2, max(k // 10, 1), k})
        return [round(devices / rank / total) for rank in ranks]
    return [0, devices] if shape == "one value" else [1, 3, 10]


def shares(
    epsilon: float, k: int, answers: int, devices: int, having: int, draws: int, seed: int
) -> Covered:
    """Judge the intervals of one value's share."""
    linear, rng = Linear.design(Fraction(epsilon), k), np.random.default_rng(seed)
    counts, weights = np.unique(
        _supports(linear, answers, devices, having, draws, rng), return_counts=True
    )
    sampling = ShareSampling(counts, linear.p, linear.q, Sample(answers, devices))
    return _judge(sampling, having / devices, weights / draws)


def all_at_least(epsilon: float, k: int, devices: int) -> float:
    """Return how often intervals of `k` equally frequent values hold all at once, at least.

    Exactly: one value's miss, at the confidence that each must have, `k` times.
    """
    linear, having = Linear.design(Fraction(epsilon), k), devices // k
    own = binom.pmf(np.arange(having + 1), having, linear.p)
    others = binom.pmf(np.arange(devices - having + 1), devices - having, linear.q)
    chances = np.convolve(own, others)
    counts = np.flatnonzero(chances > 1e-14)
    sampling = ShareSampling(counts, linear.p, linear.q, Sample(devices, devices))
    low, high = score_interval(sampling, confidence_of_each(0.95, k))
    missed = (high < having / devices) | (low > having / devices)
    return 1 - k * float(chances[counts][missed].sum())


def tiers(
    epsilons: Sequence[float], k: int, devices: Sequence[int], share: float, draws: int, seed: int
) -> Covered:
    """Judge the intervals of a value that has the same share in two tiers of these sizes."""
    rng, parts = np.random.default_rng(seed), []
    for epsilon, size in zip(epsilons, devices, strict=True):
        linear, having = Linear.design(Fraction(epsilon), k), round(share * size)
        counts = _supports(linear, size, size, having, draws, rng)
        parts.append(ShareSampling(counts, linear.p, linear.q, Sample(size, size)))
    total = sum(devices)
    truth = sum(round(share * size) for size in devices) / total
    sampling = SumSampling(parts, [size / total for size in devices])
    return _judge(sampling, truth, np.full(draws, 1 / draws))


def means(
    epsilon: float, values: Sequence[float], devices: int, asked: float, draws: int, seed: int
) -> Covered:
    """Judge the intervals of the mean of numbers in [-1, 1]: equally many devices have each."""
    grid, rng = Grid.design(Fraction(epsilon)), np.random.default_rng(seed)
    table = np.asarray(grid.table.counts, np.float64)
    table /= table.sum(axis=1, keepdims=True)
    sizes = np.full(len(values), devices // len(values))
    answers = round(asked * sizes.sum())
    places = (np.asarray(values) + 1) / 2 * (len(table) - 1)
    left = np.minimum(places.astype(int), len(table) - 2)
    chances = (1 - places + left)[:, None] * table[left] + (places - left)[:, None] * table[
        left + 1
    ]
    found: list[Sampling] = []
    for _ in range(draws):
        here = sizes if asked == 1 else rng.multivariate_hypergeometric(sizes, answers)
        cells = sum(rng.multinomial(n, chance) for n, chance in zip(here, chances, strict=True))
        sample = Sample(answers, int(sizes.sum()))
        found.append(sampling_of(grid, np.asarray(cells)[None, :], sample))
    truth, weights = float(np.mean(values)), np.full(draws, 1 / draws)
    return _judged(
        np.array([one.estimates[0] for one in found]),
        np.array([one.variance[0] for one in found]),
        lambda confidence: np.array([score_interval(one, confidence) for one in found])[..., 0].T,
        truth,
        weights,
        0.0,
    )


def _supports(
    linear: Linear, answers: int, devices: int, having: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    own = rng.hypergeometric(having, devices - having, answers, draws)
    return rng.binomial(own, linear.p) + rng.binomial(answers - own, linear.q)


def _judge(sampling: Sampling, truth: float, weights: np.ndarray) -> Covered:
    return _judged(
        sampling.estimates,
        sampling.variance,
        lambda confidence: score_interval(sampling, confidence),
        truth,
        weights,
        float(sampling.step.max()),
    )


def _judged(
    estimates: np.ndarray,
    variance: np.ndarray,
    interval: Callable[[float], Sequence[np.ndarray]],
    truth: float,
    weights: np.ndarray,
    step: float,
) -> Covered:
    narrow, wide = interval(0.95), interval(0.99)

    def covered(limits: Sequence[np.ndarray]) -> float:
        return float(weights[(limits[0] <= truth) & (truth <= limits[1])].sum())

    spread = math.sqrt(float(weights @ (estimates - truth) ** 2))
    z = math.sqrt(float(weights @ ((estimates - truth) ** 2 / variance)))
    width = float(weights @ (narrow[1] - narrow[0])) / (ORACLE * spread) if spread else math.inf
    single = covered(narrow)
    counts = spread / step if step else math.inf
    return Covered(single, single, covered(wide), width, z, z, counts)
