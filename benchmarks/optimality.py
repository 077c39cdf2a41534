"""Accuracy in closed form: Harmony's tables against the best rivals, over epsilon and k.

Writes docs/accuracy.md and docs/accuracy.svg.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from harmony.mechanisms import Grid, Linear

from . import rivals

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)
SIZES = tuple(range(2, 34)) + (40, 50, 64, 75, 100, 128, 200, 256, 300, 500, 512, 700, 1000, 1024)
SHOWN_SIZES = (2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 512, 1024)
LARGE_EPSILONS = (6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0)
LARGE_SIZES = (256, 512, 1024, 2000, 4096, 10_000, 20_000, 50_000, 65_536, 100_000)
NUMERIC_EPSILONS = (*EPSILONS, 6.0, 8.0)

DOCS = Path(__file__).parent.parent / "docs"


PAGE = """\
# How accurate the mechanisms are

Written by `python -m benchmarks optimality`, in closed form from the integer tables that ship.

![Variance against the best rivals](accuracy.svg)

## Categorical: n x variance of a value nobody has, over the best rival's

The rival is the best of randomised response (GRR), optimised unary encoding (OUE), optimised
local hashing (OLH) and subset selection (SS), each at its best setting. Below 1 is better than
all of them. Over all {settings} settings of the benchmark ({epsilons} epsilons, {sizes} sizes from
2 to 1024): worst {worst:.3f} at epsilon {worst_epsilon:g}, k = {worst_size}; {over} settings above
1.05; never above {against_paper:.3f} of the paper's own variance.

{categorical}

OUE sends k bits and subset selection a whole subset; Harmony sends one symbol.

### Large epsilon, many values

{large}

Of these {large_settings} settings {large_over} are above 1.05, for two reasons. A design that
treats all pairs of values alike, with fewer symbols than values, confuses each pair in at least
one of its r rows, so with a chance of at least 1 / r; the least noise needs a chance of about
e^-eps. So it takes e^eps rows of as many symbols: 9 million cells at epsilon 8, and tallies have
two million at most. Below, where values are no more than a few times e^eps, randomised response
over the values themselves takes over, with one row; but a symbol has 16 bits, so it ends at
65,536 values. Wider symbols would help few: values and counts of 100,000 take 1.8 MB of a
document, and devices take 1 MiB unless their app allows more.

{halves}

## Numeric: worst-case variance of one report, values in [-1, 1]

| epsilon | two points (the paper) | Piecewise | Hybrid | Harmony | below Hybrid |
|---|---|---|---|---|---|
{numeric}
"""


HALVES = """\
At epsilon 10 and more, ask more values than that in two parts: two attributes that read the same
name, each with half of the values and one more that stands for all others:

    hm.Integer("page, first half", 0, 50_000, reads="page", unlisted=50_000),
    hm.Integer("page, second half", 50_000, 100_000, reads="page", unlisted=100_000),

