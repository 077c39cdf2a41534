"""The door: NumPy for small work and while the kernels are loaded, and then the kernels."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

import harmony as hm
from harmony.bulk import backend as door
from harmony.bulk import reference

DEADLINE = 600  # seconds, for a machine that does much else


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernels yet, and no work done."""
    monkeypatch.setattr(door, "_kernels", None)
    monkeypatch.setattr(door, "_done", 0)


def test_two_rows_are_collected_without_numba() -> None:
    code = (
        "import sys, harmony as hm\n"
        "survey = hm.Survey('s', [hm.Boolean('wifi'), hm.Numeric('x', 0, 1)], epsilon=1.0)\n"
        "table = {'wifi': [True, False], 'x': [0.5, 0.1]}\n"
        "assert survey.tally(survey.randomize(table, seed=1)) == survey.collect(table, seed=1)\n"
        "print(sorted({'numba', 'llvmlite'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (said.stdout, said.stderr) == ("[]\n", "")


@pytest.mark.usefixtures("closed")
def test_the_kernels_are_loaded_once_there_was_enough_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(door, "SMALL", 100)
    monkeypatch.setattr(door, "load", lambda: "loaded")
    assert door.backend(60) is reference
    assert door.backend() is reference
    assert door.backend(60) == "loaded"


@pytest.mark.usefixtures("closed")
def test_a_large_table_loads_them_and_a_small_one_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey, loads = hm.Survey("s", [hm.Boolean("wifi")], epsilon=1.0), []

    def load() -> object:
        loads.append(1)
        return reference

    monkeypatch.setattr(door, "load", load)
    monkeypatch.setattr(door, "SMALL", 1000)
    small = survey.collect({"wifi": [True] * 999}, seed=1)
    assert (small.reports, loads) == (999, [])
    survey.collect({"wifi": [True] * 1001}, seed=1)
    assert loads


@pytest.mark.usefixtures("closed")
def test_nobody_waits_while_another_thread_loads_the_kernels() -> None:
    loading, ready = threading.Event(), threading.Event()

    def load() -> None:
        with door._loading:
            loading.set()
            ready.wait(DEADLINE)

    thread = threading.Thread(target=load)
    thread.start()
    assert loading.wait(DEADLINE)
    try:
        assert door.backend(100 * door.SMALL) is reference
    finally:
        ready.set()
        thread.join(DEADLINE)


@pytest.mark.usefixtures("closed")
def test_the_kernels_are_there_when_the_background_has_loaded_them() -> None:
    lines: list[str] = []
    thread = door.load_in_background(lines.append)
    thread.join(DEADLINE)
    assert not thread.is_alive()
    assert door.backend().__name__ == "harmony.bulk.kernels"
    assert len(lines) <= 1  # they may be kept from before


@pytest.mark.usefixtures("closed")
def test_without_compilation_everything_is_done_in_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    assert door.load() is reference
    assert door.backend(100 * door.SMALL) is reference


def test_without_numba_everything_is_done_in_numpy_and_one_line_says_so() -> None:
    code = (
        "import sys\n"
        "sys.modules['numba'] = None\n"
        "import numpy as np, harmony as hm\n"
        "from harmony.bulk import backend\n"
        "survey = hm.Survey('s', [hm.Boolean('wifi')], epsilon=1.0)\n"
        "for _ in range(2):\n"
        "    print(survey.collect({'wifi': np.zeros(backend.SMALL, bool)}, seed=1).reports)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout.split() == [str(door.SMALL)] * 2
    assert said.stderr == f"{door.WITHOUT_NUMBA}\n"


def test_one_can_be_chosen_and_the_choice_ends() -> None:
    other = door.load()
    with door.using(reference):
        assert door.backend(100 * door.SMALL) is reference
        with door.using(other):
            assert door.backend() is other
        assert door.backend() is reference
    assert door.backend() is other
