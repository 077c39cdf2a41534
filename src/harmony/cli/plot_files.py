"""Plots saved to files, with matplotlib: expected errors, and estimates with their intervals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import HarmonyError
from .loading import check_out

if TYPE_CHECKING:
    from ..estimate import Result
    from ..plan import Plan

FORMATS = (".svg", ".png", ".pdf")
BLUE, PALE = "#1d5f8a", "#a9cde4"
SHOWN_VALUES = 40

SavePlot = Annotated[
    Path | None,
    typer.Option("--save-plot", help="Save a plot (.svg, .png, .pdf).", show_default=False),
]


def check_plot(out: Path | None) -> None:
    """Refuse a plot that could not be saved, before the work is done."""
    if out is None:
        return
    check_out(out, FORMATS)
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError:
        raise HarmonyError(
            "--save-plot needs matplotlib: pip install 'harmony-ldp[plot]'"
        ) from None


def save_plan(planned: Plan, out: Path) -> None:
    """Save the expected errors against the number of devices."""
    figure, axes = _figure(6.4, 4.2)
    devices = [planned.devices * 10 ** (step / 4) for step in range(-4, 9)]
    for one in planned.errors:
        errors = [100 * one.error * math.sqrt(planned.devices / count) for count in devices]
        axes.loglog(devices, errors, label=one.attribute)
    axes.axvline(planned.devices, color="0.6", linestyle=":")
    axes.set(xlabel="devices", ylabel="expected error, % of the domain")
    axes.set_title(f"{planned.survey}, epsilon {planned.epsilon:g}", loc="left")
    axes.legend(frameon=False)
    figure.savefig(out)


def save_estimates(result: Result, confidence: float, out: Path) -> None:
    """Save a chart for each attribute: a mean on its range, a histogram as bars."""
    shown = list(result.values())
    heights = [0.9 if hasattr(one, "mean") else 0.7 + 0.26 * _bars(one) for one in shown]
    figure, axes = _figure(6.4, sum(heights) + 0.4, len(shown), heights)
    for one, place in zip(shown, axes if len(shown) > 1 else [axes], strict=True):
        rows = sorted(one.rows(confidence), key=lambda row: -row["estimate"])
        rows = rows[:SHOWN_VALUES] if len(rows) > SHOWN_VALUES else one.rows(confidence)
        labels = ["mean" if row["value"] is None else str(row["value"]) for row in rows]
        if hasattr(one, "mean"):
            place.set_xlim(one.low, one.high)
        else:
            place.barh(labels, [row["consistent"] for row in rows], color=PALE)
            place.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        reach = [(row["high"] - row["low"]) / 2 for row in rows]
        estimates = [row["estimate"] for row in rows]
        place.errorbar(estimates, labels, xerr=reach, fmt="o", color=BLUE, ms=4, capsize=3)
        place.invert_yaxis()
        place.set_title(one.name, loc="left", fontsize=10)
    figure.savefig(out)


def _bars(one: Any) -> int:
    return min(len(one.values), SHOWN_VALUES)


def _figure(width: float, height: float, rows: int = 1, heights: Any = None) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", dpi=150)
    axes = figure.subplots(rows, 1, height_ratios=heights)
    for one in figure.axes:
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes
