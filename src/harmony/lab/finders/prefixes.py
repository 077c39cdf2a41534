"""PEM, the prefix extending method (Wang, Li and Jha 2019): groups that extend kept prefixes.

The devices are divided equally among the steps.  Each step asks for a few bits more than the one
before and keeps the prefixes of the highest estimates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from .counting import counted
from .crowd import WORD, Crowd, Found, best, extended


@dataclass(frozen=True)
class PrefixExtending:
    """So many steps, each of which keeps so many prefixes.

    Without `mistakes`, what the last step keeps is found, as published.  With them, either the
    last step's threshold bounds how many strings that nobody has are found, or a group of its own
    (`counting` is its share of the devices) counts what the last step kept.

    >>> rng = np.random.default_rng(1)
    >>> crowd = Crowd(np.array([1 << 63, 3 << 62], np.uint64), np.array([40_000, 9_000]), bits=12)
    >>> found = PrefixExtending(steps=2, keep=8).find(crowd, 2.0, 4, 0.1, rng)
    >>> [format(code >> 52, "012b") for code in found.codes.tolist()]
    ['100000000000', '110000000000']
    """

    steps: int
    keep: int
    counting: float = 0.0

    def depths(self, bits: int) -> list[int]:
        """Return how deep each step looks: the first at what all kept prefixes need, and more."""
        start = (self.keep - 1).bit_length()
        return [
            round(start + (bits - start) * (step + 1) / self.steps) for step in range(self.steps)
        ]

    def find(
        self,
        crowd: Crowd,
        epsilon: float,
        wanted: int,
        mistakes: float | None,
        rng: np.random.Generator,
    ) -> Found:
        """Return the strings that are found."""
        counting = 0.0 if mistakes is None else self.counting
        share = (1 - counting) / self.steps
        *groups, last = crowd.parted([share] * self.steps + [counting], rng)
        depth, kept = 0, np.zeros(1, np.uint64)
        for group, deep in zip(groups, self.depths(crowd.bits), strict=True):
            listed = extended(np.sort(kept), deep - depth)
            depth = deep
            evidence = group.asked(group.between(0, depth), listed, epsilon, rng)
            kept = best(evidence, listed, self.keep)
        if counting and mistakes is not None:
            return counted(last, kept, epsilon, wanted, mistakes, rng)
        if mistakes is not None:
            least = evidence.threshold(float(norm.isf(mistakes / len(listed))))
            kept = best(evidence, listed, wanted, least)
        return Found(kept[:wanted] << np.uint64(WORD - crowd.bits))
