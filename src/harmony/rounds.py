"""Rounds: one snapshot of a survey, with its own public seed."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass

from harmony_device.coins import SEED_BYTES

from .errors import SurveyError

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")


@dataclass(frozen=True)
class Round:
    """A round's label and the 16-byte seed of its coins, published when it opens.

    >>> Round("2026-W46", bytes(16))
    Round(label='2026-W46', seed=00000000000000000000000000000000)
    """

    label: str
    seed: bytes

    def __post_init__(self) -> None:
        if not isinstance(self.label, str) or not _LABEL.fullmatch(self.label):
            raise SurveyError(
                "round: 'label' must be 1 to 64 letters, digits, '.', '_', ':' or '-'"
            )
        if not isinstance(self.seed, bytes) or len(self.seed) != SEED_BYTES:
            raise SurveyError(f"round: 'seed' must be {SEED_BYTES} bytes")

    def __repr__(self) -> str:
        return f"Round(label={self.label!r}, seed={self.seed.hex()})"

    @classmethod
    def open(cls, label: str) -> Round:
        """Open a round with a fresh random seed."""
        return cls(label, os.urandom(SEED_BYTES))

    @classmethod
    def simulated(cls, seed: int) -> Round:
        """Return the round of a reproducible simulation."""
        return cls("simulation", derive(seed, "round")[:SEED_BYTES])


def derive(seed: int, purpose: str) -> bytes:
    """Return 32 bytes that depend on a simulation's `seed` and on what they are for."""
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise SurveyError("'seed' must be an integer")
    return hashlib.sha256(f"harmony {purpose} {seed}".encode()).digest()
