"""Thousands of devices in one process: the SDK's functions, over keep-alive connections.

Each device asks for a training's task until it gets one, makes its report once, and sends those
same bytes until it is told what became of them, whatever happens to the servers meanwhile.  Some
die when they have their task.  What they all share, unlike real devices, is the parsed step.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harmony_device.step import Step

from .training import report_of

ASK_SECONDS = 0.2
"""How long a device waits at most before it asks again, whatever it was told."""

RETRY_SECONDS = 0.02
"""Between two attempts to reach a server that was killed."""


@dataclass
class Fleet:
    """Devices with these records, and what became of each device's report."""

    ports: Sequence[int]
    training: str
    records: Sequence[Mapping[str, object]]
    credential: Callable[[bytes, int], str]
    dies: Callable[[int], bool]
    accepted: dict[bytes, bytes] = field(default_factory=dict)
    late: dict[bytes, bytes] = field(default_factory=dict)
    dead: int = 0
    too_late_to_ask: int = 0
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    cut_off: int = 0
    _steps: dict[str, Step] = field(default_factory=dict)
    _tag: str = ""

    @property
    def done(self) -> int:
        """How many devices have nothing left to do."""
        return len(self.accepted) + len(self.late) + self.dead + self.too_late_to_ask

    def run(self, connections: int = 32) -> None:
        """Let every device come online, as many at a time as there are connections."""
        asyncio.run(self._run(connections))

    async def _run(self, connections: int) -> None:
        left = iter(range(len(self.records)))
        workers = [self._worker(number, left) for number in range(connections)]
        await asyncio.gather(*workers)

    async def _worker(self, number: int, left: Any) -> None:
        connection = _Connection(self, number)
        for device in left:
            await self._device(connection, device)
        connection.close()

    async def _device(self, connection: _Connection, number: int) -> None:
        device = os.urandom(16)
        authorization = f"Harmony {device.hex()}.{self.credential(device, 0)}"
        step = await self._task(connection, authorization)
        if step is None:
            self.too_late_to_ask += 1
        elif self.dies(number):
            self.dead += 1
        else:
            report = report_of(step, device, self.records[number])
            await self._report(connection, authorization, step, device, report)

    async def _task(self, connection: _Connection, authorization: str) -> Step | None:
        path = f"/v1/trainings/{self.training}/task"
        while True:
            tag = f"If-None-Match: {self._tag}\r\n" if self._tag else ""
            head = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {authorization}\r\n{tag}\r\n"
            status, headers, content = await connection.exchange("task", head.encode())
            if status in (200, 304):
                self._tag = headers["etag"]
                if self._tag not in self._steps:
                    self._steps[self._tag] = Step.from_json(content)
                return self._steps[self._tag]
            if status == 410:
                return None
            assert status == 204, content
            await asyncio.sleep(min(float(headers["retry-after"]), ASK_SECONDS))

    async def _report(
        self,
        connection: _Connection,
        authorization: str,
        step: Step,
        device: bytes,
        report: bytes,
    ) -> None:
        body = json.dumps({"round": step.round, "report": report.hex()})
        head = (
            f"POST /v1/surveys/{self.training}/reports HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: {authorization}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        status, _, content = await connection.exchange("report", (head + body).encode())
        assert status in (200, 201, 410), content
        (self.late if status == 410 else self.accepted)[device] = report


class _Connection:
    """One connection, opened again to the next server whenever it breaks."""

    def __init__(self, fleet: Fleet, number: int) -> None:
        self._fleet = fleet
        self._next = number
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def exchange(self, kind: str, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send a request until it is answered."""
        while True:
            try:
                status, headers, content = await self._attempt(request)
            except (OSError, asyncio.IncompleteReadError):
                self._fleet.cut_off += 1
                self.close()
                await asyncio.sleep(RETRY_SECONDS)
                continue
            self._fleet.statuses[kind, status] += 1
            if status != 503:
                return status, headers, content
            await asyncio.sleep(RETRY_SECONDS)

    async def _attempt(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        if self._streams is None:
            port = self._fleet.ports[self._next % len(self._fleet.ports)]
            self._next += 1
            self._streams = await asyncio.open_connection("127.0.0.1", port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        lines = [line.partition(": ") for line in head[1:]]
        headers = {name.lower(): value for name, _, value in lines}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        return int(head[0][9:12]), headers, content

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
