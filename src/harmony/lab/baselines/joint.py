"""RAPPOR's follow-up (Fanti, Pihur and Erlingsson 2015): two attributes together.

The joint distribution of two privately reported attributes is found by expectation maximisation
over the probabilities of each user's two reports; its covariance is the inverse of the observed
information; and the association test asks whether the joint differs from the product of its
margins by more than that covariance explains (a chi-squared statistic).  It works for any two
finite mechanisms.  Privacy: this is post-processing, and the two reports add up their epsilons.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from .base import FiniteBaseline, Reports


@dataclass(frozen=True, eq=False)
class Joint:
    """The estimated joint distribution, with the covariance of its cells (row-major)."""

    distribution: Floats
    covariance: Floats
    n: int


@dataclass(frozen=True)
class Association:
    """The test of independence: the statistic, its degrees of freedom and its p-value."""

    statistic: float
    freedom: int
    p_value: float


def joint_distribution(
    one: FiniteBaseline,
    one_reports: Reports,
    other: FiniteBaseline,
    other_reports: Reports,
    tolerance: float = 1e-7,
    iterations: int = 10_000,
) -> Joint:
    """Estimate the joint distribution of the attributes behind two lists of reports.

    >>> from harmony.lab.baselines.kary import KaryResponse
    >>> rng = np.random.default_rng(7)
    >>> response, values = KaryResponse(2.0, k=2), rng.integers(0, 2, 50_000)
    >>> joint = joint_distribution(response, response.randomize(values, rng),
    ...                            response, response.randomize(values, rng))
    >>> joint.distribution.round(1).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    first = one.probabilities(one.extremes())
    second = other.probabilities(other.extremes())
    pairs = one.number(one_reports) * second.shape[1] + other.number(other_reports)
    seen, times = np.unique(pairs, return_counts=True)
    left, right = np.divmod(seen, second.shape[1])
    chances = (first[:, left][:, None, :] * second[:, right][None, :, :]).reshape(-1, len(seen)).T
    n = int(times.sum())
    cells = np.full(chances.shape[1], 1 / chances.shape[1])
    for _ in range(iterations):
        updated = cells * (chances.T @ (times / (chances @ cells))) / n
        moved = np.abs(updated - cells).max()
        cells = updated
        if moved < tolerance:
            break
    scores = chances / (chances @ cells)[:, None]
    # The cells add up to one: take the last as one minus the others.
    free = scores[:, :-1] - scores[:, -1:]
    information = (free * times[:, None]).T @ free
    jacobian = np.vstack([np.eye(len(cells) - 1), -np.ones(len(cells) - 1)])
    covariance = jacobian @ np.linalg.pinv(information) @ jacobian.T
    shape = (len(first), len(second))
    return Joint(cells.reshape(shape), np.asarray(covariance), n)


def association(joint: Joint) -> Association:
    """Test whether the two attributes are independent.

    The statistic is d^T S^-1 d, with d the differences between the joint and the product of its
    margins in (a - 1)(b - 1) cells and S their covariance by the delta method.

    >>> tied = Joint(np.array([[0.5, 0.0], [0.0, 0.5]]), np.eye(4) * 1e-4, 100)
    >>> association(tied).p_value < 1e-9
    True
    """
    from scipy.stats import chi2

    cells = joint.distribution
    a, b = cells.shape
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    difference = (cells - np.outer(rows, columns))[: a - 1, : b - 1].reshape(-1)
    slopes = np.zeros((a - 1, b - 1, a, b))
    for i in range(a - 1):
        for j in range(b - 1):
            slopes[i, j, i, j] += 1
            slopes[i, j, i, :] -= columns[j]
            slopes[i, j, :, j] -= rows[i]
    slope = slopes.reshape(len(difference), -1)
    covariance = slope @ joint.covariance @ slope.T
    statistic = float(difference @ np.linalg.pinv(covariance) @ difference)
    freedom = (a - 1) * (b - 1)
    return Association(statistic, freedom, float(chi2.sf(statistic, freedom)))
