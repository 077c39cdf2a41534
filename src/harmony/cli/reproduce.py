"""`harmony reproduce`: the paper's two figures, run again."""

from __future__ import annotations

import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import HarmonyError
from .options import Json
from .terminal import columns, console, plural, reporting, say_json

if TYPE_CHECKING:
    from ..lab.populations import Extract
    from ..lab.reproduce import Measured

reproduce_app = typer.Typer(
    help="Run the paper's experiments again, with its plotted points beside ours.",
    no_args_is_help=True,
)


class Protocol(StrEnum):
    """Who is asked what: as the plotted numbers say, or as the paper's text says."""

    published = "published"
    text = "text"


Out = Annotated[Path, typer.Option(help="Folder for the CSV, figures and report.")]
Scale = Annotated[float, typer.Option(help="Share of the paper's people: 0.01 is a quick look.")]
Seed = Annotated[int, typer.Option(help="Another seed, other people and other noise.")]
ExtractFiles = Annotated[
    tuple[Path, Path] | None,
    typer.Option(
        metavar="DATA MAPPING", help="Your own IPUMS extract instead.", show_default=False
    ),
]


@reproduce_app.command("mean-frequency")
@reporting
def mean_frequency(
    out: Out = Path("reproduction"),
    scale: Scale = 1.0,
    protocol: Annotated[
        Protocol, typer.Option(help="As the paper's plots follow, or as its text says.")
    ] = Protocol.published,
    runs: Annotated[int, typer.Option(help="Runs that every point averages.")] = 100,
    seed: Seed = 2016,
    extract: ExtractFiles = None,
    json: Json = False,
) -> None:
    """Figure 1: means and frequencies, Harmony against Hybrid, with `auto` beside them.

    Points are kept as they come: run it again after an interruption and it goes on.

    [bold]Examples[/bold]
    \b
    harmony reproduce mean-frequency --scale 0.01
    harmony reproduce mean-frequency --protocol text --runs 1000
    """
    _needs_plots()
    from ..lab.reproduce import reproduce_mean_frequency

    measured = reproduce_mean_frequency(
        out, protocol=protocol.value, scale=scale, runs=runs, seed=seed,
        people=_people(extract), progress=sys.stderr.isatty(),
    )  # fmt: skip
    _show("mean-frequency", measured, out / f"mean-frequency-{protocol.value}", json)


@reproduce_app.command("erm")
@reporting
def erm(
    out: Out = Path("reproduction"),
    scale: Scale = 1.0,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 10,
    tested: Annotated[
        int | None, typer.Option(help="Test on so many of the folds only.", show_default=False)
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this method; repeat for more. Beyond the figure: mgd-hindsight, "
            "sgd-laplace, sgd-harmony.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 2016,
    extract: ExtractFiles = None,
    json: Json = False,
) -> None:
    """Figure 2: linear regression, logistic regression and SVM by every method.

    At the paper's size this takes about 25 minutes of processor time, most of it private SGD.
    Points are kept as they come: run it again after an interruption and it goes on.

    [bold]Examples[/bold]
    \b
    harmony reproduce erm --scale 0.01
    harmony reproduce erm --method mgd --method mgd-hindsight --folds 5
    """
    _needs_plots()
    from ..lab.reproduce import ERM_METHODS, reproduce_erm

    measured = reproduce_erm(
        out, scale=scale, folds=folds, tested=tested, seed=seed, methods=method or ERM_METHODS,
        people=_people(extract), progress=sys.stderr.isatty(),
    )  # fmt: skip
    _show("erm", measured, out / "erm", json)


def _needs_plots() -> None:
    """Say before hours of measuring, not after, that the figure cannot be drawn."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise HarmonyError("the figures need matplotlib: pip install 'harmony-ldp[plot]'")


def _people(extract: tuple[Path, Path] | None) -> list[Extract] | None:
    if extract is None:
        return None
    from ..lab.populations import load_extract

    return [load_extract(*extract)]


def _show(figure: str, measured: list[Measured], path: Path, json: bool) -> None:
    files = [f"{path}{suffix}" for suffix in (".md", ".csv", ".svg", ".png")]
    if json:
        say_json({"figure": figure, "files": files, "points": [asdict(one) for one in measured]})
        return
    screen = console()
    for dataset, panel in dict.fromkeys((one.dataset, one.panel) for one in measured):
        chosen = [one for one in measured if (one.dataset, one.panel) == (dataset, panel)]
        screen.print(f"[bold]{dataset}, {panel}[/]: {chosen[0].users:,} people")
        screen.print(_table(figure, chosen))
        screen.print()
    screen.print(f"{plural(len(measured), 'point')}: {', '.join(files)}")


def _table(figure: str, measured: list[Measured]) -> Any:
    """A row for each method, and one for the paper's, by epsilon."""
    from ..lab.reproduce import paper_points

    epsilons = sorted({one.epsilon for one in measured})
    table = columns("method", "", *(f">{epsilon:g}" for epsilon in epsilons))
    ours = {(one.method, one.epsilon): one.value for one in measured}
    paper = {
        (one.method, one.epsilon): one.value
        for one in paper_points(figure)
        if (one.dataset, one.panel) == (measured[0].dataset, measured[0].panel)
    }
    for method in dict.fromkeys(one.method for one in measured):
        for whose, values in (("ours", ours), ("paper", paper)):
            if (method, epsilons[0]) in values:
                shown = [f"{values[method, epsilon]:.4g}" for epsilon in epsilons]
                table.add_row(f"[cyan]{method}[/]" if whose == "ours" else "", whose, *shown)
    return table
