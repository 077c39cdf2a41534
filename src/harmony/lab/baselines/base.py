"""What every baseline offers, so that the same checks and attacks run over all of them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Counts, Floats

Data = NDArray[Any]
"""One row a user: numbers in [-1, 1], codes 0..k-1, or (mixed) numbers followed by codes."""

Reports = NDArray[Any]
"""One row a user: whatever the mechanism sends, as numbers."""

CHUNK = 1 << 15


class Baseline(ABC):
    """An epsilon-LDP mechanism with its estimator, for any number of users at once.

    `decode` turns a report into one number for each statistic; the estimate is their average.
    `target` is what a user's data contributes to the true statistics.  `expectation` is the
    mean of the decoded report given the data: the target itself, unless the mechanism is
    biased as published.
    """

    epsilon: float

    @property
    def name(self) -> str:
        """What the mechanism is called in tables and plots."""
        return type(self).__name__

    @property
    def unbiased(self) -> bool:
        """Whether the estimator is unbiased for every data set."""
        return True

    @abstractmethod
    def randomize(self, data: Data, rng: np.random.Generator) -> Reports:
        """Return the report of each user."""

    @abstractmethod
    def decode(self, reports: Reports) -> Floats:
        """Return, for each report, its contribution to each statistic."""

    @abstractmethod
    def target(self, data: Data) -> Floats:
        """Return, for each user, the data's contribution to each statistic."""

    @abstractmethod
    def noise(self, data: Data) -> Floats:
        """Return the variance of each decoded report given the data."""

    def expectation(self, data: Data) -> Floats:
        """Return the mean of each decoded report given the data."""
        return self.target(data)

    def estimate(self, reports: Reports) -> Floats:
        """Return the estimated statistics."""
        parts = [
            self.decode(reports[start : start + CHUNK]).sum(axis=0)
            for start in range(0, len(reports), CHUNK)
        ]
        return np.asarray(np.sum(parts, axis=0) / len(reports))

    def truth(self, data: Data) -> Floats:
        """Return the true statistics of the data."""
        return np.asarray(self.target(data).mean(axis=0))

    def variance(self, data: Data) -> Floats:
        """Return the variance of the estimates over the users' random choices."""
        return np.asarray(self.noise(data).mean(axis=0) / len(data))

    @abstractmethod
    def exact_epsilon(self) -> float:
        """Return the epsilon that the mechanism really has, from its probabilities."""


class FiniteBaseline(Baseline):
    """A mechanism with few enough outcomes to list: its epsilon is found by enumeration."""

    @abstractmethod
    def extremes(self) -> Data:
        """Return inputs among which the worst pair is.

        Where the probabilities are linear in a number, its two ends are enough.
        """

    @abstractmethod
    def outcomes(self) -> Reports:
        """Return every report there is, one a row."""

    @abstractmethod
    def number(self, reports: Reports) -> Counts:
        """Return the place of each report in `outcomes`."""

    @abstractmethod
    def probabilities(self, data: Data) -> Floats:
        """Return the exact probability of each outcome (column) for each input (row)."""

    def exact_epsilon(self) -> float:
        return worst_log_ratio(self.probabilities(self.extremes()))


def worst_log_ratio(probabilities: Floats) -> float:
    """Return the largest log-ratio of one column's entries: the epsilon of a finite mechanism.

    >>> round(worst_log_ratio(np.array([[0.75, 0.25], [0.25, 0.75]])), 4)
    1.0986
    """
    smallest, largest = probabilities.min(axis=0), probabilities.max(axis=0)
    possible = largest > 0
    with np.errstate(divide="ignore"):
        ratios = np.log(largest[possible]) - np.log(smallest[possible])
    return float(ratios.max())


def debiasing(epsilon: float) -> float:
    """Return c_eps = (e^eps + 1) / (e^eps - 1), the factor that undoes randomised response.

    >>> round(debiasing(1.0), 3)
    2.164
    """
    return 1 / math.tanh(epsilon / 2)


def one_hot(codes: Data, values: int) -> Floats:
    """Return a row with a one at each code.

    >>> one_hot(np.array([2, 0]), 3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    return np.asarray(np.eye(values)[np.asarray(codes, np.int64)])


def choose_positions(counts: Counts, places: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return, for each row, a uniformly random subset of 0..places-1 of the given size.

    Selection sampling: each place joins with the chance that what is still wanted has among
    what is still left, which takes O(places) a row.
    """
    wanted = counts.astype(np.float64)
    chosen = np.empty((len(counts), places), bool)
    for place in range(places):
        chosen[:, place] = rng.random(len(counts)) * (places - place) < wanted
        wanted -= chosen[:, place]
    return chosen
