"""What is wrong with Duchi et al.'s method as published, and that the fix repairs it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..baselines import Duchi
from .blackbox import EpsilonBound, attack
from .samplers import baseline_sampler

CONFIDENCE = 0.9999


@dataclass(frozen=True)
class DuchiFinding:
    """One version at one d: its exact epsilon, what the attack found, and its bias.

    `slope` is what the estimator's mean is of the truth (1 when unbiased); `measured` is the
    estimate when everybody holds 1 in every attribute, with its standard error.
    """

    d: int
    fixed: bool
    exact: float
    attack: EpsilonBound
    slope: float
    measured: float
    stderr: float

    @property
    def biased(self) -> bool:
        """Whether the measured estimate is five standard errors away from 1."""
        return abs(self.measured - 1) > 5 * self.stderr


def examine_duchi(
    epsilon: float = 1.0,
    dimensions: tuple[int, ...] = (1, 2, 3, 4, 5, 6),
    samples: int = 400_000,
    confidence: float = CONFIDENCE,
    seed: int = 2016,
) -> list[DuchiFinding]:
    """Attack both versions for each number of attributes.

    >>> published, fixed = examine_duchi(dimensions=(2,), samples=40_000)
    >>> published.attack.violated, fixed.attack.violated, round(published.slope, 2)
    (True, False, 2.13)
    """
    found = []
    for d in dimensions:
        for fixed in (False, True):
            duchi = Duchi(epsilon, d, fixed)
            rng = np.random.default_rng([seed, d, fixed])
            sampler, inputs = baseline_sampler(duchi, rng)
            corners = (0, inputs - 1)
            bound = attack(
                duchi.name,
                lambda place, count, s=sampler, c=corners: s(c[place], count),  # type: ignore[misc]  # bound now, not later
                2, epsilon, samples=samples, confidence=confidence,
            )  # fmt: skip
            ones = np.ones((samples, d))
            estimates = duchi.estimate(duchi.randomize(ones, rng))
            found.append(
                DuchiFinding(
                    d, fixed, duchi.exact_epsilon(), bound, duchi.slope,
                    float(estimates[0]), float(np.sqrt(duchi.variance(ones)[0])),
                )
            )  # fmt: skip
    return found
