"""What someone sees who does not know the command line yet."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

import harmony as hm
from harmony.cli import app

from .conftest import Run


def commands(group: TyperGroup) -> dict[str, Any]:
    """Return every command by the words that call it."""
    found: dict[str, Any] = {}
    for name, one in group.commands.items():
        if isinstance(one, TyperGroup):
            found |= {f"{name} {word}": inner for word, inner in commands(one).items()}
        else:
            found[name] = one
    return found


COMMANDS = commands(get_command(app))
WITHOUT_JSON = {"serve"}
"""It prints nothing but its log, which `--log-format json` turns into JSON."""


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
    assert ("--json" in said) == (command not in WITHOUT_JSON)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_file_named_for_it(command: str) -> None:
    written = COMMANDS[command].callback
    assert written is not None
    assert written.__module__ == f"harmony.cli.{command.split()[0]}"


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


def test_help_takes_little_longer_than_that_of_an_empty_program() -> None:
    """In turns, so that a busy machine slows both down; the least of each is what it costs."""
    empty = "import typer; app = typer.Typer(); app.command()(lambda: None); app(['--help'])"
    least, ours = [], []
    for _ in range(3):
        least.append(seconds_of("-c", empty))
        ours.append(seconds_of("-m", "harmony.cli", "--help"))
    assert min(ours) < 2 * min(least)


def seconds_of(*words: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, *words], capture_output=True, check=True)
    return time.perf_counter() - started


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
