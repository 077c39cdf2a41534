"""The estimate of a distribution: its CDF, quantiles, mean and standard deviation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Floats
from ..distribution import Distribution
from ..errors import HarmonyError
from .base import Estimate, Row
from .cdf_limits import CdfLimits, band_places
from .curves import smooth_shares
from .hierarchy import Tree
from .intervals import single
from .quantities import Between, Quantile, Quantity, Root, Variance, as_number
from .smoothing import peaks_of
from .sources import Source, covariance, smoothed, spread_of
from .verdicts import OK, TOO_FEW

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUNDING = 1e-6
"""How far, in steps, a number may be from a value that it stands for: 0.3 is no sum of 0.1."""

QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True, eq=False)
class DistributionEstimate(Estimate):
    """How a number is distributed over the devices that reported.

    `shares` are those of the finest bins, `edges` their edges.  They are the least-squares
    estimate from all levels, which is linear and unbiased, and what intervals, the mean and the
    standard deviation are made of; `consistent` is a close distribution without negative shares
    and without detail that is only noise, of which the CDF, shares and quantiles are read.

    >>> import numpy as np, harmony as hm
    >>> survey = hm.Survey("phones", [hm.Distribution("age", 0, 120, step=1)], epsilon=2.0)
    >>> ages = np.random.default_rng(1).binomial(90, 0.4, 200_000)
    >>> age = survey.estimate(survey.collect({"age": ages}, seed=7)).distribution("age")
    >>> age.median.estimate, age.median.interval(0.95)
    (36.0, (36.0, 36.0))
    >>> age.cdf(40).interval(0.95)
    (0.82..., 0.84...)
    """

    name: str
    question: Distribution
    n: int
    epsilon: float
    influence: float
    sources: Sequence[Source] = field(repr=False)
    devices: float = field(repr=False)
    overlap: float = field(repr=False, default=0.0)
    too_wide: float = field(repr=False, default=0.2)
    tiers: None = field(repr=False, default=None)

    @cached_property
    def edges(self) -> Floats:
        """The edges of the finest bins."""
        return np.array(self.question.leaves)

    @cached_property
    def tree(self) -> Tree:
        """The levels of bins, and how well each is known."""
        starts = [np.array(self.question.starts(size)) for size in self.question.sizes]
        return Tree(starts, [source.variance for source in self.sources])

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares of the finest bins: single ones may be negative."""
        if not self.n:
            return np.full(len(self.edges) - 1, np.nan)
        return self.tree.solve([source.frequencies for source in self.sources])

    @cached_property
    def consistent(self) -> Floats:
        """The shares made non-negative, and as smooth as their noise demands."""
        if not self.n:
            return self.shares
        return smooth_shares(self.shares, self.tree)

    @property
    def cdf_at_edges(self) -> Floats:
        """The CDF of the consistent form at each edge."""
        inner = np.minimum(np.cumsum(self.consistent[:-1]), 1.0)
        return np.concatenate([[0.0], inner, [1.0]])

    @property
    def median(self) -> Quantile:
        """The number that half of the devices are below."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> Quantile:
        """Return the number below which this share of the devices lies, with its interval."""
        share = as_number(share, "share")
        if not 0 < share < 1:
            raise HarmonyError("'share' must lie between 0 and 1, for example 0.5 for the median")
        if not self.n:
            return Quantile(share, math.nan, self)
        cdf = self.cdf_at_edges
        place = min(int(np.searchsorted(cdf, share)), len(cdf) - 1)
        if self.question.step is not None:
            return Quantile(share, float(self._values[place - 1]), self)
        left, right = cdf[place - 1], cdf[place]
        inside = (share - left) / (right - left) if right > left else 0.5
        at = self.edges[place - 1] + inside * (self.edges[place] - self.edges[place - 1])
        return Quantile(share, float(at), self)

    def cdf(self, at: float) -> Quantity:
        """Return the share of devices whose number is at most `at`, with its interval."""
        return self._between(-math.inf, as_number(at, "at"))

    def share(self, low: float, high: float) -> Quantity:
        """Return the share of devices whose number lies between `low` and `high`.

        Both ends belong to it.  Within a bin of which only a part lies there, devices are taken to
        be spread evenly, but for those that it has far beyond its neighbours: they may all have one
        number, and half of them are counted to either side.  The interval allows for any other
        way: it reaches from what whole bins between the ends have, at least, to what all bins that
        hold a number between them have, at most.  A bin holds its lower edge, so at an edge those
        of the bin above it may all have just that number.
        """
        low, high = as_number(low, "low"), as_number(high, "high")
        if low > high:
            raise HarmonyError("'low' must be at most 'high'")
        return self._between(low, high)

    @cached_property
    def mean(self) -> Quantity:
        """The mean, with its interval."""
        found = self._quantity(self._values, self._blur, self.edges[0], self.edges[-1])
        return found.reading(found.estimate)

    @cached_property
    def std(self) -> Quantity:
        """The standard deviation between devices, with its interval."""
        if not self.n:
            return Quantity(math.nan, math.nan)
        about = self._values - float(self.mean)
        moments = np.stack([about, about**2])
        first, second = (moments @ self.shares).tolist()
        square = Variance.of(
            (first, second),
            self._covariance(moments),
            (float(about[0]), float(about[-1])),
            float(self._one_answer(moments[1:])[0]),
        )
        return Root.of(square, self._blur, float(self.edges[-1] - self.edges[0]) / 2)

    def band(self, confidence: float = 0.95) -> list[tuple[float, float, float]]:
        """Return (number, low, high): limits of the share below each number, that hold at once.

        The numbers are edges of bins; with a `step` they lie halfway between two values.  Between
        two numbers of the list the CDF lies above the low of the first and below the high of the
        second, because it can only rise.
        """
        at, low, high = self._band_limits(confidence)
        return list(zip(at.tolist(), low.tolist(), high.tolist(), strict=True))

    def quantile_limits(
        self, share: float, confidence: float, *, everywhere: bool
    ) -> tuple[float, float]:
        """Return the last edge that is surely below a quantile, and the first that is above.

        Limits that hold everywhere at once hold for one quantile, too.  Where reports are few they
        may be closer: they know that a CDF rises, however its errors go up and down.
        """
        if not self.n:
            return math.nan, math.nan
        low, high = self._crossed(share, *self._band_limits(confidence))
        if everywhere:
            return low, high
        alone = self._crossed(share, self.edges, *self._limits.alone(single(confidence)))
        return max(low, alone[0]), min(high, alone[1])

    def _crossed(self, share: float, at: Floats, low: Floats, high: Floats) -> tuple[float, float]:
        """Return between which numbers a CDF within these limits reaches a share."""
        first = int(np.argmax(high >= share))  # the last edge has 1
        last = len(at) - 1 - int(np.argmax(low[::-1] <= share))  # the first edge has 0
        below, above = max(first - 1, 0), min(last + 1, len(at) - 1)
        if self.question.step is None:
            return float(at[below]), float(at[above])
        places = np.searchsorted(self.edges, [at[below], at[above]])
        return float(self._values[places[0]]), float(self._values[places[1] - 1])

    def cdf_sums(self, edges: Floats, *, of_all: bool = False) -> tuple[Floats, Floats]:
        """Return the unbiased CDF at some of the edges, and its covariance.

        With `of_all`, what it says about all devices of which those that reported are a sample.
        """
        below = (self.edges[:-1] < edges[:, None]).astype(np.float64)
        if not self.n:
            return np.full(len(edges), np.nan), np.full((len(edges), len(edges)), np.inf)
        # Of a handful of devices some levels have no answers, and what is known seems to be exact.
        errors = self._covariance(below)
        np.fill_diagonal(errors, np.maximum(np.diag(errors), 0.0) + self._one_answer(below) ** 2)
        if of_all:
            spread = spread_of(below, smoothed(np.maximum(self.consistent, 0), self.n))
            errors = errors + spread / self.devices
        return below @ self.shares, errors

    def at_most(self, edges: Floats) -> list[float]:
        """Return the number that those below each edge have at most."""
        if self.question.step is None:
            return [float(edge) for edge in edges]
        places = np.searchsorted(self.edges, edges)
        return [float(self._values[place - 1]) for place in places]

    @property
    def in_shares(self) -> bool:
        """Whether its rows are shares of devices, rather than in an attribute's own units."""
        return False

    @cached_property
    def verdict(self) -> str:
        """Whether the CDF's widest 95% interval is narrow enough to say something."""
        if not self.n:
            return TOO_FEW
        return OK if 2 * single(0.95) * self._limits.errors.max() <= self.too_wide else TOO_FEW

    def rows(self, confidence: float = 0.95) -> list[Row]:
        """Return the mean, the standard deviation and quantiles as rows of a table."""
        rows = []
        for label, one in (("mean", self.mean), ("standard deviation", self.std)):
            low, high = one.interval(confidence)
            rows.append(
                self.row(
                    value=label,
                    estimate=one.estimate,
                    stderr=one.stderr,
                    low=low,
                    high=high,
                    simultaneous_low=low,
                    simultaneous_high=high,
                    consistent=min(max(one.estimate, one.least), one.most),
                )
            )
        for share in QUANTILES:
            quantile = self.quantile(share)
            low, high = quantile.interval(confidence)
            wide_low, wide_high = quantile.interval(confidence, simultaneous=True)
            rows.append(
                self.row(
                    value="median" if share == 0.5 else f"{100 * share:g}% quantile",
                    estimate=quantile.estimate,
                    stderr=(high - low) / (2 * single(confidence)),
                    low=low,
                    high=high,
                    simultaneous_low=wide_low,
                    simultaneous_high=wide_high,
                    consistent=quantile.estimate,
                )
            )
        return rows

    def details(self, confidence: float = 0.95) -> dict[str, Any]:
        """Return the CDF with its band as plain values; nothing if nobody answered."""
        if not self.n:
            return {"attribute": self.name, "cdf": []}
        at, low, high = self._band_limits(confidence)
        cdf = np.interp(at, self.edges, self.cdf_at_edges)
        columns = (at, cdf, low, high)
        keys = ("at", "cdf", "low", "high")
        return {
            "attribute": self.name,
            "cdf": [
                dict(zip(keys, line, strict=True))
                for line in zip(*(column.tolist() for column in columns), strict=True)
            ],
        }

    drawn_height = 2.6

    def draw(self, axes: Axes, confidence: float) -> None:
        """Draw the CDF and its band."""
        from ..plots import draw_cdf

        at, low, high = self._band_limits(confidence)
        draw_cdf(axes, (self.edges, self.cdf_at_edges), (at, low, high), self.name)

    @cached_property
    def _values(self) -> Floats:
        """What stands for the numbers of each bin: the value itself, or the bin's middle."""
        if self.question.step is None:
            return np.asarray((self.edges[:-1] + self.edges[1:]) / 2)
        return np.linspace(self.edges[0], self.edges[-1], len(self.edges) - 1)

    @property
    def _blur(self) -> float:
        """How far a number may be from what stands for it."""
        return 0.0 if self.question.step is not None else float(self.edges[1] - self.edges[0]) / 2

    def _between(self, low: float, high: float) -> Quantity:
        """Return the share between two numbers: see `share`."""
        inside = self._inside(low, high)
        found = self._quantity(inside, 0.0, 0.0, 1.0)
        if not self.n:
            return found
        # Shares add up to 1, so all of them are just that, whatever a processor makes of the sum.
        read = float(inside[0] + (inside - inside[0]) @ self.consistent)
        if self.question.step is not None:
            return found.reading(read)
        below = self._halves(low) if low > self.edges[0] else 0.0  # nobody is below the first edge
        read += float(peaks_of(self.consistent) @ (self._halves(high) - below - inside))
        left, right = self.edges[:-1], self.edges[1:]
        whole = (left >= low) & (right <= high)
        touched = (left <= high) & ((right > low) | (right == low) & (right == self.edges[-1]))
        surely, perhaps = (
            self._quantity(bins.astype(np.float64), 0.0, 0.0, 1.0) for bins in (whole, touched)
        )
        return Between.of(found.reading(read), surely, perhaps)

    def _inside(self, low: float, high: float) -> Floats:
        """Return which part of each bin lies between two numbers."""
        left, right = self.edges[:-1], self.edges[1:]
        if self.question.step is not None:
            # A value and a number are the same if nothing but rounding is between them.
            near = ROUNDING * (self._values[1] - self._values[0])
            values = self._values
            found = (values >= low - near) & (values <= high + near)
            return np.asarray(found, np.float64)
        covered = np.minimum(right, high) - np.maximum(left, low)
        return np.asarray(np.clip(covered / (right - left), 0.0, 1.0))

    def _halves(self, at: float) -> Floats:
        """Return 1 for bins below a number, and half for the one that it is in."""
        if at >= self.edges[-1]:
            return np.ones(len(self.edges) - 1)
        left, right = self.edges[:-1], self.edges[1:]
        return np.asarray(((left <= at) * 1.0 + (right <= at)) / 2)

    def _quantity(self, weights: Floats, slack: float, least: float, most: float) -> Quantity:
        """Return a weighted sum of the shares of the finest bins."""
        if not self.n:
            return Quantity(math.nan, math.nan, least=math.nan, most=math.nan)
        if not np.ptp(weights):  # all devices, or none
            return Quantity(float(weights[0]), 0.0, 0.0, float(least), float(most))
        error = math.sqrt(max(float(self._covariance(weights[None, :])[0, 0]), 0.0))
        slack += float(self._one_answer(weights[None, :])[0])
        return Quantity(float(weights @ self.shares), error, slack, float(least), float(most))

    def _one_answer(self, sums: Floats) -> Floats:
        """Return how far one answer more can move sums: where reports are few, that is much."""
        moved = [
            np.ptp(rows, axis=1) / source.answers / source.contrast
            for source, rows in zip(self.sources, self.tree.adjoint(sums), strict=True)
            if source.answers
        ]
        return np.asarray(np.max(moved, axis=0))

    def _covariance(self, sums: Floats) -> Floats:
        """Return the covariance of sums of the shares of the finest bins, a row each."""
        shares = smoothed(np.maximum(self.consistent, 0), self.n)
        by_level = [np.add.reduceat(shares, starts) for starts in self.tree.starts]
        return covariance(
            self.sources,
            self.tree.adjoint(sums),
            by_level,
            spread_of(sums, shares),
            self.devices,
            self.overlap,
        )

    @cached_property
    def _limits(self) -> CdfLimits:
        return CdfLimits(self.shares, self.cdf_at_edges, self._covariance, self._one_answer)

    def _band_limits(self, confidence: float) -> tuple[Floats, Floats, Floats]:
        at = self.edges[band_places(len(self.edges) - 1)]
        if not self.n:
            return at, np.zeros(len(at)), np.ones(len(at))
        return at, *self._limits.everywhere(confidence)
