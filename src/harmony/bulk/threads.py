"""Sharing work out over threads: compiled code and Arrow let go of the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_out(
    items: Iterator[Item], workers: int, work: Callable[[Iterator[Item]], Result]
) -> list[Result]:
    """Run `work` in each of several threads, which all take their items from one iterator.

    The caller's thread is one of them: a thread takes as long to start as thousands of devices.

    >>> sum(share_out(iter(range(100)), 3, sum))
    4950
    """
    lock = Lock()

    def take() -> Iterator[Item]:
        while True:
            with lock:
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item

    if workers == 1:
        return [work(items)]
    with ThreadPoolExecutor(workers - 1) as pool:
        others = [pool.submit(work, take()) for _ in range(workers - 1)]
        return [work(take()), *(other.result() for other in others)]
