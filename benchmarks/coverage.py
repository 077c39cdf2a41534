"""Coverage: how often intervals hold, over epsilon, devices, values and populations.

Writes docs/coverage.md.
"""

from __future__ import annotations

import math
from pathlib import Path

from . import coverage_groups, coverage_joint, coverage_single
from .coverage_single import Covered
from .page import table

PAGE = Path(__file__).parent.parent / "docs" / "coverage.md"

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0)
SIZES = ((2, 50), (3, 200), (16, 1_000), (100, 10_000), (2_000, 1_000_000))
SHAPES = ("even", "Zipf", "one value", "rare")
ASKED = ((1.0, 16, 1_000, 3_000), (2.0, 50, 2_000, 3_000), (8.0, 3, 200, 400))
TIERS = tuple(
    (epsilons, devices)
    for epsilons in ((0.5, 1.0), (1.0, 4.0), (1.0, 8.0))
    for devices in ((1_000, 1_000), (10_000, 100))
)
MEANS = {
    "edge": [1.0],
    "zero": [0.0],
    "both edges": [-1.0, 1.0],
    "four numbers": [-0.8, -0.1, 0.3, 0.95],
    "all over": [place / 50 - 1 for place in range(101)],
}
MEAN_SIZES = (
    (0.1, 1_000, 1.0),
    (1.0, 200, 1.0),
    (1.0, 1_000, 0.5),
    (4.0, 1_000, 1.0),
    (8.0, 200, 1.0),
    (8.0, 1_000, 1.0),
    (12.0, 1_000, 1.0),
)
MEAN_DRAWS = 1_000
JOINT = (
    (4.0, 3, 50, "one value", 1, 800),
    (8.0, 3, 200, "one value", 1, 800),
    (8.0, 16, 1_000, "one value", 3, 200),
    (1.0, 2, 1_000, "even", 1, 2_000),
    (1.0, 16, 10_000, "Zipf", 3, 2_000),
    (4.0, 50, 10_000, "Zipf", 10, 1_000),
    (12.0, 16, 1_000, "rare", 3, 200),
    (1.0, 500, 100_000, "Zipf", 24, 2_000),
    (2.0, 500, 20_000, "even", 24, 2_000),
    (6.0, 2_000, 20_000, "Zipf", 24, 40),
    (0.1, 100, 50_000, "Zipf", 10, 2_000),
)
MANY = ((1.0, 100, 10_000), (2.0, 500, 20_000), (1.0, 500, 100_000), (4.0, 2_000, 100_000))
ANSWERS, ANSWERED = (1, 2, 3), 300
COMPARED = ((1.0, 8_000, 2_000, 2_000), (4.0, 8_000, 2_000, 2_000))

