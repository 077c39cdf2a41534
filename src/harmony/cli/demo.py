"""`harmony demo`: see it work."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import HarmonyError
from .options import Json, Seed
from .survey import domain, report_bytes
from .terminal import busy, columns, console, plural, reporting, say_json

if TYPE_CHECKING:
    from rich.console import Console

    from ..demo import Demonstration, DemoResult, ReportCounts

INTERRUPTED = 130
LEAST_TO_LEARN = 1_000


@reporting
def demo(
    devices: Annotated[int, typer.Option(help="Phones in the simulated fleet.")] = 200_000,
    epsilon: Annotated[float, typer.Option(help="Privacy of each report.")] = 1.0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the server running until Ctrl-C.")
    ] = False,
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

    [bold]Examples[/bold]
    \b
    harmony demo
    harmony demo --devices 1000000 --epsilon 0.5
    harmony demo --devices 20000 --no-open --json
    harmony demo --keep
    """
    with _interruptible(), ExitStack() as stack:
        with busy("Starting a server"):
            demonstration = stack.enter_context(_demonstration(devices, epsilon, seed))
        _show_link(demonstration, sys.stdout.isatty() if open is None else open)
        with _watching(devices) as (heard, learnt):
            demonstration.collect(heard)
            if devices >= LEAST_TO_LEARN:
                demonstration.learn(learnt)
        done = demonstration.conclude()
        if json:
            say_json(done.to_dict())
        else:
            _print(console(), done)
        if keep:
            _tell(f"\nThe server runs until Ctrl-C. Dashboard: {demonstration.link()}")
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
        _tell("\nStopped; the server is gone, and so is its data.")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _wait() -> None:
    import threading

    threading.Event().wait()


def _tell(text: str) -> None:
    typer.echo(text, err=True)


def _show_link(demonstration: Demonstration, wanted: bool) -> None:
    link = demonstration.link()
    _tell(f"Dashboard (this link signs you in, once): {link}")
    if wanted:
        import webbrowser

        webbrowser.open(link)
        _tell(f"If another browser opened it, use this one: {demonstration.link()}")


