"""Distributions and crosstabs of millions of devices, beside as many plain attributes.

A distribution is asked at each of its levels, so that plain surveys of as many attributes on the
devices are beside it.  Contenders run in turn; ratios are medians over rounds.
"""

from __future__ import annotations

import statistics
import time
from itertools import combinations

import numpy as np

import harmony as hm

from . import page
from .scale import ratio, timed

EPSILON = 2.0
VALUES = 4
NEW = "3 distributions, 10 crosstabs"


def run(tiny: bool = False) -> None:
    devices, rounds = (20_000, 2) if tiny else (9_000_000, 9)
    rng = np.random.default_rng(0)
    table = {f"x{place}": rng.beta(2, 5, devices) for place in range(3)}
    table |= {f"c{place}": some(rng, VALUES, devices) for place in range(5)}
    asked = questions()
    many = len(asked.attributes)
    table |= {f"p{place}": some(rng, VALUES**2, devices) for place in range(many)}
    table |= {f"n{place}": table[f"x{place % 3}"] for place in range(many)}
    surveys = {NEW: asked} | plain(many)
    contenders = {
        name: lambda survey=survey: survey.collect(table) for name, survey in surveys.items()
    }
    by_core = timed(contenders, rounds, clock=time.process_time)
    by_clock = timed(contenders, rounds)
    rows = [
        [
            name,
            str(len(survey.attributes)),
            f"{statistics.median(by_core[name]) * 1e3:,.0f} ms",
            f"{ratio(by_core, NEW, name):.2f}",
            f"{ratio(by_clock, NEW, name):.2f}",
        ]
        for name, survey in surveys.items()
    ]
    first, again = estimate_times(asked, table)
    body = (
        f"{devices:,} devices, epsilon {EPSILON:g}; medians of {rounds} interleaved rounds. A "
        "distribution is asked at four levels on the devices, so that the survey has as many "
        "attributes there as those below it.\n\n"
    )
    head = ["", "attributes", "processor time", f"{NEW} / this", "by the clock"]
    body += page.table(head, rows)
    body += (
        f"\n\nEvery estimate of that survey, as rows of `to_frame()`: {first:.2f} s for the first "
        f"tally, {again:.2f} s for the next of the same survey."
    )
    print(body)
    if not tiny:
        page.write_section("questions", "Distributions and crosstabs", body)


def questions() -> hm.Survey:
    """Three distributions, and all pairs of five attributes."""
    categories = [hm.Integer(f"c{place}", 0, VALUES - 1) for place in range(5)]
    distributions = [hm.Distribution(f"x{place}", 0, 1) for place in range(3)]
    pairs = [hm.Crosstab(one, other) for one, other in combinations(categories, 2)]
    return hm.Survey("questions", [*distributions, *pairs], EPSILON)


def plain(many: int) -> dict[str, hm.Survey]:
    """Surveys of as many plain attributes, and of as many as a person would count."""
    values = [hm.Integer(f"p{place}", 0, VALUES**2 - 1) for place in range(many)]
    means = [hm.Numeric(f"n{place}", 0, 1) for place in range(many)]
    asked = {
        f"{many} of {VALUES**2} values": values,
        f"{many} means": means,
        f"3 means, 10 of {VALUES**2} values": means[:3] + values[:10],
    }
    return {name: hm.Survey("plain", attributes, EPSILON) for name, attributes in asked.items()}


def some(rng: np.random.Generator, values: int, devices: int) -> np.ndarray:
    return rng.integers(0, values, devices, dtype=np.int8)


def estimate_times(survey: hm.Survey, table: dict[str, np.ndarray]) -> tuple[float, float]:
    """Seconds for everything that is estimated of two tallies, one after the other."""
    seconds = []
    for tally in [survey.collect(table), survey.collect(table)]:
        started = time.process_time()
        survey.estimate(tally).to_frame()
        seconds.append(time.process_time() - started)
    return seconds[0], seconds[1]
