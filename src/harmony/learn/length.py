"""The length of a score: how far it should go, from answers in which residuals are clipped.

Where labels are skewed, as claims and durations are, those that are far out are mostly there
because of what explains them.  A clip hides them, so an effect shows less of itself in clipped
labels than a clipped residual shows of what a score lacks; and a score that leaves nothing of
clipped residuals is too short.  How much too short follows, roughly, from how labels are spread.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from .clipping import WIDE, hidden_on_one_side, spread_as

CLIPS = (1.0, 1.5, 2.5, 4.0)
"""Where residuals may be clipped, in their deviations."""

HIDDEN, HIDDEN_BY_CLIP = 0.35, 0.25
"""What a clip hides of effects, by what it hides on one side of labels: so much and so much more by
its deviations.  Of claims, counts and exponentiated labels it was twice that; where only noise is
skewed, and of incomes, it was nothing."""

DOUBT = 1.5
"""How far off that may be, in what it is."""

SKEWNESS_ERROR = 3.5
"""How far off what is hidden on one side may be where one answer without noise has placed labels;
it falls as the root of their number."""

LEAST_SHOWN = 0.3

PRIOR_ERROR = 0.3
"""The prior deviation of a score's length from the right one, after all iterations."""


class Length(NamedTuple):
    """What shows of lengths where residuals are clipped, at so many `deviations`.

    That is the share `kept` of what a score lacks, and of that the share `shown` of what labels
    have of an effect.
    """

    deviations: float
    kept: float
    shown: float

    @classmethod
    def clipped(cls, labels: Floats, deviations: float, size: float = math.inf) -> Length:
        """Return what shows where labels that are thought to be equally likely are these.

        So many answers have told where those are: few would make any labels look skewed.

        >>> even = Length.clipped(np.linspace(-1, 1, 101), 1.0)
        >>> round(even.kept, 2), round(even.shown, 2)
        (0.61, 1.0)
        >>> claims = Length.clipped(np.append(np.zeros(90), np.linspace(1, 4, 10)), 1.0)
        >>> round(claims.kept, 2), round(claims.shown, 2)
        (0.91, 0.66)
        """
        residuals = spread_as(labels)
        kept = float((np.abs(residuals) < deviations).mean())
        hidden = hidden_on_one_side(residuals, deviations)
        trusted = hidden**2 / (hidden**2 + SKEWNESS_ERROR**2 / max(size, 1.0) + 1e-12)
        shown = 1 - (HIDDEN + HIDDEN_BY_CLIP * deviations) * trusted * hidden
        return cls(deviations, kept, max(shown, LEAST_SHOWN))

    @classmethod
    def best(cls, labels: Floats, size: float, noise: float) -> Length:
        """Return the clip of which noise and doubt add up to least.

        `noise` is the variance of a length if residuals are clipped at one deviation.
        """
        found = [cls.clipped(labels, deviations, size) for deviations in CLIPS]
        return min(found, key=lambda one: one.error(math.sqrt(noise) * one.deviations / one.kept))

    def longer(self, slope: float) -> float:
        """Return by what a score should be longer if what it lacks has this slope on it."""
        return (1 + slope) / self.shown - 1

    def error(self, error: float) -> float:
        """Return the error of that, from the error of the slope."""
        return math.hypot(error, DOUBT * (1 - self.shown)) / self.shown


def prior_length(labels: Floats, size: float) -> tuple[float, float]:
    """Return by what a score whose gradients were clipped should be longer, and the error."""
    bent = Length.clipped(labels, WIDE, size).longer(0.0) / 2
    return bent, math.hypot(PRIOR_ERROR, bent)
