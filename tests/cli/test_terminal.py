"""Errors, notes and bars."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harmony.cli import terminal

from .conftest import Run


def _harmony(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harmony.cli", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


def test_an_error_is_one_line_without_a_traceback() -> None:
    said = _harmony("audit", "nowhere.yaml")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == "error: nowhere.yaml: cannot be read (No such file or directory)\n"


@pytest.mark.parametrize("words", [("--debug", "audit", "x.yaml"), ("audit", "x.yaml", "--debug")])
def test_debug_shows_the_traceback_wherever_it_stands(words: tuple[str, ...]) -> None:
    said = _harmony(*words)
    assert said.returncode == 2
    assert "Traceback" in said.stderr


def test_debug_can_come_from_the_environment() -> None:
    assert "Traceback" in _harmony("audit", "x.yaml", HARMONY_DEBUG="1").stderr


def test_the_unexpected_is_told_without_its_message(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, *_: object, **__: object) -> None:
        raise RuntimeError("s3cr3t")

    monkeypatch.setattr("harmony.Survey.collect", fail)
    said = run("simulate", "phones.yaml", "people.csv", "-o", "out.tally")
    assert said.exit_code == 1
    assert said.stderr == "error: unexpected RuntimeError; run again with --debug and report it\n"


def test_text_survives_a_terminal_without_unicode(files: Path) -> None:
    words = ("plan", str(files / "phones.yaml"), "--devices", "1000")
    said = _harmony(*words, PYTHONIOENCODING="ascii")
    assert said.returncode == 0, said.stderr


class _Terminal:
    """Standard error as it looks to a program in a terminal."""

    def __init__(self, stream: object) -> None:
        self._stream = stream

    def isatty(self) -> bool:
        return True

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def test_bars_show_only_after_a_while(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", _Terminal(sys.stderr))
    with terminal.busy("Designing"), terminal.meter("Counting") as show:
        show(0.5)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(terminal, "PATIENCE", -1.0)
    with terminal.meter("Counting") as show:
        show(0.5)
        show(1.0)
    assert "Counting" in capsys.readouterr().err
