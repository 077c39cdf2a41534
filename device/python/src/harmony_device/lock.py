"""The lock on a device's directory: one process, and one thread, changes it at a time."""

from __future__ import annotations

import os
import sys

from .durable import OWNER_ONLY, make_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class DirectoryLock:
    """Held in a `with` block; others wait.  The system releases it when a process dies."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._descriptor = -1

    def __enter__(self) -> None:
        make_directory(self._directory)
        path = os.path.join(self._directory, "lock")
        # Opened anew each time: a lock belongs to the opened file, so threads exclude each
        # other as well as processes do.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, OWNER_ONLY)
        try:
            _lock(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        try:
            _unlock(descriptor)
        finally:
            os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
            except OSError:  # it gives up after ten seconds
                continue
            return

    def _unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _unlock(descriptor: int) -> None:
        # Closing alone would leave the lock with a child that was forked meanwhile.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
