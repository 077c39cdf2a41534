"""`harmony demo`'s report: what was asked, what one phone revealed, and what the fleet did."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .survey import domain, report_bytes
from .terminal import columns, plural

if TYPE_CHECKING:
    from rich.console import Console

    from ..demo import DemoResult

LEAST_TO_LEARN = 1_000
"""Phones that a training needs."""


def print_report(screen: Console, done: DemoResult) -> None:
    """Print what came of a demonstration."""
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
    table = columns("attribute", "value", ">truth", ">estimate", ">95% interval", "")
    for attribute in done.survey.attributes:
        rows = [row for row in done.rows if row["attribute"] == attribute.name]
        for place, row in enumerate(rows):
            *cells, mark = _cells(row, rows)
            if row["verdict"] != "ok":
                mark = f"[yellow]{row['verdict']}[/]" if place == 0 else ""
            table.add_row(f"[cyan]{attribute.name}[/]" if place == 0 else "", *cells, mark)
    screen.print(table)
    expected = 0.05 * len(done.rows)
    missed = "none did" if not done.missed else f"{done.missed} did"
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

    write = number_writer([one | {"stderr": finite(one["stderr"])} for one in rows])
    low, high, estimate = (finite(row[part]) for part in ("low", "high", "estimate"))
    return (
        "mean" if row["value"] is None else str(row["value"]),
        write(row["truth"]),
        write(estimate),
        f"{write(low)} .. {write(high)}",
        "" if row["covers"] else "[red]misses the truth[/]",
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
