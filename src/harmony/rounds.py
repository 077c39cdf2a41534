"""Rounds: one snapshot of a survey, with its own public seed."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from harmony_device.coins import SEED_BYTES
from harmony_device.protocol import MAX_SAFE_INTEGER

from .errors import SurveyError

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")


@dataclass(frozen=True)
class Round:
    """A round's label and the 16-byte seed of its coins, published when it opens.

    A survey's rounds are numbered, one after the other: with rotation the number says whose turn
    it is.

    >>> Round("2026-W46", bytes(16))
    Round(label='2026-W46', seed=00000000000000000000000000000000)
    >>> Round("2026-W46", bytes(16), number=45).to_dict()["number"]
    45
    """

    label: str
    seed: bytes
    number: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.label, str) or not _LABEL.fullmatch(self.label):
            raise SurveyError(
                "round: 'label' must be 1 to 64 letters, digits, '.', '_', ':' or '-'"
            )
        if not isinstance(self.seed, bytes) or len(self.seed) != SEED_BYTES:
            raise SurveyError(f"round: 'seed' must be {SEED_BYTES} bytes")
        numbered = type(self.number) is int and 0 <= self.number <= MAX_SAFE_INTEGER
        if self.number is not None and not numbered:
            raise SurveyError("round: 'number' must be an integer that is zero or more")

    def __repr__(self) -> str:
        number = "" if self.number is None else f", number={self.number}"
        return f"Round(label={self.label!r}, seed={self.seed.hex()}{number})"

    def to_dict(self) -> dict[str, Any]:
        """Return the round as files about it say it."""
        written: dict[str, Any] = {"round": self.label, "seed": self.seed.hex()}
        return written if self.number is None else written | {"number": self.number}

    @classmethod
    def from_dict(cls, written: dict[str, Any]) -> Round:
        """Read what `to_dict` wrote."""
        return cls(written["round"], bytes.fromhex(written["seed"]), written.get("number"))

    @classmethod
    def open(cls, label: str, number: int | None = None) -> Round:
        """Open a round with a fresh random seed."""
        return cls(label, os.urandom(SEED_BYTES), number)

    @classmethod
    def simulated(cls, seed: int) -> Round:
        """Return the round of a reproducible simulation."""
        return cls("simulation", derive(seed, "round")[:SEED_BYTES])


def derive(seed: int, purpose: str) -> bytes:
    """Return 32 bytes that depend on a simulation's `seed` and on what they are for."""
    if not isinstance(seed, Integral) or isinstance(seed, bool):
        raise SurveyError("'seed' must be an integer")
    return hashlib.sha256(f"harmony {purpose} {seed}".encode()).digest()
