"""The level of a score: what residuals are on average, from answers in which they are clipped.

A clip keeps the noise small, but what it hides is not the same on both sides where labels are
skewed: of log-normal ones it would hide a fifth of a deviation.  What is known of where labels lie
says how much a clip hides, so that is undone: by half, for few devices know little of it.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .shrinkage import posterior_mean
from .trainer import QuestionEstimate

MOST_SHIFT, SHIFTS = 4.0, 401
"""How far off a level may be, in deviations of the residuals, and in how many steps that is."""

TRUSTED = 0.5
"""How much of what a clip hides on one side only is taken for granted."""


def mean_residual(
    estimate: QuestionEstimate, clip: float, residuals: Floats, prior_std: float
) -> float:
    """Return the posterior mean of the mean residual, from that of residuals clipped at `clip`.

    `residuals` are thought to be as likely as one another, but for the level.

    >>> even, skewed = np.linspace(-1, 1, 101), np.array([-1.0, -0.5, -0.5, 2.0])
    >>> told = QuestionEstimate(1000, np.array([0.1]), np.array([1e-9]))
    >>> [round(mean_residual(told, 1.0, residuals, 1.0), 2) for residuals in (even, skewed)]
    [0.1, 0.3]
    """
    if not estimate.n:
        return 0.0
    around = residuals - residuals.mean()
    unit = max(float(around.std()), clip / 10, 1e-12)
    shifts = np.linspace(-MOST_SHIFT, MOST_SHIFT, SHIFTS) * unit
    seen = np.clip((around + shifts[:, None]) / clip, -1, 1).mean(axis=1)
    seen = seen + 1e-9 * np.arange(SHIFTS)  # it rises, also where everything is clipped
    hidden = float(np.interp(0.0, shifts, seen))
    level = float(np.interp(estimate.mean + (1 - TRUSTED) * hidden, seen, shifts))
    error = float(np.sqrt(estimate.variance[0]))
    kept = max(float((np.abs(around + level) < clip).mean()), 0.25)
    return posterior_mean(level, error * clip / kept, 0.0, prior_std)
