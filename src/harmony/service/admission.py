"""Admission: how often an address may ask, and how much of a body is read, before it is read.

Who asks comes first.  A body whose sender shows no credential, or one that is not valid, is small
or is not read at all, so that strangers cannot fill the memory.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from typing import Any

from .asgi import (
    SMALL_BODY,
    App,
    DisconnectedError,
    Headers,
    Receive,
    Scope,
    Send,
    client_of,
    has_body,
    header_of,
    problem_response,
    read_body,
    send_response,
)
from .credentials import is_device
from .dashboard.sessions import COOKIE, Sessions
from .problems import Problem
from .state import ServiceState
from .texts import check_address, check_texts

UNLIMITED = frozenset(("/healthz", "/readyz", "/metrics"))
"""What those who look after the server ask for, also while someone floods it."""

OPEN = frozenset(("/v1/devices", "/v1/claim"))
"""Where the credential, if there is any, is in the body."""

_SESSION = re.compile(
    rb"(?:^|;)[ \t]*" + COOKIE.encode() + rb"=([A-Za-z0-9_-]{1,200})[ \t]*(?=;|$)"
)


class Admission:
    """Reads a request's body, as far as its sender may send one, before the API sees it."""

    def __init__(self, app: App, state: ServiceState) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body read."""
        headers = scope["headers"]
        try:
            if scope["path"] not in UNLIMITED:
                self._state.address_limit.check(client_of(scope))
            check_address(scope["path"], scope["query_string"])
            most = await self._allowance(scope) if has_body(headers) else 0
            body = await read_body(receive, headers, most)
            check_texts(body)
        except Problem as problem:
            await send_response(send, problem_response(problem))
            return
        except DisconnectedError:
            return
        unread = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_read() -> Any:
            return unread.pop() if unread else await receive()

        known = {**scope, "headers": with_own_cookie(headers)}
        with suppress(Exception):  # the API has responded and logged; Starlette raises it again
            await self._app(known, receive_read, send)

    async def _allowance(self, scope: Scope) -> int:
        """Return how many bytes the sender may send, or raise the problem that it may not."""
        state, path = self._state, scope["path"]
        authorization = header_of(scope["headers"], b"authorization")
        if path in OPEN:
            return SMALL_BODY
        if not path.startswith("/v1/"):
            cookie = session_cookie(scope["headers"])
            sessions = Sessions(state.tokens)
            visitor = await asyncio.to_thread(sessions.visitor, cookie) if cookie else None
            return SMALL_BODY if visitor is None else state.settings.document_bytes
        if is_device(authorization):
            state.device_of(authorization)
            return SMALL_BODY
        await state.token_of(authorization.decode("latin-1"))
        return state.settings.document_bytes


def session_cookie(headers: Headers) -> str:
    """Return the session that a request's cookies carry, the last if there are several, or "".

    >>> session_cookie([(b"cookie", b'theme="dark"; harmony_session=hmy_00_11')])
    'hmy_00_11'
    """
    found = [one for name, value in headers if name == b"cookie" for one in _SESSION.findall(value)]
    return found[-1].decode() if found else ""


def with_own_cookie(headers: Headers) -> Headers:
    """Return a request's headers with no cookie but a session.

    Every route of the API has all cookies read, on the loop, and to read quoted ones Python may
    take half a second for the 16 KiB that a head can have.
    """
    kept = [one for one in headers if one[0] != b"cookie"]
    session = session_cookie(headers)
    return [*kept, (b"cookie", f"{COOKIE}={session}".encode())] if session else kept
