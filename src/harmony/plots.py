"""Plots in one style, with matplotlib where it is installed: `result.plot()`, `plan.plot()`.

A plot is a matplotlib figure that notebooks show by themselves; `savefig` keeps it.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from .errors import HarmonyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .arrays import Floats
    from .estimate.base import Estimate, Row
    from .estimate.compare import Comparison
    from .estimate.result import Result
    from .exploration.findings import Findings
    from .plan import Plan

BLUE, PALE, GREY = "#1d5f8a", "#a9cde4", "#8b97a0"
SERIES = (BLUE, "#b4570c", "#2f7d4f", "#7b4fa3", "#56626b", "#a3282b")
WIDTH = 6.4
SHOWN_VALUES = 40
"""Values of a histogram that are drawn: of more, the most frequent."""

ALIKE = 0.05
"""Errors that differ by less than this share are drawn as one."""

MISSING = "plots need matplotlib: pip install 'harmony-ldp[plot]'"


def plot_result(result: Result, confidence: float = 0.95) -> Figure:
    """Draw every estimate: a mean on its range, a histogram as bars, each with its interval.

    Bars are the consistent form (never negative, adding up to one), dots the unbiased one.
    """
    figure = plot_estimates(list(result.values()), confidence)
    figure.suptitle(
        f"{result.survey}, round {result.round}: {result.reports:,} reports, "
        f"epsilon {result.epsilon:g}, {100 * confidence:g}% intervals",
        x=0.01, ha="left", fontsize=10,
    )  # fmt: skip
    return figure


def plot_estimates(estimates: Sequence[Estimate], confidence: float = 0.95) -> Figure:
    """Draw estimates below each other, each as it draws itself."""
    heights = [one.drawn_height for one in estimates]
    figure, panels = new_figure(sum(heights) + 0.5, heights)
    for one, axes in zip(estimates, panels, strict=True):
        one.draw(axes, confidence)
        note = "" if one.enough else f" ({one.verdict})"
        axes.set_title(
            f"{axes.get_title(loc='left')}{note}", loc="left", fontsize=10, parse_math=False
        )
    return figure


def plot_comparison(comparison: Comparison, confidence: float = 0.95) -> Figure:
    """Draw every difference with its simultaneous interval; those that changed stand out."""
    shown = [one.rows(confidence, top=SHOWN_VALUES) for one in comparison.values()]
    heights = [0.7 + 0.26 * len(rows) for rows in shown]
    figure, panels = new_figure(sum(heights) + 0.5, heights)
    for one, rows, axes in zip(comparison.values(), shown, panels, strict=True):
        for place, row in enumerate(rows):
            reach = [
                [row["difference"] - row["simultaneous_low"]],
                [row["simultaneous_high"] - row["difference"]],
            ]
            colour = SERIES[1] if row["changed"] else GREY
            axes.errorbar(
                row["difference"], place, xerr=reach, fmt="o", color=colour, ms=4, capsize=3
            )
        axes.axvline(0, color=GREY, linewidth=0.8)
        labels = ["mean" if row["value"] is None else str(row["value"]) for row in rows]
        axes.set_yticks(list(range(len(rows))), labels, parse_math=False)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        if one.in_shares:
            axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:+.3g} points")
        title = f"{one.name}: {one.verdict(confidence)}"
        axes.set_title(title, loc="left", fontsize=10, parse_math=False)
    title = f"{comparison.after} against {comparison.before}"
    title += f", {100 * confidence:g}% intervals, all at once"
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def plot_plan(plan: Plan) -> Figure:
    """Draw the expected errors against the number of devices; a line marks the plan's own.

    Attributes whose errors are the same, as a balanced survey's mostly are, share a line.  Bands
    reach up to the errors at worst.
    """
    figure, (axes,) = new_figure(4.2)
    devices = [plan.devices * 10 ** (step / 4) for step in range(-4, 9)]
    for place, (error, worst, names) in enumerate(_alike(plan)):
        scales = [math.sqrt(plan.devices / count) for count in devices]
        errors, most = ([one * scale for scale in scales] for one in (error, worst))
        style = ("-", "--", ":", "-.")[place // len(SERIES) % 4]
        (line,) = axes.loglog(devices, errors, style, label=_listed(names))
        axes.fill_between(devices, errors, most, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.axvline(plan.devices, color=GREY, linestyle=":")
    axes.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    axes.set(xlabel="devices", ylabel="expected error, of the domain")
    axes.set_title(
        f"{plan.survey}, epsilon {plan.epsilon:g}, {100 * plan.confidence:g}% intervals",
        loc="left", fontsize=10,
    )  # fmt: skip
    axes.legend(frameon=False, fontsize=8)
    return figure


def plot_findings(findings: Findings) -> Figure:
    """Draw the share of every string that was found, with its interval, and that of all others."""
    rows = findings.rows()
    found = rows[: min(len(findings), SHOWN_VALUES)]
    shown = [*found, rows[-1]]
    figure, (axes,) = new_figure(1.0 + 0.26 * len(shown))
    places = list(range(len(shown)))
    shares = [row["share"] for row in shown]
    axes.barh(places, shares, color=PALE)
    below = [row["share"] - row["low"] for row in shown]
    above = [row["high"] - row["share"] for row in shown]
    axes.errorbar(shares, places, xerr=[below, above], fmt="o", color=BLUE, ms=4, capsize=3)
    axes.set_yticks(places, [row["string"] for row in shown], parse_math=False)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    axes.set_title(f"{findings.title}, 95% intervals", loc="left", fontsize=10, parse_math=False)
    return figure


def _alike(plan: Plan) -> list[tuple[float, float, list[str]]]:
    """Return the errors that differ, and those at worst, with the attributes that have them."""
    groups: list[tuple[float, float, list[str]]] = []
    for one in sorted(plan.errors, key=lambda one: (-one.error, -one.worst)):
        alike = groups and all(
            (1 - ALIKE) * theirs <= own <= theirs / (1 - ALIKE)
            for own, theirs in zip((one.error, one.worst), groups[-1][:2], strict=True)
        )
        if not alike:
            groups.append((one.error, one.worst, []))
        groups[-1][2].append(one.attribute)
    return groups


def _listed(names: Sequence[str]) -> str:
    """Return names for a legend, of many the first few.

    >>> _listed(["a", "b"]), _listed(list("abcde"))
    ('a, b', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - 3} more" if len(names) > 4 else ""
    return ", ".join(names[:3] if more else names) + more


