"""A connection that keeps to the limits of `connections`: what uvicorn's two protocols share."""

from __future__ import annotations

import asyncio
from functools import cache
from http import HTTPStatus
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.flow_control import CLOSE_HEADER, FlowControl
from uvicorn.server import ServerState

from ..asgi import Headers, Response, problem_response
from ..problems import OverloadedError, Problem
from .connections import Connections, Stage

if TYPE_CHECKING:
    _Protocol = asyncio.Protocol
else:
    _Protocol = object  # it stands before one of uvicorn's protocols


class GuardedConnection(_Protocol):
    """One connection, as its limits see it."""

    limits: Connections
    address = ""
    client: tuple[str, int] | None
    cycle: Any
    """The last request that was read, and the response to it."""
    flow: FlowControl
    loop: asyncio.AbstractEventLoop
    server_state: ServerState
    transport: asyncio.Transport
    _since = 0.0
    _stage: Stage | None = None
    _cycle: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, if there is room."""
        super().connection_made(transport)
        if self.client is not None:
            self.client = (_plain(self.client[0]), self.client[1])
            self.address = self.client[0]
        self._stage, self._since = Stage.FIRST_BYTE, self.loop.time()
        refused = self.limits.admit(self, self._since)
        if refused:
            self.refuse(OverloadedError(refused))

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self.limits.leave(self)
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Go on: the client has read some of what was sent, and so has time for the rest."""
        super().resume_writing()
        self._stage = None

    def is_reading_head(self) -> bool:
        """Whether a request has begun whose head is not whole."""
        raise NotImplementedError

    def stage(self) -> Stage:
        """Return what the connection is waiting for."""
        cycle = self.cycle
        if self.flow.write_paused or self.transport.is_closing():
            return Stage.READER
        if self.flow.read_paused:
            return Stage.SERVER
        if cycle is not None and cycle.more_body:
            return Stage.BODY
        if cycle is not None and not cycle.response_complete:
            return Stage.SERVER
        if self.is_reading_head():
            return Stage.HEAD
        return Stage.FIRST_BYTE if cycle is None else Stage.NEXT_REQUEST

    def waiting(self, stage: Stage, now: float) -> float:
        """Return for how many seconds it has been seen waiting for this."""
        if stage is not self._stage or self.cycle is not self._cycle:
            self._stage, self._cycle, self._since = stage, self.cycle, now
        return now - self._since

    def time_out(self, stage: Stage) -> None:
        """End it, because the client took too long."""
        if stage is Stage.READER:
            self.transport.abort()
        elif stage is Stage.HEAD or (stage is Stage.BODY and not self.cycle.response_started):
            what = stage.value
            self.give_up(Problem("too-slow", f"the {what} did not arrive in time; send it again"))
        else:
            self.transport.close()

    def drop(self) -> None:
        """End it at once, because there is no room."""
        self.transport.abort()

    def give_up(self, problem: Problem) -> None:
        """Refuse a request that is not whole: whoever waits for its body waits no more."""
        if self.cycle is not None and self.cycle.more_body:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.refuse(problem)

    def refuse(self, problem: Problem) -> None:
        """Send a refusal, if that is still possible, and end."""
        if not self.transport.is_closing():
            headers = [*self.server_state.default_headers, CLOSE_HEADER]
            self.transport.write(encoded(problem_response(problem), headers))
            self.transport.close()


def encoded(response: Response, headers: Headers) -> bytes:
    """Return a response's bytes, with these headers before its own."""
    start, end = response
    lines = [b"%s: %s\r\n" % header for header in [*headers, *start["headers"]]]
    return b"".join([_status_line(start["status"]), *lines, b"\r\n", end["body"]])


@cache
def _status_line(status: int) -> bytes:
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n".encode()


def _plain(address: str) -> str:
    """Return an address without the clothes that a socket for both IPv4 and IPv6 puts on it.

    >>> _plain("::ffff:192.0.2.1"), _plain("2001:db8::1"), _plain("192.0.2.1")
    ('192.0.2.1', '2001:db8::1', '192.0.2.1')
    """
    if not address.lower().startswith("::ffff:"):
        return address
    mapped = IPv6Address(address).ipv4_mapped
    return address if mapped is None else str(mapped)
