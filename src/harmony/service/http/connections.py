"""The connections of one process: how many there may be, and how long one may keep us waiting.

Anyone can open a connection and say nothing, half a word, or a word a minute.  So there are two
bounds.  A client has a deadline for everything that we wait for: its first byte, a request's head,
its body, the reading of a response, and the next request.  And there are only so many connections,
of one address and in all: when they are used up, those that have kept us waiting longest make room
for the new one, so that silence costs those who are silent.  Only what is being worked on is never
dropped.

One timer looks after all connections, a few times a second: a request costs nothing for it.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Collection, Iterable
from enum import Enum
from ipaddress import ip_address, ip_network
from itertools import chain
from typing import Protocol

from ..metrics import Metrics
from ..rate_limit import network_of
from ..settings import Settings

LOOK_SECONDS = 0.5
"""How often the deadlines are looked at, and so how late one may be."""

SHARE_DROPPED = 16
"""One in so many is dropped when there is no room, so that not every newcomer starts a search."""


class Stage(Enum):
    """What a connection is waiting for."""

    FIRST_BYTE = "first byte"
    NEXT_REQUEST = "next request"
    HEAD = "head"
    BODY = "body"
    READER = "reader"
    """The client must read what was sent before there can be more."""
    SERVER = "server"
    """It is our turn."""


class Connection(Protocol):
    """What the limits need of a connection."""

    address: str
    """Where it is from, as the socket says."""

    def stage(self) -> Stage:
        """Return what it is waiting for."""

    def waiting(self, stage: Stage, now: float) -> float:
        """Return for how many seconds it has been waiting for this."""

    def time_out(self, stage: Stage) -> None:
        """End it, because the client took too long."""

    def drop(self) -> None:
        """End it at once, because there is no room."""


class Connections:
    """The open connections, within the limits of the settings."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._most = settings.connections
        self._most_each = settings.address_connections
        self._proxies = [ip_network(one) for one in settings.proxies]
        self._by_network: dict[str, dict[Connection, None]] = {}
        self._open = 0
        self._timer: asyncio.TimerHandle | None = None
        self._metrics = metrics
        metrics.connected = lambda: self._open
        self._seconds = {
            Stage.FIRST_BYTE: settings.head_seconds,
            Stage.NEXT_REQUEST: settings.idle_seconds,
            Stage.HEAD: settings.head_seconds,
            Stage.BODY: settings.body_seconds,
            Stage.READER: settings.response_seconds,
            Stage.SERVER: float("inf"),
        }

    def __len__(self) -> int:
        return self._open

    def admit(self, newcomer: Connection, now: float) -> str:
        """Take in a connection; if there is no room for it, return why."""
        network = network_of(newcomer.address)
        same = self._by_network.get(network, {})
        if len(same) >= self._limit_of(newcomer.address) and not self._make_room(same, now):
            self._metrics.dropped("refused")
            return "this address has too many requests under way"
        if self._open >= self._most and not self._make_room(self._all(), now):
            self._metrics.dropped("refused")
            return "the server has too many requests under way"
        self._by_network.setdefault(network, {})[newcomer] = None
        self._open += 1
        if self._timer is None:
            self._look_later()
        return ""

    def leave(self, connection: Connection) -> None:
        """Forget a connection that has ended, if it is not forgotten yet."""
        network = network_of(connection.address)
        same = self._by_network.get(network, {})
        if connection in same:
            del same[connection]
            self._open -= 1
            if not same:
                del self._by_network[network]

    def _limit_of(self, address: str) -> float:
        """Return how many connections there may be from an address: proxies speak for many."""
        if not self._most_each or not address or self._is_proxy(address):
            return float("inf")
        return self._most_each

    def _is_proxy(self, address: str) -> bool:
        if not self._proxies:
            return False
        parsed = ip_address(address.partition("%")[0])
        return any(parsed in network for network in self._proxies)

    def _all(self) -> list[Connection]:
        return list(chain.from_iterable(self._by_network.values()))

    def _make_room(self, candidates: Collection[Connection], now: float) -> bool:
        """Drop some of those that have kept us waiting longest; return whether there were any."""
        silent = [
            (_rank(stage, one.waiting(stage, now)), number, one)
            for number, one in enumerate(candidates)
            if (stage := one.stage()) is not Stage.SERVER
        ]
        share = max(1, len(candidates) // SHARE_DROPPED)
        for _, _, one in heapq.nsmallest(share, silent):
            self.leave(one)
            one.drop()
            self._metrics.dropped("crowded")
        return bool(silent)

    def _look_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(LOOK_SECONDS, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """End the connections whose clients have taken too long."""
        now = loop.time()
        self._end_overdue(self._all(), now)
        self._timer = None
        if self._open:
            self._look_later()

    def _end_overdue(self, connections: Iterable[Connection], now: float) -> None:
        for one in connections:
            stage = one.stage()
            if one.waiting(stage, now) > self._seconds[stage]:
                self._metrics.dropped(stage.value)
                one.time_out(stage)


def _rank(stage: Stage, waited: float) -> tuple[bool, float]:
    """Return the order of dropping: first who has sent no whole head, then the others."""
    return stage in (Stage.BODY, Stage.READER), -waited
