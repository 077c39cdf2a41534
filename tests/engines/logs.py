"""Logs to count: devices of several days, some of which reported more than once."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa

import harmony as hm
from harmony.engines import LogWriter

ROUND = hm.Round("2026:W46", bytes(range(16)))
DAYS = (date(2026, 11, 9), date(2026, 11, 10))

SURVEYS = {
    "one answer": {"epsilon": 1.0},
    "two answers": {"epsilon": 4.0, "answers": 2},
    "tiers": {"tiers": [0.5, 2.0]},
    "the paper's": {"epsilon": 1.0, "mechanism": "harmony"},
}


def make_survey(options: dict) -> hm.Survey:
    attributes = [
        hm.Numeric("battery", 0, 100),
        hm.Categorical("theme", ["light", "dark", "auto"], weight=2),
        hm.Integer("sims", 0, 15),
    ]
    return hm.Survey("phones", attributes, **options)


def reports_of(survey: hm.Survey, first: int, devices: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    people = {
        "battery": rng.uniform(0, 100, devices),
        "theme": rng.choice(["light", "dark", "auto"], devices),
        "sims": rng.integers(0, 16, devices),
    }
    tiers = np.arange(devices) % len(survey.tiers)
    return survey.randomize(people, seed=seed, round=ROUND, tiers=tiers, first=first)


def write_with_repeats(root: Path, survey: hm.Survey) -> tuple[hm.Tally, int]:
    """Log 5,000 devices over two days; 700 of them report again, otherwise than before.

    Return the tally of the first reports, and the number of the others.
    """
    monday, tuesday = reports_of(survey, 0, 3000, 1), reports_of(survey, 3000, 2000, 2)
    same_day, next_day = reports_of(survey, 0, 300, 3), reports_of(survey, 100, 400, 4)
    for day, parts in ((DAYS[1], [tuesday, next_day]), (DAYS[0], [monday]), (DAYS[0], [same_day])):
        with LogWriter(root, survey, ROUND, day) as log:
            for part in parts:
                log.write_table(part)
    return survey.tally(pa.concat_tables([monday, tuesday])), 700
