"""How often the limits of an estimate may miss its truth."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays import Floats
from .intervals import check_confidence

Limits = tuple[Floats, Floats]
"""The lower and the upper limit of each estimate."""


class Misses(NamedTuple):
    """The chances that a truth lies below the lower limit, and above the upper one.

    With `together` both are the chance of either, and the limits share it as suits them best.

    >>> Misses.of_interval(0.75)
    Misses(below=0.25, above=0.25, together=True)
    """

    below: float
    above: float
    together: bool = False

    @classmethod
    def of_interval(cls, confidence: float) -> Misses:
        """Return those of an interval around the truth with this confidence."""
        alpha = 1 - check_confidence(confidence)
        return cls(alpha, alpha, together=True)

    @classmethod
    def of_picked(cls, confidence: float, picked: int, values: int) -> Misses:
        """Return those of intervals for the largest of so many values: see `picks`."""
        if picked >= values:
            return cls.of_interval(confidence)
        alpha = 1 - check_confidence(confidence)
        return cls(alpha / 2 * picked / values, alpha / 2)
