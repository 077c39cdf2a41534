"""One attribute's frequencies, joined from everything that tells of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats
from .combine import COVARIANCE_VALUES
from .consistency import project_to_simplex
from .hierarchy import Places
from .sampling import Sampling
from .sources import Source, covariance, skewness, smoothed, spread_of


@dataclass(frozen=True, eq=False)
class Marginal:
    """One attribute's frequencies as one source tells them.

    `axis` is 0 or 1 if the attribute is the first or the second of the source's two, of which
    `shape` tells the sizes; a source that is the attribute alone has the shape (size, 1).
    """

    source: Source
    shape: tuple[int, int]
    axis: int = 0

    @property
    def precision(self) -> float:
        """One over the variance of a frequency, before any data is seen."""
        return 1 / (self.source.variance * self.shape[1 - self.axis])

    def frequencies(self) -> Floats:
        """Return the frequencies of the attribute's values."""
        return np.asarray(self.source.frequencies.reshape(self.shape).sum(axis=1 - self.axis))

    def spread(self, values: Floats) -> Floats:
        """Return what belongs to the attribute's values as what belongs to the source's."""
        return (
            np.repeat(values, self.shape[1], 1) if not self.axis else np.tile(values, self.shape[0])
        )

    def of_pairs(self, shares: Floats) -> Floats:
        """Return shares of the source's values: the other attribute is any, so it is even."""
        return np.asarray(self.spread(shares[None, :])[0] / self.shape[1 - self.axis])


@dataclass(frozen=True, eq=False)
class Margins:
    """Everything that tells of one attribute, averaged by precision.

    Precisions are those before any data is seen.  Of not too many values, what remains of the
    variance is worked out with the frequencies that were found: rare ones scatter less than the
    average does, and gain less, or lose.
    """

    told: Sequence[Marginal]
    devices: float
    overlap: float

    @cached_property
    def trust(self) -> Floats:
        """How much each of them counts."""
        precisions = np.array([one.precision for one in self.told])
        return np.asarray(precisions / precisions.sum())

    @cached_property
    def frequencies(self) -> Floats:
        """The unbiased frequencies, which add up to one."""
        found = [one.frequencies() for one in self.told]
        about = sum(
            trust * (one - one.mean()) for trust, one in zip(self.trust, found, strict=True)
        )
        return np.asarray(about + 1 / len(found[0]))

    @cached_property
    def shares(self) -> Floats:
        """The frequencies as standard errors need them."""
        answers = sum(one.source.answers for one in self.told)
        return smoothed(project_to_simplex(self.frequencies), answers)

    @cached_property
    def covariance(self) -> Floats | None:
        """The covariance of the frequencies, of not too many values."""
        size = len(self.shares)
        if size > COVARIANCE_VALUES:
            return None
        return covariance(
            *self.weights(np.arange(size)),
            [one.of_pairs(self.shares) for one in self.told],
            spread_of(np.eye(size), self.shares),
            self.devices,
            self.overlap,
        )

    def higher(self, source: Source) -> tuple[Floats, Floats, Floats] | None:
        """Return what `JoinedSampling` needs of not too many values; `source` is one part."""
        size = len(self.shares)
        if size > COVARIANCE_VALUES:
            return None
        sources, weights = self.weights(np.arange(size))
        third, fourth = skewness(sources, weights, [one.of_pairs(self.shares) for one in self.told])
        place = next(at for at, one in enumerate(sources) if one is source)
        return np.diag(weights[place]), third, fourth

    def weights(self, places: Places) -> tuple[list[Source], list[Floats]]:
        """Return what some of the frequencies make of those of each source."""
        size = len(self.shares)
        about_mean = np.eye(size)[places] - 1 / size
        weights = [
            one.spread(trust * about_mean)
            for trust, one in zip(self.trust.tolist(), self.told, strict=True)
        ]
        return [one.source for one in self.told], weights

    def variances(self, alone: Sampling, source: Source) -> Floats:
        """Return the variance of each frequency, of which `alone` and `source` are one part.

        It is no less than precisions say, as plans do: holding all frequencies to a sum of one may
        gain a little more, but then simultaneous intervals held in 93% of rounds instead of 95%.
        """
        gain = 1 / source.variance / sum(one.precision for one in self.told)
        promised = np.asarray(gain * alone.cumulants(self.shares)[0])
        if self.covariance is None:
            return promised
        return np.maximum(promised, np.diag(self.covariance))
