"""Durable files: after a function here returns, a crash or a power cut does not undo it.

Callers hold the directory's lock, so a fixed name for the file being written is enough: what
a crash leaves behind is overwritten the next time.
"""

from __future__ import annotations

import os

OWNER_ONLY = 0o600
OWNER_ONLY_DIRECTORY = 0o700


def make_directory(path: str) -> None:
    """Create a directory that only its owner may enter, and its parents."""
    os.makedirs(path, mode=OWNER_ONLY_DIRECTORY, exist_ok=True)


def write_file(path: str, content: bytes) -> None:
    """Write a whole file: a reader, and a crash, find all of it or what was there before."""
    unfinished = f"{path}.new"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY)
    try:
        _write_all(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(unfinished, path)
    _sync_directory(path)


def append_line(path: str, line: bytes) -> None:
    """Add a line to a file, first cutting off the unfinished line a crash may have left."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, OWNER_ONLY)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        end = _end_of_last_line(descriptor, size)
        if end < size:
            os.ftruncate(descriptor, end)
        os.lseek(descriptor, end, os.SEEK_SET)
        _write_all(descriptor, line + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if end == 0:
        _sync_directory(path)


def remove_file(path: str) -> None:
    """Remove a file, and keep it removed; it may be gone already."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    _sync_directory(path)


def read_file(path: str) -> bytes | None:
    """Return a file's content, or None when there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def _end_of_last_line(descriptor: int, size: int) -> int:
    """Return where the last finished line ends."""
    end = size
    while end:
        start = max(0, end - 4096)
        os.lseek(descriptor, start, os.SEEK_SET)
        newline = os.read(descriptor, end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def _sync_directory(path: str) -> None:
    """Make a new, replaced or removed name durable, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
