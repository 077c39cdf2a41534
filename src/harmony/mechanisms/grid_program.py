"""The linear program behind `grid`: the numeric table with the least worst-case variance.

Unknowns are P[i][s], the probability of symbol s at grid point t_i, for output values a_s on
a symmetric grid.  Unbiasedness and the ratio bound are linear in P; so is the variance at
each t.  The scale of the output values is searched around the program.

Everything is written in y = (P - m) / (e^eps - 1), where m_s is the least probability of
symbol s: then 0 <= y <= m is the whole privacy bound, and the program is as well conditioned
at epsilon 0.01 as at 8.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog, minimize_scalar

from ..arrays import Floats

BETWEEN = 2
"""Places between two grid points at which the variance is bounded too."""


@lru_cache(maxsize=1024)
def least_variance(epsilon: float, points: int, symbols: int) -> tuple[Floats, Floats]:
    """Return (probabilities[points, symbols], output values) of least worst-case variance.

    >>> probabilities, values = least_variance(1.0, 5, 9)
    >>> bool(np.allclose(probabilities @ values, np.linspace(-1, 1, 5)))
    True
    """
    gain = math.expm1(epsilon)

    def worst(scale: float) -> float:
        return _solve(gain, points, symbols, scale)[0]

    # The largest output lies between 1 and about 1.5 times the two-point mechanism's.
    scales = np.geomspace(1.0 + 1e-3, 1.45 * (gain + 2) / gain, 12)
    trials = [worst(scale) for scale in scales]
    best = int(np.argmin(trials))
    around = (scales[max(best - 1, 0)], scales[min(best + 1, len(scales) - 1)])
    refined = minimize_scalar(worst, bounds=around, method="bounded", options={"maxiter": 12})
    scale = refined.x if refined.fun < trials[best] else scales[best]
    _, probabilities = _solve(gain, points, symbols, float(scale))
    used = probabilities.max(axis=0) > 1e-7
    values = np.linspace(-scale, scale, symbols)[used]
    kept = probabilities[:, used]
    return kept / kept.sum(axis=1, keepdims=True), values


def _solve(gain: float, points: int, symbols: int, scale: float) -> tuple[float, Floats]:
    """Solve the program for output values up to `scale`: (worst variance, probabilities).

    Mirror symmetry halves it: P[i][s] = P[points-1-i][symbols-1-s], so only the grid points
    up to the middle are unknowns.
    """
    grid, outputs = np.linspace(-1, 1, points), np.linspace(-1, 1, symbols)
    half, half_symbols = (points + 1) // 2, (symbols + 1) // 2
    mirror = np.minimum(np.arange(symbols), symbols - 1 - np.arange(symbols))
    least = sp.csr_matrix((np.ones(symbols), (np.arange(symbols), mirror)))

    def columns(y: sp.spmatrix, m: sp.spmatrix, v: float) -> sp.csr_matrix:
        """Put coefficients of y (half x symbols), m (half_symbols) and the variance together."""
        return sp.hstack([y, m, np.full((y.shape[0], 1), v)]).tocsr()

    each = sp.identity(half)
    bound = columns(sp.identity(half * symbols), -sp.kron(np.ones((half, 1)), least), 0.0)
    square = columns(
        sp.kron(each, gain * outputs[None, :] ** 2),
        sp.csr_matrix(np.tile(outputs**2 @ least, (half, 1))),
        0.0,
    )
    blend, places = _blend(grid, half)
    variance = (blend @ square).tolil()
    variance[:, -1] = -1.0
    total = columns(
        sp.kron(each, np.full((1, symbols), gain)),
        sp.csr_matrix(np.tile(np.ones(symbols) @ least, (half, 1))),
        0.0,
    )
    mean = columns(sp.kron(each, outputs[None, :]), sp.csr_matrix((half, half_symbols)), 0.0)
    equal, equal_to = [total, mean], [np.ones(half), grid[:half] / (gain * scale)]
    if points % 2:
        mirrored = sp.identity(symbols).tocsr() - sp.identity(symbols).tocsr()[::-1]
        middle = sp.hstack([sp.csr_matrix((symbols, (half - 1) * symbols)), mirrored])
        equal.append(columns(middle, sp.csr_matrix((symbols, half_symbols)), 0.0))
        equal_to.append(np.zeros(symbols))

    cost = np.zeros(bound.shape[1])
    cost[-1] = 1.0
    solution = linprog(
        cost,
        sp.vstack([bound, variance]).tocsr(),
        np.concatenate([np.zeros(half * symbols), (places / scale) ** 2]),
        sp.vstack(equal).tocsr(),
        np.concatenate(equal_to),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9},
    )
    if solution.status != 0:
        return math.inf, np.zeros((points, symbols))
    y = solution.x[: half * symbols].reshape(half, symbols)
    m = least @ solution.x[half * symbols : -1]
    top = np.clip(m + gain * y, 0, None)
    return solution.fun * scale**2, np.vstack([top, top[: points // 2][::-1, ::-1]])


def _blend(grid: Floats, half: int) -> tuple[sp.csr_matrix, Floats]:
    """Return the places at which variance is bounded, as blends of the half grid's points.

    A value between two grid points is rounded to one of them, so its second moment is the
    blend of theirs.
    """
    points = len(grid)
    mirror = np.minimum(np.arange(points), points - 1 - np.arange(points))
    rows: list[tuple[int, int, float]] = [(i, i, 1.0) for i in range(half)]
    places = list(grid[:half])
    for left in range(points // 2):
        for step in range(1, BETWEEN + 1):
            share = step / (BETWEEN + 1)
            rows += [(len(places), int(mirror[left]), 1 - share)]
            rows += [(len(places), int(mirror[left + 1]), share)]
            places.append(grid[left] * (1 - share) + grid[left + 1] * share)
    row, column, weight = zip(*rows, strict=True)
    return sp.csr_matrix((weight, (row, column)), shape=(len(places), half)), np.array(places)
