"""Directions: from what is known of a gradient to weights worth having, and to what to ask next.

Were the features independent, coordinate i of the gradient would be s_i w_i plus known noise, with
s_i its variance and w_i the weight sought.  The weights of a feature are normal, of a shape and
with a variance, the feature's strength, which is one of a few: how common each is among the
features is estimated from all of them (empirical Bayes).  Few features may matter much, and then
they stand out; and where values are listed in an order that means something, that shows, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .features import Features, Gradient
from .shapes import Shape

STEPS = 10
"""Strengths that a feature may have: the greatest that could be, and each a quarter of the last."""

ROUNDS = 50
"""Turns until estimates have settled."""


@dataclass(frozen=True)
class Strengths:
    """What is believed of the features: how likely each has each shape and strength."""

    grid: Floats
    chances: Floats
    """By shape, strength and feature."""

    @classmethod
    def of(cls, known: Features, gradient: Gradient, total: float) -> Strengths:
        """Estimate them, where the label has variance `total`: nothing explains more than that."""
        grid: Floats = total * np.power(0.25, np.arange(STEPS))
        fits = np.array([_fits(known, shape, gradient, grid) for shape in known.shapes])
        likelihoods = np.exp(fits - fits.max(axis=(0, 1)))
        even = np.full((len(known.shapes), STEPS, 1), 1 / (STEPS * len(known.shapes)))
        common = even
        for _ in range(ROUNDS):
            chances = common * likelihoods
            chances /= chances.sum(axis=(0, 1))
            common = chances.sum(axis=2, keepdims=True) + even  # one feature more, of any kind
            common /= common.sum()
        return cls(grid, chances)

    @property
    def shapes(self) -> Floats:
        """How likely each shape is, by feature."""
        chances: Floats = self.chances.sum(axis=1)
        return chances

    @property
    def means(self) -> Floats:
        """The strength to expect of each feature, were it of each shape."""
        means: Floats = np.einsum("s,ksj->kj", self.grid, self.chances)
        return means / np.maximum(self.shapes, 1e-300)


def _fits(known: Features, shape: Shape, gradient: Gradient, grid: Floats) -> list[Floats]:
    """Return how well each strength explains what is seen of each feature: log-likelihoods."""
    signal = shape.signals * gradient.precisions * grid[:, None]
    seen = shape.there(gradient.means) ** 2 * gradient.precisions
    logarithms = (signal / (1 + signal) * seen - np.log1p(signal)) / 2
    return [known.by_feature(row) for row in logarithms]


def posterior(known: Features, gradient: Gradient, strengths: Strengths) -> Floats:
    """Return the posterior mean of the weights."""
    believed = np.zeros(len(known.variances))
    for shape, chances in zip(known.shapes, strengths.chances, strict=True):
        signal = shape.signals * gradient.precisions * strengths.grid[:, None]
        kept = (chances[:, known.owners] * signal / (1 + signal)).sum(axis=0)
        believed += shape.back(kept * shape.there(gradient.means))
    weights: Floats = believed / known.variances
    return weights


def attention(known: Features, strengths: Strengths, precisions: Floats, coming: Floats) -> Floats:
    """Return the shares of the next devices that features deserve: the most useful design.

    A coordinate of a shape that is known with precision pi leaves an error of c s t / (1 + s t pi),
    with s its signal, c its cost and t the strength.  All next devices together would add `coming`
    to one precision.  The shares make the sum of what is left least.
    """
    owners, count = known.owners, len(known.blocks)
    shares = np.full(count, 1 / count)
    for _ in range(ROUNDS):
        reached = precisions + coming * shares[owners]
        gains = np.zeros(count)
        beliefs = zip(known.shapes, strengths.shapes, strengths.means, strict=True)
        for shape, chance, strength in beliefs:
            signal = shape.signals * strength[owners]
            gain = shape.costs * signal**2 * coming / (1 + signal * reached) ** 2
            gains += chance * known.by_feature(gain)
        if not gains.any():
            break
        shares = shares * np.sqrt(gains / float(gains @ shares))
        shares = shares / shares.sum()
    return shares
