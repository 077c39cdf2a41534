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


CLIPS = np.array([1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0])
"""Where residuals may be clipped, in their deviations."""


def best_clip(residuals: Floats, least: float, most: float, noise: float) -> float:
    """Return the clip between two others of which noise and what it hides add up to least.

    `noise` is the variance of the mean of all answers, were residuals clipped at one.

    >>> even, skewed = np.linspace(-1, 1, 101), np.array([-1.0, -0.5, -0.5, 2.0])
    >>> [round(best_clip(residuals, 1.0, 9.0, 1e-4), 1) for residuals in (even, skewed)]
    [1.0, 2.3]
    """
    around = residuals - residuals.mean()
    clips = np.clip(CLIPS * float(around.std()), least, max(least, most))
    hidden = np.clip(around, -clips[:, None], clips[:, None]).mean(axis=1)
    risks = noise * clips**2 + ((1 - TRUSTED) * hidden) ** 2
    return float(clips[np.argmin(risks)])


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
