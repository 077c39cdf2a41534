"""Tilts: where a rare class lies, feature by feature, if log-odds are linear.

The log-odds of a device are an intercept, what one feature adds, and what all others add, which is
a normal number beside it.  So the class has the density of everyone, tilted: times a logistic curve
of what the feature adds, blurred by the others.  What devices of the class tell, the side of a
number that they are on or their value of a category, tells that, in units of log-odds.  A mean
would tell less: where effects are strong nearly all of the class are on one side, and shares of
values differ by factors.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats

NEWTON_STEPS = 40
MOST_LOG_ODDS = 500.0
"""Beyond which odds are next to infinite, and their exponential would be."""

_NODES, _CHANCES = np.polynomial.hermite_e.hermegauss(9)
_CHANCES = _CHANCES / _CHANCES.sum()


def blurred(log_odds: Floats, std: float) -> tuple[Floats, Floats]:
    """Return the chances of log-odds to which others add a normal number; and their slopes.

    >>> [round(float(blurred(np.array([-3.0]), std)[0][0]), 3) for std in (0.0, 1.0, 2.0)]
    [0.047, 0.069, 0.129]
    """
    odds = np.clip(log_odds[:, None] + std * _NODES, -MOST_LOG_ODDS, MOST_LOG_ODDS)
    chances = 1 / (1 + np.exp(-odds))
    return chances @ _CHANCES, (chances * (1 - chances)) @ _CHANCES


def intercept_of(scores: Floats, frequencies: Floats, rate: float, std: float = 0.0) -> float:
    """Return the intercept with which scores of these frequencies are a class of this rate.

    >>> halves = np.array([0.5, 0.5])
    >>> abs(intercept_of(np.array([-1.0, 1.0]), halves, 0.5, 1.0)) < 1e-9
    True
    """
    odds = math.log(rate / (1 - rate))
    low = odds - float(scores.max()) - 6 * std - std**2
    high = odds - float(scores.min()) + 6 * std + std**2
    at = math.log(rate) - math.log(float(frequencies @ np.exp(scores - scores.max())))
    at = min(max(at - float(scores.max()) - std**2 / 2, low), high)  # that of a class next to none
    for _ in range(NEWTON_STEPS):
        chances, slopes = blurred(at + scores, std)
        mean = float(frequencies @ chances)
        low, high = (at, high) if mean < rate else (low, at)
        step = math.log(rate / mean) * mean / max(float(frequencies @ slopes), 1e-300)
        if abs(step) < 1e-9:
            break
        at = at + step if low < at + step < high else (low + high) / 2
    return at


def normal_class(std: float, rate: float) -> tuple[float, float]:
    """Return the intercept of normal log-odds of this deviation, and what they explain.

    That is of the variance of labels of -1 and 1, of which the latter has this rate.

    >>> [round(one, 2) for one in normal_class(2.0, 0.1)]
    [-3.41, 0.1]
    """
    intercept = intercept_of(np.zeros(1), np.ones(1), rate, std)
    slope = float(blurred(np.array([intercept]), std)[1][0])
    return intercept, 4 * (rate * (1 - rate) - slope)


class Tilted(NamedTuple):
    """A class among points: the share of it at each, and how those move with log-odds there."""

    shares: Floats
    slopes: Floats

    @classmethod
    def of(cls, scores: Floats, frequencies: Floats, rate: float, std: float = 0.0) -> Tilted:
        """Return the class of this rate whose log-odds are these scores and an intercept.

        Other features add a normal number of this deviation.

        >>> halves = np.array([0.5, 0.5])
        >>> for rate in (1e-9, 0.4):
        ...     Tilted.of(np.array([0.0, math.log(3)]), halves, rate).shares.round(2).tolist()
        [0.25, 0.75]
        [0.34, 0.66]
        """
        intercept = intercept_of(scores, frequencies, rate, std)
        chances, slopes = blurred(intercept + scores, std)
        return cls(frequencies * chances / rate, frequencies * slopes / rate)

    def moved(self, along: Floats) -> Floats:
        """Return how shares move if log-odds move by this at each point."""
        centre = float(self.slopes @ along) / max(float(self.slopes.sum()), 1e-300)
        moves: Floats = self.slopes * (along - centre)
        return moves


def log_odds_of(chances: Floats, std: float) -> Floats:
    """Return the log-odds which others blur to these chances.

    >>> log_odds_of(np.array([0.069, 0.129]), 1.0).round(1).tolist()
    [-3.0, -2.2]
    """
    low = np.log(chances / (1 - chances)) - 6 * std - std**2
    high = low + 12 * std + 2 * std**2
    for _ in range(50):
        middle = (low + high) / 2
        above = blurred(middle, std)[0] > chances
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return low
