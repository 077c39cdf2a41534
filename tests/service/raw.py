"""Bytes to and from a server over a socket, exactly as a test writes them."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from .conftest import SURVEY
from .devices import Enrolled, any_report, report_body
from .server_process import ServerProcess, run_server
from .waiting import STUCK_SECONDS

PATH = f"/v1/surveys/{SURVEY.name}/reports"
APART = 0.005
"""Seconds between two pieces, so that they are read one by one."""


@dataclass(frozen=True)
class Pause:
    """Nothing is sent for so long."""

    seconds: float


HALF_CLOSE = object()
"""Nothing more is sent, but the responses are read."""

Piece = bytes | Pause | object

Response = tuple[int, tuple[tuple[str, str], ...], bytes]
"""A status, headers but for the date, and a body."""

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


def run_route_server(log: str, settings: dict[str, Any]) -> None:
    """Serve without the fast path, in a process of its own."""
    from harmony.service import server
    from harmony.service.http.choice import limited
    from harmony.service.http.connection import HttpConnection

    server.choose_protocol = lambda _, *given: limited(HttpConnection, *given)
    run_server(log, settings)


class Site:
    """A server with an open round, and the requests that it understands."""

    def __init__(self, folder: Path, *, fast: bool = True, **settings: Any) -> None:
        place = str(folder / "harmony.db")
        self.state = ServiceState(Settings.load(database=place))
        self.state.catalogue.add(SURVEY, None)
        self.live = self.state.catalogue.open(SURVEY.name, "week1").live
        self.gateway = self.state.tokens.create("gateway", "gateway")[0]
        self.log = folder / "server.log"
        target = run_server if fast else run_route_server
        self.server = ServerProcess(place, self.log, target=target, **settings)

    def connect(self, receive_bytes: int | None = None) -> socket.socket:
        """Return a connection, with a window of so many bytes if given."""
        client = socket.socket()
        client.settimeout(STUCK_SECONDS)
        if receive_bytes is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.connect(("127.0.0.1", self.server.port))
        return client

    def device(self) -> Enrolled:
        """Return a device that has not reported."""
        device = os.urandom(16)
        return Enrolled(device, self.state.credentials.issue(device, 0))

    def report(
        self, device: Enrolled | None = None, symbol: int = 0, label: str = "week1"
    ) -> bytes:
        """Return the body of a device's report."""
        device = device or self.device()
        sent = any_report(self.live, device.device, symbol=symbol)
        return json.dumps(report_body(label, sent)).encode()

    def head(
        self, *lines: str, device: Enrolled | None = None, start: str = f"POST {PATH} HTTP/1.1"
    ) -> bytes:
        """Return the head of a request, as a device's if it is given."""
        whose = [f"{name}: {value}" for name, value in device.headers.items()] if device else []
        return "\r\n".join([start, "Host: x", *whose, *lines, "", ""]).encode("latin-1")

    def request(self, *lines: str, **changes: Any) -> bytes:
        """Return a device's report, with more headers, or with another start or body."""
        device = changes.get("device") or self.device()
        body = changes.get("body", self.report(device, changes.get("symbol", 0)))
        start = changes.get("start", f"POST {PATH} HTTP/1.1")
        length = f"Content-Length: {len(body)}"
        return self.head(*lines, length, device=device, start=start) + body

    def chunked(
        self, *chunks: bytes, device: Enrolled | None = None, lines: Sequence[str] = ()
    ) -> bytes:
        """Return a device's report in chunks, as they are written here or in one."""
        device = device or self.device()
        body = self.report(device)
        sent = b"".join(chunks) or b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        return self.head("Transfer-Encoding: chunked", *lines, device=device) + sent


@dataclass(frozen=True)
class Case:
    """What a client sends, and what must come of it, on both ways."""

    pieces: Callable[[Site], Sequence[Piece]]
    statuses: Sequence[int]
    stays: bool = True
    """Whether the connection can be used afterwards."""
    says: str = ""
    """The reason in the last response, if it is a problem."""


@dataclass
class Transcript:
    """What a server said, and whether it then hung up."""

    responses: list[Response] = field(default_factory=list)
    stays: bool = True


def converse(site: Site, case: Case) -> Transcript:
    """Send a case's pieces, and read what comes back."""
    found = Transcript()
    with site.connect() as client:
        reader = _Reader(client)
        sent = _send(client, case.pieces(site))
        while len(found.responses) < len(case.statuses) and (response := reader.response()):
            found.responses.append(response)
        if case.stays and sent:
            client.sendall(HEALTH)
            after = reader.response()
            found.stays = after is not None and after[0] == 200
        else:
            found.stays = reader.response() is not None
    if not found.stays:  # a response before the end may or may not have known of it
        found.responses = [
            (status, tuple(one for one in headers if one[0] != "connection"), body)
            for status, headers, body in found.responses
        ]
    return found


def _send(client: socket.socket, pieces: Sequence[Piece]) -> bool:
    """Send pieces one by one; return whether all of them could be sent."""
    for piece in pieces:
        try:
            if isinstance(piece, bytes):
                client.sendall(piece)
                time.sleep(APART)  # they are to arrive apart: that is the case
            elif isinstance(piece, Pause):
                time.sleep(piece.seconds)  # the time is what the case is about
            else:
                client.shutdown(socket.SHUT_WR)
        except OSError:
            return False
    return True


class _Reader:
    """Cuts what a socket receives into responses."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self._received = b""

    def response(self) -> Response | None:
        """Return the next response but interim ones, or None if the server has hung up."""
        while True:
            head = self._until(b"\r\n\r\n")
            if head is None:
                return None
            start, *lines = head.decode("latin-1").split("\r\n")[:-2]
            status = int(start.split(" ")[1])
            if status < 200:
                continue
            headers = [tuple(line.lower().split(": ", 1)) for line in lines]
            length = dict(headers).get("content-length", "0")  # type: ignore[arg-type]
            body = self._exactly(int(length))
            if body is None:
                return None
            kept = sorted(one for one in headers if one[0] != "date")
            return status, tuple(kept), body  # type: ignore[arg-type]

    def _until(self, end: bytes) -> bytes | None:
        while end not in self._received:
            if not self._more():
                return None
        head, _, self._received = self._received.partition(end)
        return head + end

    def _exactly(self, count: int) -> bytes | None:
        while len(self._received) < count:
            if not self._more():
                return None
        body, self._received = self._received[:count], self._received[count:]
        return body

    def _more(self) -> bool:
        try:
            piece = self._client.recv(65536)
        except ConnectionError:
            return False
        self._received += piece
        return bool(piece)
