"""RAPPOR's decoding: which candidates occur, how often, and how sure that is.

As in section 4 of the source: debias the bit counts, select candidates by a sparse non-negative
regression, fit the selected ones by ordinary least squares, and keep those whose t-test passes a
Bonferroni correction over all candidates.  The sparse step here is non-negative least squares,
which, like their Lasso, sets most absent candidates to zero, and has no parameter to tune.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .base import Reports
from .rappor import Rappor


@dataclass(frozen=True)
class Detected:
    """A candidate that the reports show to occur."""

    value: int
    frequency: float
    stderr: float
    p_value: float


def detect(rappor: Rappor, reports: Reports, level: float = 0.05) -> list[Detected]:
    """Return the candidates found, the most frequent first.

    With no candidate present, the chance to report any is at most `level`.

    >>> rappor = Rappor(k=8, bits=16, cohorts=8)
    >>> rng = np.random.default_rng(7)
    >>> reports = rappor.randomize(rng.choice([1, 5], 40_000), rng)
    >>> sorted(found.value for found in detect(rappor, reports))
    [1, 5]
    """
    from scipy.optimize import nnls
    from scipy.stats import t as student

    rare, likely = rappor.after(False), rappor.after(True)
    users = np.bincount(reports[:, 0], minlength=rappor.cohorts).astype(np.float64)
    ones = np.zeros((rappor.cohorts, rappor.bits))
    np.add.at(ones, reports[:, 0], reports[:, 1:])
    counts = (ones - rare * users[:, None]) / (likely - rare)
    shares = (counts / np.maximum(users, 1)[:, None]).reshape(-1)
    matrix = rappor.filters.transpose(0, 2, 1).reshape(-1, rappor.k).astype(np.float64)
    selected = np.flatnonzero(nnls(matrix, shares)[0] > 0)
    if not len(selected):
        return []
    chosen = matrix[:, selected]
    inverse = np.linalg.pinv(chosen.T @ chosen)
    frequencies = inverse @ chosen.T @ shares
    freedom = len(shares) - len(selected)
    variance = ((shares - chosen @ frequencies) ** 2).sum() / freedom
    errors = np.sqrt(variance * np.diag(inverse))
    chances = student.sf(frequencies / errors, freedom)
    found = [
        Detected(int(value), float(frequency), float(error), float(chance))
        for value, frequency, error, chance in zip(
            selected, frequencies, errors, chances, strict=True
        )
        if chance <= level / rappor.k
    ]
    return sorted(found, key=lambda one: -one.frequency)
