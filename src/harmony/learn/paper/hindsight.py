"""The honest rival: the paper's method with its step chosen by the error that it ends up with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .design_matrix import Column, DesignMatrix
from .fitting import fit
from .losses import error

STEPS = tuple(2.0**-power for power in range(11))
"""1 (the paper's), and every half of it down to a thousandth."""


@dataclass(frozen=True)
class Hindsight:
    """The best step, its average error over the seeds, and the errors of every step."""

    step: float
    error: float
    errors: dict[float, list[float]]


def best_in_hindsight(
    method: str,
    x: DesignMatrix | Sequence[Column],
    y: NDArray[np.float32],
    *,
    loss: str,
    epsilon: float,
    seeds: Sequence[int],
    first: int = 0,
    devices: int,
    steps: Sequence[float] = STEPS,
    **options: Any,
) -> Hindsight:
    """Fit with each step and seed on `devices` rows from `first` on; test on all other rows.

    No one can choose so without knowing the test's errors: the chosen error is a bound on how well
    any rule for the step would do.

    >>> rng = np.random.default_rng(1)
    >>> x = rng.uniform(-1, 1, 20_000)
    >>> best = best_in_hindsight("mgd", [x, -x], 0.5 * x, loss="squared", epsilon=1.0, seeds=[7],
    ...     devices=15_000, steps=[1.0, 0.5])
    >>> sorted(best.errors), best.error == min(*best.errors[1.0], *best.errors[0.5])
    ([0.5, 1.0], True)
    """
    matrix = x if isinstance(x, DesignMatrix) else DesignMatrix.pack(x)
    rest = matrix.devices - devices
    errors: dict[float, list[float]] = {}
    for step in steps:
        errors[step] = []
        for seed in seeds:
            coefficients, intercept, _ = fit(
                method, matrix, y, loss=loss, epsilon=epsilon, seed=seed, step=step,
                first=first, devices=devices, **options,
            )  # fmt: skip
            errors[step].append(
                error(
                    matrix, y, coefficients, intercept, loss=loss, first=first + devices, count=rest
                )
            )
    averages = {step: float(np.mean(found)) for step, found in errors.items()}
    best = min(averages, key=lambda step: averages[step])
    return Hindsight(best, averages[best], errors)
