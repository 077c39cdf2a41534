"""Many runs of an experiment at once, drawn from counts instead of person by person.

For one attribute every draw here has exactly the distribution of the simulation person by person:
people with the same value send independent reports of the same distribution, so their counts are
multinomial.  What is left out is how the estimates of *different* attributes depend on each other.
In Algorithm 3 a person answers one attribute, so two estimates have covariance
-(1/n) mean(t_j t_k), a correlation of at most 1 / (d c_eps^2): 0.024 at epsilon = 0.8 and d = 6 if
all values were +-1, 0.018 for the populations here, which moves the expected largest error by
0.003%.  In Duchi's method people of different tuples, but nearest to the same corner of the cube,
are drawn from their average distribution: means are exact, and variances are too large by the
variance of t_j within a corner, below 0.12 against B^2 > 55, which is 0.2%.
`tests/lab/test_draws.py` compares all of them with the direct simulation.

Every function returns the errors of the estimates, a row for each run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from harmony_device.tables import TOTAL, DenseTable

from ...arrays import Counts, Floats
from ...estimate.consistency import project_to_simplex
from ...mechanisms import Grid, Linear
from ..baselines.base import debiasing
from ..baselines.bassily_smith import BETA, projected_size
from ..baselines.duchi import Duchi
from ..baselines.orthogonal import HarmonyCategorical
from .summary import CodeCounts, NumberCounts, Summary

Rng = np.random.Generator


def drawn_cells(counts: Counts, chances: Floats, asked: float, runs: int, rng: Rng) -> Counts:
    """Return, for each run, how many reports fall into each cell.

    Of the counts[v] people with value v each is asked with probability `asked`, and then sends
    cell c with probability chances[v, c].

    >>> cells = drawn_cells(np.array([50]), np.array([[0.5, 0.5]]), 1.0, 3, np.random.default_rng())
    >>> cells.sum(axis=1).tolist()
    [50, 50, 50]
    """
    whole = np.hstack([chances * asked, np.full((len(chances), 1), 1 - asked)])
    whole /= whole.sum(axis=1, keepdims=True)
    total = np.zeros((runs, chances.shape[1]), np.int64)
    for count, row in zip(counts, whole, strict=True):
        total += rng.multinomial(count, row, size=runs)[:, :-1]
    return total


def harmony_means(summary: Summary, epsilon: float, d: int, runs: int, rng: Rng) -> Floats:
    """Algorithm 3 on every numeric attribute, each asked of one in d people."""
    errors = [
        _scaled_signs(number, epsilon, d, summary.n, runs, rng) - number.truth
        for number in summary.numbers
    ]
    return np.stack(errors, axis=1)


def _scaled_signs(
    number: NumberCounts, epsilon: float, d: int, n: int, runs: int, rng: Rng
) -> Floats:
    up = 0.5 + number.t / (2 * debiasing(epsilon))
    cells = drawn_cells(number.counts, np.stack([1 - up, up], axis=1), 1 / d, runs, rng)
    return np.asarray(debiasing(epsilon) * d * (cells[:, 1] - cells[:, 0]) / n)


def harmony_frequencies(summary: Summary, epsilon: float, d: int, runs: int, rng: Rng) -> Floats:
    """The paper's orthogonal matrix on every categorical attribute."""
    errors = []
    for code in summary.codes:
        mechanism = HarmonyCategorical(epsilon, len(code.counts))
        chances = mechanism.probabilities(np.arange(mechanism.k))
        cells = drawn_cells(code.counts, chances, 1 / d, runs, rng)
        signs = cells[:, 1::2] - cells[:, 0::2]
        scale = debiasing(epsilon) * d / summary.n
        errors.append(scale * (signs @ mechanism.rows) - code.truth)
    return np.hstack(errors)


def duchi_means(summary: Summary, epsilon: float, runs: int, rng: Rng) -> Floats:
    """Duchi et al.'s method, fixed, on the numeric attributes together."""
    duchi = Duchi(epsilon, len(summary.numbers))
    chances = summary.rounded @ duchi.given_rounding
    used = np.flatnonzero(summary.nearest)
    counts = drawn_cells(summary.nearest[used], chances[used], 1.0, runs, rng)
    return np.asarray(duchi.B * (counts @ duchi.outcomes()) / summary.n - summary.means)


