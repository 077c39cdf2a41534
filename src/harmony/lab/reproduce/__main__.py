"""`python -m harmony.lab.reproduce mean-frequency`: figure 1, until `harmony reproduce` runs it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ...errors import HarmonyError
from ..populations import load_extract
from .experiment import PROTOCOLS
from .mean_frequency import reproduce_mean_frequency
from .paper import RUNS


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m harmony.lab.reproduce")
    figures = parser.add_subparsers(dest="figure", required=True)
    first = figures.add_parser("mean-frequency", help="figure 1: means and frequencies")
    first.add_argument("--scale", type=float, default=1.0, help="share of the paper's people")
    first.add_argument("--runs", type=int, default=RUNS)
    first.add_argument("--protocol", choices=PROTOCOLS, default="published")
    first.add_argument("--seed", type=int, default=2016)
    first.add_argument("--out", default="reproduction")
    first.add_argument(
        "--extract", nargs=2, metavar=("DATA", "MAPPING"), help="your own IPUMS extract"
    )
    given = parser.parse_args(arguments)
    try:
        people = None if given.extract is None else [load_extract(*given.extract)]
        measured = reproduce_mean_frequency(
            given.out, protocol=given.protocol, scale=given.scale, runs=given.runs,
            seed=given.seed, people=people, progress=sys.stderr.isatty(),
        )  # fmt: skip
    except HarmonyError as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    name = f"{given.out}/mean-frequency-{given.protocol}"
    sys.stdout.write(f"{len(measured)} points: {name}.md, .csv, .svg, .png\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