def new_figure(height: float, heights: Sequence[float] = (1,)) -> tuple[Figure, list[Axes]]:
    """Return an empty figure in our style, and its panels from the top down."""
    figure: Figure = _picture()(figsize=(WIDTH, height), layout="constrained", dpi=150)
    panels = figure.subplots(len(heights), 1, height_ratios=list(heights), squeeze=False)[:, 0]
    for one in panels:
        one.spines[["top", "right"]].set_visible(False)
        one.set_prop_cycle(color=SERIES)
        one.tick_params(labelsize=9)
    return figure, list(panels)


def draw_rows(axes: Axes, rows: Sequence[Row], title: str, *, bars: bool) -> None:
    """Draw rows of estimates with their intervals, and bars for the consistent form."""
    labels = ["mean" if row["value"] is None else str(row["value"]) for row in rows]
    places = list(range(len(rows)))
    if bars:
        axes.barh(places, [row["consistent"] for row in rows], color=PALE)
        axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    estimates = [row["estimate"] for row in rows]
    reach = [
        [row["estimate"] - row["low"] for row in rows],
        [row["high"] - row["estimate"] for row in rows],
    ]
    axes.errorbar(estimates, places, xerr=reach, fmt="o", color=BLUE, ms=4, capsize=3)
    axes.set_yticks(places, labels, parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)


def draw_cdf(
    axes: Axes, cdf: tuple[Floats, Floats], band: tuple[Floats, Floats, Floats], title: str
) -> None:
    """Draw a CDF, and the band around it that holds everywhere at once."""
    at, low, high = band
    # Between two numbers the CDF may be as low as at the first and as high as at the second.
    axes.fill_between(at[:-1], low[:-1], high[1:], step="post", color=PALE, linewidth=0)
    axes.plot(*cdf, color=BLUE, linewidth=1.4)
    axes.set_xlim(at[0], at[-1])
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)


def draw_heat_map(
    axes: Axes, table: Floats, rows: Sequence[object], columns: Sequence[object], title: str
) -> None:
    """Draw a joint table: the darker, the more frequent; the shares written into large cells."""
    axes.imshow(table, aspect="auto", cmap="Blues", vmin=0)
    few = len(rows) <= 12 and len(columns) <= 12
    for ticks, labels in ((axes.set_yticks, rows), (axes.set_xticks, columns)):
        every = -(-len(labels) // SHOWN_VALUES)
        ticks(range(0, len(labels), every), [str(one) for one in labels[::every]], parse_math=False)
    if few:
        darkest = float(table.max())
        for row, line in enumerate(table.tolist()):
            for column, share in enumerate(line):
                colour = "white" if share > 0.6 * darkest else "black"
                axes.text(
                    column, row, f"{100 * share:.3g}%", ha="center", va="center",
                    color=colour, fontsize=8,
                )  # fmt: skip
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)


@cache
def _picture() -> type[Figure]:
    """Return a figure that notebooks show without pyplot, and that no pyplot keeps alive."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise HarmonyError(MISSING) from None

    class Picture(Figure):
        def _repr_png_(self) -> bytes:
            buffer = io.BytesIO()
            self.savefig(buffer, format="png")
            return buffer.getvalue()

    return Picture
