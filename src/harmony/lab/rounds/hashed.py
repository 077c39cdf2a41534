"""Randomised response on a hash, twice: L-GRR, where the hash is the value itself, and LOLOHA.

Each user has a hash function for all rounds.  The permanent response is g-ary randomised response
on the hashed value; each report is the same on the permanent one.  Two such responses are again
one, which keeps the share t1 * t2 of the symbols and replaces the rest by uniform ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Floats
from ..baselines.local_hashing import PRIME
from .chained import Chained, Codes, Support


class Hashed(Chained):
    """Both responses over g symbols; `second` is the epsilon of a round's own response."""

    @property
    def g(self) -> int:
        """How many symbols there are."""
        raise NotImplementedError

    @property
    def second(self) -> float:
        """The epsilon of a round's response to the permanent one."""
        raise NotImplementedError

    def _support(self, kept: float) -> Support:
        """The chances that a symbol which is kept so often, and else uniform, supports values."""
        p = kept + (1 - kept) / self.g
        other = 1 / self.g if self.k > self.g or self._hashes else (1 - kept) / self.g
        return Support(p, other)

    _hashes = True

    @property
    def permanent(self) -> Support:
        return self._support(kept_share(self.memory, self.g))

    @property
    def sent(self) -> Support:
        return self._support(kept_share(self.memory, self.g) * kept_share(self.second, self.g))

    def _hash(self, users: int, rng: np.random.Generator) -> Any:
        """Return symbols[user, value]."""
        a, b = rng.integers(1, PRIME, (users, 1)), rng.integers(0, PRIME, (users, 1))
        return (a * np.arange(self.k) + b) % PRIME % self.g

    def remember(self, users: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """Return symbols[user, value], and kept[user, symbol]."""
        symbols = np.broadcast_to(np.arange(self.g), (users, self.g))
        return self._hash(users, rng), _respond(symbols, kept_share(self.memory, self.g), rng)

    def supported(self, kept: tuple[Codes, Codes], data: Codes, rng: np.random.Generator) -> Floats:
        symbols, permanent = kept
        users = np.arange(len(data))
        memo = permanent[users, symbols[users, data]]
        sent = _respond(memo, kept_share(self.second, self.g), rng, self.g)
        return np.asarray((symbols == sent[:, None]).sum(axis=0), np.float64)

    def exact(self) -> tuple[float, float]:
        both = kept_share(self.memory, self.g) * kept_share(self.second, self.g)
        return self.memory, math.log(1 + both * self.g / (1 - both))


@dataclass(frozen=True)
class LGrr(Hashed):
    """L-GRR (Arcolezi et al. 2022): k-ary randomised response, twice.

    >>> round(LGrr(2.0, 1.0, k=16).round_variance(), 2)
    5.66
    """

    memory: float
    epsilon: float
    k: int

    _hashes = False

    @property
    def g(self) -> int:
        return self.k

    @property
    def second(self) -> float:
        kept = kept_share(self.epsilon, self.k) / kept_share(self.memory, self.k)
        return math.log(1 + kept * self.k / (1 - kept))

    def _hash(self, users: int, rng: np.random.Generator) -> Codes:
        return np.broadcast_to(np.arange(self.k), (users, self.k))


@dataclass(frozen=True)
class Loloha(Hashed):
    """LOLOHA (Arcolezi et al. 2023): with the authors' best g (OLOLOHA), or g = 2 (BiLOLOHA).

    A round's response spends what it must for g = 2; with larger g one report costs less than
    epsilon then, which is why it is less accurate than it could be.

    >>> ololoha = Loloha(2.0, 1.0, k=16)
    >>> ololoha.g, round(ololoha.round_variance(), 2), round(ololoha.exact()[1], 3)
    (3, 4.2, 0.948)
    """

    memory: float
    epsilon: float
    k: int
    binary: bool = False

    @property
    def name(self) -> str:
        return "BiLOLOHA" if self.binary else "OLOLOHA"

    @cached_property
    def g(self) -> int:
        """The number of symbols of least variance (their equation 6), or two."""
        if self.binary:
            return 2
        a, b = math.exp(self.memory), math.exp(self.epsilon)
        root = math.sqrt(a**4 - 14 * a**2 + 12 * a * b * (1 - a * b) + 12 * a**3 * b + 1)
        return 1 + max(1, round((1 - a**2 + root) / (6 * (a - b))))

    @property
    def second(self) -> float:
        a, b = math.exp(self.memory), math.exp(self.epsilon)
        return math.log((a * b - 1) / (a - b))


def kept_share(epsilon: float, g: int) -> float:
    """Return how often g-ary randomised response keeps a symbol that it else draws uniformly.

    >>> round(kept_share(math.log(3), 2), 3)
    0.5
    """
    return math.expm1(epsilon) / (math.expm1(epsilon) + g)


def _respond(
    symbols: Codes, kept: float, rng: np.random.Generator, size: int | None = None
) -> Codes:
    uniform = rng.integers(0, size or symbols.shape[-1], symbols.shape)
    return np.where(rng.random(symbols.shape) < kept, symbols, uniform)
