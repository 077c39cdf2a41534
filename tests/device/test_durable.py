"""Files that survive a crash: what is written, in which order, and for whose eyes."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from harmony_device import durable
from harmony_device.documents import Documents, matches
from harmony_device.durable import append_line, make_directory, read_file, remove_file, write_file
from harmony_device.lock import DirectoryLock

from .test_crashes import CrashingOs, Steps, raise_crash


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each call that changes the disk."""
    steps = Steps(-1, raise_crash)
    monkeypatch.setattr(durable, "os", CrashingOs(steps))
    return steps.names


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_file_is_synced_before_it_replaces_another_and_its_name_after(
    steps: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    for content in (b"one", b"two"):
        steps.clear()
        write_file(str(path), content)
        assert steps == ["write", "fsync", "replace", "fsync"]
        assert path.read_bytes() == content
    assert mode(path) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_what_an_earlier_crash_left_does_not_get_into_a_file(tmp_path: Path) -> None:
    (tmp_path / "file.new").write_bytes(b"x" * 1000)
    write_file(str(tmp_path / "file"), b"short")
    assert (tmp_path / "file").read_bytes() == b"short"


def test_a_line_is_synced_and_so_is_the_name_of_a_new_file(
    steps: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "lines"
    append_line(str(path), b"one")
    assert steps == ["write", "fsync", "fsync"]
    steps.clear()
    append_line(str(path), b"two")
    assert steps == ["write", "fsync"]
    assert path.read_bytes() == b"one\ntwo\n"
    assert mode(path) == 0o600


@pytest.mark.parametrize("torn", [1, 100, 4095, 4096, 4097, 8191, 8192, 8193, 20_000])
@pytest.mark.parametrize("before", [b"", b"\n", b"whole\n", b"x" * 5000 + b"\n"])
def test_an_unfinished_line_of_any_length_is_cut_off(
    torn: int, before: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "lines"
    path.write_bytes(before + b"t" * torn)
    append_line(str(path), b"next")
    assert path.read_bytes() == before + b"next\n"


def test_a_file_of_nothing_but_an_unfinished_line_is_synced_as_a_new_one(
    steps: list[str], tmp_path: Path
) -> None:
    (tmp_path / "lines").write_bytes(b"torn")
    append_line(str(tmp_path / "lines"), b"one")
    assert steps == ["ftruncate", "write", "fsync", "fsync"]


def test_a_disk_that_takes_a_few_bytes_at_a_time_gets_them_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Reluctant(CrashingOs):
        def write(self, descriptor: int, content: bytes) -> int:
            return os.write(descriptor, content[:3])

    monkeypatch.setattr(durable, "os", Reluctant(lambda name: None))
    write_file(str(tmp_path / "file"), b"0123456789")
    append_line(str(tmp_path / "file"), b"abcdefgh")
    assert (tmp_path / "file").read_bytes() == b"abcdefgh\n"


def test_a_failed_write_closes_its_file_and_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(str(tmp_path / "file"), b"old\n")
    opened = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    class Full(CrashingOs):
        def write(self, descriptor: int, content: bytes) -> int:
            raise OSError("no space left")

    monkeypatch.setattr(durable, "os", Full(lambda name: None))
    for change in (write_file, append_line):
        with pytest.raises(OSError, match="no space"):
            change(str(tmp_path / "file"), b"new")
    assert (tmp_path / "file").read_bytes() == b"old\n"
    if opened:
        assert len(os.listdir("/proc/self/fd")) == opened


def test_a_removed_file_stays_removed_and_may_be_gone_already(
    steps: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    remove_file(str(path))
    assert steps == ["unlink", "fsync"]
    remove_file(str(path))
    assert steps == ["unlink", "fsync", "unlink"]
    assert read_file(str(path)) is None


def test_a_file_beside_the_program_has_a_directory_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_file("file", b"content")
    assert read_file("file") == b"content"


def test_a_directory_is_its_owners_alone_and_may_be_there_already(tmp_path: Path) -> None:
    for _ in range(2):
        make_directory(str(tmp_path / "one" / "two"))
    assert mode(tmp_path / "one" / "two") == 0o700


def test_documents_are_kept_up_to_their_size_together(tmp_path: Path) -> None:
    documents = Documents(str(tmp_path), most_bytes=100)
    documents.keep("a", b"x" * 60)
    documents.keep("b", b"x" * 41)
    documents.keep("c", b"x" * 40)
    documents.keep("d", b"x")
    assert sorted(os.listdir(tmp_path / "surveys")) == ["a", "c"]


def test_sixteen_mebibytes_of_documents_are_kept(tmp_path: Path) -> None:
    documents = Documents(str(tmp_path))
    documents.keep("a", bytes(16 << 20))
    documents.keep("b", b"x")
    assert os.listdir(tmp_path / "surveys") == ["a"]


def test_documents_that_are_not_named_are_removed(tmp_path: Path) -> None:
    documents = Documents(str(tmp_path))
    documents.keep_only(())
    assert list(tmp_path.iterdir()) == []
    for name in "abc":
        documents.keep(name, b"{}")
    documents.keep_only({"b"})
    assert os.listdir(tmp_path / "surveys") == ["b"]
    assert mode(tmp_path / "surveys") == 0o700


def test_nothing_stays_open(tmp_path: Path) -> None:
    folder = "/proc/self/fd"
    if not os.path.isdir(folder):
        pytest.skip("needs /proc")
    before = len(os.listdir(folder))
    for _ in range(5):
        with DirectoryLock(str(tmp_path)):
            write_file(str(tmp_path / "file"), b"content")
            append_line(str(tmp_path / "lines"), b"line")
            read_file(str(tmp_path / "file"))
            remove_file(str(tmp_path / "file"))
    assert len(os.listdir(folder)) == before


def test_the_directory_that_is_synced_is_that_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    real = os.open

    def note(path: str, flags: int, *mode: int) -> int:
        opened.append(path)
        return real(path, flags, *mode)

    monkeypatch.setattr(os, "open", note)
    write_file(str(tmp_path / "file"), b"content")
    assert opened == [str(tmp_path / "file.new"), str(tmp_path)]


@pytest.mark.parametrize("content", [b'{"a":2,"b":1}', b'{"b": 1, "a": 2}', b"", b"\xff"])
def test_a_fingerprint_is_that_of_exactly_the_bytes(content: bytes) -> None:
    assert matches(content, sha256(content).hexdigest()) is True
    assert matches(content, sha256(content).hexdigest().upper()) is False
    assert matches(content + b"\n", sha256(content).hexdigest()) is False
    assert matches(b'{"b":1,"a":2}', sha256(b'{"a":2,"b":1}').hexdigest()) is False


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"7", b"\xff"])
def test_what_has_another_fingerprint_does_not_match(content: bytes) -> None:
    assert matches(content, "0f" * 32) is False