TEXT = """\
# How often intervals hold

Written by `python -m benchmarks coverage`. Whoever reads "95% interval" may ask when that was
last checked: here, over {settings} settings.

## One interval at a time

Each line is over populations in which values are even, Zipf, all one value, or rare (one, three
or ten devices have it): the least and the most over them. {draws:,} rounds each, drawn from the
exact distribution of the counts, so shares are good to 0.3 points (two standard errors). *Width*
is the mean width of 95% intervals over that of who knows the error (2 x 1.96 true standard
errors), at the worst of the populations; z is the standard deviation of errors over stated
standard errors. *Counts* is how many counts go into a standard error, at least: with fewer than
three, the few values that an estimate can take leave no interval that covers 95% and not more, so
such lines cover more. They are at large epsilon, where next to nothing is randomised.

{single}

Among them: single 95% intervals cover at least {least_95:.1%}, 99% ones at least {least_99:.1%}.
With 1,000 devices or more, and three counts or more in a standard error, they cover at most
{most_95:.1%}, and z is from {least_z:.2f} to {most_z:.2f}. It is least for values that nobody has:
a standard error is stated for the share that was estimated, and no share is below zero, so half
of those errors are stated a little too large. In the lines that have 0.96, values that ten
devices or more have are at 0.976 or more.

## Some of the devices asked, tiers, means

{other}

Tiers hold the same share (0.3) of a value among three; means are of numbers in [-1, 1].
{tier_draws:,} rounds a line for tiers (0.7 points), {mean_draws:,} for means (1.4 points). The line
of 200 devices of 400 at epsilon 8 has fewer than three counts in a standard error. So, nearly,
have means with numbers at the edges at epsilon 12, and at 8 with 200 devices: a few large errors
make all of it. Numbers between the points
of the mechanism's grid are rounded to it at random. Reports tell to which points, not from where,
so the most is supposed that this can have added: exact for numbers at points and for few numbers
between them, too much at epsilon 10 and above for numbers all over the range, of which the same
reports could come from numbers that all lie halfway.

## Many intervals at once, and picks

Whole rounds through `collect` and `estimate`. *All at once* is how often the simultaneous 95%
intervals hold together; *picked* is the share of the most frequent values (so many as the line
says) whose interval for the pick holds. In brackets two standard errors.

{joint}

With many values a few rounds say little about all of them at once, and theory says more: if
values are equally frequent, the exact chance that one is missed, times the number of values,
leaves at least

{bounds}

## Comparisons

Two rounds of one population ("false alarms": any value of any of three attributes is called
changed), and of two that differ by what the comparison says can be noticed in 80%.

{compared}

{groups}
"""


def run(tiny: bool = False) -> None:
    draws = 200 if tiny else 20_000
    single = _single(draws, SIZES[:2] if tiny else SIZES, EPSILONS[::4] if tiny else EPSILONS)
    other = _asked(draws) | _tiers(200 if tiny else 4_000) | _means(tiny)
    joint = [
        (line, coverage_joint.hold(*line[:5], rounds=3 if tiny else line[5]))
        for line in (JOINT[:2] if tiny else JOINT)
    ]
    joint += [
        ((epsilon, 5, 2_000, f"Zipf, {answers} of 4 answered", 2), coverage_joint.hold(
            epsilon, 5, 2_000, "Zipf", 2, 3 if tiny else ANSWERED, attributes=4, answers=answers))
        for answers in ANSWERS[: 1 if tiny else None]
        for epsilon in (2.0 * answers,)
    ]  # fmt: skip
    joint += [
        ((f"{epsilons[0]:g}, {epsilons[1]:g}", 5, 2_000, "Zipf, two tiers", 2), coverage_joint.hold(
            epsilons, 5, 2_000, "Zipf", 2, 3 if tiny else 2_000))
        for epsilons in ((1.0, 4.0),)
    ]  # fmt: skip
    compared = [
        (line, coverage_joint.compare(*line[:2], *((2, 2) if tiny else line[2:])))
        for line in (COMPARED[:1] if tiny else COMPARED)
    ]
    groups = coverage_groups.page(tiny)
    if not tiny:
        text = _page(single, other, joint, compared, groups, draws)
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {PAGE.name}")


def _say(*words: object) -> None:
    print("coverage:", *words, flush=True)


def _single(draws, sizes, epsilons) -> dict[tuple[float, int, int], Covered]:
    found = {}
    for epsilon in epsilons:
        for k, n in sizes:
            truths = {
                having
                for shape in SHAPES
                for having in coverage_single.frequencies(shape, k, n)
                if having <= n
            }
            one = coverage_single.together(
                [coverage_single.shares(epsilon, k, n, n, having, draws, 1) for having in truths]
            )
            found[epsilon, k, n] = one
            _say(epsilon, k, n, one)
    return found


