"""Draws the plots that the guides show, into docs/images: `make screenshots`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import harmony as hm

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


if __name__ == "__main__":
    first_survey()
    questions()
    exploration()
