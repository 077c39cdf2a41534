"""Phones that report one by one, each with the device SDK, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from harmony_device import Device
from harmony_device.transport import HttpTransport, Reply

from .fleet import Fleet, phone

THREADS = 8


class Overheard(HttpTransport):
    """A transport that keeps the last report that it carried."""

    report = b""

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Reply:
        """Send a request."""
        if body is not None and path.endswith("/reports"):
            self.report = bytes.fromhex(json.loads(body)["report"])
        return super().request(method, path, headers, body)


def first_phone(url: str, folder: Path, fleet: Fleet, epsilon: float) -> tuple[bytes, str]:
    """Let the first phone report; return what it sent, and its ledger as its owner reads it."""
    overheard = Overheard(url)
    where = folder / "phones" / "0"
    with _device(url, where, epsilon, overheard) as device:
        device.answer(phone(fleet, 0), patience=30.0)
        lines = [repr(entry)[1:-1].removeprefix("Entry ") for entry in device.ledger()]
    return overheard.report, "\n".join(lines)


def other_phones(
    url: str, folder: Path, fleet: Fleet, numbers: range, epsilon: float
) -> Iterator[bool]:
    """Let these phones report, some at a time; yield whether each was heard."""

    def visit(number: int) -> bool:
        where = folder / "phones" / str(number)
        with _device(url, where, epsilon) as device:
            return bool(device.answer(phone(fleet, number), patience=30.0).accepted)

    with ThreadPoolExecutor(THREADS) as pool:
        try:
            yield from pool.map(visit, numbers)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _device(url: str, where: Path, epsilon: float, transport: Any = None) -> Device:
    return Device(url, where, consent=True, epsilon_limit=epsilon, transport=transport)
