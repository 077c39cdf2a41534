"""Joining crosstabs with the attributes that they are made of, by least squares.

A joint table is the whole, plus what its rows differ by, plus what its columns differ by, plus
the rest: how rows and columns go together.  Under equal and independent errors these parts are
uncorrelated, so least squares over all crosstabs and attributes of a survey comes apart.  How the
two go together is known from the crosstab alone; what the values of one attribute are is known
from that attribute and from every crosstab that it is part of, averaged by precision; and the
whole is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats
from .consistency import project_to_margins, project_to_simplex
from .margins import Marginal
from .sampling import Cumulants, Extremes, Sampling
from .sources import Source, covariance, skewness, spread_of


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint table of a crosstab, and what else is known of its rows and its columns.

    It speaks of so many `devices`; `overlap` says how far they answer several sources: see
    `sources`.
    """

    source: Source
    shape: tuple[int, int]
    rows: Sequence[Marginal]
    columns: Sequence[Marginal]
    devices: float
    overlap: float

    @property
    def _own(self) -> tuple[Marginal, Marginal]:
        return Marginal(self.source, self.shape, 0), Marginal(self.source, self.shape, 1)

    @cached_property
    def _trust(self) -> tuple[list[float], list[float]]:
        """How much each source counts for the rows and for the columns, the crosstab first."""
        found = []
        for own, others in zip(self._own, (self.rows, self.columns), strict=True):
            known = [one.precision for one in (own, *others)]
            found.append([one / sum(known) for one in known])
        return found[0], found[1]

    @cached_property
    def table(self) -> Floats:
        """The unbiased joint table, one row after the other; it adds up to one."""
        height, width = self.shape
        found = self.source.frequencies.reshape(self.shape)
        rows, columns = (
            sum(
                trust * _about_mean(one.frequencies())
                for trust, one in zip(trusts, (own, *others), strict=True)
            )
            for trusts, own, others in zip(
                self._trust, self._own, (self.rows, self.columns), strict=True
            )
        )
        means = found.mean(axis=1, keepdims=True), found.mean(axis=0, keepdims=True)
        together = found - means[0] - means[1] + found.mean()
        whole = 1 / (height * width)
        effects = np.asarray(rows)[:, None] / width + np.asarray(columns)[None, :] / height
        return np.asarray(together + effects + whole).ravel()

    @cached_property
    def consistent(self) -> Floats:
        """The joint table without negative shares, closer than the unbiased one.

        Its rows and columns add up to what everything tells of them.  Two attributes that have
        nothing to do with each other would leave it at that; what was estimated differs from such
        a table by how they do go together and by noise, of which the size is known, so as much of
        the difference is kept as exceeds noise (James and Stein 1961).  Rare pairs scatter less
        than frequent ones, the more so the larger epsilon is, and move less to fit the sums.
        """
        joined = self.table.reshape(self.shape)
        rows, columns = (project_to_simplex(joined.sum(axis=axis)) for axis in (1, 0))
        alike = project_to_margins(joined, rows, columns, np.ones(self.shape))
        variances = self.source.variances(alike)
        unrelated = np.outer(rows, columns)
        apart = float(((joined - unrelated) ** 2 / variances).sum())
        noise = max((len(rows) - 1) * (len(columns) - 1) - 2, 0)
        kept = 1 - noise / apart if apart > noise else 0.0
        alone = self.source.frequencies.reshape(self.shape)
        return project_to_margins(unrelated + kept * (alone - unrelated), rows, columns, variances)

    def weights(self, sums: Floats) -> tuple[list[Source], list[Floats]]:
        """Return what sums over the table, a row each, make of the frequencies of each source."""
        square = sums.reshape(len(sums), *self.shape)
        by_row, by_column = square.mean(axis=2), square.mean(axis=1)
        whole = square.mean(axis=(1, 2))[:, None]
        (own_rows, *other_rows), (own_columns, *other_columns) = self._trust
        own = (
            square
            - (1 - own_rows) * by_row[:, :, None]
            - (1 - own_columns) * by_column[:, None, :]
            + (1 - own_rows - own_columns) * whole[:, :, None]
        )
        sources, found = [self.source], [own.reshape(len(sums), -1)]
        for trusts, marginals, means in (
            (other_rows, self.rows, by_row),
            (other_columns, self.columns, by_column),
        ):
            for trust, one in zip(trusts, marginals, strict=True):
                sources.append(one.source)
                found.append(one.spread(trust * (means - whole)))
        return sources, found

    def covariance(self, sums: Floats, shares: Floats, *, of_all: bool = False) -> Floats:
        """Return the covariance of sums over the table, if `shares` is the table.

        With `of_all`, what they say about all devices of which those that reported are a sample.
        """
        sources, weights = self.weights(sums)
        spread = spread_of(sums, shares)
        known = self._shares_of_sources(shares)
        found = covariance(sources, weights, known, spread, self.devices, self.overlap)
        return found + spread / self.devices if of_all else found

    def sampling(self, alone: Sampling, shares: Floats) -> JoinedSampling:
        """Return how the table scatters, if `shares` is the table and `alone` the crosstab's."""
        cells = np.eye(len(shares))
        sources, weights = self.weights(cells)
        higher = skewness(sources, weights, self._shares_of_sources(shares))
        variances = np.diag(self.covariance(cells, shares))
        own = np.diag(weights[0])
        return JoinedSampling(self.table, alone, variances, shares, (own, *higher))

    def _shares_of_sources(self, shares: Floats) -> list[Floats]:
        """Return the shares of each source's values.

        Sums over rows know nothing of the other attribute of another crosstab: any will do.
        """
        square = shares.reshape(self.shape)
        by_axis = square.sum(axis=1), square.sum(axis=0)
        return [shares] + [
            one.spread(by_axis[axis][None, :])[0] / one.shape[1 - one.axis]
            for axis, marginals in enumerate((self.rows, self.columns))
            for one in marginals
        ]


