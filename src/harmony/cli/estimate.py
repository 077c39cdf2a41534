"""`harmony estimate`: from tallies to means and histograms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .loading import check_out, load_survey, load_tally
from .options import Confidence, Json, SurveyFile, Top
from .plot_files import SavePlot, check_plot
from .row_files import FORMATS, write_rows
from .terminal import bar, columns, console, percent, plural, reporting, say, say_json

if TYPE_CHECKING:
    from ..estimate import Estimate, Result

SHOWN_VALUES = 16


@reporting
def estimate(
    survey: SurveyFile,
    tallies: Annotated[
        list[Path],
        typer.Argument(metavar="TALLY", help="Tallies, or files of reports, of one round"),
    ],
    confidence: Confidence = 0.95,
    weighting: Annotated[
        str, typer.Option(help="How tiers combine: by number of 'devices', or by 'precision'.")
    ] = "devices",
    population: Annotated[
        Path | None,
        typer.Option(
            help="Weigh strata to a population: a file (.json, .yaml) with the share of each "
            "TALLY, by the name it is given here.",
            show_default=False,
        ),
    ] = None,
    top: Top = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write all estimates (.json, .csv, .parquet)"),
    ] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Draw a bar for each estimate.")] = False,
    save_plot: SavePlot = None,
    json: Json = False,
) -> None:
    """Estimate means and histograms, each with its interval.

    [bold]Examples[/bold]
    \b
    harmony estimate phones.yaml week46.tally
    harmony estimate phones.yaml north.tally south.tally --confidence 0.99 -o estimates.csv
    harmony estimate phones.yaml reports.parquet --plot
    harmony estimate phones.yaml week46.tally --save-plot week46.png
    harmony estimate phones.yaml old.tally new.tally --population versions.yaml
    """
    from ..files import read_structured

    if out is not None:
        check_out(out, FORMATS)
    check_plot(save_plot)
    asked = load_survey(survey)
    if population is None:
        result = asked.estimate(load_tally(asked, tallies), weighting=weighting)
    else:
        strata = {str(path): load_tally(asked, [path]) for path in tallies}
        shares = read_structured(population)
        result = asked.estimate(strata, weighting=weighting, population=shares)
    document = result.to_dict(confidence, top=top)
    if out is not None:
        write_rows(result, out, confidence, top)
    if save_plot is not None:
        result.plot(confidence).savefig(save_plot)
    if json:
        say_json(document)
        return
    screen = console()
    screen.print(
        f"[bold]{result.survey}[/], round {result.round}: {plural(result.reports, 'report')}, "
        f"epsilon {result.epsilon:g}{_weighted(result)}\n"
    )
    screen.print(_table(result, confidence, plot, min(top or SHOWN_VALUES, SHOWN_VALUES)))
    if not plot:
        screen.print(
            f"\n[dim]if {percent(result.dishonest)} lie: how far that share of dishonest devices "
            "could move the estimate.[/]"
        )
    for warning in result.warnings:
        screen.print(f"[yellow]warning:[/] {warning}")
    if out is not None:
        say(f"{len(document['estimates'])} estimates -> {out}")


def _weighted(result: Result) -> str:
    return f", weighted to {len(result.population)} strata" if result.population else ""


def _table(result: Result, confidence: float, plot: bool, most: int) -> Any:
    last = "" if plot else f">if {percent(result.dishonest)} lie"
    interval = f">{percent(confidence)} interval"
    table = columns("attribute", "value", ">estimate", interval, ">answers", last)
    for one in result.values():
        _add(table, one, confidence, plot, most)
    return table


def _add(table: Any, one: Estimate, confidence: float, plot: bool, most: int) -> None:
    """Add the rows of one estimate: of a long histogram, the most frequent values."""
    from rich.text import Text

    from ..estimate.decimals import number_writer

    rows = one.shown(most, confidence)
    write = number_writer(rows, shares=one.in_shares)
    style = "" if one.enough else "dim"
    highest = max(row["high"] for row in rows)
    for place, row in enumerate(rows):
        first = place == 0
        influence = f"± {one.influence_in_words(write)}" if first else ""
        table.add_row(
            Text(one.name if first else "", style="cyan"),
            Text("mean" if row["value"] is None else str(row["value"]), style=style),
            Text(write(row["estimate"]), style=style),
            Text(f"{write(row['low'])} .. {write(row['high'])}", style=style),
            f"{one.n:,}" if first else "",
            _drawing(row, one, highest) if plot else influence,
        )
    if not one.enough:
        table.add_row("", Text(one.verdict, style="yellow"))
    if left_out := one.left_out(most):
        table.add_row("", f"[dim]and {left_out:,} rarer values (use -o)[/]")


def _drawing(row: dict[str, Any], one: Any, most: float) -> str:
    """Draw a number on its range, and a frequency from zero to the histogram's highest."""
    if one.in_shares:
        low, high = 0.0, most
    else:
        asked = getattr(one, "question", None) or getattr(one, "number", None) or one
        low, high = asked.low, asked.high
    return bar((row["estimate"] - low) / (high - low))
