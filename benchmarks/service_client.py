"""A load client: keep-alive connections that each send a prepared request after each response.

Reads requests from a file, prints one line of JSON for each run that it is told to make.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator

import uvloop


class Connection(asyncio.Protocol):
    """One connection with at most one request under way."""

    def __init__(self, requests: Iterator[bytes], statuses: dict[bytes, int], left: Left) -> None:
        self.requests = requests
        self.statuses = statuses
        self.left = left
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.left.connected()

    def go(self) -> None:
        """Send the next request, if there is one."""
        request = next(self.requests, None)
        if request is None:
            self.left.ended()
        else:
            self.transport.write(request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.received += data
        if self.received.endswith(b"}"):
            status = self.received[9:12]
            self.statuses[status] = self.statuses.get(status, 0) + 1
            self.received = b""
            self.go()


class Left:
    """Counts the connections that are not there yet, and then those that still work."""

    def __init__(self, connections: int) -> None:
        self.ready, self.done = asyncio.Event(), asyncio.Event()
        self._missing = self._working = connections

    def connected(self) -> None:
        """Note one more connection."""
        self._missing -= 1
        if not self._missing:
            self.ready.set()

    def ended(self) -> None:
        """Note a connection that has nothing left to send."""
        self._working -= 1
        if not self._working:
            self.done.set()


async def run(port: int, connections: int, requests: list[bytes]) -> dict[str, object]:
    """Send every request over so many connections; return the rate and the statuses."""
    loop = asyncio.get_running_loop()
    statuses: dict[bytes, int] = {}
    left, pending = Left(connections), iter(requests)
    made = [
        (
            await loop.create_connection(
                lambda: Connection(pending, statuses, left), "127.0.0.1", port
            )
        )
        for _ in range(connections)
    ]
    await left.ready.wait()
    started = time.perf_counter()
    for _, protocol in made:
        protocol.go()
    await left.done.wait()
    seconds = time.perf_counter() - started
    for transport, _ in made:
        transport.close()
    shown = {status.decode(): count for status, count in statuses.items()}
    return {"rate": len(requests) / seconds, "seconds": seconds, "statuses": shown}


def main() -> None:
    """Read one command a line: port, connections, requests file, first request, how many."""
    for line in sys.stdin:
        command = json.loads(line)
        with open(command["file"], "rb") as file:
            file.seek(command["first"] * command["size"])
            block = file.read(command["count"] * command["size"])
        size = command["size"]
        requests = [block[place : place + size] for place in range(0, len(block), size)]
        result = uvloop.run(run(command["port"], command["connections"], requests))
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
