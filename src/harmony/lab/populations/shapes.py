"""Frequencies of the numeric levels: the few shapes that census numbers take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.int32]
Weights = NDArray[np.float64]


def spaced(low: int, high: int, step: int = 1) -> Levels:
    """Return the levels from `low` to `high`, `step` apart."""
    return np.arange(low, high + 1, step, dtype=np.int32)


def falling(levels: Levels, half: float, floor: float = 0.0) -> Weights:
    """Halve every `half` units, over a floor."""
    return np.asarray(floor + 0.5 ** ((levels - levels[0]) / half))


def humped(levels: Levels, centre: float, width: float) -> Weights:
    """A normal hump."""
    return np.asarray(np.exp(-(((levels - centre) / width) ** 2) / 2))


def spiked(weights: Weights, levels: Levels, spikes: dict[int, float]) -> Weights:
    """Put these shares of everybody on single levels, such as 40 hours a week."""
    mixed: Weights = weights / weights.sum() * (1 - sum(spikes.values()))
    for level, share in spikes.items():
        mixed[np.flatnonzero(levels == level)] += share
    return mixed


def log_normal_top_coded(levels: Levels, median: float, sigma: float, none: float) -> Weights:
    """An income: a share has none, the rest is log-normal, and the top level holds all above."""
    from scipy.special import ndtr

    upper = np.log(np.maximum(levels.astype(np.float64), 1e-9) / median) / sigma
    below = np.asarray(ndtr(upper))
    below[0], below[-1] = 0.0, 1.0
    weights = np.diff(np.concatenate([[0.0], below])) * (1 - none)
    weights[0] += none
    return np.asarray(np.maximum(weights, 1e-12))
