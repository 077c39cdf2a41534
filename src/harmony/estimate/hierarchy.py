"""Least squares on a tree: shares of bins at several levels, each bin divided at the next.

Every level has an estimate of the share of each of its bins.  Whatever is known of a bin from
below it (the sum of the bins that it is divided into) and from itself is averaged by precision,
from the leaves upwards; then, from the whole downwards, the bins in a bin are moved to add up to
it, each by its part of their variance.  That is the least-squares estimate in two passes (Hay et
al. 2010, for any tree).  It is linear, so `adjoint` tells what it makes of any weighted sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Tree:
    """Bins of several levels; `starts[l]` has the number of the first leaf of each bin of level l.

    `variances` are those of a bin's estimate at each level, before any data is seen.

    >>> tree = Tree([np.array([0, 2]), np.arange(4)], [1.0, 1.0])
    >>> leaves = tree.solve([np.array([0.6, 0.4]), np.array([0.4, 0.3, 0.1, 0.1])])
    >>> leaves.round(3).tolist(), round(float(leaves.sum()), 9)
    ([0.375, 0.275, 0.175, 0.175], 1.0)
    >>> first_half = tree.adjoint(np.array([[1.0, 1.0, 0.0, 0.0]]))
    >>> [one.round(3).tolist() for one in first_half]
    [[[0.333, -0.333]], [[0.167, 0.167, -0.167, -0.167]]]
    """

    starts: Sequence[Places]
    variances: Sequence[float]

    def solve(self, levels: Sequence[Floats]) -> Floats:
        """Return the shares of the leaves, which add up to one."""
        below = [np.asarray(levels[-1], np.float64)]
        for level in range(len(levels) - 2, -1, -1):
            own, inside = self._own[level], self._firsts[level + 1]
            below.append(own * levels[level] + (1 - own) * np.add.reduceat(below[-1], inside))
        found = np.ones(1)
        for level, known in enumerate(reversed(below)):
            missing = found - np.add.reduceat(known, self._firsts[level])
            found = known + self._parts[level] * missing[self._parents[level]]
        return found

    def adjoint(self, sums: Floats) -> list[Floats]:
        """Return the weights that sums over the leaves, a row each, give each level's estimates.

        A constant is left out: what the rows make of the whole, which is known to be one.
        """
        known = []
        found = np.asarray(sums, np.float64)
        for level in range(len(self.starts) - 1, -1, -1):
            firsts, parents = self._firsts[level], self._parents[level]
            moved = np.add.reduceat(found * self._parts[level], firsts, axis=1)
            known.append(found - moved[:, parents])
            found = moved
        known.reverse()
        weights = []
        for level, own in enumerate(self._own):
            weights.append(own * known[level])
            passed = (1 - own) * known[level]
            known[level + 1] = known[level + 1] + passed[:, self._parents[level + 1]]
        return [*weights, known[-1]]

    @cached_property
    def _firsts(self) -> list[Places]:
        """The first bin of each level within each bin of the level above it, or the whole."""
        whole = np.zeros(1, np.intp)
        above = [whole, *self.starts[:-1]]
        return [np.searchsorted(own, one) for own, one in zip(self.starts, above, strict=True)]

    @cached_property
    def _parents(self) -> list[Places]:
        """The bin of the level above that each bin is in."""
        above = [np.zeros(1, np.intp), *self.starts[:-1]]
        return [
            np.searchsorted(one, own, side="right") - 1
            for own, one in zip(self.starts, above, strict=True)
        ]

    @cached_property
    def _known(self) -> list[tuple[Floats, Floats]]:
        """For each level: the weight of its own estimates, and the variance with those below."""
        variance = np.full(len(self.starts[-1]), self.variances[-1])
        found = [(np.ones_like(variance), variance)]
        for level in range(len(self.starts) - 2, -1, -1):
            below = np.add.reduceat(variance, self._firsts[level + 1])
            own = below / (below + self.variances[level])
            variance = own * self.variances[level]
            found.append((own, variance))
        return found[::-1]

    @cached_property
    def _own(self) -> list[Floats]:
        return [own for own, _ in self._known[:-1]]

    @cached_property
    def _parts(self) -> list[Floats]:
        """Of what the bins in a bin are moved by together, the part of each."""
        return [
            variance / np.add.reduceat(variance, firsts)[parents]
            for (_, variance), firsts, parents in zip(
                self._known, self._firsts, self._parents, strict=True
            )
        ]
