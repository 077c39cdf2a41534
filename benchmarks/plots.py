"""The plots of docs/benchmarks.md: small, and the same bytes for the same figures."""

from __future__ import annotations

from typing import Any

from .page import PAGE

FINDERS = ("C3", "C0", "C1", "C2", "C4")
"""The colours of finders, ours the first."""


def speed_and_error(points: dict[str, tuple[float, float]], name: str) -> None:
    """Draw microseconds a user against error, a point for each library."""
    figure, axes = _figure(7.5, 3.6)
    for number, (label, place) in enumerate(points.items()):
        axes.scatter(*place, color="C3" if label.startswith("Harmony") else "C0")
        above = 5 if number % 2 == 0 else -11
        axes.annotate(label, place, (5, above), textcoords="offset points", fontsize=8)
    axes.set(xscale="log", xlabel="microseconds a user, from value to estimate", ylabel="RMSE")
    axes.set_ylim(0, 1.25 * max(error for _, error in points.values()))
    axes.set_xlim(right=20 * max(microseconds for microseconds, _ in points.values()))
    _save(figure, name)


def rates(millions: dict[str, float], name: str) -> None:
    """Draw millions of reports a second, a bar for each way to count them."""
    figure, axes = _figure(7.5, 0.6 + 0.32 * len(millions))
    labels = list(reversed(millions))
    bars = axes.barh(labels, [millions[label] for label in labels], color="C0")
    axes.bar_label(bars, fmt="%.3g", padding=3, fontsize=8)
    axes.set(xscale="log", xlabel="million reports a second")
    axes.set_xlim(right=4 * max(millions.values()))
    _save(figure, name)


def recalls(panels: dict[str, dict[str, list[float]]], settings: list[str], name: str) -> None:
    """Draw recalls by setting: a panel for each kind of people, a line for each finder."""
    figure, axes = _figure(9.0, 3.4, len(panels))
    for one, (title, lines) in zip(axes, panels.items(), strict=True):
        for (label, found), color in zip(
            lines.items(), ("C3", "C0", "C1", "C2", "C4"), strict=True
        ):
            width = 2 if color == "C3" else 1
            one.plot(settings, found, "o-", color=color, label=label, linewidth=width, markersize=3)
        one.set(title=title, ylim=(0, 1.02))
        one.tick_params(axis="x", labelrotation=90, labelsize=8)
    axes[0].set_ylabel("found of the 32 most common")
    axes[0].legend(fontsize=8, loc="upper left")
    _save(figure, name)


def _figure(width: float, height: float, panels: int = 1) -> tuple[Any, Any]:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "harmony"
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    return pyplot.subplots(1, panels, figsize=(width, height), layout="constrained", sharey=True)


def _save(figure: Any, name: str) -> None:
    figure.savefig(PAGE.parent / name, metadata={"Date": None})
