"""Limits of the CDF of a distribution: at each number alone, or everywhere at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats
from .hierarchy import Places
from .intervals import correlation_of, simultaneous

BAND_EDGES = 256
"""Edges at which the band is worked out: between them the CDF can only rise."""


def band_places(last: int) -> Places:
    """Return the edges of a band, of those from 0 to `last`: all of them, or every so many.

    >>> band_places(4).tolist(), len(band_places(1000))
    ([0, 1, 2, 3, 4], 258)
    """
    inner = np.linspace(1, last - 1, min(last - 1, BAND_EDGES)).round()
    return np.concatenate([[0], np.unique(inner), [last]]).astype(np.intp)


@dataclass(frozen=True, eq=False)
class CdfLimits:
    """What is known of a CDF at the edges of bins.

    `shares` are those of the bins, without bias; `read` is the CDF that is read of them, at every
    edge, and is always within its limits.
    """

    shares: Floats
    read: Floats
    covariance: Callable[[Floats], Floats]
    """Of sums of the shares, a row each."""
    one_answer: Callable[[Floats], Floats]
    """How far one answer more can move such sums."""

    def alone(self, critical: float) -> tuple[Floats, Floats]:
        """Return limits at every edge, so many standard errors away."""
        raw = np.concatenate([[0.0], np.cumsum(self.shares)[:-1], [1.0]])
        reach = critical * self.errors + self._slack
        low, high = np.minimum(raw - reach, self.read), np.maximum(raw + reach, self.read)
        return np.maximum(low, 0.0), np.minimum(high, 1.0)

    def everywhere(self, confidence: float) -> tuple[Floats, Floats]:
        """Return limits at the edges of a band that hold at once."""
        if confidence not in self._criticals:
            correlation = correlation_of(self._covariance)
            self._criticals[confidence] = simultaneous(confidence, len(correlation), correlation)
        low, high = (limit[self._places] for limit in self.alone(self._criticals[confidence]))
        # A CDF rises: what holds before holds behind, and the other way round.
        return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]

    @cached_property
    def errors(self) -> Floats:
        """The standard error at every edge."""
        return self._at_every_edge(np.sqrt(np.maximum(np.diag(self._covariance), 0.0)))

    @cached_property
    def _slack(self) -> Floats:
        """How far one answer more can move the CDF at every edge."""
        return self._at_every_edge(self.one_answer(self._below))

    @cached_property
    def _places(self) -> Places:
        return band_places(len(self.shares))

    @cached_property
    def _below(self) -> Floats:
        """Which bins are below each inner edge of a band."""
        return (np.arange(len(self.shares)) < self._places[1:-1, None]).astype(np.float64)

    @cached_property
    def _covariance(self) -> Floats:
        return self.covariance(self._below)

    @cached_property
    def _criticals(self) -> dict[float, float]:
        return {}

    def _at_every_edge(self, known: Floats) -> Floats:
        """Return what is known at inner edges of a band at all edges; at either end it is zero."""
        inner = np.concatenate([[0.0], known, [0.0]])
        return np.asarray(np.interp(np.arange(len(self.shares) + 1), self._places, inner))
