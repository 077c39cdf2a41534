"""Mechanisms over several rounds: a permanent response, and in each round another one from it.

All are *pure* (Wang et al. 2017): a report supports some of the values, its own with chance p and
any other with q, and the estimate is (share that supports v - q) / (p - q).  The permanent response
has chances of its own.  Everything about errors over rounds follows from these four numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats

Codes = NDArray[Any]
"""One number 0..k-1 a user."""


@dataclass(frozen=True)
class Support:
    """The chances that a response supports its own value, and any other one.

    >>> round(Support(0.5, 1 / (1 + np.e)).noise(), 2)  # unary encoding at epsilon 1
    3.68
    """

    p: float
    q: float

    def noise(self, frequency: float = 0.0) -> float:
        """n times the variance of the estimate of a value of this frequency, noise alone."""
        own, other = self.p * (1 - self.p), self.q * (1 - self.q)
        return (frequency * own + (1 - frequency) * other) / (self.p - self.q) ** 2


class Chained(ABC):
    """A mechanism whose reports of all rounds cost `memory` together if the value stays.

    One report costs `epsilon`.  `worst` is what the authors say that all rounds of any history
    cost; whether that is so is another matter (`histories`).
    """

    memory: float
    epsilon: float
    k: int

    @property
    def name(self) -> str:
        """What the mechanism is called in tables and plots."""
        return type(self).__name__

    @property
    @abstractmethod
    def permanent(self) -> Support:
        """The chances of the permanent response."""

    @property
    @abstractmethod
    def sent(self) -> Support:
        """The chances of what is sent in a round."""

    @abstractmethod
    def remember(self, users: int, rng: np.random.Generator) -> Any:
        """Return what so many users keep: their responses to every value they may have."""

    @abstractmethod
    def supported(self, kept: Any, data: Codes, rng: np.random.Generator) -> Floats:
        """Return, for each value, how many users' reports of one round support it."""

    @abstractmethod
    def exact(self) -> tuple[float, float]:
        """Return what all reports of a value that stays, and one report, really cost."""

    def round_variance(self, frequency: float = 0.0) -> float:
        """n times the variance of the estimate of one round."""
        return self.sent.noise(frequency)

    def change_variance(self, frequency: float = 0.0) -> float:
        """n times the variance of the difference between two rounds, if few users changed.

        What is permanent cancels.
        """
        return 2 * (self.sent.noise(frequency) - self.permanent.noise(frequency))

    def window_variance(self, rounds: int, frequency: float = 0.0) -> float:
        """n times the variance of the average of so many rounds, if few users changed."""
        permanent = self.permanent.noise(frequency)
        return permanent + (self.sent.noise(frequency) - permanent) / rounds

    def estimates(self, histories: Codes, rng: np.random.Generator) -> Floats:
        """Return the estimated frequencies of each round, for histories[user, round]."""
        kept = self.remember(len(histories), rng)
        shares = np.stack([self.supported(kept, data, rng) for data in histories.T])
        return np.asarray((shares / len(histories) - self.sent.q) / (self.sent.p - self.sent.q))
