"""Which linear code and window a categorical attribute should use, by closed-form variance.

A design is (g, t, w): base, digits and window width.  Its variance at frequency zero is
q (1 - q) / (p - q)^2, where p is the chance that a report supports its own value and q that it
supports another one (Wang et al. 2017 call such protocols pure).  The search keeps the tally small:
of all designs within a hundredth of the best variance it takes the one with the fewest cells.

Small tallies have a price at large epsilon.  Rows that treat all pairs of values alike confuse a
pair in none of r rows, or in at least one: with a chance of at least 1 / r.  Unless there are as
many symbols as values, noise as low as theory allows needs a chance of about e^-eps, so about
e^eps rows of as many symbols.  Where that is more than `MOST_CELLS`, a design has more noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import itemgetter

from harmony_device.protocol import MAX_SYMBOLS

from .memory import SLACK, change_cost

MAX_CELLS = 1 << 18
"""Cells of a tally that a design may use, unless the attribute has more values than that."""

MOST_CELLS = 1 << 21
"""Cells that it may use where that lowers the variance by more than `WORTH_CELLS`."""

WORTH_CELLS = 1.05

MAX_BASE = 4096
MAX_SUBSETS = 400
VARIANCE_SLACK = 1.01
"""How much of the best variance a design may lose for a smaller tally."""


@dataclass(frozen=True)
class Design:
    """A linear code over base g with t digits, and a window of w likely symbols.

    With `subsets`, the symbols are instead all w-subsets of the base (subset selection), for
    a few small bases that are not prime.
    """

    base: int
    digits: int
    width: int
    subsets: bool = False

    @property
    def subgroup_order(self) -> int:
        """Order of the largest multiplicative subgroup that can leave the window unchanged."""
        if self.width == 1:
            return self.base - 1
        group = self.base - 1
        return max(math.gcd(group, self.width), math.gcd(group, self.width - 1))

    @property
    def cells(self) -> int:
        """Cells of the tally: rows times symbols."""
        if self.subsets:
            return math.comb(self.base, self.width)
        points: int = (self.base**self.digits - 1) // (self.base - 1)
        return points * ((self.base - 1) // self.subgroup_order) * self.base

    def variance(self, epsilon: float, frequency: float = 0.0) -> float:
        """n times the variance of the estimate for a value of this frequency, noise alone.

        >>> round(Design(base=5, digits=2, width=1).variance(1.0), 2)
        3.41
        """
        p, q = self.support(epsilon)
        return (frequency * p * (1 - p) + (1 - frequency) * q * (1 - q)) / (p - q) ** 2

    def support(self, epsilon: float) -> tuple[float, float]:
        """Return the chances that a report supports its own value, and any other one."""
        g, t, w, e = self.base, self.digits, self.width, math.exp(epsilon)
        total = w * e + g - w
        p = w * e / total
        shared = w * (w - 1) / (g - 1)
        differ = (shared * e + w - shared) / total
        same: float = (g ** (t - 1) - 1) / (g**t - 1)
        return p, same * p + (1 - same) * differ

    def change(self, epsilon: float, memory: float) -> float:
        """What a round of a survey with memory may cost in which the answer is another one."""
        symbols, likely = self.base, self.width
        if self.subsets:
            symbols, likely = (
                math.comb(self.base, self.width),
                math.comb(self.base - 1, self.width - 1),
            )
        least = 1 / (symbols + likely * math.expm1(epsilon))
        return change_cost(epsilon, memory, least, symbols * least)

    def permanent(self, epsilon: float, memory: float, values: int) -> float:
        """The share of a round's noise that a memo which spends `memory` holds, at least."""
        return min(
            self.variance(memory, one) / self.variance(epsilon, one) for one in (0, 1 / values)
        )


@lru_cache(maxsize=1 << 14)
def best_design(epsilon: float, values: int) -> Design:
    """Return the design of least variance for `values` values, small tallies preferred.

    >>> best_design(3.0, 64)
    Design(base=67, digits=1, width=3, subsets=False)
    """
    candidates = _candidates(epsilon, values)
    few = [one for one in candidates if one[1].cells <= max(MAX_CELLS, 4 * values)]
    least, least_of_few = (min(variance for variance, _ in some) for some in (candidates, few))
    if least_of_few <= WORTH_CELLS * least:
        candidates, least = few, least_of_few
    good = [
        (design.cells, variance, design)
        for variance, design in candidates
        if variance <= VARIANCE_SLACK * least
    ]
    return min(good, key=lambda entry: entry[:2])[2]


