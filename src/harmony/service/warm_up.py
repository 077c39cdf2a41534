"""Warm-up: what the first reports need compiled, loaded or made in the background.

A server that starts is ready at once: whoever needs compiled code before it is there waits for
that piece of it only.
"""

from __future__ import annotations

import threading

import numpy as np
import structlog

from harmony.bulk import backend

from .stores.device_index import DeviceIndex

log = structlog.get_logger(__name__)


def start_warm_up() -> threading.Thread:
    """Warm up on a thread of its own, which nobody needs to wait for."""
    thread = threading.Thread(target=warm_up, name="harmony-warm-up")
    thread.start()
    return thread


def warm_up() -> None:
    """Have every kernel that a report passes through compiled, those of a first report first."""
    devices = np.arange(4096, dtype=np.uint64).reshape(2, -1)  # more than a new index has room for
    index = DeviceIndex()
    index.claim(devices)
    index.find(devices)
    if threading.main_thread().is_alive():
        backend.load(log.info)
