"""`fit`: private SGD, mini-batches (MGD), mini-batches in a subspace (MGD-DR), and no privacy.

Where the paper leaves a choice, we made this one:

- The gradient that a device randomises is that of l', with lambda * beta in it, clipped to [-1, 1]
  in every coordinate, as in Algorithm 4.
- There is no intercept, as in section 4.1, unless asked for: then it is one more coordinate.
- Devices come in the order of the rows, each at most once; those left after the last whole batch
  are not asked.  If there are fewer devices than one batch, all of them are that batch.
- "sgd" uses Duchi et al.'s noise, as section 5.3 says, in its fixed form.  `noise` may be
  "laplace" (Hamm et al.; here Laplace variables of scale 2d / eps on the clipped gradient) or
  "harmony" (Algorithm 3: one coordinate a device).
- Steps are step / sqrt(t) with step = 1, except without privacy: there nothing is clipped, and the
  squared loss, whose curvature along x is 2|x|^2, up to 2d, would diverge.  The default is then
  `NON_PRIVATE_STEP` / d, and the coefficients are the average of the second half of the iterates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...errors import HarmonyError
from .descent import NOISES, HistoryEntry, Problem
from .design_matrix import Column, DesignMatrix
from .losses import LOSSES

METHODS = ("sgd", "mgd", "mgd-dr", "non-private")
NON_PRIVATE_STEP = {"squared": 2.0, "logistic": 16.0, "hinge": 8.0}
"""Chosen by trying a few on US-like people; two of them go as 1 / curvature (2 and 1/4)."""

LAMBDA = 1e-4
PROJECTED = 20
"""r, the dimensions that are left of d."""


def fit(
    method: str,
    x: DesignMatrix | Sequence[Column],
    y: NDArray[np.float32],
    *,
    loss: str,
    epsilon: float | None = None,
    seed: int | Sequence[int] | None = None,
    step: float | None = None,
    batch: int | None = None,
    noise: str = "duchi",
    projected: int = PROJECTED,
    regularisation: float = LAMBDA,
    intercept: bool = False,
    tolerance: float = 0.0,
    first: int = 0,
    devices: int | None = None,
) -> tuple[Floats, float, list[HistoryEntry]]:
    """Return the coefficients (in the order of the encoded columns), the intercept, the history.

    `y` lies in [-1, 1] (squared) or is -1 or 1.  `first` and `devices` say who is asked: so
    many rows from that one on, going round at the end.  It stops early when an update moves no
    coefficient by more than `tolerance`.

    >>> rng = np.random.default_rng(1)
    >>> x, code = rng.uniform(-1, 1, 50_000), rng.integers(0, 3, 50_000)
    >>> y = np.where(x + (code == 1) > 0.5, 1.0, -1.0)
    >>> coefficients, _, history = fit(
    ...     "mgd", [x, (code, 3)], y, loss="logistic", epsilon=1.0, seed=7)
    >>> np.sign(coefficients).tolist(), history[-1].devices
    ([1.0, -1.0, 1.0], 50000)
    """
    matrix = x if isinstance(x, DesignMatrix) else DesignMatrix.pack(x)
    devices = matrix.devices if devices is None else devices
    _check(method, matrix, y, loss, epsilon, noise, devices)
    labels = np.ascontiguousarray(y, np.float32)
    rng = np.random.default_rng(seed)
    problem = Problem(
        matrix, labels, LOSSES.index(loss), regularisation, intercept, first, devices, tolerance,
        rng,
    )  # fmt: skip
    if step is None:
        step = NON_PRIVATE_STEP[loss] / problem.size if method == "non-private" else 1.0
    if method == "non-private":
        beta, history = problem.sgd("none", 0.0, step)
    elif method == "sgd":
        beta, history = problem.sgd(noise, float(epsilon or 0), step)
    else:
        rows = projected if method == "mgd-dr" else None
        beta, history = problem.mgd(float(epsilon or 0), step, batch, rows)
    return beta[: matrix.d][matrix.order], float(beta[matrix.d]) if intercept else 0.0, history


def _check(
    method: str, matrix: DesignMatrix, y: NDArray[np.float32], loss: str, epsilon: float | None,
    noise: str, devices: int,
) -> None:  # fmt: skip
    if method not in METHODS:
        raise HarmonyError(f"'method' must be one of {', '.join(METHODS)}")
    if loss not in LOSSES:
        raise HarmonyError(f"'loss' must be one of {', '.join(LOSSES)}")
    if method == "mgd-dr" and loss != "squared":
        raise HarmonyError("'method': mgd-dr is for the squared loss only")
    if noise not in NOISES[1:]:
        raise HarmonyError(f"'noise' must be one of {', '.join(NOISES[1:])}")
    if method != "non-private" and not (epsilon is not None and 0 < epsilon < math.inf):
        raise HarmonyError("'epsilon' must be a positive number")
    if len(y) != matrix.devices:
        raise HarmonyError("'y' must have a value for each row of 'x'")
    if not 1 <= devices <= matrix.devices:
        raise HarmonyError("'devices' must lie between 1 and the number of rows")
    allowed = np.abs(y) <= 1 if loss == "squared" else np.abs(y) == 1
    if not allowed.all():
        raise HarmonyError("'y' must lie in [-1, 1], and be -1 or 1 for logistic and hinge")
