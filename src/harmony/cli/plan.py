"""`harmony plan`: the error to expect, or the devices that an error needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import HarmonyError
from .loading import load_survey
from .options import Confidence, Json, SurveyFile
from .plot_files import SavePlot, check_plot
from .simulate_devices import read_number
from .terminal import columns, console, percent, plural, reporting, say_json

if TYPE_CHECKING:
    from ..plan import Plan, PlannedError


@reporting
def plan(
    survey: SurveyFile,
    devices: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="How many devices will report, 1e6 for instance.",
            show_default=False,
        ),
    ] = None,
    error: Annotated[
        float | None,
        typer.Option(
            help="Largest error allowed, as a share: 0.01 is 1% of a range or 1 point of "
            "frequency.",
            show_default=False,
        ),
    ] = None,
    confidence: Confidence = 0.95,
    shape: Annotated[
        str | None,
        typer.Option(
            help="How values are spread: 'even', 'worst', or a file (.json, .yaml) with the "
            "frequencies of each attribute's values, or numbers like those expected. Without it "
            "both are shown, and --error is met at worst.",
            show_default=False,
        ),
    ] = None,
    save_plot: SavePlot = None,
    json: Json = False,
) -> None:
    """Predict every error before collecting, or say how many devices an error needs.

    Give --devices or --error. An error is half the width of an interval.

    [bold]Examples[/bold]
    \b
    harmony plan phones.yaml --devices 1000000
    harmony plan phones.yaml --error 0.01
    harmony plan phones.yaml --error 0.01 --shape expected.yaml
    harmony plan phones.yaml --devices 50000 --save-plot errors.svg
    """
    if (devices is None) == (error is None):
        raise HarmonyError("give either --devices 100000, say, or --error 0.01")
    check_plot(save_plot)
    planned = load_survey(survey).plan(
        devices=None if devices is None else read_number(devices),
        error=error,
        confidence=confidence,
        shape=_shape(shape),
    )
    if save_plot is not None:
        planned.plot().savefig(save_plot)
    if json:
        say_json(planned.to_dict())
        return
    screen = console()
    screen.print(
        f"[bold]{planned.survey}[/]: {plural(planned.devices, 'device')} at epsilon "
        f"{planned.epsilon:g}, {percent(planned.confidence)} intervals"
    )
    if planned.rotation:
        screen.print(planned.rotation)
    screen.print()
    screen.print(_table(planned))
    for advice in planned.advice:
        screen.print(f"\n[yellow]{advice}[/]")
    screen.print(
        "\n[dim]expected error: values spread evenly, or as --shape says. "
        "change noticed: the least change between two such rounds that shows in 80%.[/]"
    )


def _shape(given: str | None) -> Any:
    """Return the word, or what the file says."""
    if given is None or given in ("even", "worst"):
        return given
    from ..files import read_structured

    return read_structured(Path(given))


def _table(planned: Plan) -> Any:
    from rich.text import Text

    window = [f">{heading}" for heading in planned.window_headings]
    table = columns(
        "attribute", ">answers", ">expected error", ">at worst", "", ">change noticed", *window
    )
    for place, one in enumerate(planned.errors):
        together = planned.window[place : place + 1]
        table.add_row(
            Text(one.attribute, style="cyan"),
            f"{one.answers:,}",
            *_errors(one),
            f"{one.detectable:.2%}",
            *(cell for each in together for cell in _errors(each)[:2]),
        )
    return table


def _errors(one: PlannedError) -> tuple[str, str, str]:
    from ..plan import IN_UNITS

    if one.kind in IN_UNITS:
        share = f"[dim]{one.error:.2%} to {one.worst:.2%} of the range[/]"
        return f"± {one.in_units:.3g}", f"± {one.worst_in_units:.3g}", share
    told = "at each number" if one.kind == "distribution" else "for each value"
    return f"± {one.error:.2%}", f"± {one.worst:.2%}", f"[dim]of the devices, {told}[/]"
