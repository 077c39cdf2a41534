"""What people see: consoles, notes, errors, and bars for what takes long."""

from __future__ import annotations

import functools
import json
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec

import typer

from ..errors import HarmonyError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

OK, FAILED, BAD_INPUT = 0, 1, 2
PIPED_WIDTH = 100
PATIENCE = 2.0
"""Seconds that may pass in silence."""

Arguments = ParamSpec("Arguments")

_debug = False


def set_debug(wanted: bool) -> None:
    """Choose whether errors come with their traceback."""
    global _debug
    _debug = wanted


def reporting(command: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Turn what a command raises into a line of text and an exit code."""

    @functools.wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except typer.Exit:
            raise
        except BrokenPipeError:
            raise
        except HarmonyError as problem:
            raise _stopped(str(problem), BAD_INPUT) from None
        except OSError as problem:
            where = f"{problem.filename}: " if problem.filename else ""
            raise _stopped(f"{where}{problem.strerror or 'cannot be used'}", BAD_INPUT) from None
        except Exception as problem:
            # The message may quote a private value: only --debug shows it.
            said = f"unexpected {type(problem).__name__}; run again with --debug and report it"
            raise _stopped(said, FAILED) from None

    return run


def _stopped(problem: str, code: int) -> typer.Exit:
    """Print what was wrong; with --debug, the traceback of the exception at hand too."""
    if _debug:
        traceback.print_exc()
    typer.echo(f"{typer.style('error:', fg='red', bold=True)} {problem}", err=True)
    return typer.Exit(code)


def note(text: str) -> None:
    """Tell something beside the output, on standard error."""
    typer.echo(f"{typer.style('note:', fg='yellow')} {text}", err=True)


def say(text: str) -> None:
    """Print a line of output."""
    typer.echo(text)


def say_json(document: Any) -> None:
    """Print a document for programs: nothing else goes to standard output."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


def console() -> Console:
    """Return the console of standard output, a little wider than usual when it is a pipe."""
    from rich.console import Console

    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPED_WIDTH
    return Console(width=wide, highlight=False)


def columns(*headings: str) -> Table:
    """Return a table with these headings; numbers go under those that start with ">"."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    for heading in headings:
        numbers = heading.startswith(">")
        table.add_column(
            heading.removeprefix(">"), justify="right" if numbers else "left", no_wrap=numbers
        )
    return table


def plural(count: int, noun: str) -> str:
    """Write how many there are.

    >>> plural(1, "phone"), plural(2000, "phone")
    ('1 phone', '2,000 phones')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def percent(share: float) -> str:
    """Write a share as a percentage, without needless digits.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * share:.6g}%"


def bar(share: float, width: int = 20) -> str:
    """Draw a share of the width, in characters that every terminal has.

    >>> bar(0.5, width=8), bar(-0.1, width=8), bar(7.0, width=8), bar(float("nan"), width=8)
    ('####    ', '        ', '########', '        ')
    """
    within = min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0
    return ("#" * round(within * width)).ljust(width)


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """Show that something is going on, once it has taken two seconds."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Timer

    from rich.console import Console

    status = Console(stderr=True).status(doing)
    timer = Timer(PATIENCE, status.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


@contextmanager
def meter(doing: str) -> Iterator[Callable[[float], None]]:
    """Yield a function to call with the share done; a bar shows once two seconds have passed."""
    if not sys.stderr.isatty():
        yield lambda share: None
        return
    from rich.console import Console
    from rich.progress import Progress

    started = time.monotonic()
    progress = Progress(console=Console(stderr=True), transient=True)
    task = progress.add_task(doing, total=1.0)
    with ExitStack() as stack:

        def show(share: float) -> None:
            if not progress.live.is_started and time.monotonic() - started > PATIENCE:
                stack.enter_context(progress)
            progress.update(task, completed=share)

        yield show
