"""A puzzle of fragments (after Apple's Sequence Fragment Puzzle, 2017): nothing is adaptive.

Each device tells one fragment of its string, together with a short public hash of the whole one.
Fragments of all positions that stand out with the same hash are put together to candidates, which
another group of devices counts.  (Apple's devices send both, each at half of epsilon, which is
worse.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ...arrays import Words
from .counting import counted
from .crowd import WORD, Crowd, Found, best

MOST = 1 << 16
"""Candidates that are counted at most, the same number for each hash."""

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class FragmentPuzzle:
    """Fragments of so many bits, hashes of so many, and how many of them each position keeps.

    >>> rng = np.random.default_rng(1)
    >>> crowd = Crowd(np.array([1 << 63, 3 << 62], np.uint64), np.array([60_000, 30_000]), bits=12)
    >>> found = FragmentPuzzle(fragment=4, hash=4, keep=4).find(crowd, 2.0, 4, 0.1, rng)
    >>> [format(code >> 52, "012b") for code in found.codes.tolist()]
    ['100000000000', '110000000000']
    """

    fragment: int
    hash: int
    keep: int
    counting: float = 0.25

    def find(
        self, crowd: Crowd, epsilon: float, wanted: int, mistakes: float, rng: np.random.Generator
    ) -> Found:
        """Return the strings that are found."""
        starts = range(0, crowd.bits, self.fragment)
        share = (1 - self.counting) / len(starts)
        *groups, last = crowd.parted([share] * len(starts) + [self.counting], rng)
        size = 1 << (self.fragment + self.hash)
        kept: list[list[list[int]]] = []
        for group, start in zip(groups, starts, strict=True):
            stop = min(start + self.fragment, crowd.bits)
            told = group.between(start, stop) << np.uint64(self.hash) | self.hashed(group.codes)
            evidence = group.heard(told.astype(np.int64), size, epsilon, rng)
            by_hash: list[list[int]] = [[] for _ in range(1 << self.hash)]
            for one in best(evidence, np.arange(size, dtype=np.uint64), self.keep).tolist():
                by_hash[one & ((1 << self.hash) - 1)].append(one >> self.hash)
            kept.append(by_hash)
        return counted(last, self._puzzled(kept, crowd.bits), epsilon, wanted, mistakes, rng)

    def hashed(self, codes: Words) -> Words:
        """Return the hash of each string."""
        hashed: Words = codes * MULTIPLIER >> np.uint64(WORD - self.hash)
        return hashed

    def _puzzled(self, kept: list[list[list[int]]], bits: int) -> Words:
        """Return every string that fragments with the same hash make, and that has this hash."""
        found = []
        for number, fragments in enumerate(zip(*kept, strict=True)):
            for pieces, _ in zip(product(*fragments), range(MOST >> self.hash), strict=False):
                code = 0
                for place, piece in enumerate(pieces):
                    width = min(self.fragment, bits - place * self.fragment)
                    code = code << width | piece
                found.append((code, number))
        codes = np.array([code for code, _ in found], np.uint64)
        hashes = np.array([number for _, number in found], np.uint64)
        right: NDArray[np.bool_] = self.hashed(codes << np.uint64(WORD - bits)) == hashes
        return codes[right]
