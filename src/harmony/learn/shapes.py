"""Shapes: what the weights of a feature may look like, before anything is seen of them.

The order in which a feature's values are listed may mean something (ages, grades) or nothing
(makers, names).  So its weights are *free*, each independent of the others, or *smooth*: a random
walk down the list.  Both are normal, and either way there are coordinates in which a gradient has
independent parts.  How likely each shape is, the gradients themselves tell (`directions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

Turn = tuple[slice, NDArray[np.float64]]


@dataclass(frozen=True)
class Shape:
    """Weights of one shape for every feature, and the coordinates in which they are independent.

    `turns` lead there from the features' own coordinates, where those are others.  A gradient
    has there the variances `signals`, for weights of strength one, beside its noise; and an
    error of it costs `costs`, squared, when the weights are read off it.
    """

    turns: Sequence[Turn]
    signals: Floats
    costs: Floats

    def there(self, gradient: Floats) -> Floats:
        """Write what is in the features' coordinates in those of the shape."""
        turned = gradient.copy()
        for place, turn in self.turns:
            turned[place] = gradient[place] @ turn
        return turned

    def back(self, gradient: Floats) -> Floats:
        """Write what is in coordinates of the shape in the features' own."""
        turned = gradient.copy()
        for place, turn in self.turns:
            turned[place] = turn @ gradient[place]
        return turned


def free(variances: Floats) -> Shape:
    """Return the shape of independent weights: the features' own coordinates will do."""
    return Shape((), variances**2, 1 / variances)


def smooth(variances: Floats, bases: Sequence[tuple[slice, Floats]]) -> Shape:
    """Return the shape of weights that walk, for the features that have these bases.

    The walk is scaled to explain as much as independent weights of the same strength do.

    >>> shape = smooth(np.array([0.3, 0.4]), [(slice(0, 2), np.eye(3)[:, 1:])])
    >>> bool(shape.signals[1] > 3 * shape.signals[0])
    True
    """
    turns: list[Turn] = []
    signals, costs = variances**2, 1 / variances
    for place, basis in bases:
        own = variances[place]
        steps = np.arange(1, len(basis) + 1)
        walk = basis.T @ np.minimum(steps[:, None], steps) @ basis
        walk *= own.sum() / float(np.diag(walk) @ own)
        found, turn = np.linalg.eigh(own[:, None] * walk * own)
        turns.append((place, turn))
        signals[place] = np.maximum(found, 0.0)
        costs[place] = (turn**2 / own[:, None]).sum(axis=0)
    return Shape(turns, signals, costs)
