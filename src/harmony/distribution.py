"""Distributions: a number of which everything is asked, in bins of several sizes at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from .attributes import Numeric, check_naming, check_range, options_of
from .errors import SurveyError

BRANCHING = 4
"""Bins that a bin of one level is divided into at the next; see ARCHITECTURE.md."""

DEFAULT_BINS, MOST_BINS = 256, 4096


@dataclass(frozen=True)
class Distribution:
    """A number between `low` and `high`, whose whole distribution the survey estimates.

    Devices are asked for its bin at several levels, each finer than the one before: 4, 16, 64
    and, with the usual `bins`, 256 equal bins.  Of a number that is always a whole multiple of
    `step` from `low` on, such as an age in years, each value is a bin of its own at the last
    level.  `missing`, `weight`, `question` and `reads` are those of `Numeric`.

    >>> Distribution("screen", 0, 600).sizes
    (4, 16, 64, 256)
    >>> ages = Distribution("age", 0, 120, step=1)
    >>> ages.sizes, ages.leaves[:3], ages.leaves[-2:]
    ((4, 16, 121), (0.0, 0.5, 1.5), (119.5, 120.0))
    """

    name: str
    low: float
    high: float
    bins: int | None = None
    step: float | None = None
    weight: int = 1
    missing: float | None = None
    question: str | None = None
    reads: str | None = None

    def __post_init__(self) -> None:
        check_naming(self)
        check_range(self)
        if self.step is not None:
            if self.bins is not None:
                raise SurveyError(f"{self.name}: give 'bins' or 'step', not both")
            self._check_step()
        elif self.bins is None:
            object.__setattr__(self, "bins", DEFAULT_BINS)
        elif type(self.bins) is not int or not 2 <= self.bins <= MOST_BINS:
            raise SurveyError(f"{self.name}: 'bins' must be an integer from 2 to {MOST_BINS}")
        if any(left >= right for left, right in pairwise(self.leaves)):
            raise SurveyError(f"{self.name}: 'low' and 'high' are too close for so many bins")

    def _check_step(self) -> None:
        step = self.step
        if isinstance(step, bool) or not isinstance(step, int | float) or not 0 < step < math.inf:
            raise SurveyError(f"{self.name}: 'step' must be a positive number")
        times = (self.high - self.low) / step
        if not 1 <= times < MOST_BINS or abs(times - round(times)) > 1e-9 * times:
            raise SurveyError(
                f"{self.name}: 'step' must divide the range from 'low' to 'high' into 1 to "
                f"{MOST_BINS - 1} equal parts"
            )

    @property
    def source(self) -> str:
        """What it reads, of a record or a table."""
        return self.name if self.reads is None else self.reads

    @cached_property
    def leaves(self) -> tuple[float, ...]:
        """The edges of the finest bins."""
        if self.step is None:
            bins, span = self.bins or DEFAULT_BINS, self.high - self.low
            return tuple(self.low + span * place / bins for place in range(bins)) + (self.high,)
        last = round((self.high - self.low) / self.step)
        span = self.high - self.low
        middles = (self.low + span * (place + 0.5) / last for place in range(last))
        return (self.low, *middles, self.high)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many bins each level has: four times as many as the one before, and the finest."""
        finest, sizes = len(self.leaves) - 1, []
        size = BRANCHING
        while 2 * size <= finest:
            sizes.append(size)
            size *= BRANCHING
        return (*sizes, finest)

    def starts(self, size: int) -> tuple[int, ...]:
        """Return the number of the first leaf of each bin of the level with `size` bins."""
        finest = len(self.leaves) - 1
        return tuple(finest * place // size for place in range(size))

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """What devices are asked: the same number in the bins of each level."""
        finest = len(self.leaves) - 1
        return tuple(
            Level(
                f"{self.name} in {size} bins",
                self.low,
                self.high,
                [self.leaves[start] for start in (*self.starts(size), finest)],
                self.weight,
                self.missing,
                self.question,
                self.source,
                of=self,
            )
            for size in self.sizes
        )

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"name": self.name, "kind": "distribution"}
        document |= {"low": self.low, "high": self.high}
        document |= {"bins": self.bins} if self.step is None else {"step": self.step}
        return document | options_of(self)


@dataclass(frozen=True)
class Level(Numeric):
    """The bins of one level of a distribution."""

    of: Distribution | None = None

    def to_document(self) -> dict[str, Any]:
        assert self.of is not None
        return super().to_document() | {"level_of": self.of.to_document()}


def gathered(documents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return attributes' documents with the levels of a distribution put together again.

    >>> levels = [level.to_document() for level in Distribution("age", 0, 120, bins=16).levels]
    >>> gathered(levels) == [Distribution("age", 0, 120, bins=16).to_document()]
    True
    """
    found: list[dict[str, Any]] = []
    for document in documents:
        whole = document.get("level_of") if isinstance(document, dict) else None
        if whole is None or not found or found[-1] != whole:
            found.append(document if whole is None else whole)
    return found
