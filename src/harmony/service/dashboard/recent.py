"""What was worked out a moment ago, for those who ask next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Kept = TypeVar("Kept")

FRESH_SECONDS = 5.0
MOST_KEPT = 200


class Recent(Generic[Kept]):
    """Values by key that are worked out anew every few seconds at most, one at a time.

    >>> recent = Recent[int]()
    >>> recent.get("one", lambda: 1), recent.get("one", lambda: 2)
    (1, 1)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[Hashable, tuple[float, Kept]] = {}

    def get(self, key: Hashable, work_out: Callable[[], Kept]) -> Kept:
        """Return the value of this key, worked out anew if it is older than a few seconds."""
        with self._lock:
            known = self._kept.get(key)
            if known is None or self._clock() - known[0] >= FRESH_SECONDS:
                if len(self._kept) >= MOST_KEPT:
                    self._kept.clear()
                value = work_out()
                known = self._kept[key] = (self._clock(), value)
            return known[1]