@lru_cache(maxsize=2048)
def memory_design(epsilon: float, memory: float, values: int) -> Design:
    """Return the design for a survey with memory: of those that lose little, the least change.

    Little is up to SLACK, and not so much that unary encoding would be better (Wang et al. 2017).

    >>> best_design(1.0, 64).base, memory_design(1.0, 2.0, 64).base
    (67, 11)
    """
    small = [  # a device keeps a word for each index
        (variance, design)
        for variance, design in _candidates(epsilon, values)
        if design.base <= MAX_BASE and design.cells <= max(MAX_CELLS, 4 * values)
    ]
    plain = max(best_design(epsilon, values).variance(epsilon), min(small, key=itemgetter(0))[0])
    unary = 4 * math.exp(epsilon) / math.expm1(epsilon) ** 2
    most = min(SLACK * plain, max(plain, unary))
    good = [design for variance, design in small if variance <= most]
    return min(good, key=lambda design: (design.change(epsilon, memory), design.cells))


def _candidates(epsilon: float, values: int) -> list[tuple[float, Design]]:
    """Return designs with their variances.

    Randomised response over the values themselves has one row, so its base may be as large as
    the protocol's symbols.
    """
    designs = [Design(values, 1, 1)] if values <= MAX_SYMBOLS else []
    for base in _primes(MAX_BASE):
        digits = 1
        while base**digits < values:
            digits += 1
        designs += [Design(base, digits, width) for width in _widths(epsilon, base)]
        if digits == 1 and base > values:
            break
    designs += [
        Design(values, 1, width, subsets=True)
        for width in _widths(epsilon, values)
        if values <= MAX_SUBSETS and math.comb(values, width) <= MAX_SUBSETS
    ]
    most = max(MOST_CELLS, 4 * values)
    return [(design.variance(epsilon), design) for design in designs if design.cells <= most]


def _widths(epsilon: float, base: int) -> list[int]:
    """Window widths to try: one, and those near g / (e^eps + 1), the optimum."""
    ideal = int(base / (math.exp(epsilon) + 1))
    return sorted({1} | {w for w in range(ideal - 1, ideal + 3) if 1 < w < base})


def window(design: Design) -> list[int]:
    """Return the window: cosets of a subgroup of the multiplicative group, and 0 if one is left.

    >>> window(Design(base=7, digits=1, width=3))
    [1, 2, 4]
    """
    whole, rest = divmod(design.width, design.subgroup_order)
    places = [0] if rest else []
    if design.width == 1:
        return [0]
    root = _primitive_root(design.base)
    step = (design.base - 1) // design.subgroup_order
    for coset in range(whole):
        places += [
            pow(root, coset + step * power, design.base) for power in range(design.subgroup_order)
        ]
    return sorted(places)


def multipliers(design: Design) -> list[int]:
    """Return one multiplier for each coset of the subgroup that leaves the window unchanged.

    Multiplying the window by all of them meets every difference equally often.

    >>> multipliers(Design(base=7, digits=1, width=3))
    [1, 3]
    """
    if design.subgroup_order == design.base - 1:
        return [1]
    root = _primitive_root(design.base)
    return [
        pow(root, power, design.base) for power in range((design.base - 1) // design.subgroup_order)
    ]


def is_prime(number: int) -> bool:
    """Whether `number` is prime.

    >>> [n for n in range(12) if is_prime(n)]
    [2, 3, 5, 7, 11]
    """
    return number > 1 and all(number % factor for factor in range(2, math.isqrt(number) + 1))


@cache
def _primes(limit: int) -> tuple[int, ...]:
    return tuple(number for number in range(2, limit + 1) if is_prime(number))


@cache
def _primitive_root(prime: int) -> int:
    group = prime - 1
    factors = [factor for factor in range(2, group + 1) if group % factor == 0 and is_prime(factor)]
    for root in range(1, prime):
        if all(pow(root, group // factor, prime) != 1 for factor in factors):
            return root
    raise ValueError(f"{prime} is not prime")
