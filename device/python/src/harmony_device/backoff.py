"""Backoff: how long to leave a server alone after it failed, also across restarts."""

from __future__ import annotations

import os

from .durable import read_file, remove_file, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

FILE = "backoff.txt"
PAUSE = "pause-"

FIRST_PAUSE = 2.0
LONGEST_PAUSE = 3600.0
LONGEST_RETRY_AFTER = 86400.0
"""A server may ask to be left alone for a day, not for ever."""


class Backoff:
    """Pauses that double from two seconds to an hour, each shortened at random by up to half.

    The jitter keeps a fleet that failed together from coming back together.
    """

    def __init__(self, directory: str, file: str = FILE) -> None:
        self._path = os.path.join(directory, file)

    def remaining(self, now: float) -> float:
        """Return how many seconds of the pause are left; a clock set back cannot prolong it."""
        failures, until, length = self._read()
        return min(max(0.0, until - now), length) if failures else 0.0

    def failed(self, now: float, retry_after: float | None) -> float:
        """Start the next pause, of at least what the server asked for, and return its length."""
        failures = self._read()[0] + 1
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 30))
        length = longest * (0.5 + int.from_bytes(os.urandom(4), "little") / 2**33)
        if retry_after is not None:
            length = max(length, min(retry_after, LONGEST_RETRY_AFTER))
        return self._write(failures, now, length)

    def told(self, now: float, seconds: float) -> float:
        """Start a pause of the length that the server asked for, which is no failure."""
        return self._write(1, now, min(seconds, LONGEST_RETRY_AFTER))

    def succeeded(self) -> None:
        """Forget past failures."""
        remove_file(self._path)

    def _write(self, failures: int, now: float, length: float) -> float:
        write_file(self._path, f"{failures} {now + length!r} {length!r}\n".encode())
        return length

    def _read(self) -> tuple[int, float, float]:
        try:
            failures, until, length = (read_file(self._path) or b"").split()
            return int(failures), float(until), min(float(length), LONGEST_RETRY_AFTER)
        except ValueError:
            return 0, 0.0, 0.0


class Pauses:
    """The pauses that a server asked for before this device may have a training's task.

    >>> import tempfile
    >>> pauses = Pauses(tempfile.mkdtemp())
    >>> pauses.of("charging").told(now=1.7e9, seconds=60)
    60
    >>> pauses.keep_only({"income"})
    >>> pauses.of("charging").remaining(now=1.7e9)
    0.0
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def of(self, training: str) -> Backoff:
        """Return the pause of one training."""
        return Backoff(self._directory, PAUSE + training)

    def keep_only(self, trainings: Container[str]) -> None:
        """Forget the pauses of trainings that no longer run."""
        for file in os.listdir(self._directory):
            if file.startswith(PAUSE) and file[len(PAUSE) :] not in trainings:
                remove_file(os.path.join(self._directory, file))
