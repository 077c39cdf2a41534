"""The few ASGI pieces that the raw routes share: reading a request, sending a response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from harmony_device.protocol import PROTOCOL

from .problems import MEDIA_TYPE, Problem
from .rate_limit import network_of
from .settings import Settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Response = tuple[Message, Message]
"""The start of a response and its body."""
Headers = list[tuple[bytes, bytes]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SPOKEN = str(PROTOCOL).encode()

SMALL_BODY = 64 << 10
"""Bytes of the largest body of a device, or of anyone whose credential is in the body: the largest
report, of 10,000 answers, has two thirds of it."""

_encode = msgspec.json.Encoder().encode


class DisconnectedError(Exception):
    """The client left before its request was whole."""


def client_of(scope: Scope) -> str:
    """Return the network that a request came from: an IPv4 address, or 64 bits of an IPv6 one."""
    client = scope.get("client")
    return network_of(client[0]) if client else ""


def own_url(scope: Scope, settings: Settings) -> str:
    """Return how people reach this server: as it was told, or the address that was connected to.

    Never what `Host` says: whoever sends a request for someone else would choose where a link goes.

    >>> own_url({"scheme": "http", "server": ("::1", 8000)}, Settings())
    'http://[::1]:8000'
    """
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host, port = scope.get("server") or (settings.host, settings.port)
    shown = f"[{host}]" if ":" in host else host
    return f"{scope.get('scheme', 'http')}://{shown}" + (f":{port}" if port else "")


def header_of(headers: Headers, name: bytes) -> bytes:
    """Return the value of a header, the last if there are several, and b"" if there is none.

    >>> header_of([(b"host", b"here"), (b"accept", b"*/*")], b"accept")
    b'*/*'
    """
    for key, value in reversed(headers):
        if key == name:
            return value
    return b""


def check_protocol(headers: Headers) -> None:
    """Raise the problem that a device speaks another number of the protocol, if it says so."""
    spoken = header_of(headers, b"harmony-protocol")
    if spoken not in (b"", SPOKEN):
        raise Problem("protocol", f"'Harmony-Protocol' must be {PROTOCOL}; update one of the two")


def speaks_protocol(app: App) -> App:
    """Return the application for those who speak this protocol: others get the problem."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            check_protocol(scope["headers"])
        except Problem as problem:
            await send_response(send, problem_response(problem))
        else:
            await app(scope, receive, send)

    return checked


def matches_tag(if_none_match: str, tag: str) -> bool:
    """Whether a client that sent this If-None-Match has what this ETag names.

    >>> matches_tag('"old", W/"new"', '"new"'), matches_tag("*", '"new"'), matches_tag("", '"new"')
    (True, True, False)
    """
    known = {one.strip().removeprefix("W/") for one in if_none_match.split(",")}
    return bool(known & {tag, "*"})


def check_size(size: int, most: int) -> None:
    """Raise the problem that a body of so many bytes is too large, if it is."""
    if size > most:
        raise Problem("too-large", f"the body must be at most {most} bytes; send less at once")


def has_body(headers: Headers) -> bool:
    """Whether a request with these headers has a body.

    >>> has_body([(b"content-length", b"2")]), has_body([(b"content-length", b"0")]), has_body([])
    (True, False, False)
    """
    chunked = header_of(headers, b"transfer-encoding") != b""
    return chunked or int(header_of(headers, b"content-length") or 0) > 0


async def read_body(receive: Receive, headers: Headers, most: int) -> bytes:
    """Read a request's body of so many bytes at most; its connection sees to the time it takes."""
    check_size(int(header_of(headers, b"content-length") or 0), most)
    parts, size, is_whole = [], 0, False
    while not is_whole:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        check_size(size, most)
        is_whole = not message.get("more_body")
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def send_response(send: Send, response: Response) -> None:
    """Send a whole response."""
    for message in response:
        await send(message)


def without_body(send: Send) -> Send:
    """Return how to respond to HEAD: the head alone, at once, also where the body would not end."""
    ended = False

    async def send_head(message: Message) -> None:
        nonlocal ended
        if message["type"] == "http.response.start":
            await send(message)
        elif not ended:
            ended = True
            await send({"type": "http.response.body", "body": b""})

    return send_head


def json_response(document: Any) -> Response:
    """Return the response that holds a JSON document."""
    return response_of(200, "application/json", _encode(document))


def problem_response(problem: Problem) -> Response:
    """Return the response that holds a problem document."""
    return response_of(problem.status, MEDIA_TYPE, problem.body(), problem.headers)


def response_of(
    status: int, media_type: str, body: bytes, headers: dict[str, str] | None = None
) -> Response:
    """Return the response of these bytes.

    >>> response_of(200, "text/plain", b"yes")[0]["status"]
    200
    """
    sent = [
        (b"content-type", media_type.encode()),
        (b"content-length", str(len(body)).encode()),
        *((name.lower().encode(), value.encode()) for name, value in (headers or {}).items()),
    ]
    start = {"type": "http.response.start", "status": status, "headers": sent}
    return start, {"type": "http.response.body", "body": body}
