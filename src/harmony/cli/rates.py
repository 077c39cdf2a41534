"""How fast something goes, lately."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 3.0


class Rate:
    """The rate of a growing count over the last seconds.

    >>> moments = iter([0.0, 1.0, 2.0])
    >>> rate = Rate(clock=lambda: next(moments))
    >>> rate.of(0), rate.of(100), rate.of(400)
    (0.0, 100.0, 200.0)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()

    def of(self, count: int) -> float:
        """Note the count, and return how fast it grows."""
        now = self._clock()
        self._seen.append((now, count))
        while self._seen[0][0] < now - WINDOW_SECONDS and len(self._seen) > 2:
            self._seen.popleft()
        started, before = self._seen[0]
        return (count - before) / (now - started) if now > started else 0.0
