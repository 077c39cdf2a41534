"""The `harmony` command and its subcommands."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from .audit import audit
from .backup import backup
from .check import check
from .compact import compact
from .compare import compare
from .deletions import deletions_app
from .demo import demo
from .estimate import estimate
from .explore import explore
from .export import export
from .plan import plan
from .reproduce import reproduce_app
from .serve import serve
from .simulate import simulate
from .survey import survey_app
from .tally import tally
from .terminal import set_debug
from .train import train
from .upgrade import upgrade

app = typer.Typer(
    name="harmony",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.add_typer(survey_app, name="survey")
app.add_typer(reproduce_app, name="reproduce")
app.add_typer(deletions_app, name="deletions")
SERVING = (serve, backup, check, upgrade, compact)
ANALYSIS = (simulate, export, tally, estimate, compare, plan, audit, train, explore)
for command in (*ANALYSIS, *SERVING, demo):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"harmony {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", envvar="HARMONY_DEBUG", help="Show tracebacks; may show values."),
    ] = False,
) -> None:
    """Statistics from people's devices, without ever seeing anyone's data.

    Start with 'harmony demo'; then write a survey and 'harmony survey check' it.
    """
    set_debug(debug)


def main() -> None:
    """Run the command line; `--debug` may stand anywhere on it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    given = sys.argv[1:]
    debug = ["--debug"] if "--debug" in given else []
    command = typer.main.get_command(app)
    command.rich_markup_mode = None  # type: ignore[attr-defined]  # plain help, in half the time
    command(debug + [word for word in given if word != "--debug"], prog_name="harmony")
