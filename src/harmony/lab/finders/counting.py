"""Counting: the last stage of every finder, a group that is asked about the candidates."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from ...arrays import Words
from .crowd import WORD, Crowd, Found, best


def counted(
    crowd: Crowd,
    candidates: Words,
    epsilon: float,
    wanted: int,
    mistakes: float,
    rng: np.random.Generator,
) -> Found:
    """Ask about candidates, and find those that no more than so many that nobody has would pass."""
    listed = np.unique(candidates)
    if not len(listed) or not crowd.devices:
        return Found(np.empty(0, np.uint64))
    values = crowd.between(0, crowd.bits)
    evidence = crowd.asked(values, listed, epsilon, rng)
    least = evidence.threshold(float(norm.isf(min(0.25, mistakes / len(listed)))))
    return Found(best(evidence, listed, wanted, least) << np.uint64(WORD - crowd.bits))
