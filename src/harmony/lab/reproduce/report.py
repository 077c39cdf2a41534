"""The Markdown report of a run: every point beside the paper's and the theory's."""

from __future__ import annotations

from .experiment import Measured
from .paper import USERS, paper_points


def report(measured: list[Measured], figure: str) -> str:
    """Return the report; `figure` is the image beside it."""
    first = measured[0]
    users = {one.dataset: one.users for one in measured}
    sizes = ", ".join(f"{name}: {count:,} people" for name, count in users.items())
    lines = [
        f"# Figure 1, protocol `{first.protocol}`",
        "",
        f"{sizes}; {first.runs} runs; seed {first.seed}. Values are the L-infinity error, averaged",
        "over the runs, with the standard error of that average.",
        "",
        f"![Figure 1]({figure})",
        "",
    ]
    if any(users[name] != count for name, count in USERS.items() if name in users):
        lines += [
            "The populations are smaller than the paper's, so errors are larger; the last column",
            "compares with the paper's value times the square root of how much smaller.",
            "",
        ]
    paper = {
        (one.dataset, one.panel, one.method, one.epsilon): one.value
        for one in paper_points("mean-frequency")
    }
    for dataset, panel in dict.fromkeys((one.dataset, one.panel) for one in measured):
        chosen = [one for one in measured if (one.dataset, one.panel) == (dataset, panel)]
        lines += [f"## {dataset}, {panel}", "", *_table(chosen, paper, users[dataset]), ""]
    return "\n".join(lines)


def _table(
    chosen: list[Measured], paper: dict[tuple[str, str, str, float], float], users: int
) -> list[str]:
    harmony = {one.epsilon: one.value for one in chosen if one.method == "harmony"}
    lines = [
        "| method | epsilon | ours | +- | of our Harmony | paper | ours / paper |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in chosen:
        shrunk = (USERS.get(one.dataset, users) / users) ** 0.5
        theirs = paper.get((one.dataset, one.panel, one.method, one.epsilon))
        beside = "| |" if theirs is None else f"{theirs:.5g} | {one.value / theirs / shrunk:.3f} |"
        lines.append(
            f"| {one.method} | {one.epsilon:g} | {one.value:.5g} | {one.stderr:.2g} "
            f"| {one.value / harmony[one.epsilon]:.3f} | {beside}"
        )
    return lines
