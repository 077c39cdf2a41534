"""Means of groups, and comparisons of them: whole rounds of one crosstab with a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import harmony as hm

from .page import table

EVEN, SMALL = (0.5, 0.3, 0.2), (0.9, 0.08, 0.02)

SETTINGS = (
    (0.5, 6_000, EVEN, "spread"),
    (1.0, 6_000, EVEN, "spread"),
    (1.0, 6_000, SMALL, "spread"),
    (2.0, 3_000, EVEN, "spread"),
    (2.0, 3_000, EVEN, "edge"),
    (4.0, 3_000, EVEN, "spread"),
    (4.0, 3_000, EVEN, "edges"),
    (4.0, 3_000, SMALL, "spread"),
    (8.0, 1_000, EVEN, "spread"),
)
ROUNDS = 1_000

TEXT = """\
Means of a number in three groups ("small": of 90, 8 and 2% of the devices), every device asked
about nothing else, over {rounds:,} comparisons of a population with itself. *Means* and
*differences* are how often single 95% intervals hold, from the least to the most of the groups
(1.4 points are two standard errors).
Numbers are spread over the range (gamma), all at its lower edge, or at both edges. A group too
small to tell has all that is possible in its interval, so such lines have fewer false alarms. So
have those of epsilon 4 and 8 with spread numbers: reports tell to which points numbers were
rounded, not from where, and the same reports could come from numbers that all lie halfway between
two points, of which rounding adds half as much again as of evenly spread ones; that is supposed.
Where other attributes are asked, too, rounding hardly counts.

"""


@dataclass(frozen=True)
class Groups:
    """How often single intervals of means and of differences held, and what seemed changed."""

    rounds: int
    means: np.ndarray
    differences: np.ndarray
    false_alarms: float


def numbers(shape: str, devices: int, rng: np.random.Generator) -> np.ndarray:
    """Return numbers from 0 to 100 of this shape."""
    if shape == "edge":
        return np.zeros(devices)
    if shape == "edges":
        return np.where(rng.random(devices) < 0.2, 100.0, 0.0)
    return np.clip(rng.gamma(3, 10, devices), 0, 100)


def hold(
    epsilon: float, devices: int, shares: tuple[float, ...], shape: str, rounds: int
) -> Groups:
    """Compare a population with itself, round after round."""
    group = hm.Integer("group", 0, len(shares) - 1)
    survey = hm.Survey("coverage", [hm.Crosstab(group, hm.Numeric("x", 0, 100))], epsilon)
    rng = np.random.default_rng(1)
    people = {
        "group": rng.choice(len(shares), devices, p=shares),
        "x": numbers(shape, devices, rng),
    }
    truth = np.array([people["x"][people["group"] == one].mean() for one in group.values])

    def week(number: int) -> hm.Result:
        opened = hm.Round(f"{number}", number.to_bytes(16, "big"))
        return survey.estimate(survey.collect(people, seed=number, round=opened))

    means, differences, called = np.zeros(len(shares)), np.zeros(len(shares)), 0
    for run in range(rounds):
        before, after = week(2 * run), week(2 * run + 1)
        low, high = np.array(list(after.crosstab("group x x").means().values())).T[1:]
        means += (low <= truth) & (truth <= high)
        change = hm.compare(before, after)["group x x"]
        differences += [row["low"] <= 0 <= row["high"] for row in change.rows()]
        called += bool(change.changed())
    return Groups(rounds, means / rounds, differences / rounds, called / rounds)


def page(tiny: bool) -> str:
    """Return the page's section about means of groups."""
    rows = []
    for epsilon, devices, shares, shape in SETTINGS[3:4] if tiny else SETTINGS:
        one = hold(epsilon, devices, shares, shape, 2 if tiny else ROUNDS)
        ends = [f"{got.min():.1%} to {got.max():.1%}" for got in (one.means, one.differences)]
        named = "small" if shares is SMALL else ", ".join(f"{share:.0%}" for share in shares)
        rows.append(
            [f"{epsilon:g}", f"{devices:,}", named, shape, *ends, f"{one.false_alarms:.1%}"]
        )
        print(rows[-1], flush=True)
    heads = ["epsilon", "devices a round", "groups", "numbers", "means", "differences"]
    return TEXT.format(rounds=ROUNDS) + table([*heads, "false alarms"], rows)
