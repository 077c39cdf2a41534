"""RAPPOR's n-grams (Fanti, Pihur and Erlingsson 2016): pairs of them, and cliques in their graph.

Each device tells the n-grams that its string has at two positions.  Pairs that stand out are edges
of a graph; strings all of whose pairs are edges are candidates, which another group counts.  Here a
pair is told at once, with all of epsilon, instead of being decoded from two reports by expectation
maximisation, which is worse.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .counting import counted
from .crowd import Crowd, Found, best

MOST = 1 << 15
"""Partial strings that are extended at most."""


@dataclass(frozen=True)
class NGrams:
    """N-grams of so many bits, and how many pairs every two positions keep.

    >>> rng = np.random.default_rng(1)
    >>> crowd = Crowd(np.array([1 << 63, 3 << 62], np.uint64), np.array([60_000, 30_000]), bits=12)
    >>> found = NGrams(bits=4, keep=4).find(crowd, 2.0, 4, 0.1, rng)
    >>> [format(code >> 52, "012b") for code in found.codes.tolist()]
    ['100000000000', '110000000000']
    """

    bits: int
    keep: int
    counting: float = 0.25

    def find(
        self, crowd: Crowd, epsilon: float, wanted: int, mistakes: float, rng: np.random.Generator
    ) -> Found:
        """Return the strings that are found."""
        places = range(-(-crowd.bits // self.bits))
        pairs = list(combinations(places, 2))
        share = (1 - self.counting) / len(pairs)
        *groups, last = crowd.parted([share] * len(pairs) + [self.counting], rng)
        size = 1 << 2 * self.bits
        edges: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for group, pair in zip(groups, pairs, strict=True):
            first, second = (
                group.between(one * self.bits, (one + 1) * self.bits).astype(np.int64)
                for one in pair
            )
            evidence = group.heard(first << self.bits | second, size, epsilon, rng)
            kept = best(evidence, np.arange(size, dtype=np.uint64), self.keep).tolist()
            edges[pair] = {(one >> self.bits, one & ((1 << self.bits) - 1)) for one in kept}
        strings = self._cliques(edges, len(places))
        unused = len(places) * self.bits - crowd.bits
        whole = [
            sum(gram << self.bits * (len(places) - 1 - at) for at, gram in enumerate(one))
            for one in strings
        ]
        candidates = np.array([one >> unused for one in whole], np.uint64)
        return counted(last, candidates, epsilon, wanted, mistakes, rng)

    def _cliques(
        self, edges: dict[tuple[int, int], set[tuple[int, int]]], places: int
    ) -> list[tuple[int, ...]]:
        """Return the n-grams of every string all of whose pairs are edges."""
        partial: list[tuple[int, ...]] = sorted(edges[0, 1])
        for place in range(2, places):
            after: dict[int, list[int]] = defaultdict(list)
            for before, gram in sorted(edges[place - 1, place]):
                after[before].append(gram)
            partial = [
                (*grams, gram)
                for grams in partial
                for gram in after[grams[-1]]
                if all((one, gram) in edges[at, place] for at, one in enumerate(grams))
            ][:MOST]
        return partial
