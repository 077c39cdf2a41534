"""A client's connection: uvicorn's, within limits, and never anything else than HTTP/1.1.

llhttp takes what follows the head of a request with `Upgrade` for another protocol, so its body
would be read as the next request: anyone could write requests into a proxy's connection, and
clients that offer HTTP/2 in passing, as Java's does, would lose the bodies of their reports.  A
server may ignore the header (RFC 9110, section 7.8): the request is read once more without it.

Nor does llhttp bound a head, what comes between the parts of a body or after it, or how many
requests follow each other without waiting.  All of that is memory, so it is bounded here.
"""

from __future__ import annotations

from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..problems import Problem
from .guarded import GuardedConnection

MOST_HEADERS = 100
MOST_PIPELINED = 32
"""How many requests may follow one that has no response yet."""

ONCE = frozenset((b"authorization", b"content-type", b"harmony-protocol", b"host"))
"""Headers of which there may be one: which of two would count is anyone's guess."""

FRAMING_A_BYTE = 8
"""How many bytes of framing each byte of a body may have; a chunk of one byte has 5."""


class HttpConnection(GuardedConnection, HttpToolsProtocol):
    """One connection; `header_bytes` is how long a request's head may be."""

    header_bytes: int
    _is_deaf = False
    """Whether nothing that comes is read any more."""
    _is_reading_head = False
    _piece = 0
    """Bytes that the parser has now."""
    _spare = 0
    """Bytes of the request that are not its body, but for those of its first piece."""
    _received = 0
    """Bytes of its body."""
    _version = ""
    """The request's version of HTTP."""
    _named: dict[bytes, bytes]
    """Its headers by their names, the last if there are several."""
    _problem: Problem | None = None
    """Why the head that is being read is refused."""
    _last_word: Problem | None = None
    """A refusal that follows the responses that are due."""
    _running: Any = None
    """The request whose response is being made, or was made last."""

    def data_received(self, data: bytes) -> None:
        """Read what came."""
        if len(data) <= self.header_bytes:
            self._feed(data)
            return
        whole = memoryview(data)
        for start in range(0, len(data), self.header_bytes):
            self._feed(whole[start : start + self.header_bytes])

    def eof_received(self) -> bool:  # type: ignore[override]  # asyncio allows it
        """Whether to stay, because responses are due: the client sends no more, but may read."""
        last = self.cycle
        if last is None or last.response_complete or last.more_body or self._is_deaf:
            return False
        last.keep_alive = False
        self._is_deaf = True
        return True

    def _feed(self, data: bytes | memoryview) -> None:
        if self._is_deaf or self.transport.is_closing():
            return
        self._piece = len(data)
        try:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                self._feed_without_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._stop(self._problem or Problem("bad-request", "this is not HTTP/1.1"))
            return
        self._spare += self._piece
        has_too_many = self._is_reading_head and len(self.headers) > MOST_HEADERS
        if has_too_many or self._spare > 2 * self.header_bytes + FRAMING_A_BYTE * self._received:
            self._stop(self._too_long())

    def is_reading_head(self) -> bool:
        """Whether a request has begun whose head is not whole."""
        return self._is_reading_head

    def on_message_begin(self) -> None:
        """Start to read a head; a scope for it is made when the application is to have it."""
        self.url, self.headers, self.expect_100_continue = b"", [], False
        self._is_reading_head = True
        self._spare, self._received = -self._piece, 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note a header; what comes after a body in chunks is none."""
        if self._is_reading_head:
            name, value = name.lower(), value.rstrip(b" \t")  # which llhttp leaves there
            if name == b"expect" and value.lower() == b"100-continue":
                self.expect_100_continue = True
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Start on the request, unless it is to be read once more."""
        if not self.parser.should_upgrade():
            self._is_reading_head = False
            self._check_head()
            self.begin_request()

    def begin_request(self) -> None:
        """Let the application have the request."""
        if len(self.pipeline) >= MOST_PIPELINED:
            self._refuse_head(Problem("too-many-requests", "wait for responses", retry_after=1))
        read = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.headers, self.expect_100_continue = read
        self.scope["headers"] = self.headers
        super().on_headers_complete()
        if self.expect_100_continue:  # refused early, it may or may not send the body
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Take in a part of the body."""
        self._received += len(body)
        self._spare -= len(body)
        self.take_body(body)

    def take_body(self, body: bytes) -> None:
        """Let the application have a part of the body."""
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that the request is whole, unless it is to be read once more."""
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with what came meanwhile; the limits see to it that there is more before long."""
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            self.flow.resume_reading()
            if self.pipeline:
                self._start_asgi_task(*self.pipeline.pop())
            elif self._last_word is not None:
                self.refuse(self._last_word)

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _check_head(self) -> None:
        """Refuse a head that is too long, or that could be understood in two ways."""
        headers = self.headers
        named = self._named = dict(headers)
        if len(named) < len(headers):
            names = [name for name, _ in headers]
            if any(names.count(name) > 1 for name in ONCE):
                self._refuse_head(Problem("bad-request", "a header is there twice; send it once"))
        self._version = self.parser.get_http_version()
        if self._version != "1.0" and (self._version != "1.1" or b"host" not in named):
            self._refuse_head(Problem("bad-request", "'Host' or the version of HTTP is missing"))
        if len(headers) > MOST_HEADERS or (
            self._spare >= 0 and self._head_size() > self.header_bytes
        ):
            self._refuse_head(self._too_long())

    def _head_size(self) -> int:
        """Return how long the head is; one that came in one piece is not longer than that."""
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _refuse_head(self, problem: Problem) -> None:
        """Stop the parser, which calls this; what raises here comes out of it changed."""
        self._problem = problem
        raise httptools.HttpParserError

    def _too_long(self) -> Problem:
        return Problem(
            "header-too-large",
            f"a request may have {MOST_HEADERS} headers and {self.header_bytes} bytes of them",
        )

    def _stop(self, problem: Problem) -> None:
        """Read nothing more: refuse what is being read, when all before it has its response."""
        self._is_deaf = True
        last, running = self.cycle, self._running
        is_broken = last is not None and last.more_body
        if is_broken and last is not running:
            self.pipeline.popleft()  # it would wait for the rest of its body
        if running is None or (running.response_complete and not is_broken):
            self.refuse(problem)
        elif last is running and is_broken:
            if running.response_started:
                self.transport.close()
            else:
                self.give_up(problem)
        else:
            self._last_word = problem

    def _feed_without_upgrade(self, rest: bytes | memoryview) -> None:
        """Read the request that was just read without its Upgrade header, and what follows it."""
        asks_again = True
        while asks_again:
            fed = self._head_without_upgrade() + rest
            try:
                self.parser.feed_data(fed)
                asks_again = False
            except httptools.HttpParserUpgrade as upgrade:  # another, sent right behind it
                rest = fed[upgrade.args[0] :]

    def _head_without_upgrade(self) -> bytes:
        method, version = self.parser.get_method(), self.parser.get_http_version()
        if method == b"CONNECT":
            raise httptools.HttpParserError("this is no proxy")
        lines = [method + b" " + self.url + b" HTTP/" + version.encode()]
        lines += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])
