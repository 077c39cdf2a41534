"""What two rounds have in common: the devices that rotation asks, and what devices keep.

Rounds draw their noise anew.  With memory, part of it is drawn once: it is the same in every round
of a device whose answer stays, as is whether it is asked, and cancels in a difference.  How many
answers stayed no tally tells, so who compares must say; for the others the worst is supposed.  With
rotation, rounds of different places have heard different devices, none twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Counts, Floats
from ..mechanisms import Grid, Linear, Mechanism
from .window import by_turn

if TYPE_CHECKING:
    from ..survey import Survey
    from ..tally import Tally


@dataclass(frozen=True)
class Turns:
    """Who was heard: of each place of a rotation, the share of the reports and the devices."""

    every: int
    heard: dict[int, tuple[float, float]]

    @classmethod
    def of(cls, survey: Survey, tallies: Sequence[Tally]) -> Turns | None:
        """Return who was heard in rounds, if any two rounds can have heard the same."""
        total = sum(one.reports for one in tallies)
        if (survey.every is None and survey.memory is None) or not total:
            return None
        heard = {}
        for turn, same in by_turn(survey, tallies).items():
            reports = sum(one.reports for one in same)
            heard[turn] = reports / total, reports / len(same)
        return cls(survey.every or 1, heard)

    @property
    def devices(self) -> float:
        """How many devices there are, in all places."""
        return self.every * sum(devices for _, devices in self.heard.values()) / len(self.heard)

    def shared(self, other: Turns) -> float:
        """Return what both averages are to each device that both heard, added up."""
        both = [(self.heard[turn], other.heard[turn]) for turn in self.heard if turn in other.heard]
        return sum(
            share * again / max(devices, then) for (share, devices), (again, then) in both if then
        )


@dataclass(frozen=True, eq=False)
class Alike:
    """What may be the same in two rounds of one attribute, of one answer.

    `kept` is the variance of what devices keep, at least, and `most` that of any one device;
    `spread` is the variance between devices, `asked` the share that was asked, and `widest` half
    of the largest square by which an answer can change.
    """

    kept: Floats
    most: float
    spread: Floats
    asked: float
    widest: float

    @classmethod
    def of(
        cls, mechanism: Mechanism, cells: Counts, estimates: Floats, spread: Floats, asked: float
    ) -> Alike:
        """Return it for the estimates that a mechanism makes of counts."""
        if isinstance(mechanism, Linear):
            ends = mechanism.permanent_noise_at(np.array([0.0, 1.0]))
            kept = mechanism.permanent_noise_at(np.clip(estimates, 0.0, 1.0))
            return cls(kept, float(ends.max()), spread, asked, 0.5)
        assert isinstance(mechanism, Grid)
        ends = mechanism.permanent_noise_at(mechanism.points)
        kept = np.array([mechanism.kept_noise_of(cells)])
        return cls(kept, float(ends.max()), spread, asked, 2.0)

    def some(self, places: Sequence[int]) -> Alike:
        """Return it for some of the estimates."""
        kept, spread = self.kept[list(places)], self.spread[list(places)]
        return Alike(kept, self.most, spread, self.asked, self.widest)


def covariance_of(before: tuple[Alike, Turns], after: tuple[Alike, Turns], stayed: float) -> Floats:
    """Return the covariance of two rounds' estimates, at least.

    Of the devices of the smaller round, `stayed` answered the other one, too, the same.
    """
    (one, first), (other, second) = before, after
    shared, all_devices = first.shared(second), max(first.devices, second.devices)
    changed = 1 - stayed
    spread = np.minimum(one.spread, other.spread) - changed * one.widest
    beyond = shared - 1 / all_devices if first.every > 1 else 0.0
    if beyond < 0:  # no device is heard twice: rounds differ more than by chance
        return np.maximum(one.spread, other.spread) * beyond
    if not one.most:  # no memory: who is asked what is drawn anew
        return np.maximum(spread, 0.0) * beyond
    asked = min(one.asked, other.asked)
    kept = np.minimum(one.kept, other.kept) - changed * max(one.most, other.most)
    together = np.maximum(kept + (1 - asked) * spread, 0.0) * shared / max(one.asked, other.asked)
    return np.asarray(together + np.maximum(spread, 0.0) * beyond)
