"""Pace: how many devices get a task, and when the others should ask again.

A step wants g reports.  Some devices get a task and are never heard of again, so a few more tasks
are given than reports are wanted; a device that reports after the step has closed took part for
nothing, so not many more.  Devices beyond that are sent away one step further for every g of
them, which is when they will be needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

SPARE = 0.1
"""Tasks given beyond the reports that are wanted, as a share of those."""

FEW_SPARE = 3
TASK_SECONDS = 60.0
"""A device that has not reported so long after it got its task is given up."""

LEAST_WAIT, MOST_WAIT = 1.0, 3600.0


@dataclass
class Pace:
    """The pace of one step, as one of the servers sees it.

    >>> pace = Pace(round=7, wanted=1, opened=0.0, expected=10.0)
    >>> [pace.wait(bytes([device]), now=0.0) for device in range(7)]
    [None, None, None, None, None, 20.0, 30.0]
    """

    round: int
    wanted: int
    opened: float
    expected: float
    """How many seconds a step takes, as far as the ones before tell."""
    share: float = 1.0
    """This server's share of all reports, as far as the step before tells."""
    reports: int = 0
    """Reports to this step that all servers have."""
    heard: int = 0
    """Those that came through this server."""
    given: int = 0
    turned_away: int = 0
    _recent: dict[bytes, float] = field(default_factory=dict)

    def wait(self, device: bytes, now: float) -> float | None:
        """Return None if this device may have the task, or in how many seconds to ask again."""
        if device in self._recent:
            return None  # it asks again: the answer was lost
        while self._recent and next(iter(self._recent.values())) < now - TASK_SECONDS:
            del self._recent[next(iter(self._recent))]
        under_way = min(len(self._recent), max(0, self.given - self.heard))
        lacking = self.wanted + math.ceil(SPARE * self.wanted) - self.reports
        if self.reports < self.wanted and under_way < self.share * lacking + FEW_SPARE:
            self._recent[device] = now
            self.given += 1
            return None
        self.turned_away += 1
        further = self.turned_away / max(1.0, self.share * self.wanted)
        seconds = self._seconds(now)
        left = max(0.0, self.opened + seconds - now)
        return min(max(LEAST_WAIT, left + further * seconds), MOST_WAIT)

    def next(self, round_id: int, wanted: int, opened: float) -> Pace:
        """Return the pace of the next step, with what this one taught."""
        share = self.heard / self.reports if self.reports else self.share
        expected = self._seconds(opened) * wanted / self.wanted
        return Pace(round_id, wanted, opened, expected, min(1.0, max(0.05, share)))

    def _seconds(self, now: float) -> float:
        """Return how long this whole step takes, from its reports so far."""
        if not self.reports:
            return max(self.expected, now - self.opened)
        return (now - self.opened) / min(1.0, self.reports / self.wanted)
