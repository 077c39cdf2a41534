"""What someone sees who does not know the command line yet."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

import harmony as hm

from .conftest import Run

COMMANDS = [
    "survey check", "survey show", "survey build", "simulate", "tally", "estimate", "plan",
    "audit", "demo", "reproduce mean-frequency", "reproduce erm",
]  # fmt: skip


def test_help_names_every_command(run: Run) -> None:
    said = run("--help").stdout
    assert all(command.split()[0] in said for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_examples_and_offers_json(
    run: Run, command: str
) -> None:
    said = run(*command.split(), "--help").stdout
    assert "Examples" in said
    assert f"harmony {command}" in said.split("Examples")[1]
    assert "--json" in said


def test_no_words_at_all_show_the_help(run: Run) -> None:
    said = run()
    assert said.exit_code == 2
    assert "Usage: harmony" in said.stdout + said.stderr


def test_version_is_the_packages(run: Run) -> None:
    assert run("--version").stdout == f"harmony {hm.__version__}\n"


def test_an_unknown_command_is_a_mistake_in_usage(run: Run) -> None:
    said = run("nonsense")
    assert said.exit_code == 2
    assert "nonsense" in said.stderr


def test_help_comes_quickly() -> None:
    """The aim is 0.3 s on an idle machine; here only a mistake of another order fails."""
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        words = [sys.executable, "-m", "harmony.cli", "--help"]
        said = subprocess.run(words, capture_output=True, text=True, check=True)
        seconds.append(time.perf_counter() - started)
        assert "Usage: harmony" in said.stdout
    assert min(seconds) < 2.0


def test_help_loads_nothing_heavy_of_its_own() -> None:
    """Commands import what they need when they run, so that --help need not."""
    code = (
        "import sys, harmony; "
        "loaded = set(sys.modules); import harmony.cli; "
        "print(*sorted((set(sys.modules) - loaded) & {'numba', 'scipy', 'pyarrow', 'numpy'}))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == ""


def test_help_needs_no_markdown_and_no_highlighter() -> None:
    """They take as long to load as everything else together."""
    code = (
        "import sys; from harmony.cli import main; sys.argv = ['harmony', '--help']\n"
        "try: main()\n"
        "except SystemExit: print(*sorted({'rich', 'markdown_it', 'pygments'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[0] == "Usage: harmony [OPTIONS] COMMAND [ARGS]..."
    assert said.stdout.splitlines()[-1] == ""


def test_shells_can_complete_commands() -> None:
    wanted = {"_HARMONY_COMPLETE": "complete_bash", "COMP_WORDS": "harmony s", "COMP_CWORD": "1"}
    words = [sys.executable, "-c", "from harmony.cli import main; main()"]
    said = subprocess.run(words, capture_output=True, text=True, env=os.environ | wanted)
    assert {"simulate", "serve", "survey"} <= set(said.stdout.split())
