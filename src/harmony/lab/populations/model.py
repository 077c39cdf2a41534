"""How the simulated people come about: correlated normal scores, cut into levels.

Every attribute j of a person has a score z_j = L_j . f + sqrt(1 - |L_j|^2) e_j, with a few common
factors f (wealth, age, origin, place) and an error of its own; cutting z_j at fixed thresholds
gives a level, so the level's frequencies are exactly those of the attribute and its correlation
with the others comes from the loadings L.  One attribute, the outcome, has a score that is a
weighted sum of the others' scores and noise.

People are made in blocks of 2^16, each from its own seed: person i is the same however many are
asked for and however they are divided into chunks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...attributes import Attribute, Categorical, Numeric

BLOCK = 1 << 16

Table = dict[str, NDArray[np.int32]]
"""A column for each attribute: the number itself (numeric) or the code 0..k-1."""


@dataclass(frozen=True, eq=False)
class Trait:
    """One attribute of the simulated people: its levels, their frequencies, its loadings."""

    name: str
    levels: NDArray[np.int32]
    frequencies: NDArray[np.float64]
    loadings: tuple[float, ...] = ()
    numeric: bool = False
    effect: float = 0.0

    @cached_property
    def thresholds(self) -> NDArray[np.float32]:
        """Where the score is cut; the last level has no upper end."""
        from scipy.special import ndtri

        below = np.cumsum(self.frequencies)[:-1] / self.frequencies.sum()
        return np.asarray(ndtri(below), np.float32)

    @property
    def attribute(self) -> Attribute:
        if self.numeric:
            return Numeric(self.name, float(self.levels[0]), float(self.levels[-1]))
        return Categorical(self.name, [int(level) for level in self.levels])


def category(name: str, shares: list[float], *loadings: float, effect: float = 0.0) -> Trait:
    """A categorical trait with codes 0..k-1 of these relative frequencies."""
    frequencies = np.array(shares, np.float64)
    levels = np.arange(len(shares), dtype=np.int32)
    return Trait(name, levels, frequencies / frequencies.sum(), loadings, effect=effect)


def number(
    name: str, levels: NDArray[np.int32], weights: NDArray[np.float64], *loadings: float,
    effect: float = 0.0,
) -> Trait:  # fmt: skip
    """A numeric trait over integer levels of these relative frequencies."""
    return Trait(name, levels, weights / weights.sum(), loadings, True, effect)


@dataclass(frozen=True, eq=False)
class Population:
    """Simulated people: any number of them, in chunks, from a seed.

    `outcome` is the trait whose score follows from the others (the income); `signal` is the
    share of its score's variance that they explain.

    >>> from harmony.lab.populations import us
    >>> people = us(1000, seed=7)
    >>> whole = people.table()
    >>> parts = [chunk["age"] for chunk in people.chunks(300)]
    >>> [len(part) for part in parts], bool((np.concatenate(parts) == whole["age"]).all())
    ([300, 300, 300, 100], True)
    """

    name: str
    traits: tuple[Trait, ...]
    n: int
    seed: int
    outcome: str | None = None
    signal: float = 0.0

    @property
    def attributes(self) -> list[Attribute]:
        """The attributes that a survey of these people asks, numeric ones first."""
        return [trait.attribute for trait in self.traits]

    @cached_property
    def _mixing(self) -> NDArray[np.float32]:
        """Loadings of every trait on the common factors: one column each."""
        width = max(len(trait.loadings) for trait in self.traits)
        rows = [trait.loadings + (0.0,) * (width - len(trait.loadings)) for trait in self.traits]
        return np.array(rows, np.float32).T

    @cached_property
    def _weights(self) -> NDArray[np.float32]:
        """How the outcome's score adds up from the others', scaled to explain `signal`."""
        mixing = self._mixing.astype(np.float64)
        own = 1 - (mixing**2).sum(axis=0)
        covariance = mixing.T @ mixing + np.diag(own)
        effects = np.array(
            [0.0 if trait.name == self.outcome else trait.effect for trait in self.traits]
        )
        explained = effects @ covariance @ effects
        return np.asarray(effects * math.sqrt(self.signal / explained), np.float32)

    def _block(self, block: int) -> Table:
        """People number block * 2^16 and after, always a whole block."""
        rng = np.random.default_rng(np.random.SeedSequence([self.seed, block]))
        mixing = self._mixing
        factors = rng.standard_normal((len(mixing), BLOCK), np.float32)
        scores = rng.standard_normal((len(self.traits), BLOCK), np.float32)
        scores *= np.sqrt(1 - (mixing**2).sum(axis=0))[:, None]
        scores += mixing.T @ factors
        if self.outcome is not None:
            place = [trait.name for trait in self.traits].index(self.outcome)
            noise = rng.standard_normal(BLOCK, np.float32)
            scores[place] = self._weights @ scores + math.sqrt(1 - self.signal) * noise
        return {
            trait.name: trait.levels[np.searchsorted(trait.thresholds, score, side="right")]
            for trait, score in zip(self.traits, scores, strict=True)
        }

    def chunks(self, size: int = BLOCK) -> Iterator[Table]:
        """Yield the people in order, `size` at a time."""
        made: dict[int, Table] = {}
        for start in range(0, self.n, size):
            yield self._rows(start, min(start + size, self.n), made)

    def rows(self, start: int, stop: int) -> Table:
        """Return people number `start` to `stop`."""
        return self._rows(start, stop, {})

    def _rows(self, start: int, stop: int, made: dict[int, Table]) -> Table:
        """Cut rows out of their blocks; `made` holds the last block, for whoever reads on."""
        pieces = []
        for block in range(start // BLOCK, -(-stop // BLOCK)):
            if block not in made:
                made.clear()
                made[block] = self._block(block)
            first = block * BLOCK
            cut = slice(max(start - first, 0), min(stop - first, BLOCK))
            pieces.append({name: column[cut] for name, column in made[block].items()})
        if len(pieces) == 1:
            return pieces[0]
        return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}

    def table(self) -> Table:
        """Return everybody at once."""
        return self.rows(0, self.n)