def cell_variance(own: float, shape: tuple[int, int], rows: float, columns: float) -> float:
    """Return the variance of a cell that was joined, before any data is seen.

    `own` is that of a cell of the crosstab alone; `rows` and `columns` are the precisions with
    which one row's and one column's share are known from everything, the crosstab included.

    >>> cell_variance(1.0, (2, 2), rows=0.5, columns=0.5)  # nothing else is known
    1.0
    """
    height, width = shape
    of_rows, of_columns = 1 - 1 / height, 1 - 1 / width
    together = own * of_rows * of_columns
    effects = of_rows / width**2 / rows + of_columns / height**2 / columns
    # Frequencies add up to one: beside that, errors are larger than one by one they seem.
    return (together + effects) / (1 - 1 / (height * width))


class JoinedSampling(Sampling):
    """Estimates that were joined with what else is known of them.

    If the truth is `shares`, their variance is `variance`.  Where that is less than `alone`, they
    scatter as if more devices had answered.  Where it is more, as of rare pairs at large epsilon,
    on which the errors of frequent ones spill over, many small errors are added.

    `higher` has how much `alone` counts in each, and the third and fourth cumulants of all that is
    joined: sums of several errors are less skewed than one, and can be lower than one ever is.
    Where counts are small neither is exact, so each limit is that of the longer tail.
    """

    def __init__(
        self,
        estimates: Floats,
        alone: Sampling,
        variance: Floats,
        shares: Floats,
        higher: tuple[Floats, Floats, Floats] | None = None,
    ) -> None:
        self.estimates = estimates
        self._alone = alone
        own, own_third, own_fourth = alone.cumulants(shares)
        self._gains = np.clip(variance / own, 1e-6, 1.0)
        self._added = np.maximum(variance - own, 0.0)
        self._joined = None
        if higher is not None:
            weight, third, fourth = higher
            more = third - weight**3 * own_third, fourth - weight**4 * own_fourth
            self._joined = weight, *more

    def cumulants(self, truth: Floats) -> Cumulants:
        variance, third, fourth = self._alone.cumulants(truth)
        gains = self._gains
        scaled = third * gains**2, fourth * gains**3
        if self._joined is not None:
            weight, *more = self._joined
            joined = third * weight**3 + more[0], fourth * weight**4 + more[1]
            longer = (joined[0] > scaled[0]) == (truth < self.estimates)
            scaled = np.where(longer, joined[0], scaled[0]), np.where(longer, joined[1], scaled[1])
        return variance * gains + self._added, *scaled

    @property
    def likely(self) -> Floats:
        return self._alone.likely

    @property
    def extremes(self) -> Extremes:
        return -np.inf, np.inf


def _about_mean(numbers: Floats) -> Floats:
    return np.asarray(numbers - numbers.mean())