With 100,000 values, from 0 to 99,999, half of the devices are asked about each part, and instead
of the last line's n x variance over the best rival's is {ratios}.
A value that is not rare has a sampling error beside, as whenever several attributes are asked.
The document has 1.2 MB, so apps must allow that, too (`most_document_bytes`)."""
HALVES_EPSILONS = (10.0, 11.0, 12.0)


def in_halves(epsilon: float, k: int) -> float:
    """Return n x variance over the best rival's if each half of the values has its attribute."""
    return (
        2 * Linear.design(Fraction(epsilon), k // 2 + 1).zero_variance / categorical(epsilon, k)[1]
    )


def halves() -> str:
    """Return what to do with more values than symbols."""
    each = [f"{in_halves(one, LARGE_SIZES[-1]):.2f} at epsilon {one:g}" for one in HALVES_EPSILONS]
    return HALVES.format(ratios=f"{', '.join(each[:-1])} and {each[-1]}")


def categorical(epsilon: float, k: int) -> tuple[float, float, str]:
    """Return Harmony's variance, the best rival's and the rival's name."""
    named = {
        "GRR": rivals.randomised_response(epsilon, k),
        "OUE": rivals.unary_encoding(epsilon),
        "OLH": rivals.local_hashing(epsilon),
        "SS": rivals.subset_selection(epsilon, k),
    }
    best = min(named, key=named.__getitem__)
    return Linear.design(Fraction(epsilon), k).zero_variance, named[best], best


def numeric(epsilon: float) -> tuple[float, float]:
    """Return Harmony's worst-case variance and the Hybrid mechanism's."""
    return Grid.design(Fraction(epsilon)).worst_variance, rivals.hybrid(epsilon)


def run(tiny: bool = False) -> None:
    sizes = (2, 6, 16) if tiny else SIZES
    epsilons = (0.5, 1.0) if tiny else EPSILONS
    ratios = {
        (epsilon, k): ours / best
        for epsilon in epsilons
        for k in sizes
        for ours, best, _ in [categorical(epsilon, k)]
    }
    against_paper = max(
        Linear.design(Fraction(epsilon), k).zero_variance / rivals.papers_hadamard(epsilon)
        for epsilon in epsilons
        for k in sizes
    )
    worst = max(ratios, key=ratios.__getitem__)
    over = sum(ratio > 1.05 for ratio in ratios.values())
    print(
        f"categorical: {len(ratios)} settings; worst {ratios[worst]:.3f} x the best rival "
        f"(epsilon {worst[0]:g}, k {worst[1]}), {over} above 1.05; "
        f"at most {against_paper:.3f} x the paper's variance"
    )
    pairs = {epsilon: numeric(epsilon) for epsilon in ((1.0, 2.0) if tiny else NUMERIC_EPSILONS)}
    for epsilon, (ours, theirs) in pairs.items():
        ratio = ours / theirs
        print(f"numeric: epsilon {epsilon:<5g} {ours:10.4f}  Hybrid {theirs:10.4f}  {ratio:.3f}")
    if not tiny:
        page = _page(ratios, large_ratios(), pairs, worst, over, against_paper)
        (DOCS / "accuracy.md").write_text(page)
        _plot(ratios, pairs)
        print("wrote docs/accuracy.md and docs/accuracy.svg")


def large_ratios() -> dict[tuple[float, int], float]:
    """Return Harmony's variance over the best rival's, for large epsilons and many values."""
    return {
        (epsilon, k): ours / best
        for epsilon in LARGE_EPSILONS
        for k in LARGE_SIZES
        for ours, best, _ in [categorical(epsilon, k)]
    }


def _table(ratios, epsilons, sizes) -> str:
    head = "| k \\ epsilon | " + " | ".join(f"{epsilon:g}" for epsilon in epsilons) + " |"
    rule = "|---" * (len(epsilons) + 1) + "|"
    rows = [
        f"| {k} | " + " | ".join(f"{ratios[epsilon, k]:.3f}" for epsilon in epsilons) + " |"
        for k in sizes
    ]
    return "\n".join([head, rule, *rows])


def _page(ratios, large, pairs, worst, over, against_paper) -> str:
    numeric_rows = [
        f"| {epsilon:g} | {rivals.two_point(epsilon):.4g} | {rivals.piecewise(epsilon):.4g} "
        f"| {theirs:.4g} | {ours:.4g} | {max(0.0, round(1 - ours / theirs, 9)):.1%} |"
        for epsilon, (ours, theirs) in pairs.items()
    ]
    return PAGE.format(
        settings=len(ratios),
        epsilons=len(EPSILONS),
        sizes=len(ratios) // len(EPSILONS),
        worst=ratios[worst],
        worst_epsilon=worst[0],
        worst_size=worst[1],
        over=over,
        against_paper=against_paper,
        categorical=_table(ratios, EPSILONS, SHOWN_SIZES),
        large=_table(large, LARGE_EPSILONS, LARGE_SIZES),
        large_settings=len(large),
        halves=halves(),
        large_over=sum(ratio > 1.05 for ratio in large.values()),
        numeric="\n".join(numeric_rows),
    )


def _plot(ratios, pairs) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "harmony"
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for k in (4, 16, 64, 256, 1024):
        left.plot(EPSILONS, [ratios[epsilon, k] for epsilon in EPSILONS], label=f"k = {k}")
    left.axhline(1, color="grey", linewidth=0.8)
    left.axhline(1.05, color="grey", linewidth=0.8, linestyle=":")
    left.set(
        xlabel="epsilon", ylabel="n x variance / best rival's", title="Categorical", ylim=(0.8, 1.1)
    )
    left.legend(ncols=2)
    epsilons = list(pairs)
    right.plot(
        epsilons, [rivals.two_point(e) / pairs[e][1] for e in epsilons], label="two points (paper)"
    )
    right.plot(epsilons, [rivals.piecewise(e) / pairs[e][1] for e in epsilons], label="Piecewise")
    right.plot(epsilons, [pairs[e][0] / pairs[e][1] for e in epsilons], label="Harmony")
    right.axhline(1, color="grey", linewidth=0.8)
    right.set(
        xlabel="epsilon", ylabel="worst-case variance / Hybrid's", title="Numeric", ylim=(0, 2)
    )
    right.legend()
    figure.savefig(DOCS / "accuracy.svg", metadata={"Date": None})
