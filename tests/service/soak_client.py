"""A client over one keep-alive connection that asks until it is answered, as devices do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

RETRY_SECONDS = 0.05
"""Between two attempts to reach a server that was killed."""

PATIENCE = 100.0
"""Seconds for one attempt: nothing takes so long but a hang."""


class Client:
    """One connection, opened again whenever it breaks; `is_over` says when to give up."""

    def __init__(self, port: int, is_over: Callable[[], bool]) -> None:
        self._port, self._is_over = port, is_over
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def until_answered(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, bool]:
        """Return the status, and whether an attempt before was cut off; 0 if it is over first."""
        lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        request = "\r\n".join([*lines, "", ""]).encode() + body
        was_cut = False
        while True:
            try:
                async with asyncio.timeout(PATIENCE):
                    status = await self._attempt(request)
                if status != 503:
                    return status, was_cut
            except (OSError, asyncio.IncompleteReadError) as problem:
                if isinstance(problem, TimeoutError):
                    raise AssertionError("a request hangs") from problem
                self.close()
            was_cut = True  # a 503 does not tell either
            if self._is_over():
                return 0, was_cut
            await asyncio.sleep(RETRY_SECONDS)

    async def _attempt(self, request: bytes) -> int:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        _, found, rest = head.partition("content-length: ")
        await reader.readexactly(int(rest.split("\r\n")[0]) if found else 0)
        return int(head[9:12])

    def close(self) -> None:
        """Let go of the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
