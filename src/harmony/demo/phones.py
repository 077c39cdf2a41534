"""Phones that report one by one, each with the device SDK, over HTTP."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harmony_device import Device
from harmony_device.transport import HttpTransport, Reply

from .fleet import RECORD, Fleet, phone

THREADS = 8
PATIENCE = 30.0
MEMORY_FOLDER = Path("/dev/shm")


def phones_folder() -> TemporaryDirectory[str]:
    """Make a folder for the phones' own files: in memory, where the system has such.

    Thousands of phones have as many disks; here they would all wait for one.
    """
    return TemporaryDirectory(
        prefix="harmony-phones-", dir=MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else None
    )


class RecordingTransport(HttpTransport):
    """A transport that keeps the last report that it carried."""

    report = b""

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Reply:
        """Send a request."""
        if body is not None and path.endswith("/reports"):
            self.report = bytes.fromhex(json.loads(body)["report"])
        return super().request(method, path, headers, body)


def first_phone(url: str, folder: Path, fleet: Fleet, epsilon: float) -> bytes:
    """Let the first phone report, and return what it sent."""
    transport = RecordingTransport(url)
    with _device(url, folder, 0, epsilon, transport) as device:
        device.answer(phone(fleet, 0), patience=PATIENCE)
    return transport.report


def ledger_of(url: str, folder: Path, epsilon: float) -> list[str]:
    """Return the first phone's ledger, as its owner reads it."""
    with _device(url, folder, 0, epsilon) as device:
        return [repr(entry)[1:-1].removeprefix("Entry ") for entry in device.ledger()]


def visit_all(
    url: str,
    folder: Path,
    fleet: Fleet,
    numbers: range,
    epsilon: float,
    patience: float = PATIENCE,
) -> Iterator[bool]:
    """Let these phones answer what is open, some at a time; yield whether each was accepted."""

    def visit(number: int) -> bool:
        with _device(url, folder, number, epsilon) as device:
            return bool(device.answer(phone(fleet, number), patience=patience).accepted)

    with ThreadPoolExecutor(THREADS) as pool:
        try:
            yield from pool.map(visit, numbers)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _device(url: str, folder: Path, number: int, epsilon: float, transport: Any = None) -> Device:
    """Return a phone that lets itself be asked once in a survey and once in a training."""
    where = folder / str(number)
    return Device(
        url,
        where,
        record=RECORD,
        consent=True,
        epsilon_limit=2 * epsilon,
        transport=transport,
    )
