"""Directions: from what is known of a gradient to weights worth having, and to what to ask next.

Were the features independent, coordinate i of the gradient would be s_i w_i plus known noise, with
s_i its variance and w_i the weight sought.  The weights of a feature are normal with a variance,
the feature's strength, which is one of a few: how common each is among the features is estimated
from all of them (empirical Bayes).  Few features may matter much, and then they stand out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .features import Features, Gradient
from .score import Floats

STEPS = 10
"""Strengths that a feature may have: the greatest that could be, and each a quarter of the last."""

ROUNDS = 50
"""Turns until estimates have settled."""


@dataclass(frozen=True)
class Strengths:
    """What is believed of the features: how likely each has each strength."""

    grid: Floats
    chances: Floats

    @classmethod
    def of(cls, known: Features, gradient: Gradient, total: float) -> Strengths:
        """Estimate them, where the label has variance `total`: nothing explains more than that."""
        grid: Floats = total * np.power(0.25, np.arange(STEPS))
        signal = known.variances**2 * gradient.precisions * grid[:, None]
        seen = gradient.means**2 * gradient.precisions
        logarithms = (signal / (1 + signal) * seen - np.log1p(signal)) / 2
        fits = np.array([known.by_feature(row) for row in logarithms])
        likelihoods = np.exp(fits - fits.max(axis=0))
        common = np.full(STEPS, 1 / STEPS)
        for _ in range(ROUNDS):
            chances = common[:, None] * likelihoods
            chances /= chances.sum(axis=0)
            common = chances.sum(axis=1) + 1 / STEPS  # one feature more, of any strength
            common /= common.sum()
        return cls(grid, chances)

    @property
    def means(self) -> Floats:
        """The strength to expect of each feature."""
        means: Floats = self.grid @ self.chances
        return means


def posterior(known: Features, gradient: Gradient, strengths: Strengths) -> Floats:
    """Return the posterior mean of the weights."""
    signal = known.variances**2 * gradient.precisions * strengths.grid[:, None]
    kept = (strengths.chances[:, known.owners] * signal / (1 + signal)).sum(axis=0)
    weights: Floats = kept * gradient.means / known.variances
    return weights


def attention(known: Features, strengths: Floats, precisions: Floats, coming: Floats) -> Floats:
    """Return the shares of the next devices that features deserve: the most useful design.

    A coordinate known with precision pi leaves an error of s t / (1 + s^2 t pi), with s its
    variance and t the strength.  All next devices together would add `coming` to one precision.
    The shares make the sum of what is left least.
    """
    signal = known.variances**2 * strengths[known.owners]
    shares = np.full(len(strengths), 1 / len(strengths))
    for _ in range(ROUNDS):
        reached = precisions + coming * shares[known.owners]
        gains = known.by_feature(signal**2 / known.variances * coming / (1 + signal * reached) ** 2)
        if not gains.any():
            break
        shares = shares * np.sqrt(gains / float(gains @ shares))
        shares = shares / shares.sum()
    return shares