def _asked(draws) -> dict[str, Covered]:
    found = {}
    for epsilon, k, n, devices in ASKED:
        truths = [0, 3, devices // k, devices // 2, devices]
        found[f"epsilon {epsilon:g}, {n:,} of {devices:,} devices asked, {k} values"] = (
            coverage_single.together(
                [coverage_single.shares(epsilon, k, n, devices, one, draws, 1) for one in truths]
            )
        )
    return found


def _tiers(draws) -> dict[str, Covered]:
    return {
        f"tiers of epsilon {low:g} and {high:g}, {first:,} and {second:,} devices": (
            coverage_single.tiers((low, high), 3, (first, second), 0.3, draws, 1)
        )
        for (low, high), (first, second) in TIERS
    }


def _means(tiny) -> dict[str, Covered]:
    found = {}
    for epsilon, n, asked in MEAN_SIZES:
        for where, values in MEANS.items():
            name = f"mean, epsilon {epsilon:g}, {n:,} devices, {asked:.0%} asked: {where}"
            found[name] = coverage_single.means(
                epsilon, values, n, asked, 4 if tiny else MEAN_DRAWS, 1
            )
            _say(name, found[name])
    return found


def _twice(share: float, rounds: int) -> str:
    """Return two standard errors of a share over so many rounds, as for 95% at most."""
    return f"{2 * math.sqrt(min(share, 0.95) * 0.05 / rounds):.1%}"


def _page(single, other, joint, compared, groups, draws) -> str:
    heads = ["95% from", "to", "99% from", "width", "z from", "to", "counts"]

    def cells(one: Covered) -> list[str]:
        counts = "dense" if math.isinf(one.counts) else f"{one.counts:.2g}"
        if one.counts >= 1_000:
            counts = "dense"
        shares = (one.least_95, one.most_95, one.least_99)
        others = (one.width, one.least_z, one.most_z)
        return [*(f"{share:.1%}" for share in shares), *(f"{x:.2f}" for x in others), counts]

    fine = [one for (_, _, n), one in single.items() if n >= 1_000 and one.counts >= 3]
    return TEXT.format(
        settings=len(SHAPES) * len(single) + len(other) + len(joint),
        draws=draws,
        groups=groups,
        tier_draws=4_000,
        mean_draws=MEAN_DRAWS,
        single=table(
            ["epsilon", "values", "devices", *heads],
            [[f"{e:g}", f"{k:,}", f"{n:,}", *cells(one)] for (e, k, n), one in single.items()],
        ),
        least_95=min(one.least_95 for one in single.values()),
        least_99=min(one.least_99 for one in single.values()),
        most_95=max(one.most_95 for one in fine),
        least_z=min(one.least_z for one in fine),
        most_z=max(one.most_z for one in fine),
        other=table(["", *heads], [[name, *cells(one)] for name, one in other.items()]),
        joint=table(
            [
                "epsilon",
                "values",
                "devices",
                "population",
                "rounds",
                "each",
                "all at once",
                "picked",
            ],
            [
                [
                    line[0] if isinstance(line[0], str) else f"{line[0]:g}",
                    f"{line[1]:,}",
                    f"{line[2]:,}",
                    line[3],
                    f"{one.rounds:,}",
                    f"{one.single:.1%}",
                    f"{one.simultaneous:.1%} ({_twice(one.simultaneous, one.rounds)})",
                    f"{one.picked:.1%} of {line[4]}",
                ]
                for line, one in joint
            ],
        ),
        bounds=table(
            ["epsilon", "values", "devices", "all at once, at least"],
            [
                [f"{e:g}", f"{k:,}", f"{n:,}", f"{coverage_single.all_at_least(e, k, n):.2%}"]
                for e, k, n in MANY
            ],
        ),
        compared=table(
            ["epsilon", "devices a round", "comparisons", "false alarms", "changes", "noticed"],
            [
                [
                    f"{e:g}",
                    f"{n:,}",
                    f"{one.rounds:,}",
                    f"{one.false_alarms:.1%}",
                    f"{one.changes:,}",
                    f"{one.noticed:.1%}",
                ]
                for (e, n, *_), one in compared
            ],
        ),
    )
