"""Several samplings as one, so that what takes many small steps takes them once for all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats
from .answers import ShareSampling
from .sampling import Cumulants, Extremes, Sampling
from .sums import SumSampling


def stacked(parts: Sequence[Sampling]) -> Sampling:
    """Return the sampling of all estimates of these, behind one another.

    >>> from harmony.estimate.sampling import KnownSampling
    >>> one, other = (KnownSampling(np.array([x]), np.ones(1)) for x in (0.25, 0.75))
    >>> stacked([one, other]).estimates.tolist()
    [0.25, 0.75]
    """
    if len(parts) == 1:
        return parts[0]
    shares = [one for one in parts if isinstance(one, ShareSampling)]
    if len(shares) == len(parts):
        return ShareSampling.stacked(shares)
    sums = [one for one in parts if isinstance(one, SumSampling)]
    if len(sums) == len(parts) and len({(len(one.parts), one.alike) for one in sums}) == 1:
        columns = zip(*(one.parts for one in sums), strict=True)
        return SumSampling.stacked(sums, [stacked(column) for column in columns])
    return StackedSampling(parts)


class StackedSampling(Sampling):
    """Samplings of any kind behind one another."""

    def __init__(self, parts: Sequence[Sampling]) -> None:
        self._parts = parts
        self._ends = np.cumsum([len(part.estimates) for part in parts])[:-1]
        self.estimates = np.concatenate([part.estimates for part in parts])

    def cumulants(self, truth: Floats) -> Cumulants:
        truths = np.split(truth, self._ends, axis=-1)
        found = [part.cumulants(one) for part, one in zip(self._parts, truths, strict=True)]
        variance, third, fourth = (np.concatenate(one, -1) for one in zip(*found, strict=True))
        return variance, third, fourth

    @property
    def likely(self) -> Floats:
        return np.concatenate([part.likely for part in self._parts])

    @property
    def extremes(self) -> Extremes:
        lowest, highest = (
            np.concatenate(
                [np.broadcast_to(one.extremes[end], one.estimates.shape) for one in self._parts]
            )
            for end in (0, 1)
        )
        return lowest, highest

    @property
    def step(self) -> Floats:
        return np.concatenate([part.step for part in self._parts])
