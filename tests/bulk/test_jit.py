"""Kernels are compiled once on a machine; whatever is wrong with their cache is no error."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba import types

import harmony
from harmony.bulk import jit

LARGE = (
    "import numpy as np, harmony as hm\n"
    "survey = hm.Survey('s', [hm.Boolean('wifi')], epsilon=1.0)\n"
    "tally = survey.collect({'wifi': np.zeros(1 << 22, bool)}, seed=1)\n"
    "print(tally.reports, tally.counts.tolist())"
)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The only place where kernels are kept, and no kernels yet."""
    monkeypatch.setattr(jit, "_kernels", [])
    monkeypatch.setattr(jit, "cache_folders", lambda: [tmp_path])
    return tmp_path


def compile_one() -> list[str]:
    """Compile a kernel as a new process would; return what was announced."""
    jit._kernels.clear()

    @jit.kernel(jit.array(types.int64))
    def double(numbers):  # type: ignore[no-untyped-def]
        for place in range(len(numbers)):
            numbers[place] *= 2

    lines: list[str] = []
    assert [name for name, _ in jit.compile_kernels(lines.append)] == ["double"]
    numbers = np.arange(4)
    double(numbers)
    assert numbers.tolist() == [0, 2, 4, 6]
    with pytest.raises(TypeError, match="No matching definition"):
        double(numbers.astype(np.float32))
    return lines


def test_what_was_compiled_is_loaded_the_next_time(folder: Path) -> None:
    assert compile_one() == [jit.KernelCache.COMPILING]
    assert compile_one() == []
    (kept,) = folder.iterdir()
    assert kept.suffix == ".kernel"


def sealed(content: bytes) -> bytes:
    return hashlib.sha256(content).digest() + content


def with_another_byte(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: with_another_byte(content, 0),
        lambda content: with_another_byte(content, len(content) - 9),
        lambda content: sealed(b"no pickle"),
        lambda content: sealed(pickle.dumps(("another", "shape"))),
    ],
)
def test_a_damaged_file_is_compiled_anew_and_replaced(
    folder: Path, damage: Callable[[bytes], bytes]
) -> None:
    compile_one()
    (kept,) = folder.iterdir()
    kept.write_bytes(damage(kept.read_bytes()))
    assert compile_one() == [jit.KernelCache.COMPILING]
    assert compile_one() == []


def test_kernels_from_other_source_are_not_loaded_but_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_one()
    before = set(folder.iterdir())
    monkeypatch.setattr(jit, "_sources", lambda: "changed")
    assert compile_one() == [jit.KernelCache.COMPILING]
    assert len(list(folder.iterdir())) == 1
    assert not before & set(folder.iterdir())


def test_kernels_for_another_processor_stay_beside_ours(folder: Path) -> None:
    compile_one()
    other = folder / f"double-{jit._sources()}-another{jit.SUFFIX}"
    other.touch()
    (kept,) = set(folder.iterdir()) - {other}
    kept.unlink()
    compile_one()
    assert set(folder.iterdir()) == {other, kept}


def test_a_cache_that_cannot_be_written_to_is_no_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "file"
    file.touch()
    monkeypatch.setattr(jit, "cache_folders", lambda: [file, file / "below"])
    assert compile_one() == [jit.KernelCache.COMPILING, jit.KernelCache.NOT_KEPT]


def test_kernels_are_read_from_every_folder_and_kept_in_the_first_that_can_be_written_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, first, second = folder / "file", folder / "first", folder / "second"
    file.touch()
    monkeypatch.setattr(jit, "cache_folders", lambda: [file, second])
    compile_one()
    monkeypatch.setattr(jit, "cache_folders", lambda: [file, first, second])
    assert compile_one() == []
    assert (first.exists(), len(list(second.iterdir()))) == (False, 1)
    (second / next(second.iterdir()).name).unlink()
    compile_one()
    assert (len(list(first.iterdir())), len(list(second.iterdir()))) == (1, 0)


def test_the_folder_that_the_user_names_comes_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    chosen, beside, user = jit.cache_folders()
    assert chosen.parent == tmp_path / "chosen"
    assert beside == Path(jit.__file__).parent / "kernels" / "__pycache__"
    assert user.parent == tmp_path / "user"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", _nobody)
    assert jit.cache_folders() == [beside]


def _nobody() -> Path:
    raise RuntimeError("no home")


def test_a_new_machine_says_why_it_takes_a_while_and_only_once(tmp_path: Path) -> None:
    """In a copy of the package, in which nothing was compiled before."""
    source = Path(harmony.__file__).parent
    shutil.copytree(source, tmp_path / "harmony", ignore=shutil.ignore_patterns("__pycache__"))
    kept = {"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path / "home")}
    dropped = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONPATH", "HOME")
    environment = {name: text for name, text in os.environ.items() if name not in dropped} | kept

    def run(*arguments: str) -> tuple[list[str], list[str]]:
        command = [sys.executable, *arguments]
        said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return said.stdout.splitlines(), said.stderr.splitlines()

    counted, why = run("-c", LARGE)
    assert why == [jit.KernelCache.COMPILING]
    assert run("-c", LARGE) == (counted, [])
    kernels = [line.split()[0] for line in run("-m", "harmony.bulk.warm")[0]]
    assert kernels == ["answer", "assign", "arrange", "locate", "spread"]
