"""`harmony demo`: see it work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import HarmonyError
from .demo_invitation import print_invitation
from .demo_progress import watching
from .demo_report import LEAST_TO_LEARN, print_report
from .options import Json, Seed
from .terminal import busy, console, plural, reporting, say_json

if TYPE_CHECKING:
    from ..demo import Demonstration

INTERRUPTED = 130
STOPPED = "\nStopped; the server is gone, and so is its data."


@reporting
def demo(
    devices: Annotated[int, typer.Option(help="Phones in the simulated fleet.")] = 200_000,
    epsilon: Annotated[float, typer.Option(help="Privacy of each report.")] = 1.0,
    keep: Annotated[
        bool | None,
        typer.Option(
            "--keep/--no-keep",
            help="Leave the server running until Ctrl-C, with pages to try (on a terminal).",
            show_default=False,
        ),
    ] = None,
    open: Annotated[
        bool | None,
        typer.Option(
            "--open/--no-open", help="Open the dashboard in a browser (on a terminal).",
            show_default=False,
        ),
    ] = None,
    seed: Seed = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Start a server, let a fleet of phones report to it, and hold the estimates to the truth.

    The server listens on a free port of this machine and keeps its data in a temporary folder.
    Some of the phones report one by one with the device SDK, the others through a gateway.
    On a terminal the server stays up afterwards, so that you can look around and be a device.

    [bold]Examples[/bold]
    \b
    harmony demo
    harmony demo --devices 1000000 --epsilon 0.5
    harmony demo --devices 20000 --no-open --json
    harmony demo --keep
    """
    _tell(f"Harmony: a server of your own, and {plural(devices, 'invented phone')} to report to it")
    with _interruptible(), ExitStack() as stack:
        with busy("Designing the survey, starting the server"):
            demonstration = stack.enter_context(_demonstration(devices, epsilon, seed))
        _show_link(demonstration, sys.stdout.isatty() if open is None else open)
        with watching(devices) as (heard, learnt):
            demonstration.collect(heard)
            if devices >= LEAST_TO_LEARN:
                demonstration.learn(learnt)
        done = demonstration.conclude()
        if json:
            say_json(done.to_dict())
        else:
            print_report(console(), done)
        if _is_interactive() and not json if keep is None else keep:
            print_invitation(demonstration.invite())
            _wait()


def _demonstration(devices: int, epsilon: float, seed: int | None) -> Demonstration:
    try:
        import fastapi  # noqa: F401  # what the server, a process of its own, needs

        from ..demo import Demonstration
    except ModuleNotFoundError as missing:
        raise HarmonyError(
            f"the demonstration needs {missing.name}: pip install 'harmony-ldp[service]'"
        ) from None
    return Demonstration(devices, epsilon, seed)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C, or a polite request to end, stop the server and leave nothing behind."""
    import signal

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt:
        _tell(STOPPED)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _is_interactive() -> bool:
    """Whether somebody sits there who can press Ctrl-C."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _wait() -> None:
    """Wait until somebody has seen enough, which is no failure."""
    import threading

    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        _tell(STOPPED)


def _tell(text: str) -> None:
    typer.echo(text, err=True)


def _show_link(demonstration: Demonstration, wanted: bool) -> None:
    link = demonstration.link()
    _tell(f"Dashboard (this link signs you in, once): {link}")
    if wanted:
        import webbrowser

        webbrowser.open(link)
        _tell(f"If another browser opened it, use this one: {demonstration.link()}")
