"""Devices without an answer: how many there are, and what the others say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Floats
from ..attributes import Value
from .export import finite_rows
from .ratios import Ratios


@dataclass(frozen=True, eq=False)
class NoAnswer:
    """The share of devices that answered `missing`, and the shares among the others.

    `interval` is that of the share of devices without an answer, at 95%; `interval_at` has others.
    `frequencies` are ratios, so they are unbiased only nearly; their intervals are Fieller's,
    which hold for ratios.  Where hardly anybody has an answer they have all that is possible.
    """

    value: Value
    share: float
    interval_at: Callable[[float], tuple[float, float]] = field(repr=False)
    values: Sequence[Value] = field(repr=False)
    raw: Floats = field(repr=False)
    covariance: Floats = field(repr=False)
    """Of the shares and, last, of the share without an answer."""

    @property
    def interval(self) -> tuple[float, float]:
        """The limits of the share of devices without an answer, with a confidence of 95%."""
        return self.interval_at(0.95)

    @property
    def frequencies(self) -> dict[Value, float]:
        """The share of each other value among the devices that have an answer."""
        return dict(zip(self.values, self._among_others.estimates.tolist(), strict=True))

    def intervals(self, confidence: float = 0.95) -> dict[Value, tuple[float, float]]:
        """Return (low, high) for each frequency."""
        low, high = self._among_others.intervals(confidence)
        return dict(zip(self.values, zip(low.tolist(), high.tolist(), strict=True), strict=True))

    @cached_property
    def _among_others(self) -> Ratios:
        own, last = np.diag(self.covariance)[:-1], self.covariance[-1, -1]
        both = -self.covariance[:-1, -1]  # of a share and of all that have an answer
        pairs = np.array([[own, both], [both, np.full_like(own, last)]]).transpose(2, 0, 1)
        return Ratios(self.raw, np.full_like(self.raw, 1 - self.share), pairs, (0.0, 1.0))

    def to_dict(self, attribute: str, confidence: float = 0.95) -> dict[str, Any]:
        """Return it as plain values."""
        limits = self.intervals(confidence)
        rows = [
            {"value": value, "estimate": share, "low": limits[value][0], "high": limits[value][1]}
            for value, share in self.frequencies.items()
        ]
        low, high = self.interval_at(confidence)
        own = {"attribute": attribute, "value": self.value, "share": self.share}
        return finite_rows([own | {"low": low, "high": high}])[0] | {"others": finite_rows(rows)}
