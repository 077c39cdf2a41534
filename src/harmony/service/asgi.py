"""The few ASGI pieces that the raw routes share: reading a body, sending an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from .problems import MEDIA_TYPE, Problem
from .settings import Settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = tuple[Message, Message]
"""The start of an answer and its body."""
Headers = list[tuple[bytes, bytes]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_encode = msgspec.json.Encoder().encode


class DisconnectedError(Exception):
    """The client left before its request was whole."""


def client_of(scope: Scope) -> str:
    """Return the address that a request came from."""
    client = scope.get("client")
    return client[0] if client else ""


async def read_body(receive: Receive, length: int, settings: Settings) -> bytes:
    """Read a request's body, within the limits of size and time."""
    if length > settings.body_bytes:
        raise _too_large(settings)
    message = await receive()
    if message["type"] == "http.disconnect":
        raise DisconnectedError
    body: bytes = message.get("body", b"")
    if len(body) > settings.body_bytes:
        raise _too_large(settings)
    if not message.get("more_body"):
        return body
    parts, size = [body], len(body)
    try:
        async with asyncio.timeout(settings.body_seconds):
            while message.get("more_body"):
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise DisconnectedError
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > settings.body_bytes:
                    raise _too_large(settings)
    except TimeoutError:
        raise Problem("too-slow", "the body did not arrive in time; send it again") from None
    return b"".join(parts)


def _too_large(settings: Settings) -> Problem:
    return Problem(
        "too-large", f"the body must be at most {settings.body_bytes} bytes; send less at once"
    )


async def send_json(send: Send, status: int, document: Any) -> None:
    """Answer with a JSON document."""
    await send_bytes(send, status, "application/json", _encode(document))


async def send_problem(send: Send, problem: Problem) -> None:
    """Answer with a problem document."""
    await send_answer(send, problem_answer(problem))


async def send_bytes(
    send: Send, status: int, media_type: str, body: bytes, headers: dict[str, str] | None = None
) -> None:
    """Answer with these bytes."""
    await send_answer(send, answer_of(status, media_type, body, headers))


async def send_answer(send: Send, answer: Answer) -> None:
    """Send a whole answer."""
    for message in answer:
        await send(message)


def problem_answer(problem: Problem) -> Answer:
    """Return the answer that holds a problem document."""
    return answer_of(problem.status, MEDIA_TYPE, problem.body(), problem.headers)


def answer_of(
    status: int, media_type: str, body: bytes, headers: dict[str, str] | None = None
) -> Answer:
    """Return the answer of these bytes."""
    sent = [
        (b"content-type", media_type.encode()),
        (b"content-length", str(len(body)).encode()),
        *((name.lower().encode(), value.encode()) for name, value in (headers or {}).items()),
    ]
    start = {"type": "http.response.start", "status": status, "headers": sent}
    return start, {"type": "http.response.body", "body": body}
