"""Shapes: the prior covariance of a feature's weights, up to its scale.

The order in which a feature's values are listed may mean something (ages, grades) or nothing
(makers, names).  So its weights are *independent*, or *smooth*: a random walk down the list.  Both
are normal, and for either there is a basis in which the parts of a gradient are independent.  How
likely each shape is, the gradients themselves tell (`mixture`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

Eigenvectors = tuple[slice, NDArray[np.float64]]
"""Which coordinates of all, and the eigenvectors (columns) that replace them."""


@dataclass(frozen=True)
class Shape:
    """Weights of one shape for every feature, and the eigenbasis in which they are independent.

    `eigenvectors` lead there from the features' own coordinates, where those are others.  A
    gradient has there the variances `signals`, for weights of prior variance one, beside its
    noise; and an error of it costs `costs`, squared, when the weights are computed from it.
    """

    eigenvectors: Sequence[Eigenvectors]
    signals: Floats
    costs: Floats

    def to_eigenbasis(self, gradient: Floats) -> Floats:
        """Write a gradient in the features' coordinates in those of the shape."""
        written = gradient.copy()
        for place, vectors in self.eigenvectors:
            written[place] = gradient[place] @ vectors
        return written

    def from_eigenbasis(self, gradient: Floats) -> Floats:
        """Write a gradient in coordinates of the shape in the features' own."""
        written = gradient.copy()
        for place, vectors in self.eigenvectors:
            written[place] = vectors @ gradient[place]
        return written


def independent(variances: Floats) -> Shape:
    """Return the shape of independent weights: the features' own coordinates will do."""
    return Shape((), variances**2, 1 / variances)


def random_walk(variances: Floats, bases: Sequence[tuple[slice, Floats]]) -> Shape:
    """Return the shape of weights that are a random walk, for the features with these bases.

    The walk is scaled to explain as much as independent weights of the same prior variance do.

    >>> shape = random_walk(np.array([0.3, 0.4]), [(slice(0, 2), np.eye(3)[:, 1:])])
    >>> bool(shape.signals[1] > 3 * shape.signals[0])
    True
    """
    eigenvectors: list[Eigenvectors] = []
    signals, costs = variances**2, 1 / variances
    for place, basis in bases:
        own = variances[place]
        steps = np.arange(1, len(basis) + 1)
        covariance = basis.T @ np.minimum(steps[:, None], steps) @ basis
        covariance *= own.sum() / float(np.diag(covariance) @ own)
        eigenvalues, vectors = np.linalg.eigh(own[:, None] * covariance * own)
        eigenvectors.append((place, vectors))
        signals[place] = np.maximum(eigenvalues, 0.0)
        costs[place] = (vectors**2 / own[:, None]).sum(axis=0)
    return Shape(eigenvectors, signals, costs)