def bassily_smith_frequencies(
    summary: Summary, epsilon: float, runs: int, rng: Rng, beta: float = BETA
) -> Floats:
    """Bassily and Smith's method on every categorical attribute, `epsilon` for each.

    A fresh matrix for each run.  A bit is a fair coin with probability 1 - 1/c_eps and the true
    sign otherwise; the fair ones need only be counted by row.
    """
    runs_of = [_bassily_smith(code, epsilon, summary.n, runs, rng, beta) for code in summary.codes]
    return np.hstack(runs_of)


def _bassily_smith(
    code: CodeCounts, epsilon: float, n: int, runs: int, rng: Rng, beta: float
) -> Floats:
    k, c = len(code.counts), debiasing(epsilon)
    m = projected_size(epsilon, k, n, beta)
    errors = np.empty((runs, k))
    for run in range(runs):
        signs, shares = _sign_rows(m, k, rng)
        honest = rng.binomial(code.counts, 1 / c)
        fair = rng.multinomial(n - honest.sum(), np.concatenate([shares, shares]) / 2)
        sums = np.diff(fair.reshape(2, -1), axis=0)[0].astype(np.float64)
        for value, count in enumerate(honest):
            if len(shares) < m:
                truthful = rng.multinomial(count, shares)
            else:
                truthful = np.bincount(rng.integers(0, m, count), minlength=m)
            sums += signs[:, value] * truthful
        errors[run] = c * (sums @ signs) / n - code.truth
    return errors


def _sign_rows(m: int, k: int, rng: Rng) -> tuple[Floats, Floats]:
    """Draw the matrix: its rows of signs, and the share of the m rows that each stands for.

    Where there are fewer than m different rows, equal rows are one.
    """
    if 2**k < m:
        bits = np.arange(2**k)[:, None] >> np.arange(k) & 1
        return 2 * bits.astype(np.float64) - 1, rng.multinomial(m, np.full(2**k, 0.5**k)) / m
    drawn = rng.integers(0, 2, (m, k), np.int8).astype(np.float64)
    return 2 * drawn - 1, np.full(m, 1 / m)


def auto_means(
    grids: Sequence[Grid], summary: Summary, asked: Floats, runs: int, rng: Rng
) -> Floats:
    """The product's tables on every numeric attribute, each asked of its share of the people."""
    errors = []
    for grid, number, share in zip(grids, summary.numbers, asked, strict=True):
        cells = drawn_cells(number.counts, grid_chances(grid, number.t), share, runs, rng)
        estimates = [grid.moments(row[None, :]).estimates[0] for row in cells]
        errors.append(np.array(estimates) - number.truth)
    return np.stack(errors, axis=1)


def auto_frequencies(
    linears: Sequence[Linear], summary: Summary, asked: Floats, runs: int, rng: Rng
) -> tuple[Floats, Floats]:
    """The product's codes on every categorical attribute: unbiased, and made consistent."""
    raw, consistent = [], []
    for linear, code, share in zip(linears, summary.codes, asked, strict=True):
        cells = drawn_cells(code.counts, linear_chances(linear), share, runs, rng)
        shape = (linear.code.rows, linear.table.symbols)
        estimates = [linear.moments(row.reshape(shape)).estimates for row in cells]
        raw.append(np.array(estimates) - code.truth)
        consistent.append(np.array([project_to_simplex(row) for row in estimates]) - code.truth)
    return np.hstack(raw), np.hstack(consistent)


def grid_chances(grid: Grid, t: Floats) -> Floats:
    """Return P[symbol | t]: the value is rounded to a neighbouring grid point, then randomised.

    >>> from fractions import Fraction
    >>> grid_chances(Grid.design(Fraction(1), "harmony"), np.array([0.0])).tolist()
    [[0.5, 0.5]]
    """
    columns = [np.interp(t, grid.points, column) for column in grid.probabilities.T]
    return np.stack(columns, axis=1)


def linear_chances(linear: Linear) -> Floats:
    """Return P[row and symbol | value], row after row.

    >>> from fractions import Fraction
    >>> linear_chances(Linear.design(Fraction(1), 2, "harmony")).shape
    (2, 2)
    """
    indices = np.array(
        [
            [linear.code.index(value, row) for row in range(linear.code.rows)]
            for value in range(linear.values)
        ]
    )
    chances = table_chances(linear)[indices] / linear.code.rows
    return np.asarray(chances.reshape(linear.values, -1))


def table_chances(mechanism: Grid | Linear) -> Floats:
    """Return P[symbol | index] of the shipped integer table."""
    table = mechanism.table
    if isinstance(table, DenseTable):
        return np.array(table.counts) / TOTAL
    row: NDArray[np.float64] = np.array(table.counts) / TOTAL
    return np.stack([np.roll(row, index) for index in range(table.inputs)])
