"""Testing whether two attributes go together at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc

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
    sample, so sampling counts in full.
    """
    height, width = joint.shape
    square = joint.table.reshape(joint.shape)
    by_row, by_column = square.sum(axis=1), square.sum(axis=0)
    apart = (square - np.outer(by_row, by_column))[:-1, :-1].ravel()
    places = np.arange(square.size).reshape(joint.shape)[:-1, :-1].ravel()
    row_of, column_of = np.divmod(places, width)
    sums = np.eye(square.size)[places]
    sums -= by_column[column_of][:, None] * np.kron(np.eye(height), np.ones(width))[row_of]
    sums -= by_row[row_of][:, None] * np.kron(np.ones(height), np.eye(width))[column_of]
    expected = np.outer(project_to_simplex(by_row), project_to_simplex(by_column)).ravel()
    errors = joint.covariance(sums, smoothed(expected, answers), of_all=True)
    statistic = max(float(apart @ np.linalg.solve(errors, apart)), 0.0)
    chance = float(gammaincc(len(places) / 2, statistic / 2))
    return Association(statistic, len(places), chance)
