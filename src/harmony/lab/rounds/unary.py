"""Unary encoding, randomised twice: RAPPOR's two responses, L-OSUE, and dBitFlipPM.

A value is k bits, of which its own is one.  The permanent response flips them once for ever; each
report flips those again.  Two values differ in two bits, so with p and q the chances of a one in
the own bit and in another, a response costs log(p (1 - q) / (q (1 - p))).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from .chained import Chained, Codes, Support

Bits = NDArray[np.bool_]


class Unary(Chained):
    """A chain of two responses bit by bit; a round keeps a permanent bit with `kept_bit`."""

    @property
    def sent(self) -> Support:
        return Support(*map(self._after, (self.permanent.p, self.permanent.q)))

    @property
    def kept_bit(self) -> float:
        """The chance that a report shows a permanent bit as it is."""
        raise NotImplementedError

    def _after(self, chance: float) -> float:
        return chance * self.kept_bit + (1 - chance) * (1 - self.kept_bit)

    def remember(self, users: int, rng: np.random.Generator) -> Bits:
        """Return kept[user, value, bit]."""
        ones = np.where(np.eye(self.k) > 0, self.permanent.p, self.permanent.q)
        return rng.random((users, self.k, self.k), np.float32) < ones.astype(np.float32)

    def supported(self, kept: Bits, data: Codes, rng: np.random.Generator) -> Floats:
        bits = kept[np.arange(len(data)), data]
        flips = rng.random(bits.shape, np.float32) >= self.kept_bit
        return np.asarray((bits ^ flips).sum(axis=0), np.float64)

    def exact(self) -> tuple[float, float]:
        return _cost(self.permanent), _cost(self.sent)


@dataclass(frozen=True)
class Rappor(Unary):
    """RAPPOR's permanent and instantaneous responses on unary codes (Erlingsson et al. 2014).

    Arcolezi et al. (2022) call it L-SUE: both responses treat ones and zeros alike.

    >>> round(Rappor(2.0, 1.0, k=16).round_variance(), 2)
    3.92
    """

    memory: float
    epsilon: float
    k: int

    @property
    def permanent(self) -> Support:
        p = 1 / (1 + math.exp(-self.memory / 2))
        return Support(p, 1 - p)

    @property
    def kept_bit(self) -> float:
        p = 1 / (1 + math.exp(-self.epsilon / 2))
        return (p - self.permanent.q) / (self.permanent.p - self.permanent.q)


@dataclass(frozen=True)
class LOsue(Unary):
    """L-OSUE (Arcolezi et al. 2022): optimised unary encoding, then the symmetric response.

    >>> round(LOsue(2.0, 1.0, k=16).round_variance(), 2)
    3.68
    """

    memory: float
    epsilon: float
    k: int

    @property
    def permanent(self) -> Support:
        return Support(0.5, 1 / (math.exp(self.memory) + 1))

    @property
    def kept_bit(self) -> float:
        q, other = 1 / (math.exp(self.epsilon) + 1), self.permanent.q
        return (1 - other - q) / (1 - 2 * other)


@dataclass(frozen=True)
class DBitFlip(Chained):
    """dBitFlipPM (Ding et al. 2017): d of the k bits, flipped once for ever and sent as they are.

    There is no second response: one report costs as much as all of them, and a change shows as
    a change of the bits.

    >>> round(DBitFlip(2.0, k=16, d=4).round_variance(), 2)
    3.68
    """

    memory: float
    k: int
    d: int = 1

    @property
    def epsilon(self) -> float:  # type: ignore[override]  # there is one response
        """What one report costs."""
        return self.memory

    @property
    def permanent(self) -> Support:
        """The chances that a user's bits are the value's and it is one."""
        p = 1 / (1 + math.exp(-self.memory / 2))
        return Support(self.d / self.k * p, self.d / self.k * (1 - p))

    @property
    def sent(self) -> Support:
        return self.permanent

    def round_variance(self, frequency: float = 0.0) -> float:
        """n times the variance of one round: of bits that k/d users in k were asked."""
        p = 1 / (1 + math.exp(-self.memory / 2))
        asked, debiased = self.d / self.k, (2 * p - 1) ** 2
        return (p * (1 - p) / debiased + (1 - asked) * frequency) / asked

    def change_variance(self, frequency: float = 0.0) -> float:
        """Nothing is drawn anew for users who did not change."""
        return 0.0

    def window_variance(self, rounds: int, frequency: float = 0.0) -> float:
        """Further rounds of users who did not change add nothing."""
        return self.round_variance(frequency)

    def remember(self, users: int, rng: np.random.Generator) -> tuple[Codes, Bits]:
        """Return asked[user, place], which bits, and kept[user, value, place]."""
        asked = np.argsort(rng.random((users, self.k), np.float32), axis=1)[:, : self.d]
        p = 1 / (1 + math.exp(-self.memory / 2))
        own = asked[:, None, :] == np.arange(self.k)[None, :, None]
        kept = rng.random(own.shape, np.float32) < np.where(own, p, 1 - p)
        return asked, kept

    def supported(self, kept: tuple[Codes, Bits], data: Codes, rng: np.random.Generator) -> Floats:
        asked, bits = kept
        p = 1 / (1 + math.exp(-self.memory / 2))
        shown = bits[np.arange(len(data)), data]
        debiased = (shown - (1 - p)) / (2 * p - 1) * self.k / self.d
        sums = np.bincount(asked.reshape(-1), debiased.reshape(-1), minlength=self.k)
        return np.asarray(sums * (self.sent.p - self.sent.q) + len(data) * self.sent.q)

    def exact(self) -> tuple[float, float]:
        p = 1 / (1 + math.exp(-self.memory / 2))
        bits = min(self.d, 2)
        return bits * math.log(p / (1 - p)), bits * math.log(p / (1 - p))


def _cost(response: Support) -> float:
    p, q = response.p, response.q
    return math.log(p * (1 - q) / (q * (1 - p)))
