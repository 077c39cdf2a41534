"""Figure 1 in the paper's layout, with the paper's own points over it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .experiment import PANELS, Measured
from .paper import EPSILONS, paper_points

STYLES = {
    "harmony": ("o", "black", "Harmony, ours"),
    "hybrid": ("s", "tab:red", "Hybrid, ours"),
    "auto": ("^", "tab:blue", "auto"),
    "auto-consistent": ("v", "tab:green", "auto, consistent"),
}


def draw(measured: list[Measured], paths: list[Path]) -> None:
    """Write the figure to each path; the suffix says the format."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "harmony"
    datasets = list(dict.fromkeys(one.dataset for one in measured))
    figure = Figure(figsize=(4 * len(PANELS) * len(datasets), 4.4), layout="constrained")
    axes = figure.subplots(1, len(PANELS) * len(datasets), squeeze=False)[0]
    places = [(panel, dataset) for panel in PANELS for dataset in datasets]
    for axis, (panel, dataset) in zip(axes, places, strict=True):
        chosen = [one for one in measured if (one.panel, one.dataset) == (panel, dataset)]
        _panel(axis, dataset, panel, chosen)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)
    for path in paths:
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=110, metadata=metadata)


def _panel(axis: Any, dataset: str, panel: str, chosen: list[Measured]) -> None:
    for method, (marker, colour, name) in STYLES.items():
        ours = sorted((one.epsilon, one.value) for one in chosen if one.method == method)
        if ours:
            x, y = zip(*ours, strict=True)
            axis.plot(x, y, color=colour, label=name, linewidth=1.2)
        theirs = [
            (one.epsilon, one.value)
            for one in paper_points("mean-frequency")
            if (one.dataset, one.panel, one.method) == (dataset, panel, method)
        ]
        if theirs and ours:
            x, y = zip(*theirs, strict=True)
            label = f"{name.split(',')[0]}, paper"
            axis.plot(x, y, marker, color=colour, fillstyle="none", label=label)
    axis.set(
        xscale="log", yscale="log", xlabel="privacy budget ε", ylabel="$L_\\infty$ error",
        title=f"{dataset} - {panel.capitalize()}",
    )  # fmt: skip
    axis.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
    axis.minorticks_off()
