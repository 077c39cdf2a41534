"""All that figure 1 needs to know of a population, gathered in one pass.

A report depends on one person's tuple, and the experiments only count reports.  So the counts of
each attribute's values, and for Duchi's method the average probability of each rounded tuple v of
{-1, 1}^d among the people nearest to each corner, take the place of nine million people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...arrays import Counts, Floats
from ...attributes import Attribute, Numeric
from ..populations.encode import scaled


class Source(Protocol):
    """People to experiment on: a simulated population or an extract."""

    @property
    def name(self) -> str: ...

    @property
    def attributes(self) -> list[Attribute]: ...

    def chunks(self) -> Iterable[dict[str, NDArray[Any]]]: ...


@dataclass(frozen=True, eq=False)
class NumberCounts:
    """How many people have each value of a numeric attribute, scaled to [-1, 1]."""

    name: str
    t: Floats
    counts: Counts

    @property
    def truth(self) -> Floats:
        """The mean."""
        return np.array([self.t @ self.counts / self.counts.sum()])


@dataclass(frozen=True, eq=False)
class CodeCounts:
    """How many people have each value of a categorical attribute."""

    name: str
    counts: Counts

    @property
    def truth(self) -> Floats:
        """The frequencies."""
        return np.asarray(self.counts / self.counts.sum())


@dataclass(frozen=True, eq=False)
class Summary:
    """The counts of every attribute, and the rounded tuples of the numeric ones."""

    name: str
    n: int
    numbers: tuple[NumberCounts, ...]
    codes: tuple[CodeCounts, ...]
    nearest: Counts
    """How many people's numbers are nearest to each corner of {-1, 1}^d, as `Duchi.outcomes`."""
    rounded: Floats
    """rounded[corner, v]: average probability of the rounding v among the people of a corner."""

    @property
    def d(self) -> int:
        return len(self.numbers) + len(self.codes)

    @cached_property
    def means(self) -> Floats:
        return np.array([one.truth[0] for one in self.numbers])


def summarize(people: Source, advance: Callable[[int], None] = lambda done: None) -> Summary:
    """Read the people once, in chunks.

    >>> from harmony.lab.populations import us
    >>> summary = summarize(us(2000))
    >>> summary.n, summary.d, int(summary.nearest.sum())
    (2000, 23, 2000)
    """
    numeric = [one for one in people.attributes if isinstance(one, Numeric)]
    categorical = [one for one in people.attributes if not isinstance(one, Numeric)]
    numbers = [np.zeros(int(one.high - one.low) + 1, np.int64) for one in numeric]
    codes = [np.zeros(len(one.values), np.int64) for one in categorical]
    nearest = np.zeros(2 ** len(numeric), np.int64)
    rounded = np.zeros((len(nearest), len(nearest)))
    n = 0
    for chunk in people.chunks():
        size = len(chunk[people.attributes[0].name])
        for place, one in enumerate(numeric):
            offset = chunk[one.name] - int(one.low)
            numbers[place] += np.bincount(offset, minlength=len(numbers[place]))
        for place, attribute in enumerate(categorical):
            codes[place] += np.bincount(chunk[attribute.name], minlength=len(codes[place]))
        t = [scaled(chunk[one.name], one).astype(np.float64) for one in numeric]
        nearest += _add_rounded(t, size, rounded)
        n += size
        advance(size)
    return Summary(
        people.name,
        n,
        tuple(_numbers(one, counts) for one, counts in zip(numeric, numbers, strict=True)),
        tuple(CodeCounts(one.name, counts) for one, counts in zip(categorical, codes, strict=True)),
        nearest,
        rounded / np.maximum(nearest, 1)[:, None],
    )


def _numbers(attribute: Numeric, counts: Counts) -> NumberCounts:
    used = np.flatnonzero(counts)
    return NumberCounts(
        attribute.name, scaled(used + attribute.low, attribute).astype(np.float64), counts[used]
    )


def _add_rounded(t: Sequence[Floats], size: int, rounded: Floats) -> Counts:
    """Add each person's rounding probabilities to the row of their corner; count the corners."""
    corner = np.zeros(size, np.int64)
    for number in t:
        corner = 2 * corner + (number > 0)
    counts = np.bincount(corner, minlength=len(rounded))
    order = np.argsort(corner.astype(np.uint16), kind="stable")  # 16 bits: a radix sort
    half = len(t) // 2
    left, right = _corners(t[:half], size)[order], _corners(t[half:], size)[order]
    stop = 0
    for place in np.flatnonzero(counts):
        start, stop = stop, stop + int(counts[place])
        rounded[place] += (left[start:stop].T @ right[start:stop]).reshape(-1)
    return counts


def _corners(t: Sequence[Floats], size: int) -> Floats:
    """Return, for each person, the probability of each rounding of these numbers to -1 or 1."""
    corners = np.ones((size, 1))
    for number in t:
        down, up = (1 - number)[:, None] / 2, (1 + number)[:, None] / 2
        corners = np.stack([corners * down, corners * up], axis=2).reshape(size, -1)
    return corners
