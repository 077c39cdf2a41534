"""Devices without an answer: how many there are, and what the others say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import Floats
from ..attributes import Value
from .intervals import single


@dataclass(frozen=True, eq=False)
class NoAnswer:
    """The share of devices that answered `missing`, and the shares among the others.

    `interval` is that of the share of devices without an answer.  `frequencies` are ratios, so
    they are unbiased only nearly; their intervals are Fieller's, which hold for ratios.
    """

    value: Value
    share: float
    interval: tuple[float, float]
    values: Sequence[Value] = field(repr=False)
    raw: Floats = field(repr=False)
    covariance: Floats = field(repr=False)
    """Of the shares and, last, of the share without an answer."""

    @property
    def frequencies(self) -> dict[Value, float]:
        """The share of each other value among the devices that have an answer."""
        return dict(zip(self.values, (self.raw / (1 - self.share)).tolist(), strict=True))

    def intervals(self, confidence: float = 0.95) -> dict[Value, tuple[float, float]]:
        """Return (low, high) for each frequency; all of the line where nearly nobody answered.

        They hold the ratios r at which share - r (1 - no answer) is no further from zero than
        its error allows (Fieller 1954).
        """
        reach = single(confidence) ** 2
        own, last = np.diag(self.covariance)[:-1], self.covariance[-1, -1]
        both, rest = self.covariance[:-1, -1], 1 - self.share
        a = rest**2 - reach * last
        b = self.raw * rest + reach * both
        root = np.sqrt(np.maximum(b**2 - a * (self.raw**2 - reach * own), 0.0))
        low, high = ((b - root) / a, (b + root) / a) if a > 0 else (-np.inf + b, np.inf + b)
        pairs = zip(low.tolist(), high.tolist(), strict=True)
        return dict(zip(self.values, pairs, strict=True))

    def to_dict(self, attribute: str, confidence: float = 0.95) -> dict[str, Any]:
        """Return it as plain values."""
        from .export import finite_rows

        limits = self.intervals(confidence)
        rows = [
            {"value": value, "estimate": share, "low": limits[value][0], "high": limits[value][1]}
            for value, share in self.frequencies.items()
        ]
        low, high = self.interval
        own = {"attribute": attribute, "value": self.value, "share": self.share}
        return finite_rows([own | {"low": low, "high": high}])[0] | {"others": finite_rows(rows)}
