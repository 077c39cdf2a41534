"""`python -m harmony.lab.attack`: the tables of docs/reproduction.md about privacy, as Markdown."""

from __future__ import annotations

import sys

from ...attributes import Attribute, Categorical, Numeric
from ...survey import Survey
from .duchi import examine_duchi
from .poisoning import measure_poisoning
from .survey import attack_survey

SHIPPED_SAMPLES = 100_000


def main() -> int:
    lines = [
        "| d | version | exact epsilon | attack: at least | slope | estimate when all hold 1 |"
    ]
    lines.append("|---|---|---|---|---|---|")
    for one in examine_duchi():
        verdict = "**violated**" if one.attack.violated else "kept"
        lines.append(
            f"| {one.d} | {'fixed' if one.fixed else 'published'} | {one.exact:.4f} "
            f"| {one.attack.lower:.4f} ({verdict}) | {one.slope:.4f} "
            f"| {one.measured:.3f} +- {one.stderr:.3f} |"
        )
    lines += ["", "| attack on what we ship | epsilon | at least | |", "|---|---|---|---|"]
    for survey in shipped_surveys():
        for bound in attack_survey(survey, samples=SHIPPED_SAMPLES, confidence=0.9999):
            verdict = "**violated**" if bound.violated else "kept"
            asked = f"{survey.name}: {bound.name}"
            lines.append(f"| {asked} | {bound.claimed:g} | {bound.lower:.4f} | {verdict} |")
    lines += ["", "| dishonest | coins | bias, product | bias, paper's estimator |"]
    lines.append("|---|---|---|---|")
    for share in (0.01, 0.02, 0.05):
        for assigned in (True, False):
            one_run = measure_poisoning(
                dishonest=share, assigned=assigned, devices=1_000_000, runs=20
            )
            lines.append(
                f"| {share:.0%} | {'assigned' if assigned else 'chosen'} "
                f"| {one_run.bias:.4f} +- {one_run.stderr:.4f} | {one_run.paper_bias:.4f} |"
            )
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def shipped_surveys() -> list[Survey]:
    """One survey for each mechanism and shape that ships."""
    attributes: list[Attribute] = [
        Numeric("number", 0, 100),
        Categorical("2 values", ["a", "b"]),
        Categorical("3 values", ["a", "b", "c"]),
        Categorical("16 values", [f"value {place}" for place in range(16)]),
    ]
    return [
        Survey("auto", attributes, 1.0),
        Survey("harmony", attributes, 1.0, mechanism="harmony"),
        Survey("2-answers", attributes, 4.0, answers=2),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
