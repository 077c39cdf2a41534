"""Descent over devices: one at a time, or a batch at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...mechanisms.sign_tuples import fixed_u_probability, sign_scale
from . import kernels
from .design_matrix import DesignMatrix

NOISES = ("none", "duchi", "laplace", "harmony")
"""What is added to a gradient; their place is their number in the kernels."""

HISTORY_ENTRIES = 100
"""How often SGD records its progress, and checks whether it still moves."""

MOST_UINT64 = (1 << 64) - 1
CHUNK = 1 << 10
"""Devices whose random words are drawn at once: they stay in the cache."""

Lookups = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class HistoryEntry:
    """One entry of a history: devices used so far, the step's length, how far it went."""

    devices: int
    step: float
    change: float


def batch_size(coordinates: int, epsilon: float, devices: int) -> int:
    """Return g = max(2 d log d / eps^2, n / 1000) of section 5.3.

    >>> batch_size(85, 0.05, 9_000_000), batch_size(20, 0.8, 9_000_000)
    (302101, 9000)
    """
    least = 2 * coordinates * math.log(coordinates) / epsilon**2
    return max(1, math.ceil(least), math.ceil(devices / 1000))


@dataclass(frozen=True)
class Problem:
    """What is minimised, over which devices."""

    x: DesignMatrix
    y: NDArray[np.float32]
    loss: int
    regularisation: float
    intercept: bool
    first: int
    devices: int
    tolerance: float
    rng: np.random.Generator

    @property
    def size(self) -> int:
        return self.x.d + self.intercept

    def sgd(self, noise: str, epsilon: float, step: float) -> tuple[Floats, list[HistoryEntry]]:
        """SGD; without noise, the second half of the iterates is averaged."""
        u_probability, scale = _noise(noise, epsilon, self.size)
        beta, total = np.zeros(self.size), np.zeros(self.size)
        done, summed = 0, 0
        before = beta.copy()
        history: list[HistoryEntry] = []
        entries = iter(np.linspace(0, self.devices, HISTORY_ENTRIES + 1)[1:])
        next_entry = next(entries)
        while done < self.devices:
            averaged = noise == "none" and done >= self.devices // 2
            draws = self._draws(min(CHUNK, self.devices - done), noise)
            kernels.descend(
                self.x.numbers, self.x.codes, self.y, self.first, done, draws,
                self.x.blocks, self.intercept, beta, total if averaged else total[:0], self.loss,
                self.regularisation, step, NOISES.index(noise), u_probability, scale, self.rng,
            )  # fmt: skip
            done += len(draws)
            summed += len(draws) if averaged else 0
            if done < next_entry:
                continue
            while done >= next_entry:
                next_entry = next(entries, math.inf)
            history.append(
                HistoryEntry(done, step / math.sqrt(done), float(np.abs(beta - before).max()))
            )
            before = beta.copy()
            if history[-1].change <= self.tolerance:
                break
        return (total / summed if summed else beta), history

    def _draws(self, devices: int, noise: str) -> NDArray[np.uint32]:
        """Draw 32 bits, or more, for each sign of Duchi's noise; a row for each device."""
        words = -(-self.size // 2) if noise == "duchi" else 0
        drawn = self.rng.integers(0, MOST_UINT64, (devices, words), np.uint64, endpoint=True)
        return drawn.view(np.uint32)

    def mgd(
        self, epsilon: float, step: float, batch: int | None, rows: int | None
    ) -> tuple[Floats, list[HistoryEntry]]:
        """MGD, in the subspace of a random projection if `rows` are given."""
        matrix = None if rows is None else self._projection(rows)
        size = self.size if rows is None else rows
        lookups = self._lookups(np.empty((0, self.size)) if matrix is None else matrix)
        g = min(batch or batch_size(size, epsilon, self.devices), self.devices)
        inverse = math.tanh(epsilon / 2)
        alpha = np.zeros(size)
        history: list[HistoryEntry] = []
        for t in range(1, self.devices // g + 1):
            constants, factors, terms = self._lookups(
                alpha[None, :] if matrix is None else (alpha @ matrix)[None, :]
            )
            signs = kernels.signs_of_batch(
                self.x.numbers, self.x.codes, self.y, self.first + (t - 1) * g, g,
                (constants[0], factors[0], terms[0]), self.x.starts, self.x.coordinates,
                lookups, self.regularisation * alpha, self.loss, inverse, self.rng,
            )  # fmt: skip
            update = step / math.sqrt(t) * signs * (size / (g * inverse))
            alpha -= update
            history.append(HistoryEntry(t * g, step / math.sqrt(t), float(np.abs(update).max())))
            if history[-1].change <= self.tolerance:
                break
        return (alpha if matrix is None else alpha @ matrix), history

    def _projection(self, rows: int) -> Floats:
        """Draw P: r x d signs over d."""
        return (2.0 * self.rng.integers(0, 2, (rows, self.size)) - 1) / self.size

    def _lookups(self, rows: Floats) -> Lookups:
        """Return what a device's product with each row adds up from."""
        found = [self.x.lookup(row[: self.x.d]) for row in rows]
        constants = np.array([one for one, _, _ in found])
        if self.intercept:
            constants += rows[:, -1]
        shape = (len(rows), -1)
        factors = np.array([one for _, one, _ in found]).reshape(shape if found else (0, 0))
        terms = np.array([one for _, _, one in found]).reshape(shape if found else (0, 0))
        return constants, factors, terms


def _noise(noise: str, epsilon: float, size: int) -> tuple[float, float]:
    """Return P[u = 1] of Duchi's method, and the noise's scale."""
    if noise == "duchi":
        return fixed_u_probability(epsilon, size), sign_scale(epsilon, size)
    if noise == "laplace":
        return 0.0, 2 * size / epsilon
    return 0.0, size / math.tanh(epsilon / 2) if noise == "harmony" else 0.0
