"""US-like and BR-like census populations: the shapes of the paper's two data sets.

The originals are IPUMS extracts that may not be passed on.  These have their numbers of attributes
(6 numeric + 17 categorical, 6 + 12), their encoded dimensions (85, 95), skewed and correlated
attributes, and a top-coded income that the others explain as well as the paper's non-private
models say.  Everything else is invented.

Factors, in order: wealth (education, work, housing), age, origin, town.
"""

from __future__ import annotations

import numpy as np

from .model import Population, Trait, category, number
from .shapes import falling, humped, log_normal_top_coded, spaced, spiked


def us(n: int = 9_000_000, seed: int = 2016) -> Population:
    """9M people, 23 attributes.

    >>> people = us(10)
    >>> len(people.attributes), sum(len(t.levels) - 1 for t in people.traits if not t.numeric)
    (23, 80)
    """
    age = spaced(16, 95)
    hours = spaced(0, 99)
    weeks = spaced(0, 52)
    family = spaced(1, 20)
    children = spaced(0, 9)
    traits = (
        number("age", age, humped(age, 38, 22), 0.05, 0.85, effect=0.15),
        _income("income", step=250, top=150_000, median=31_500, sigma=0.74, none=0.08),
        number(
            "hours", hours,
            spiked(humped(hours, 36, 13), hours, {0: 0.30, 40: 0.32, 50: 0.06}),
            0.55, -0.3, effect=0.55,
        ),
        number(
            "weeks", weeks,
            spiked(humped(weeks, 40, 15), weeks, {0: 0.28, 52: 0.45}), 0.55, -0.3, effect=0.35,
        ),
        number("family size", family, falling(family, 1.2), -0.15, -0.45, 0.35),
        number("children", children, falling(children, 0.7), -0.05, 0.1, 0.2),
        category("sex", [51, 49], 0.12, effect=0.28),
        category("relation", [38, 19, 17, 6, 4, 4, 3, 3, 2, 1.5, 1, 1, 0.5], -0.2, -0.55),
        category("marriage", [30, 3, 2, 10, 6, 49], 0.15, 0.45, effect=0.1),
        category("race", [72, 12, 1, 1.5, 0.5, 4, 6, 2.3, 0.7], -0.15, -0.1, 0.5),
        category("hispanic", [84, 10, 1.5, 0.8, 3.7], -0.2, -0.1, 0.6),
        category("citizenship", [87, 1, 6, 6], -0.1, -0.05, 0.75),
        category("english", [81, 9, 4, 3, 2, 1], -0.25, -0.05, 0.7, effect=-0.05),
        category("at school", [84, 13, 3], 0.1, -0.6),
        category("education", [1, 2, 3, 4, 5, 7, 30, 20, 8, 13, 7], 0.8, 0.0, -0.15, effect=0.5),
        category("employment", [35, 4, 60.5, 0.5], 0.6, -0.3, effect=0.2),
        category("class of work", [38, 54, 8], 0.55, -0.1, effect=0.1),
        category("occupation", [30, 12, 11, 9, 9, 8, 8, 6, 4, 3], 0.7, -0.05, effect=0.2),
        category("moved", [85, 11, 3, 1], -0.1, -0.35, 0.1),
        category("owns home", [33, 67], 0.35, 0.4, -0.2, effect=0.1),
        category("metropolitan", [20, 15, 25, 40], 0.2, 0.0, 0.2, 0.6, effect=0.05),
        category("region", [5, 13, 16, 7, 19, 6, 12, 7, 15], 0.0, 0.0, 0.15, 0.3),
        category("veteran", [92, 8], 0.05, 0.4),
    )  # fmt: skip
    return Population("US", traits, n, seed, "income", signal=0.49)


def br(n: int = 4_000_000, seed: int = 2016) -> Population:
    """4M people, 18 attributes.

    >>> people = br(10)
    >>> len(people.attributes), sum(len(t.levels) - 1 for t in people.traits if not t.numeric)
    (18, 90)
    """
    age = spaced(10, 100)
    hours = spaced(0, 98)
    schooling = spaced(0, 17)
    household = spaced(1, 15)
    children = spaced(0, 12)
    states = 100 / np.arange(1.0, 28.0) ** 0.8
    traits = (
        number("age", age, humped(age, 28, 24), 0.05, 0.85, effect=0.25),
        _income("income", step=10, top=4_100, median=900, sigma=0.75, none=0.10),
        number(
            "hours", hours,
            spiked(humped(hours, 38, 14), hours, {0: 0.40, 40: 0.18, 44: 0.12, 48: 0.06}),
            0.5, 0.1, effect=0.5,
        ),
        number(
            "schooling", schooling,
            spiked(humped(schooling, 6, 5), schooling, {0: 0.10, 4: 0.15, 11: 0.15}),
            0.8, -0.15, effect=0.45,
        ),
        number("household size", household, humped(household, 3, 2.2), -0.3, -0.3, 0.2),
        number("children", children, falling(children, 1.1), -0.25, 0.5, 0.1),
        category("sex", [51, 49], 0.1, effect=0.3),
        category("relation", [28, 21, 33, 5, 3, 3, 2, 1.5, 1, 1, 0.7, 0.5, 0.3], -0.1, -0.6),
        category("marriage", [45, 40, 8, 7], 0.05, 0.55, effect=0.05),
        category("race", [54, 6, 0.6, 39, 0.4], -0.35, 0.0, 0.5, effect=-0.1),
        category("religion", [74, 8, 4, 3, 2.5, 2, 2, 1.5, 1, 1, 0.7, 0.3], 0.0, -0.1, 0.2, 0.2),
        category("education", [18, 17, 16, 12, 10, 8, 8, 5, 4, 2], 0.8, -0.15, effect=0.3),
        category("employment", [42, 6, 50, 2], 0.5, -0.05, effect=0.25),
        category("class of work", [44, 5, 14, 32, 5], 0.5, 0.05, effect=0.15),
        category("occupation", [42, 11, 9, 8, 7, 6, 5, 4, 3, 2, 1.5, 1, 0.5], 0.65, effect=0.25),
        category("state", states.tolist(), -0.2, 0.0, 0.2, 0.4, effect=-0.1),
        category("born", [84, 15, 1], 0.1, 0.1, 0.2, 0.4),
        category("housing", [70, 13, 11, 6], -0.3, -0.25, 0.0, 0.3),
    )  # fmt: skip
    return Population("BR", traits, n, seed, "income", signal=0.42)


def _income(name: str, step: int, top: int, median: float, sigma: float, none: float) -> Trait:
    levels = spaced(0, top, step)
    return number(name, levels, log_normal_top_coded(levels, median, sigma, none))