@contextmanager
def _watching(
    devices: int,
) -> Iterator[tuple[Callable[[ReportCounts], None], Callable[[dict[str, Any]], None]]]:
    """Show the reports and the training's steps as they come in, on a terminal."""
    if not sys.stderr.isatty():
        yield (lambda counts: None), (lambda progress: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from .rates import Rate

    bar = Progress(
        TextColumn("[bold]{task.description:<9}[/]"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        TextColumn("{task.fields[said]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
    reports = bar.add_task("reports", total=devices, said="")
    training = bar.add_task("training", total=devices, said="", start=False, visible=False)
    rate = Rate()

    def show_reports(counts: ReportCounts) -> None:
        said = (
            f"[cyan]{rate.of(counts.reported):,.0f}/s[/]  "
            f"[green]{counts.outcomes['accepted']:,} accepted[/]  "
            f"[red]{counts.refused:,} refused[/]"
        )
        bar.update(reports, completed=counts.reported, said=said)

    def show_training(progress: dict[str, Any]) -> None:
        if not bar.tasks[training].visible:
            bar.stop_task(reports)
            bar.start_task(training)
        said = f"[cyan]{_where(progress)}[/]"
        bar.update(training, completed=progress["devices"], said=said, visible=True)

    with bar:
        yield show_reports, show_training


def _where(progress: dict[str, Any]) -> str:
    """Say where a training is, and its loss if that is known."""
    losses = [row["loss"] for row in progress["history"] if row.get("loss") is not None]
    loss = f", loss {losses[-1]:.4f}" if losses else ""
    step = f"step {progress['step']}" if progress["step"] else progress["state"]
    return f"{step}{loss}"


def _print(screen: Console, done: DemoResult) -> None:
    _print_question(screen, done)
    _print_one_device(screen, done)
    _print_estimates(screen, done)
    _print_model(screen, done)
    _print_proof(screen, done)


def _print_question(screen: Console, done: DemoResult) -> None:
    survey = done.survey
    screen.print(f"[bold]Harmony: {plural(done.devices, 'phone')}, and nobody's data[/]\n")
    answers = "one of these" if survey.answers == 1 else f"{survey.answers} of these"
    screen.print(f"[bold]What was asked:[/] each phone answers {answers}, chosen by a public coin")
    asked = {row["attribute"]: row["n"] for row in done.rows}
    table = columns("attribute", "takes", ">phones asked")
    for attribute in survey.attributes:
        name = attribute.name
        table.add_row(f"[cyan]{name}[/]", domain(attribute), f"{asked[name]:,}")
    screen.print(table)
    told = [f"{count:,} {name}" for name, count in done.outcomes.items()]
    screen.print(
        f"\n[bold]What came in over HTTP:[/] {plural(done.singles, 'phone')} one by one with the "
        f"SDK, the rest in batches; {', '.join(told)}"
    )


def _print_one_device(screen: Console, done: DemoResult) -> None:
    size, epsilon = report_bytes(done.survey), done.survey.epsilon
    screen.print(f"\n[bold]What one phone revealed:[/] {size} bytes, whatever its values")
    for answer in done.answers:
        screen.print(
            f"The first phone was asked about [cyan]{answer.attribute}[/] and sent "
            f"{answer.symbol}, out of 0 .. {answer.symbols - 1}. Whatever its value, it would "
            f"send that with a chance between {answer.least:.1%} and {answer.most:.1%}."
        )
    screen.print(
        f"No two values differ more than e^{epsilon:g} = {math.exp(epsilon):.4g} times in how "
        f"likely a report is: epsilon {epsilon:g}."
    )
    screen.print("Its owner's ledger:")
    for entry in done.ledger:
        screen.print(f"  [dim]{entry}[/]")


def _print_estimates(screen: Console, done: DemoResult) -> None:
    screen.print("\n[bold]What the fleet revealed:[/] the server's estimates, and the truth")
    heads = (">truth", ">estimate", ">95% interval", "◆ the truth")
    table = columns("attribute", "value", *heads)
    for attribute in done.survey.attributes:
        rows = [row for row in done.rows if row["attribute"] == attribute.name]
        for place, row in enumerate(rows):
            *cells, drawn = _cells(row, rows)
            if row["verdict"] != "ok":
                drawn = f"[yellow]{row['verdict']}[/]" if place == 0 else ""
            table.add_row(f"[cyan]{attribute.name}[/]" if place == 0 else "", *cells, drawn)
    screen.print(table)
    expected = 0.05 * len(done.rows)
    missed = "none did" if not done.missed else f"{done.missed} did, marked ✗"
    screen.print(
        f"\n{len(done.rows)} intervals of 95%: about {expected:.2g} should miss the truth; "
        f"{missed}."
    )
    if any((row["estimate"] or 0) < 0 for row in done.rows):
        screen.print(
            "[dim]Estimates are unbiased, so a rare value's may fall below 0%; the consistent "
            "form in --json never does.[/]"
        )


def _print_model(screen: Console, done: DemoResult) -> None:
    training = done.training
    if training is None:
        screen.print(f"\nToo few phones to train a model; {LEAST_TO_LEARN:,} would do.")
        return
    weights = ", ".join(
        f"{weight:+.2f} x {name}" for name, weight in training.model["weights"].items()
    )
    screen.print(
        f"\n[bold]What was learnt:[/] predict [cyan]system error[/] from battery, memory and app "
        f"use, with {training.devices:,} phones in {plural(training.steps, 'step')}"
    )
    screen.print(f"log-odds = {training.model['intercept']:+.2f} {weights} (scaled to -1 .. 1)")
    table = columns("on phones that took no part", ">right")
    table.add_row("always the commoner answer", f"{training.majority:.1%}")
    table.add_row("[cyan]the model[/], from randomised answers", f"{training.accuracy:.1%}")
    table.add_row("the same, from everybody's data", f"{training.without_privacy:.1%}")
    screen.print(table)


def _cells(row: dict[str, Any], rows: list[dict[str, Any]]) -> tuple[str, ...]:
    from ..demo.run import finite
    from ..estimate.decimals import number_writer
    from .plots import strip

    write = number_writer([one | {"stderr": finite(one["stderr"])} for one in rows])
    low, high, estimate = (finite(row[part]) for part in ("low", "high", "estimate"))
    drawn = strip(low, high, {"│": estimate, "◆": row["truth"]}, width=17)
    style, mark = ("green", " ") if row["covers"] else ("red", "✗")
    return (
        "mean" if row["value"] is None else str(row["value"]),
        write(row["truth"]),
        write(estimate),
        f"{write(low)} .. {write(high)}",
        f"[{style}]{drawn}{mark}[/]",
    )


def _print_proof(screen: Console, done: DemoResult) -> None:
    seconds, audit = done.seconds, done.audit
    verdict = "[green]PASS[/]" if audit.epsilon <= audit.promised else "[bold red]FAIL[/]"
    screen.print(
        f"{verdict}  exact audit of {len(audit.tables)} tables: a report spends "
        f"{audit.epsilon!r}, promised {audit.promised:g}"
    )
    speed = done.devices / max(seconds["collect"], 1e-9)
    trained = f", {seconds['train']:.1f} s to train" if "train" in seconds else ""
    screen.print(
        f"[dim]{seconds['start']:.1f} s to start, {seconds['collect']:.1f} s to collect "
        f"({speed:,.0f} reports/s, each on disk before it was acknowledged){trained}[/]"
    )
