"""Draws the plots that the guides show, into docs/images: `make screenshots`."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import harmony as hm
from harmony.lab.rounds import DBitFlip, LGrr, Loloha, LOsue, Rappor, Remembering
from harmony.mechanisms import Linear

IMAGES = Path(__file__).with_name("images")


def first_survey() -> None:
    """Draw the estimates of the first tutorial."""
    survey = hm.Survey(
        "phones",
        epsilon=1.0,
        attributes=[
            hm.Numeric("battery", 0, 100),
            hm.Categorical("theme", ["light", "dark", "auto"]),
            hm.Boolean("crashed"),
        ],
    )
    people = hm.datasets.phones(200_000)
    result = survey.estimate(survey.collect(people, seed=7))
    result.plot().savefig(IMAGES / "first-survey.png", metadata={"Software": None})


def exploration() -> None:
    """Draw what the page about explorations finds."""
    page = Path(__file__).with_name("explorations.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(re.search(r"```python\n(.*?)```", page, re.S)[1], names)  # type: ignore[index]
    names["found"].plot().savefig(IMAGES / "exploration.png", metadata={"Software": None})


def questions() -> None:
    """Draw the distribution and the crosstab of the page about them."""
    page = Path(__file__).parent / "how-to" / "distributions.md"
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        exec(code, names)
    for name, one in (("distribution", names["screen"]), ("crosstab", names["both"])):
        one.plot().savefig(IMAGES / f"{name}.png", metadata={"Software": None})


def over_time() -> None:
    """Draw what a year of weekly rounds sees, against what it costs a person whose answer stays."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.6), layout="constrained")
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    titles = ("one round", "a change between two rounds", "four rounds together")
    for name, line in _lines_over_time().items():
        for panel, errors in zip(panels, np.sqrt(line[1:]), strict=True):
            ours = name in ("plain", "rotation", "memory")
            panel.loglog(line[0], errors, "-" if ours else ":", label=name, lw=2 if ours else 1)
    for panel, title in zip(panels, titles, strict=True):
        panel.set_title(title, fontsize=10)
        panel.set_xlabel("epsilon of 52 rounds")
    panels[0].set_ylabel("standard error x sqrt(devices)")
    panels[2].legend(fontsize=8)
    figure.savefig(IMAGES / "over-time.png", metadata={"Software": None})


def _lines_over_time(k: int = 16, rounds: int = 52) -> dict[str, np.ndarray]:
    """Return, by way of asking, the total epsilon and n times the variances of the panels."""
    budgets = [1.0, 2.0, 4.0, 6.5, 8.0, 13.0, 16.0]
    fresh = Linear.design(Fraction(1), k).zero_variance
    plain = [(each, Linear.design(Fraction(each / rounds), k).zero_variance) for each in budgets]
    lines = {
        "plain": [(total, one, 2 * one, one / 4) for total, one in plain],
        "rotation": [  # at epsilon 1, so that a round hears one device in so many
            (total, fresh * every, 2 * fresh * every, fresh * max(every / 4, 0.25))
            for total in budgets
            for every in [rounds / total]
        ],
    }
    ways = {"memory": Remembering, "RAPPOR": Rappor, "L-OSUE": LOsue, "L-GRR": LGrr,
            "OLOLOHA": Loloha}  # fmt: skip
    for name, way in ways.items():
        made = [(total, way(total, total / 2, k)) for total in budgets]
        lines[name] = [
            (total, one.round_variance(), one.change_variance(), one.window_variance(4))
            for total, one in made
        ]
    made_bits = [(total, DBitFlip(total, k=k, d=1)) for total in budgets]
    lines["dBitFlipPM"] = [
        (total, one.round_variance(), one.change_variance(), one.window_variance(4))
        for total, one in made_bits
    ]
    return {name: np.array(line).T for name, line in lines.items()}


if __name__ == "__main__":
    first_survey()
    questions()
    exploration()
    over_time()
