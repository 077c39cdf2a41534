"""Pacing: how many devices get a task, and when the others should ask again.

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
LEAST_SHARE = 0.05


@dataclass
class Pacing:
    """The pacing of one step, as one of the servers sees it since `started`.

    `longest` is how many seconds a step may take, `expected` how many it takes and `share` this
    server's share of all reports, as far as the step before tells.

    >>> pacing = Pacing(round=7, wanted=1, started=0.0, longest=10.0)
    >>> [pacing.wait(bytes([device]), now=0.0) for device in range(7)]
    [None, None, None, None, None, 20.0, 30.0]
    """

    round: int
    wanted: int
    started: float
    longest: float
    expected: float = math.inf
    share: float = 1.0
    reports: int = 0
    """Reports to this step that all servers have."""
    heard: int = 0
    """Those that came through this server."""
    given: int = 0
    sent_away: int = 0
    _before: int | None = None
    """Reports that were there when this server first looked."""
    _recent: dict[bytes, float] = field(default_factory=dict)

    def observe(self, reports: int, heard: int) -> None:
        """Note how many reports there are, and how many of them came through this server."""
        if self._before is None:
            self._before = reports - heard
        self.reports, self.heard = reports, heard

    def wait(self, device: bytes, now: float) -> float | None:
        """Return None if this device may have the task, or in how many seconds to ask again."""
        if device in self._recent:
            return None  # it asks again: the response was lost
        while self._recent and next(iter(self._recent.values())) < now - TASK_SECONDS:
            del self._recent[next(iter(self._recent))]
        under_way = min(len(self._recent), max(0, self.given - self.heard))
        lacking = self.wanted + math.ceil(SPARE * self.wanted) - self.reports
        if self.reports < self.wanted and under_way < self.share * lacking + FEW_SPARE:
            self._recent[device] = now
            self.given += 1
            return None
        self.sent_away += 1
        further = self.sent_away / max(1.0, self.share * self.wanted)
        left = self._seconds(self.wanted - self.reports, now)
        return min(max(LEAST_WAIT, left + further * self._seconds(self.wanted, now)), MOST_WAIT)

    def next(self, round_id: int, wanted: int, now: float) -> Pacing:
        """Return the pacing of the next step, with what this one taught."""
        arrived = self._arrived
        share = self.heard / arrived if arrived else self.share
        share = min(1.0, max(LEAST_SHARE, share))
        expected = self._seconds(wanted, now)
        return Pacing(round_id, wanted, now, self.longest, expected, share)

    @property
    def _arrived(self) -> int:
        """How many reports arrived since this server first looked."""
        return self.reports - (self._before or 0)

    def _seconds(self, reports: int, now: float) -> float:
        """Return how long so many reports take: as expected, until arrivals tell better."""
        if self._arrived > 0:
            seconds = (now - self.started) * reports / self._arrived
        else:
            seconds = self.expected * reports / self.wanted if reports > 0 else 0.0
        return min(max(0.0, seconds), self.longest)
