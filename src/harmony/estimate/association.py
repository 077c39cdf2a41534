"""Testing whether two attributes go together at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import gammaincc

from ..arrays import Floats
from .consistency import project_to_simplex
from .joint import Joint
from .sources import smoothed

MOST_STEPS, SHORTEST, ENOUGH = 30, 1e-3, 1e-6
"""Steps towards the closest product at most, the least part of one, and what is not worth one."""


@dataclass(frozen=True)
class Association:
    """A test of whether two attributes go together at all.

    If they did not, a `statistic` as large would be found with the chance `p_value`.
    """

    statistic: float
    freedom: int
    p_value: float


def association_of(joint: Joint, answers: int) -> Association:
    """Test whether two attributes that have nothing to do with each other explain the table.

    The statistic is the squared distance, in the errors that the table has, to the closest table
    of row times column (minimum chi-square, Neyman 1949).  What is tested is true or not of all
    devices of which those that reported are a sample, so sampling counts in full.  Where neither
    rows nor columns differ from even ones beyond noise, the product of two errors would explain
    anything, and row times column is taken as linear about even ones.
    """
    square = joint.table.reshape(joint.shape)
    margins = square.sum(axis=1), square.sum(axis=0)
    expected = np.outer(*(project_to_simplex(one) for one in margins)).ravel()
    errors = joint.covariance(np.eye(square.size), smoothed(expected, answers), of_all=True)
    cells = errors.reshape(*joint.shape, *joint.shape)
    told = any(
        _beyond_noise(margin, cells.sum(axis=axes))
        for margin, axes in zip(margins, ((1, 3), (0, 2)), strict=True)
    )
    # Tables add up to one: the last cell says nothing more.
    products = _Products(square, cholesky(errors[:-1, :-1], lower=True))
    statistic = products.closest() if told else products.closest_about_even()
    freedom = (joint.shape[0] - 1) * (joint.shape[1] - 1)
    return Association(statistic, freedom, float(gammaincc(freedom / 2, statistic / 2)))


def _beyond_noise(shares: Floats, errors: Floats) -> bool:
    """Whether shares differ from even ones by more than their errors do on average.

    >>> _beyond_noise(np.array([0.6, 0.4]), np.full((2, 2), 0.04) * [[1, -1], [-1, 1]])
    False
    """
    about = (shares - 1 / len(shares))[:-1]
    return float(about @ np.linalg.solve(errors[:-1, :-1], about)) > len(about)


@dataclass(frozen=True, eq=False)
class _Products:
    """How far a table is from tables of row times column, in its errors.

    `root` is the lower root of the covariance of all cells but the last.  Rows and columns may be
    negative: held to what is possible, they would leave more than chance explains wherever hardly
    anybody has a value.

    >>> table = np.outer([0.5, 0.3, 0.2], [0.6, 0.4])
    >>> apart = np.array([[0.1, -0.1], [-0.1, 0.1], [0.0, 0.0]])
    >>> [round(_Products(one, np.eye(5)).closest(), 3) + 0.0 for one in (table, table + apart)]
    [0.0, 0.034]
    """

    table: Floats
    root: Floats

    def closest(self) -> float:
        """Return the squared distance to the closest product, by steps of Gauss and Newton."""
        rows, columns = self.table.sum(axis=1), self.table.sum(axis=0)
        left = self._away(rows, columns)
        for _ in range(MOST_STEPS):
            by_row, by_column = np.split(self._step(rows, columns, left), [len(rows) - 1])
            part, then = 1.0, left
            while part > SHORTEST:
                next_rows = rows + part * (_free(len(rows)) @ by_row)
                next_columns = columns + part * (_free(len(columns)) @ by_column)
                then = self._away(next_rows, next_columns)
                if then @ then <= left @ left:
                    break
                part /= 2
            gained = float(left @ left - then @ then)
            if gained < ENOUGH:
                break
            rows, columns, left = next_rows, next_columns, then
        return float(left @ left)

    def closest_about_even(self) -> float:
        """Return the squared distance to the closest table that is linear in rows and columns."""
        rows, columns = (np.full(size, 1 / size) for size in self.table.shape)
        left = self._away(rows, columns)
        left = left - self._slopes(rows, columns) @ self._step(rows, columns, left)
        return float(left @ left)

    def _away(self, rows: Floats, columns: Floats) -> Floats:
        difference = (self.table - np.outer(rows, columns)).ravel()[:-1]
        return np.asarray(solve_triangular(self.root, difference, lower=True))

    def _slopes(self, rows: Floats, columns: Floats) -> Floats:
        """Return how a product moves with its rows and its columns."""
        by_row = np.kron(_free(len(rows)), columns[:, None])
        by_column = np.kron(rows[:, None], _free(len(columns)))
        moved = np.hstack([by_row, by_column])[:-1]
        return np.asarray(solve_triangular(self.root, moved, lower=True))

    def _step(self, rows: Floats, columns: Floats, left: Floats) -> Floats:
        return np.asarray(np.linalg.lstsq(self._slopes(rows, columns), left)[0])


def _free(size: int) -> Floats:
    """Return how shares that add up to one may move: each but the last, against the last."""
    return np.vstack([np.eye(size - 1), np.full(size - 1, -1.0)])
