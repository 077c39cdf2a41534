"""Choosing: each attribute's mechanism, how often it is asked, how many a report answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..attributes import Attribute, Signed
from . import Grid, Linear, Mechanism, SignedLinear, budget

LEAST_EPSILON_PER_ANSWER = 1.0
"""Below this, noise outweighs everything and falls as 1/eps^2: splitting epsilon only loses."""

MOST_COIN = 1 << 16
"""The coins of balanced surveys add up to about this at most: the kernel looks them up."""


def design_mechanism(attribute: Attribute, epsilon: Fraction, mechanism: str) -> Mechanism:
    """Return the mechanism for one answer about `attribute` that may spend `epsilon`."""
    budget.check()
    if isinstance(attribute, Signed):
        return SignedLinear.design(epsilon, len(attribute.values), mechanism)
    if attribute.values:
        return Linear.design(epsilon, len(attribute.values), mechanism)
    return Grid.design(epsilon, mechanism)


def choose_answers(
    attributes: Sequence[Attribute], tiers: Sequence[Fraction], mechanism: str
) -> int:
    """Return how many attributes a report should answer, with epsilon split evenly.

    More answers mean more reports for each attribute, of more noise each.  The measure is the
    expected variance of each estimate, averaged in logarithms over attributes and tiers.

    >>> from harmony import Boolean
    >>> wifi = [Boolean(f"setting {place}") for place in range(8)]
    >>> [choose_answers(wifi, [Fraction(epsilon)], "auto") for epsilon in (1, 8)]
    [1, 4]
    """
    if mechanism == "harmony":
        return 1
    best, least = 1, math.inf
    for answers in range(1, len(attributes) + 1):
        if answers > 1 and min(tiers) / answers < LEAST_EPSILON_PER_ANSWER:
            break
        if answers > best + 2:  # the variance falls, then rises: it has risen twice
            break
        share = answers / len(attributes)
        logs = sum(
            math.log(
                design_mechanism(attribute, tier / answers, mechanism).expected_variance(share)
                / share
            )
            for attribute in attributes
            for tier in tiers
        )
        if logs < least - 1e-12:
            best, least = answers, logs
    return best


def balance_coins(
    weights: Sequence[int], mechanisms: Sequence[Sequence[Mechanism]], answers: int
) -> list[int]:
    """Return coins that ask each attribute in proportion to its weight and its variance.

    Attributes of equal weight then have estimates of equal variance, so the largest error is
    the least possible, and their average variance is what equal coins would give.  Errors are
    measured as a share of the domain, as `plan` states them.

    >>> mechanisms = [[Linear.design(Fraction("0.1"), values) for values in (2, 2, 16)]]
    >>> balance_coins([1, 1, 1], mechanisms, answers=1)
    [35, 35, 122]
    >>> balance_coins([1, 1, 1], [mechanisms[0][:1] * 3], answers=1)
    [1, 1, 1]
    """
    share = answers / len(weights)
    wanted = [
        weight
        / sum(
            _domain_length(tier[place]) ** 2 / tier[place].expected_variance(share)
            for tier in mechanisms
        )
        for place, weight in enumerate(weights)
    ]
    unit = min(64 * len(weights), MOST_COIN) / sum(wanted)
    coins = [max(1, round(unit * one)) for one in wanted]
    common = math.gcd(*coins)
    return [coin // common for coin in coins]


def _domain_length(mechanism: Mechanism) -> float:
    """The length of what is estimated: a mean lies in [-1, 1], a frequency in [0, 1]."""
    return 1.0 if isinstance(mechanism, Linear) else 2.0
