"""One at a time: whatever changes a device's directory holds its lock, and gives it back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harmony_device import Device, durable, lock
from harmony_device.lock import DirectoryLock

from .conftest import VALUES, Clock
from .fake_server import FakeServer
from .steps import RECORD, step_document
from .test_crashes import CrashingOs

fcntl = pytest.importorskip("fcntl")

Start = Callable[..., Device]


def is_free(directory: Path) -> bool:
    """Whether nobody holds the directory's lock."""
    descriptor = os.open(directory / "lock", os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Note every change of a file that is made without the lock."""
    held, without = [0], []
    real_lock, real_unlock = lock._lock, lock._unlock

    def take(descriptor: int) -> None:
        real_lock(descriptor)
        held[0] += 1

    def give_back(descriptor: int) -> None:
        held[0] -= 1
        real_unlock(descriptor)

    def step(name: str) -> None:
        if not held[0]:
            without.append(name)

    with monkeypatch.context() as patched:
        patched.setattr(lock, "_lock", take)
        patched.setattr(lock, "_unlock", give_back)
        patched.setattr(durable, "os", CrashingOs(step))
        yield without
    assert held == [0]


def test_a_lock_excludes_others_until_its_block_ends(tmp_path: Path) -> None:
    holder = DirectoryLock(str(tmp_path / "new"))
    for _ in range(2):
        with holder:
            assert not is_free(tmp_path / "new")
        assert is_free(tmp_path / "new")
    assert (tmp_path / "new" / "lock").stat().st_mode & 0o777 == 0o600


def test_a_lock_is_given_back_when_its_block_fails(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), DirectoryLock(str(tmp_path)):
        raise RuntimeError
    assert is_free(tmp_path)


def test_a_lock_that_cannot_be_taken_leaves_no_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt(descriptor)

    monkeypatch.setattr(lock, "_lock", interrupted)
    with pytest.raises(KeyboardInterrupt) as stopped, DirectoryLock(str(tmp_path)):
        pass
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(stopped.value.args[0])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_lock_is_given_back_although_a_child_was_forked_meanwhile(tmp_path: Path) -> None:
    read, write = os.pipe()
    with DirectoryLock(str(tmp_path)):
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)
            os._exit(0)
    os.close(read)
    try:
        assert is_free(tmp_path)
    finally:
        os.close(write)
        os.waitpid(child, 0)


def test_nothing_changes_without_the_lock(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A report that is lost, damaged, resent and dropped; a document; a withdrawal; a return."""
    with watched(monkeypatch) as without:
        server.faults = [None, None, None, "lost reply"]
        device().answer(VALUES)
        clock.now += 60
        device().answer(VALUES)
        for label, fault in (("2", 410), ("3", 503)):
            server.open_round("small", label)
            server.faults = [None, fault]
            device().answer(VALUES)
            clock.now += 3600
        for file in (tmp_path / "harmony" / "outbox").iterdir():
            file.write_bytes(b"damaged")
        (tmp_path / "harmony" / "outbox" / "strange.json").write_bytes(b"damaged")
        server.close_round("small")
        device().answer(VALUES)
        clock.now += 31 * 86400
        device().answer(VALUES)
        server.faults = [503]
        device().forget()
        device().rejoin()
        device().answer({})
        clock.now += 3600
        device(consent=False).send()
    assert without == []


def test_the_pauses_of_trainings_change_under_the_lock(
    device: Start, server: FakeServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes that write one pause at once would trip over each other's file."""
    server.train(step_document())
    with watched(monkeypatch) as without:
        server.faults = [*[None] * 3, (204, {"Retry-After": "500"})]
        device().answer(VALUES)
        clock.now += 600
        assert "charging" in device(record={"battery": float}).answer(RECORD).skipped
        server.trainings = []
        device().answer(VALUES)
    assert without == []
