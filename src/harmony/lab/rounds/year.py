"""A year of weekly rounds over people whose answers drift: what plain rounds, rotation and memory
cost each of them, and what each sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...attributes import Categorical
from ...rounds import Round
from ...survey import Survey
from .chained import Codes
from .remembering import Remembering

THEMES = ("light", "dark", "auto", "other")
EVERY, EPSILON, MEMORY = 4, 1.0, 2.0

CHANGING = 0.01
"""The share of people who choose anew in a week; they keep away from the light theme by and by."""


@dataclass(frozen=True)
class Seen:
    """What one way of asking saw of a year, as root mean square errors over values and weeks.

    `week` is of a single round, `month` of the average of four, `change` of the difference to
    the round four weeks before.
    """

    name: str
    week: float
    month: float
    change: float


def drifting(devices: int, weeks: int, rng: np.random.Generator) -> Iterator[Codes]:
    """Yield everybody's answer, week after week."""
    answers = rng.choice(len(THEMES), devices, p=[0.5, 0.3, 0.15, 0.05]).astype(np.uint8)
    for week in range(weeks):
        yield answers
        light = 0.5 - 0.4 * week / weeks
        chosen = rng.choice(len(THEMES), devices, p=[light, 0.8 - light, 0.15, 0.05])
        answers = np.where(rng.random(devices) < CHANGING, chosen, answers).astype(np.uint8)


def ask_a_year(devices: int, weeks: int = 52, seed: int = 20) -> tuple[list[Seen], Floats]:
    """Return what each way of asking saw, and estimates[way, week, value] with the truth first.

    >>> seen, estimates = ask_a_year(devices=2_000, weeks=8)
    >>> [one.name for one in seen], estimates.shape
    (['plain', 'rotation', 'memory'], (4, 8, 4))
    """
    rng = np.random.default_rng(seed)
    theme = [Categorical("theme", list(THEMES))]
    surveys = [Survey("year", theme, EPSILON), Survey("year", theme, EPSILON, every=EVERY)]
    remembering = Remembering(MEMORY, EPSILON, len(THEMES))
    kept = remembering.remember(devices, rng)
    found = np.empty((4, weeks, len(THEMES)))
    for week, answers in enumerate(drifting(devices, weeks, rng)):
        found[0, week] = np.bincount(answers, minlength=len(THEMES)) / devices
        people = {"theme": np.array(THEMES)[answers]}
        for way, survey in enumerate(surveys, 1):
            opened = Round(f"W{week + 1}", rng.bytes(16), week + 1)
            tally = survey.collect(people, seed=int(rng.integers(1 << 31)), round=opened)
            told = survey.estimate(tally).histogram("theme").frequencies
            found[way, week] = [told[one] for one in THEMES]
        supported = remembering.supported(kept, answers.astype(np.int64), rng) / devices
        own, other = remembering.mechanism.p, remembering.mechanism.q
        found[3, week] = (supported - other) / (own - other)
    names = ("plain", "rotation", "memory")
    return [_seen(name, found[way], found[0]) for way, name in enumerate(names, 1)], found


def _seen(name: str, estimates: Floats, truth: Floats) -> Seen:
    months = [np.stack([one[at : at + 4].mean(axis=0) for at in range(len(one) - 3)])
              for one in (estimates, truth)]  # fmt: skip
    changes = [one[4:] - one[:-4] for one in (estimates, truth)]
    return Seen(name, _error(estimates, truth), _error(months[0], months[1]), _error(*changes))


def _error(estimates: Floats, truth: Floats) -> float:
    return float(np.sqrt(np.mean((estimates - truth) ** 2)))
