"""`harmony compare`: what has changed between two rounds, and what could have been noticed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .loading import check_out, load_survey, load_tally
from .options import Confidence, Json, SurveyFile, Top
from .plot_files import SavePlot, check_plot
from .row_files import FORMATS, write_rows
from .terminal import columns, console, percent, reporting, say, say_json

if TYPE_CHECKING:
    from ..estimate import Comparison
    from ..estimate.change import Change

SHOWN_VALUES = 16


@reporting
def compare(
    survey: SurveyFile,
    before: Annotated[
        Path, typer.Argument(metavar="BEFORE", help="The earlier round: a tally, or reports")
    ],
    after: Annotated[
        Path, typer.Argument(metavar="AFTER", help="The later round: a tally, or reports")
    ],
    after_survey: Annotated[
        Path | None,
        typer.Option(
            help="The later round's survey, if it is another one; attributes and values of the "
            "same name are compared.",
            show_default=False,
        ),
    ] = None,
    stayed: Annotated[
        float,
        typer.Option(
            help="With memory: the least share of devices that answered both rounds, and the same. "
            "What they keep cancels, so intervals are narrower.",
        ),
    ] = 0.0,
    confidence: Confidence = 0.95,
    top: Top = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write all differences (.json, .csv, .parquet)"),
    ] = None,
    save_plot: SavePlot = None,
    json: Json = False,
) -> None:
    """Compare two rounds: every difference with its interval, and what could be noticed.

    A difference counts as a change if its interval among those that hold all at once leaves out
    zero: without any change, no change is called in 95% of comparisons.

    [bold]Examples[/bold]
    \b
    harmony compare phones.yaml week45.tally week46.tally
    harmony compare phones.yaml week45.tally week46.tally -o changes.csv
    harmony compare old.yaml old.tally new.tally --after-survey new.yaml
    """
    from ..estimate import compare as compared

    if out is not None:
        check_out(out, FORMATS)
    check_plot(save_plot)
    first = load_survey(survey)
    second = first if after_survey is None else load_survey(after_survey)
    found = compared(
        first.estimate(load_tally(first, [before])),
        second.estimate(load_tally(second, [after])),
        stayed=stayed,
    )
    document = found.to_dict(confidence, top=top)
    if out is not None:
        write_rows(found, out, confidence, top)
    if save_plot is not None:
        found.plot(confidence).savefig(save_plot)
    if json:
        say_json(document)
        return
    screen = console()
    screen.print(f"[bold]{found.after}[/] against {found.before}\n")
    screen.print(_table(found, confidence, min(top or SHOWN_VALUES, SHOWN_VALUES)))
    screen.print(
        f"\n[dim]intervals hold all at once with {percent(confidence)}; detectable: how large "
        "a change had to be to show in 80%.[/]"
    )
    if found.left_out:
        screen.print(f"[dim]not compared: {', '.join(found.left_out)}[/]")
    if out is not None:
        say(f"{len(document['differences'])} differences -> {out}")


def _table(found: Comparison, confidence: float, most: int) -> Any:
    table = columns(
        "attribute", "value", ">before", ">after", ">difference",
        f">{percent(confidence)} interval", ">detectable", "",
    )  # fmt: skip
    for one in found.values():
        _add(table, one, confidence, most)
    return table


def _add(table: Any, one: Change, confidence: float, most: int) -> None:
    from rich.text import Text

    from ..estimate.decimals import number_writer
    from ..estimate.joint_changes import DistributionChange

    rows = one.rows(confidence, top=most)
    write = number_writer(rows, shares=one.in_shares)
    for place, row in enumerate(rows):
        table.add_row(
            Text("" if place else one.name, style="cyan"),
            Text("mean" if row["value"] is None else str(row["value"])),
            write(row["before"]),
            write(row["after"]),
            write(row["difference"]),
            f"{write(row['simultaneous_low'])} .. {write(row['simultaneous_high'])}",
            write(row["detectable"]),
            Text("changed" if row["changed"] else "", style="yellow"),
        )
    if left_out := len(one.values) - len(rows):
        table.add_row("", f"[dim]and {left_out:,} smaller differences (use -o)[/]")
    if isinstance(one, DistributionChange):
        for cells in one.quantile_cells(confidence):
            table.add_row("", *(f"[dim]{cell}[/]" for cell in cells), "", "")
