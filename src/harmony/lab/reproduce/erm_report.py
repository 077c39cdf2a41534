"""The Markdown report of figure 2: a table for each panel, the paper's value beside ours."""

from __future__ import annotations

from .experiment import Measured
from .paper import USERS, paper_points

MEASURES = {"linear": "mean squared error"}


def report(measured: list[Measured], figure: str) -> str:
    """Return the report; `figure` is the image beside it."""
    first = measured[0]
    users = {one.dataset: one.users for one in measured}
    sizes = ", ".join(f"{name}: {count:,} people" for name, count in users.items())
    lines = [
        "# Figure 2",
        "",
        f"{sizes}; {first.runs}-fold cross-validation, each device asked once; seed {first.seed}.",
        "",
        f"![Figure 2]({figure})",
        "",
    ]
    if any(users[name] != count for name, count in USERS.items() if name in users):
        lines += [
            "The populations are smaller than the paper's: private methods err more than there.",
            "",
        ]
    for dataset, panel in dict.fromkeys((one.dataset, one.panel) for one in measured):
        chosen = [one for one in measured if (one.dataset, one.panel) == (dataset, panel)]
        lines += [
            f"## {dataset}, {panel}: {MEASURES.get(panel, 'misclassification rate')}",
            "",
            *panel_table(chosen),
            "",
        ]
    return "\n".join(lines)


def panel_table(measured: list[Measured]) -> list[str]:
    """Return a table of one panel: a row for each method, the paper's and ours, by epsilon."""
    epsilons = sorted({one.epsilon for one in measured})
    dataset, panel = measured[0].dataset, measured[0].panel
    paper = {
        (one.method, one.epsilon): one.value
        for one in paper_points("erm")
        if (one.dataset, one.panel) == (dataset, panel)
    }
    ours = {(one.method, one.epsilon): one for one in measured}
    lines = [
        "| | " + " | ".join(f"eps {epsilon:g}" for epsilon in epsilons) + " |",
        "|---" * (len(epsilons) + 1) + "|",
    ]
    for method in dict.fromkeys(one.method for one in measured):
        if all((method, epsilon) in paper for epsilon in epsilons):
            values = [f"{paper[method, epsilon]:.4g}" for epsilon in epsilons]
            lines.append(f"| {method}, paper | " + " | ".join(values) + " |")
        found = [ours[method, epsilon] for epsilon in epsilons if (method, epsilon) in ours]
        values = [f"{one.value:.4g} ± {one.stderr:.1g}" for one in found]
        lines.append(f"| {method}, ours | " + " | ".join(values) + " |")
    return lines
