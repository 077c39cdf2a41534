"""Exact distributions of small counts, against which approximations are held."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom, hypergeom


def support_chances(p: float, q: float, answers: int, devices: int, having: int) -> np.ndarray:
    """Return the chance of each number of supporting reports.

    `answers` of `devices` are asked, drawn at random; `having` of the devices have the value.
    """

    def given(asked: int) -> np.ndarray:
        own = binom.pmf(np.arange(asked + 1), asked, p)
        others = binom.pmf(np.arange(answers - asked + 1), answers - asked, q)
        return np.convolve(own, others)

    if answers == devices:
        return given(having)
    least, most = max(0, answers - (devices - having)), min(answers, having)
    chances = np.zeros(answers + 1)
    for asked in range(least, most + 1):
        weight = hypergeom.pmf(asked, devices, having, answers)
        if weight > 1e-10:
            chances += weight * given(asked)
    return chances


def cumulants(values: np.ndarray, chances: np.ndarray) -> tuple[float, float, float, float]:
    """Return mean, variance, third and fourth cumulant."""
    mean = float(chances @ values)
    second, third, fourth = (float(chances @ (values - mean) ** power) for power in (2, 3, 4))
    return mean, second, third, fourth - 3 * second**2
