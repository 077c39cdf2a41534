"""Testing whether two attributes go together at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc

from ..arrays import Floats
from .consistency import project_to_simplex
from .joint import Joint
from .sources import smoothed


@dataclass(frozen=True)
class Association:
    """A test of whether two attributes go together at all.

    If they did not, a `statistic` as large would be found with the chance `p_value`.
    """

    statistic: float
    freedom: int
    p_value: float


def association_of(joint: Joint, answers: int) -> Association:
    """Test what independence forbids: cells that differ from row times column (Wald's test).

    Of a table with known rows and columns, all cells but those of the last row and column say
    everything.  What is tested is true or not of all devices of which those that reported are a
    sample, so sampling counts in full.  Row times column is taken as linear about what is known
    of both beyond noise: where they are mostly noise, the product of two errors would hide all.
    """
    height, width = joint.shape
    square = joint.table.reshape(joint.shape)
    by_row, by_column = square.sum(axis=1), square.sum(axis=0)
    likely = np.outer(project_to_simplex(by_row), project_to_simplex(by_column)).ravel()
    expected = smoothed(likely, answers)
    of_row: Floats = np.kron(np.eye(height), np.ones(width)).astype(np.float64)
    of_column: Floats = np.kron(np.ones(height), np.eye(width)).astype(np.float64)
    rows, columns = (
        _beyond_noise(margin, joint.covariance(sums, expected, of_all=True))
        for margin, sums in ((by_row, of_row), (by_column, of_column))
    )
    product = np.outer(rows, by_column) + np.outer(by_row, columns) - np.outer(rows, columns)
    apart = (square - product)[:-1, :-1].ravel()
    places = np.arange(square.size).reshape(joint.shape)[:-1, :-1].ravel()
    row_at, column_at = np.divmod(places, width)
    sums = np.eye(square.size)[places]
    sums -= columns[column_at][:, None] * of_row[row_at]
    sums -= rows[row_at][:, None] * of_column[column_at]
    errors = joint.covariance(sums, expected, of_all=True)
    statistic = max(float(apart @ np.linalg.solve(errors, apart)), 0.0)
    chance = float(gammaincc(len(places) / 2, statistic / 2))
    return Association(statistic, len(places), chance)


def _beyond_noise(shares: Floats, errors: Floats) -> Floats:
    """Return shares of which as much differs from even ones as exceeds noise.

    >>> _beyond_noise(np.array([0.6, 0.4]), np.full((2, 2), 0.04) * [[1, -1], [-1, 1]]).tolist()
    [0.5, 0.5]
    """
    even = 1 / len(shares)
    about = (shares - even)[:-1]
    apart = float(about @ np.linalg.solve(errors[:-1, :-1], about))
    kept = 1 - len(about) / apart if apart > len(about) else 0.0
    return project_to_simplex(even + kept * (shares - even))
