"""Square Wave with expectation maximisation, for the distribution of a number (Li et al. 2020).

Privacy: the report's density takes two values on [-b, 1 + b], and the higher, on an interval of
length 2b around the number, is e^eps times the lower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats

STEPS = 2000
GAIN = 1e-3
"""The gain in log-likelihood, times e^eps, below which the iteration stops: as published."""

SMOOTHED_STEPS = 500


@dataclass(frozen=True)
class SquareWave:
    """One number in [0, 1]; a report is a number in [-b, 1 + b].

    >>> wave = SquareWave(1.0)
    >>> round(wave.b, 4)
    0.2561
    >>> rng = np.random.default_rng(3)
    >>> found = wave.estimate(wave.randomize(rng.beta(5, 2, 50_000), rng), bins=8)
    >>> int(found.argmax()), round(float(found.sum()), 6)
    (6, 1.0)
    """

    epsilon: float

    @property
    def b(self) -> float:
        """Half the length of the interval of likely reports: as is best for the information."""
        e = math.exp(self.epsilon)
        return (self.epsilon * e - e + 1) / (2 * e * (e - 1 - self.epsilon))

    def randomize(self, data: Floats, rng: np.random.Generator) -> Floats:
        """Return the report of each user."""
        b, e = self.b, math.exp(self.epsilon)
        near = rng.random(len(data)) < 2 * b * e / (2 * b * e + 1)
        inside = data + b * (2 * rng.random(len(data)) - 1)
        outside = rng.random(len(data))  # what lies outside the interval has length 1
        outside = np.where(outside < data, outside - b, outside + b)
        return np.where(near, inside, outside)

    def estimate(self, reports: Floats, bins: int, *, smoothed: bool = False) -> Floats:
        """Return the likeliest shares of equal bins, smoothed after each step if told to."""
        b, e = self.b, math.exp(self.epsilon)
        counts = np.histogram(reports, bins, (-b, 1 + b))[0].astype(np.float64)
        edges = np.linspace(-b, 1 + b, bins + 1)
        middles = (np.arange(bins) + 0.5) / bins
        likely = np.minimum(edges[1:, None], middles + b) - np.maximum(
            edges[:-1, None], middles - b
        )
        low = 1 / (2 * b * e + 1)
        chances = low * np.diff(edges)[:, None] + (e - 1) * low * np.maximum(likely, 0.0)
        shares, before = np.full(bins, 1 / bins), -math.inf
        for _ in range(SMOOTHED_STEPS if smoothed else STEPS):
            expected = chances @ shares
            now = float(counts @ np.log(expected))
            if now - before < GAIN * e:
                break
            before = now
            shares = shares * (chances.T @ (counts / expected))
            if smoothed:
                ends = np.concatenate([shares[:1], shares, shares[-1:]])
                shares = (ends[:-2] + 2 * shares + ends[2:]) / 4
            shares /= shares.sum()
        return shares
