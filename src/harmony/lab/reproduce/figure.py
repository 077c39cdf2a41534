"""The two figures in the paper's layout, with the paper's own points over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import cross_validation
from .experiment import PANELS, Measured
from .paper import EPSILONS, paper_points

Styles = dict[str, tuple[str, str, str]]
"""The marker of the paper's points, the colour and the name of each method."""

STYLES: Styles = {
    "harmony": ("o", "black", "Harmony, ours"),
    "hybrid": ("s", "tab:red", "Hybrid, ours"),
    "auto": ("^", "tab:blue", "auto"),
    "auto-consistent": ("v", "tab:green", "auto, consistent"),
}


ERM_STYLES: Styles = {
    "sgd": ("o", "black", "SGD, ours"),
    "mgd": ("s", "tab:red", "MGD, ours"),
    "mgd-dr": ("^", "tab:orange", "MGD-DR, ours"),
    "non-private": ("", "gray", "not private, ours"),
    "auto": ("", "tab:blue", "auto"),
    "mgd-hindsight": ("", "tab:pink", "MGD, best step"),
    "sgd-laplace": ("", "tab:brown", "SGD, Laplace"),
    "sgd-harmony": ("", "tab:olive", "SGD, Algorithm 3"),
}


def draw(measured: list[Measured], paths: list[Path]) -> None:
    """Write figure 1 to each path; the suffix says the format."""
    datasets = list(dict.fromkeys(one.dataset for one in measured))
    places = [(dataset, panel) for panel in PANELS for dataset in datasets]
    figure, axes = _figure(1, len(places))
    for axis, (dataset, panel) in zip(axes, places, strict=True):
        chosen = [one for one in measured if (one.panel, one.dataset) == (panel, dataset)]
        _panel(axis, "mean-frequency", chosen, STYLES)
        axis.set(yscale="log", ylabel="$L_\\infty$ error")
    _save(figure, axes[0], paths)


def draw_erm(measured: list[Measured], paths: list[Path]) -> None:
    """Write figure 2 to each path: a row of panels for each population."""
    datasets = list(dict.fromkeys(one.dataset for one in measured))
    places = [(dataset, panel) for dataset in datasets for panel in cross_validation.PANELS]
    figure, axes = _figure(len(datasets), len(cross_validation.PANELS))
    for axis, (dataset, panel) in zip(axes, places, strict=True):
        chosen = [one for one in measured if (one.panel, one.dataset) == (panel, dataset)]
        _panel(axis, "erm", chosen, ERM_STYLES)
        linear = panel == "linear"
        axis.set(
            yscale="log" if linear else "linear",
            ylabel="MSE" if linear else "misclassification rate",
        )
    _save(figure, axes[0], paths)


def _figure(rows: int, columns: int) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4 * columns, 0.8 + 3.6 * rows), layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def _save(figure: Any, first: Any, paths: list[Path]) -> None:
    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = "harmony"
    handles, names = first.get_legend_handles_labels()
    columns = int(figure.get_figwidth() // 2)
    figure.legend(handles, names, loc="outside upper center", ncols=columns, frameon=False)
    for path in paths:
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=110, metadata=metadata)


def _panel(axis: Any, figure: str, chosen: list[Measured], styles: Styles) -> None:
    """Draw our lines and the paper's marks."""
    dataset, panel = chosen[0].dataset, chosen[0].panel
    for method, (marker, colour, name) in styles.items():
        ours = sorted((one.epsilon, one.value) for one in chosen if one.method == method)
        if not ours:
            continue
        x, y = zip(*ours, strict=True)
        line = "--" if method == "non-private" else "-"
        axis.plot(x, y, line, color=colour, label=name, linewidth=1.2)
        theirs = [
            (one.epsilon, one.value)
            for one in paper_points(figure)
            if (one.dataset, one.panel, one.method) == (dataset, panel, method)
        ]
        if theirs:
            x, y = zip(*theirs, strict=True)
            label = f"{name.split(',')[0]}, paper"
            axis.plot(
                x, y, marker or "_", color=colour, fillstyle="none", linestyle="", label=label
            )
    axis.set(xscale="log", xlabel="privacy budget ε")
    axis.set_title(f"{dataset} - {'SVM' if panel == 'svm' else panel.capitalize()}")
    axis.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
    axis.minorticks_off()
