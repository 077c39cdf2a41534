"""`harmony demo`: see it work."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json, Seed
from .surveys import domain, report_bytes
from .terminal import busy, columns, console, plural, reporting, say_json

if TYPE_CHECKING:
    from rich.console import Console

    from ..demo import Demo


@reporting
def demo(
    devices: Annotated[int, typer.Option(help="Phones in the simulated fleet.")] = 200_000,
    epsilon: Annotated[float, typer.Option(help="Privacy of each report.")] = 1.0,
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Simulate a fleet of phones and print the estimates beside the truth.

    [bold]Examples[/bold]
    \b
    harmony demo
    harmony demo --devices 1000000 --epsilon 0.5 --seed 7
    """
    with busy("Asking the fleet"):
        from ..demo import run_demo

        done = run_demo(devices, epsilon, seed)
    if json:
        say_json(done.to_dict())
        return
    screen = console()
    _print_question(screen, done)
    _print_one_device(screen, done)
    _print_estimates(screen, done)
    _print_proof(screen, done)


def _print_question(screen: Console, done: Demo) -> None:
    survey = done.survey
    screen.print(f"[bold]Harmony: {plural(done.devices, 'phone')}, and nobody's data[/]\n")
    answers = "one of these" if survey.answers == 1 else f"{survey.answers} of these"
    screen.print(f"[bold]What was asked:[/] each phone answers {answers}, chosen by a public coin")
    table = columns("attribute", "takes", ">phones asked")
    for attribute in survey.attributes:
        asked = done.result[attribute.name].n
        table.add_row(f"[cyan]{attribute.name}[/]", domain(attribute), f"{asked:,}")
    screen.print(table)


def _print_one_device(screen: Console, done: Demo) -> None:
    size = report_bytes(done.survey)
    epsilon = done.survey.epsilon
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


def _print_estimates(screen: Console, done: Demo) -> None:
    screen.print("\n[bold]What the fleet revealed:[/] estimates from the reports, and the truth")
    heads = (">truth", ">estimate", ">95% interval", "◆ the truth")
    table = columns("attribute", "value", *heads)
    for name, one in done.result.items():
        rows = [row for row in done.rows if row["attribute"] == name]
        for place, row in enumerate(rows):
            *cells, drawn = _cells(row, rows)
            if one.verdict != "ok":
                drawn = f"[yellow]{one.verdict}[/]" if place == 0 else ""
            table.add_row(f"[cyan]{name}[/]" if place == 0 else "", *cells, drawn)
    screen.print(table)
    expected = 0.05 * len(done.rows)
    missed = "none did" if not done.missed else f"{done.missed} did, marked ✗"
    screen.print(
        f"\n{len(done.rows)} intervals of 95%: about {expected:.2g} should miss the truth; "
        f"{missed}."
    )
    if any(row["estimate"] < 0 for row in done.rows):
        screen.print(
            "[dim]Estimates are unbiased, so a rare value's may fall below 0%; the consistent "
            "form in --json never does.[/]"
        )


def _cells(row: dict[str, Any], rows: list[dict[str, Any]]) -> tuple[str, ...]:
    from ..estimate.writing import number_writer
    from .plots import strip

    write = number_writer(rows)
    drawn = strip(row["low"], row["high"], {"│": row["estimate"], "◆": row["truth"]}, width=17)
    style, mark = ("green", " ") if row["covers"] else ("red", "✗")
    return (
        "mean" if row["value"] is None else str(row["value"]),
        write(row["truth"]),
        write(row["estimate"]),
        f"{write(row['low'])} .. {write(row['high'])}",
        f"[{style}]{drawn}{mark}[/]",
    )


def _print_proof(screen: Console, done: Demo) -> None:
    seconds, audit = done.seconds, done.audit
    verdict = "[green]PASS[/]" if audit.epsilon <= audit.promised else "[bold red]FAIL[/]"
    screen.print(
        f"{verdict}  exact audit of {len(audit.tables)} tables: a report spends "
        f"{audit.epsilon!r}, promised {audit.promised:g}"
    )
    speed = done.devices / max(seconds["collect"], 1e-9)
    screen.print(
        f"[dim]{seconds['design']:.1f} s to design the tables, {seconds['collect']:.2f} s to "
        f"randomise and count ({speed:,.0f} phones/s)[/]"
    )
