"""From an estimated gradient to weights, and to what to ask next.

Were the features independent, coordinate i of the gradient would be s_i w_i plus known noise, with
s_i its variance and w_i the weight sought.  The prior of a feature's weights is normal, of a shape
and with a variance which is one of a few: how common each is among the features is estimated from
all of them (empirical Bayes).  Few features may matter much, and then they stand out; and where
values are listed in an order that means something, that shows, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .allocation import FEW_FEATURES
from .features import Features, Gradient
from .shapes import Shape

GRID_SIZE = 10
"""Prior variances that weights may have: the greatest possible, and each a quarter of the last."""

ITERATIONS = 50
"""Until estimates have converged."""

IMAGINED, EXPLAINED = 2.0, 0.3
"""Features that are thought of beside those that there are, and the share of the label's variance
that as many features as there are would explain if they were like these."""

HORIZON = 3.0
"""How many times the devices that are left shares are chosen for: the more, the more alike."""


@dataclass(frozen=True)
class Mixture:
    """A mixture of priors: how likely a feature's weights have each shape and variance."""

    prior_variances: Floats
    responsibilities: Floats
    """Posterior probabilities, by shape, prior variance and feature."""

    @classmethod
    def fit(
        cls, known: Features, gradient: Gradient, total: float, grid_size: int = GRID_SIZE
    ) -> Mixture:
        """Fit it by expectation and maximisation.

        The label has variance `total`: no feature explains more than that.
        """
        grid: Floats = total * np.power(0.25, np.arange(grid_size))
        logarithms = np.array(
            [_log_likelihoods(known, shape, gradient, grid) for shape in known.shapes]
        )
        likelihoods = np.exp(logarithms - logarithms.max(axis=(0, 1)))
        expected = np.tile(
            _imagined(EXPLAINED / len(known.blocks), grid_size), (len(known.shapes), 1)
        )
        imagined = IMAGINED / len(known.shapes) * expected[:, :, None]
        proportions = imagined / IMAGINED
        for _ in range(ITERATIONS):
            responsibilities = proportions * likelihoods
            responsibilities /= responsibilities.sum(axis=(0, 1))
            # Where there is noise but little else, few features would tell large effects from it.
            proportions = responsibilities.sum(axis=2, keepdims=True) + imagined
            proportions /= proportions.sum()
        return cls(grid, responsibilities)

    @property
    def shape_probabilities(self) -> Floats:
        """The posterior probability of each shape, by feature."""
        probabilities: Floats = self.responsibilities.sum(axis=1)
        return probabilities

    @property
    def mean_variances(self) -> Floats:
        """The expected prior variance of each feature's weights, given each shape."""
        means: Floats = np.einsum("s,ksj->kj", self.prior_variances, self.responsibilities)
        return means / np.maximum(self.shape_probabilities, 1e-300)


def _imagined(explained: float, grid_size: int = GRID_SIZE) -> Floats:
    """Return how common each prior variance is thought to be, for this mean of theirs.

    >>> [round(float(_imagined(mean) @ np.power(0.25, np.arange(GRID_SIZE))), 3)
    ...  for mean in (0.3, 0.03, 0.001)]
    [0.133, 0.03, 0.001]
    """
    variances, low, high = np.power(0.25, np.arange(grid_size)), 0.0, 3.0
    for _ in range(50):  # each is commoner than the one before by the same factor
        tilt = (low + high) / 2
        shares: Floats = np.exp(tilt * np.arange(grid_size))
        shares /= shares.sum()
        low, high = (tilt, high) if shares @ variances > explained else (low, tilt)
    return shares


def _log_likelihoods(
    known: Features, shape: Shape, gradient: Gradient, grid: Floats
) -> list[Floats]:
    """Return the log-likelihood of each prior variance, by feature."""
    signal = shape.signals * gradient.precisions * grid[:, None]
    squares = shape.to_eigenbasis(gradient.means) ** 2 * gradient.precisions
    logarithms = (signal / (1 + signal) * squares - np.log1p(signal)) / 2
    return [known.by_feature(row) for row in logarithms]


