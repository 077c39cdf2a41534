"""Planning an exploration: how common must a string be to be found?

A string is found if its prefix is kept in every search before the one in which it ends, and if it
then is kept and passes with the evidence of all steps that follow.  Estimates are normal around its
share with known variances, so the chance of all that is a product of two factors: see `chance`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import norm

from ..errors import HarmonyError
from ..mechanisms.linear import Linear
from .definition import Exploration
from .evidence import Evidence, Pooled
from .schedule import CHANCE, PLACES, Schedule

POINTS = np.linspace(-8, 8, 801)
WEIGHTS = norm.pdf(POINTS) / norm.pdf(POINTS).sum()
"""A standard normal distribution, finely enough for the step that a threshold is."""

BITS_A_CHARACTER = 4.0
"""Of common words and names, in the code that is used unless another is given."""


@dataclass(frozen=True)
class Length:
    """Strings of at most so many bits, and the share from which on they are found."""

    bits: int
    characters: int
    share: float


@dataclass(frozen=True, repr=False)
class ExplorationPlan:
    """What to expect of an exploration.

    >>> import harmony as hm
    >>> hm.Exploration("home-pages", hm.Text("home page"), 2.0, devices=1_000_000).plan()
    home-pages: 1,000,000 devices at epsilon 2, in at most 4 steps
    found with a chance of 90%:
      20 bits (about 5 letters)   from 0.73%
      34 bits (about 8 letters)   from 0.84%
      48 bits (about 12 letters)  from 0.90%
    by mistake: fewer than 0.1 strings, on average
    """

    exploration: str
    devices: int
    epsilon: float
    steps: int
    mistakes: float
    chance: float
    lengths: tuple[Length, ...]

    @property
    def share(self) -> float:
        """How common a string must be to be found with 90% chance, however long it is."""
        return max(one.share for one in self.lengths)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __repr__(self) -> str:
        lines = [
            f"{self.exploration}: {self.devices:,} devices at epsilon {self.epsilon:g}, in at most "
            f"{self.steps} steps",
            f"found with a chance of {self.chance:.0%}:",
        ]
        for one in self.lengths:
            length = f"{one.bits} bits (about {one.characters} letters)"
            reach = f"from {one.share:.2%}" if one.share < 1 else "never: ask more devices"
            lines.append(f"  {length:<26}  {reach}")
        mistakes = f"by mistake: fewer than {self.mistakes:g} strings, on average"
        return "\n".join([*lines, mistakes])


def plan(exploration: Exploration, chance: float = CHANCE) -> ExplorationPlan:
    """Say how common a string must be to be found with so great a chance."""
    if not 0 < chance < 1:
        raise HarmonyError("'chance' must be between 0 and 1")
    model = _Chances(Schedule(exploration))
    schedule, lengths = model.schedule, []
    for search in range(schedule.searches):
        bits = schedule.depth(search)
        characters = max(1, round(bits / BITS_A_CHARACTER))
        lengths.append(Length(bits, characters, model.share(search, chance)))
    return ExplorationPlan(
        exploration.name, exploration.devices, exploration.epsilon, schedule.searches + 1,
        exploration.mistakes, chance, tuple(lengths),
    )  # fmt: skip


def greatest_chance(exploration: Exploration, share: float) -> float:
    """Return the chance that a string of this share is found, if it has the best length."""
    if not 0 <= share <= 1:
        raise HarmonyError("'share' must be between 0 and 1")
    model = _Chances(Schedule(exploration))
    return max(model.chance(search, share) for search in range(model.schedule.searches))


class _Chances:
    """The chance that a string of a share is found, by the search in which it ends."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule

    @cached_property
    def parts(self) -> list[Evidence]:
        """What each step would say of a string: its devices and its noise."""
        exploration, schedule = self.schedule.exploration, self.schedule
        epsilon, shares = Fraction(exploration.epsilon), schedule.shares
        counts = [round(share * exploration.devices) for share in shares]
        places = [PLACES] * schedule.searches + [schedule.counted]
        return [
            Evidence.expected(Linear.design(epsilon, size), max(1, count))
            for size, count in zip(places, counts, strict=True)
        ]

    def chance(self, search: int, share: float) -> float:
        """Return the chance that such a string is found."""
        schedule, devices = self.schedule, self.schedule.exploration.devices
        kept = 1.0
        for one in self.parts[:search]:
            least = one.threshold(schedule.keep_threshold)
            spread = math.sqrt(Pooled((one,)).variance(share, devices))
            kept *= norm.cdf((share - least) / spread)
        pooled = Pooled(tuple(self.parts[search:]))
        return float(kept) * self._found(pooled, share)

    def _found(self, pooled: Pooled, share: float) -> float:
        """Return the chance that a string is kept where it ends, and passes in the end."""
        schedule, devices = self.schedule, self.schedule.exploration.devices
        found_from = pooled.threshold(schedule.found_threshold(schedule.tested))
        kept_from = pooled.parts[0].threshold(schedule.string_threshold)
        variance = pooled.variance(share, devices)
        between = max(pooled.first_variance(share, devices) - variance, 1e-30)
        estimates = share + math.sqrt(variance) * POINTS
        keeps = norm.cdf((estimates - kept_from) / math.sqrt(between))
        return float(np.sum(WEIGHTS * keeps * (estimates > found_from)))

    def share(self, search: int, chance: float) -> float:
        """Return the least share that gives such a chance; 1 if none does."""
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if self.chance(search, middle) >= chance else (middle, high)
        return high
