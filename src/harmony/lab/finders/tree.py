"""A tree of prefixes, pruned level by level (after TreeHist of Bassily and others, 2017).

The devices are divided equally among the levels.  A node is kept if its estimate passes a
threshold; how many are kept follows from the data.  The levels that hold every prefix anyway are
left out, and so is the split of epsilon: a device answers about one level alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .counting import counted
from .crowd import Crowd, Found, best, extended

START = 6
"""The bits of the first level."""

MOST = 1 << 12
"""Nodes that are kept at most."""


@dataclass(frozen=True)
class TreeHistogram:
    """So many bits a level, and from how many standard deviations on a node is kept.

    >>> rng = np.random.default_rng(1)
    >>> crowd = Crowd(np.array([1 << 63, 3 << 62], np.uint64), np.array([40_000, 9_000]), bits=12)
    >>> found = TreeHistogram(bits=2, deviations=3.0).find(crowd, 2.0, 4, 0.1, rng)
    >>> [format(code >> 52, "012b") for code in found.codes.tolist()]
    ['100000000000', '110000000000']
    """

    bits: int
    deviations: float
    counting: float = 0.25

    def find(
        self, crowd: Crowd, epsilon: float, wanted: int, mistakes: float, rng: np.random.Generator
    ) -> Found:
        """Return the strings that are found."""
        depths = [*range(START, crowd.bits, self.bits), crowd.bits]
        share = (1 - self.counting) / len(depths)
        *groups, last = crowd.parted([share] * len(depths) + [self.counting], rng)
        before, kept = 0, np.zeros(1, np.uint64)
        for group, depth in zip(groups, depths, strict=True):
            listed = extended(np.sort(kept), depth - before)
            evidence = group.asked(group.between(0, depth), listed, epsilon, rng)
            kept = best(evidence, listed, MOST, evidence.threshold(self.deviations))
            before = depth
            if not len(kept):
                break
        return counted(last, kept, epsilon, wanted, mistakes, rng)
