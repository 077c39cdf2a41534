"""What the device's tests share: vectors, a clock that only tests move, and a small survey."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device

from .fake_server import DirectTransport, FakeServer

VECTORS = Path(__file__).parents[2] / "device" / "vectors"
VALUES = {"battery": 71.5, "wifi": True, "age": 33}
RECORD = {"battery": float, "wifi": bool, "age": int, "theme": str, "charging": bool}


def vectors(name: str) -> Any:
    """Return a file of conformance vectors."""
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


SMALL = vectors("refused")["taken"][0]["survey"]


def small_survey(**changes: Any) -> dict[str, Any]:
    """Return a survey of three attributes at epsilon 1, with some fields changed."""
    return {**copy.deepcopy(SMALL), **changes}


class Clock:
    """A clock that stands still until a test, or a sleep, moves it."""

    def __init__(self) -> None:
        self.now = 1.8e9
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: no test here cuts the power."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def server() -> FakeServer:
    return FakeServer(small_survey())


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def transport(server: FakeServer) -> DirectTransport:
    return DirectTransport(server)


@pytest.fixture
def device(transport: DirectTransport, clock: Clock, tmp_path: Path) -> Callable[..., Device]:
    """Return a function that starts the device anew, as after a restart."""

    def start(**options: Any) -> Device:
        settings: dict[str, Any] = {
            "record": RECORD, "consent": True, "epsilon_limit": 100.0, "transport": transport,
            "clock": clock, "sleep": clock.sleep,
        }  # fmt: skip
        return Device("https://stats.example", tmp_path / "harmony", **{**settings, **options})

    return start
