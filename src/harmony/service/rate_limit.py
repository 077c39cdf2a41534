"""Rate limits: a bucket for each key that empties at a steady rate (GCRA)."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

MOST_KEYS = 100_000


class RateLimit:
    """At most `rate` requests a second for each key, and `burst` at once.

    >>> limit = RateLimit(rate=1.0, burst=2, clock=lambda: 100.0)
    >>> limit.wait("a"), limit.wait("a"), limit.wait("a"), limit.wait("b")
    (0.0, 0.0, 1.0, 0.0)
    """

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.active = rate > 0
        self._interval = 1.0 / rate if rate > 0 else 0.0
        self._room = burst * self._interval
        self._clock = clock
        self._full: dict[Hashable, float] = {}

    def used_up(self, key: Hashable) -> bool:
        """Say whether a request would have to wait, and count none."""
        return self._due(key, self._clock())[1] > 0

    def wait(self, key: Hashable) -> float:
        """Count a request; return 0, or the seconds after which it would be allowed."""
        now = self._clock()
        due, over = self._due(key, now)
        if over > 0:
            return over
        if len(self._full) >= MOST_KEYS:
            self._drop_idle(now)
        self._full[key] = due
        return 0.0

    def _due(self, key: Hashable, now: float) -> tuple[float, float]:
        """Return when the bucket would be empty again, and by how much it would overflow."""
        due = max(self._full.get(key, now), now) + self._interval
        over = due - now - self._room
        return due, over if over > 1e-9 else 0.0

    def _drop_idle(self, now: float) -> None:
        self._full = {key: due for key, due in self._full.items() if due > now}
        if len(self._full) >= MOST_KEYS:
            self._full.clear()
