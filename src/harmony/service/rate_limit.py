"""Rate limits: a bucket for each key that empties at a steady rate (GCRA)."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network

from .problems import Problem

MOST_KEYS = 100_000

MOST_LETTERS = 64
"""Of an address that counts: a proxy may write anything, and it is kept."""


def network_of(address: str) -> str:
    """Return what a limit goes by: an IPv4 address, or the 64 bits that one IPv6 customer has.

    >>> network_of("192.0.2.1"), network_of("2001:db8::1:2:3:4"), network_of("::ffff:192.0.2.1")
    ('192.0.2.1', '2001:db8::/64', '192.0.2.1')
    """
    return _ipv6_network(address) if ":" in address else address[:MOST_LETTERS]


@lru_cache(maxsize=4096)
def _ipv6_network(address: str) -> str:
    try:
        whole = IPv6Address(address.partition("%")[0])
    except ValueError:  # a proxy may write anything
        return address[:MOST_LETTERS]
    if whole.ipv4_mapped is not None:
        return str(whole.ipv4_mapped)
    return str(IPv6Network((whole, 64), strict=False))


class RateLimit:
    """At most `rate` requests a second for each key, and `burst` at once; no limit at rate 0.

    >>> limit = RateLimit(rate=1.0, burst=2, clock=lambda: 100.0)
    >>> limit.acquire("a"), limit.acquire("a"), limit.acquire("a"), limit.acquire("b")
    (0.0, 0.0, 1.0, 0.0)
    """

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._active = rate > 0
        self._interval = 1.0 / rate if rate > 0 else 0.0
        self._capacity = burst * self._interval
        self._clock = clock
        self._empty_at: dict[Hashable, float] = {}

    def acquire(self, key: Hashable) -> float:
        """Count a request; return 0, or the seconds after which it would be allowed."""
        now = self._clock()
        empty_at = max(self._empty_at.get(key, now), now) + self._interval
        excess = empty_at - now - self._capacity
        if excess > 1e-9:
            return excess
        if len(self._empty_at) >= MOST_KEYS:
            self._drop_idle(now)
        self._empty_at[key] = empty_at
        return 0.0

    def check(self, key: Hashable) -> None:
        """Count a request, or raise the problem that there were too many."""
        if self._active and (wait := self.acquire(key)):
            raise Problem(
                "too-many-requests", "too many requests; wait as Retry-After says",
                retry_after=wait,
            )  # fmt: skip

    def _drop_idle(self, now: float) -> None:
        self._empty_at = {key: moment for key, moment in self._empty_at.items() if moment > now}
        if len(self._empty_at) > MOST_KEYS // 2:  # or it would be searched again before long
            self._empty_at.clear()
