"""Clocks that jump: what cannot be undone waits until the time has been steady for a while."""

from __future__ import annotations

import time
from collections.abc import Callable

STEADY_SECONDS = 600.0
"""So long a clock must say that a time has come, before something is done for good."""

CLOCKS_DIFFER = 86400.0
"""By how much the clocks of two servers may differ; a time further ahead is a wrong clock's."""

JUMP_SECONDS = 3600.0
"""By how much a clock may be set without anyone's asking why."""


class ClockJumps:
    """Whether a clock goes on as it did, compared with one that nobody sets.

    >>> now, steady = [1e9], [0.0]
    >>> jumps = ClockJumps(lambda: now[0], lambda: steady[0])
    >>> now[0] += 1e7; jumps.is_steady()
    False
    >>> now[0] += 600; steady[0] += 600; jumps.is_steady()
    True
    """

    def __init__(
        self, clock: Callable[[], float], steady: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._steady = steady
        self._trusted = self._jumped_to = clock() - steady()
        self._since = 0.0

    def is_steady(self) -> bool:
        """Whether it has not jumped, or has jumped back, or has stayed where it jumped to."""
        steady = self._steady()
        offset = self._clock() - steady
        if abs(offset - self._trusted) > JUMP_SECONDS:
            if abs(offset - self._jumped_to) > JUMP_SECONDS:
                self._jumped_to, self._since = offset, steady
            if steady - self._since < STEADY_SECONDS:
                return False
        self._trusted = self._jumped_to = offset
        return True
