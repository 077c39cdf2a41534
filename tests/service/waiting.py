"""Waiting for what other processes and threads do: as long as it takes, unless they are stuck."""

from __future__ import annotations

import time
from collections.abc import Callable

STUCK_SECONDS = 120.0
"""Nothing takes so long but a hang, however busy the machine is."""

LOOK_SECONDS = 0.01


def wait_until(
    condition: Callable[[], object],
    what: str,
    progress: Callable[[], object] = lambda: None,
) -> None:
    """Wait for a condition; fail if it does not come true, and `progress` stays what it is."""
    before, deadline = progress(), time.monotonic() + STUCK_SECONDS
    while not condition():
        now = progress()
        if now != before:
            before, deadline = now, time.monotonic() + STUCK_SECONDS
        assert time.monotonic() < deadline, f"stuck: waiting for {what}"
        time.sleep(LOOK_SECONDS)  # between two looks
