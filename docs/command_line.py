"""Writes docs/command-line.md from the commands themselves: `make docs`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command

from harmony.cli import app

PAGE = Path(__file__).with_name("command-line.md")
TITLE = """# The command line

Written by `make docs` from the commands; `harmony COMMAND --help` says the same.

The exit code is 0 when all is well, 1 when a check failed (an invalid survey, a table that spends
too much, an attack that succeeded) or something unexpected happened, and 2 when the input or the
usage is wrong. Notes and errors go to standard error. With `--json` standard output is one JSON
document and nothing else; `serve` has no `--json`, but `--log-format json`.
"""


def page() -> str:
    """Return the whole page."""
    group = get_command(app)
    parts = [TITLE, f"## harmony\n\n{_options(group)}\n"]
    parts += [_section(words, command) for words, command in _commands(group, "harmony")]
    return "\n".join(parts)


def _commands(group: Any, words: str) -> Iterator[tuple[str, Any]]:
    for name, command in sorted(group.commands.items()):
        if isinstance(command, TyperGroup):
            yield from _commands(command, f"{words} {name}")
        else:
            yield f"{words} {name}", command


def _section(words: str, command: Any) -> str:
    said, _, examples = inspect.cleandoc(command.help).partition("[bold]Examples[/bold]")
    lines = [line.strip() for line in examples.replace("\b", "").splitlines() if line.strip()]
    shown = "\n".join(f"    {line}" for line in lines)
    return f"## {words}\n\n{said.strip()}\n\n{shown}\n\n{_options(command)}\n"


def _options(command: Any) -> str:
    rows = ["| argument or option | default | meaning |", "|---|---|---|"]
    rows += [
        f"| `{_name(one)}` | {_default(one)} | {_meaning(one)} |"
        for one in command.params
        if not one.name.endswith("_completion")  # Typer's own, in its own words
    ]
    return "\n".join(rows)


def _name(one: Any) -> str:
    word = one.metavar or one.name.upper().replace("_", "-")
    if one.param_type_name == "argument":
        return str(word)
    names = ", ".join([*one.opts, *one.secondary_opts])
    return names if one.is_flag else f"{names} {word}"


def _default(one: Any) -> str:
    if one.required:
        return "required"
    return "" if one.default in (None, False) else f"`{one.default}`"


def _meaning(one: Any) -> str:
    environment = f" Also from `{one.envvar}`." if one.envvar else ""
    return f"{one.help}{environment}".replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