def posterior_weights(known: Features, gradient: Gradient, mixture: Mixture) -> Floats:
    """Return the posterior mean of the weights."""
    shrunk = np.zeros(len(known.variances))
    for shape, probabilities in zip(known.shapes, mixture.responsibilities, strict=True):
        signal = shape.signals * gradient.precisions * mixture.prior_variances[:, None]
        factors = (probabilities[:, known.owners] * signal / (1 + signal)).sum(axis=0)
        shrunk += shape.from_eigenbasis(factors * shape.to_eigenbasis(gradient.means))
    weights: Floats = shrunk / known.variances
    return weights


def optimal_shares(
    known: Features, mixture: Mixture, precisions: Floats, future_precisions: Floats
) -> Floats:
    """Return the share of the next devices to ask about each feature: the A-optimal allocation.

    A coordinate of a shape that is known with precision pi leaves an error of c s t / (1 + s t pi),
    with s its signal, c its cost and t the prior variance.  All next devices together would add
    `future_precisions`, if they were asked about one feature.  The shares make the sum of what is
    left least.
    """
    signals = [
        shape.signals * variance[known.owners]
        for shape, variance in zip(known.shapes, mixture.mean_variances, strict=True)
    ]
    doubts = [signal / (1 + signal * precisions) for signal in signals]
    return _least_doubt(known, mixture, doubts, future_precisions)


def next_shares(
    known: Features, mixture: Mixture, gradient: Gradient, future_precisions: Floats
) -> Floats:
    """Return the shares of the next devices: of few features nobody looks for those that matter."""
    if len(known.blocks) > FEW_FEATURES:
        return adaptive_shares(known, mixture, gradient, future_precisions)
    return optimal_shares(known, mixture, gradient.precisions, future_precisions)


def adaptive_shares(
    known: Features, mixture: Mixture, gradient: Gradient, future_precisions: Floats
) -> Floats:
    """Return the shares where they will be chosen again and again, as gradients come in.

    What is left in doubt is a coordinate's posterior variance, in which it counts, too, that a
    feature may matter much or not at all.  Who seems not to matter now is not lost for good: the
    shares are those that would be best for `HORIZON` times the devices that are left.
    """
    variances, doubts = mixture.prior_variances[:, None], []
    for shape, likely in zip(known.shapes, mixture.responsibilities, strict=True):
        each = (likely / np.maximum(likely.sum(axis=0), 1e-300))[:, known.owners]
        signal = shape.signals * variances
        factors = signal * gradient.precisions / (1 + signal * gradient.precisions)
        spread = (each * factors**2).sum(axis=0) - (each * factors).sum(axis=0) ** 2
        own = (each * signal / (1 + signal * gradient.precisions)).sum(axis=0)
        doubts.append(own + np.maximum(spread, 0.0) * shape.to_eigenbasis(gradient.means) ** 2)
    return _least_doubt(known, mixture, doubts, HORIZON * future_precisions)


def _least_doubt(
    known: Features, mixture: Mixture, doubts: Sequence[Floats], future_precisions: Floats
) -> Floats:
    """Return the shares that leave least, of posterior variances by shape and coordinate."""
    owners, count = known.owners, len(known.blocks)
    shares = np.full(count, 1 / count)
    shapes = list(zip(known.shapes, mixture.shape_probabilities, doubts, strict=True))
    for _ in range(ITERATIONS):
        added = future_precisions * shares[owners]
        gains = np.zeros(count)
        for shape, probability, doubt in shapes:
            gain = shape.costs * doubt**2 * future_precisions / (1 + doubt * added) ** 2
            gains += probability * known.by_feature(gain)
        if not gains.any():
            break
        shares = shares * np.sqrt(gains / float(gains @ shares))
        shares = shares / shares.sum()
    return shares
