"""The transport: one HTTP connection to one server, kept alive between requests.

TLS is checked as the system's default context does.  Plain http is for loopback alone, unless
the caller says otherwise.  Redirects are not followed: they could carry the credential away.
"""

from __future__ import annotations

from .errors import ServerError
from .protocol import MOST_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from http.client import HTTPConnection, HTTPResponse
    from typing import Protocol

    class Transport(Protocol):
        """What `Device` needs of a transport; give it another to go through a proxy, say."""

        def request(
            self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
        ) -> Reply: ...

        def close(self) -> None: ...


TIMEOUT_SECONDS = 10.0
"""For each step: connecting, sending, and every wait for more bytes."""
LONGEST_EXCHANGE = 6.0
"""Times that, for a whole exchange."""


class Reply:
    """What a server answered: a status, headers by lower-case name, and a body."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class HttpTransport:
    """HTTP over one connection; a request that finds it gone tries once on a new one.

    Every request of the protocol may be repeated, so trying again is safe.

    >>> HttpTransport("http://stats.example.org")
    Traceback (most recent call last):
    ...
    ValueError: 'server': plain http sends the credential unprotected; use https, or pass ...
    """

    def __init__(
        self,
        server: str,
        *,
        plain_http: bool = False,
        timeout: float = TIMEOUT_SECONDS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        from urllib.parse import urlsplit

        parts = urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("'server' must be an https URL such as https://stats.example.org")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError("'server' must have no user, query or fragment")
        if parts.scheme == "http" and not plain_http and not is_loopback(parts.hostname):
            raise ValueError(
                "'server': plain http sends the credential unprotected; use https, or pass "
                "plain_http=True on a network you trust"
            )
        self._tls = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._prefix = parts.path.rstrip("/")
        self._timeout = timeout
        self._most_bytes = most_bytes
        self._connection: HTTPConnection | None = None

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Reply:
        """Send one request and return what came back, or raise ServerError."""
        from http.client import HTTPException

        reused = self._connection is not None
        try:
            try:
                return self._attempt(method, path, headers, body)
            except (ConnectionError, HTTPException):
                if not reused:
                    raise
                return self._attempt(method, path, headers, body)
        except (OSError, HTTPException) as problem:
            kind = type(problem).__name__
            raise ServerError(f"no answer to {method} {path}: {kind}") from problem

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _attempt(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> Reply:
        connection = self._connection or self._connect()
        self._connection = None  # until the reply has been read whole
        with _Deadline(connection, LONGEST_EXCHANGE * self._timeout):
            try:
                connection.request(method, self._prefix + path, body, dict(headers))
                response = connection.getresponse()
                content = _read_bounded(response, self._most_bytes)
            except BaseException:
                connection.close()
                raise
        if response.will_close:
            connection.close()
        else:
            self._connection = connection
        names = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, names, content)

    def _connect(self) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection

        if self._tls:
            from ssl import create_default_context

            context = create_default_context()
            connection: HTTPConnection = HTTPSConnection(
                self._host, self._port, timeout=self._timeout, context=context
            )
        else:
            connection = HTTPConnection(self._host, self._port, timeout=self._timeout)
        connection.connect()
        return connection


class _Deadline:
    """Hangs up when an exchange takes too long, however slowly its bytes trickle in."""

    def __init__(self, connection: HTTPConnection, seconds: float) -> None:
        from threading import Timer

        self._socket = connection.sock
        self._timer = Timer(seconds, self._hang_up)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _hang_up(self) -> None:
        from contextlib import suppress
        from socket import SHUT_RDWR

        with suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "127.evil.example")]
    [True, True, True, False]
    """
    from ipaddress import ip_address

    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _read_bounded(response: HTTPResponse, most_bytes: int) -> bytes:
    """Read a body that a hostile server cannot make endless."""
    pieces: list[bytes] = []
    size = response.length or 0
    if size and size <= most_bytes:
        return response.read()  # all of it, or IncompleteRead
    while size <= most_bytes:
        piece = response.read(1 << 16)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
    raise ServerError(f"the reply has more than {most_bytes} bytes")
