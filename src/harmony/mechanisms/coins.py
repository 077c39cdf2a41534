"""Coins: how often each attribute is asked, so that all questions are answered equally well."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ..attributes import Categorical, Numeric
from ..crosstab import Crosstab
from ..distribution import Distribution
from ..questions import Question
from . import Linear, Mechanism
from .hierarchy import level_shares

MOST_COIN = 1 << 16
"""The coins of balanced surveys add up to about this at most: the kernel looks them up."""


def coin_weights(
    questions: Sequence[Question],
    mechanisms: Sequence[Sequence[Mechanism]],
    answers: int,
    *,
    balance: bool,
) -> list[int]:
    """Return how often the coin names each attribute, in proportion.

    Balanced, a question is asked in proportion to its weight and its variance.  Questions of
    equal weight then have estimates of equal variance, so the largest error is the least
    possible, and their average variance is what equal coins would give.  Errors are measured as a
    share of the domain, as `plan` states them; that of a distribution is its CDF's, and its
    levels are asked as is best for that.  Crosstabs tell of the attributes that they are made of,
    so an attribute is asked the less by itself, the more crosstabs it is part of.

    >>> from fractions import Fraction
    >>> from harmony import Boolean, Integer
    >>> questions = [Boolean("wifi"), Boolean("nfc"), Integer("sims", 0, 15)]
    >>> mechanisms = [[Linear.design(Fraction("0.1"), values) for values in (2, 2, 16)]]
    >>> coin_weights(questions, mechanisms, answers=1, balance=True)
    [35, 35, 122]
    >>> coin_weights(questions, mechanisms, answers=1, balance=False)
    [1, 1, 1]
    """
    attributes = len(mechanisms[0])
    wanted: list[float] = []
    crosstabs = Counter(
        part.source for one in questions if isinstance(one, Crosstab) for part in one.parts
    )
    for one in questions:
        levels = len(one.levels) if isinstance(one, Distribution) else 1
        places = range(len(wanted), len(wanted) + levels)
        if not balance:
            wanted += [float(one.weight)] * levels
            continue
        variances = [_variance(mechanisms, place, answers / attributes) for place in places]
        if isinstance(one, Distribution):
            shares, variance = level_shares(one.sizes, variances)
            wanted += [one.weight * variance * share for share in shares]
        else:
            told = crosstabs[one.source] if isinstance(one, Numeric | Categorical) else 0
            wanted.append(one.weight * variances[0] / (1 + told))
    if not balance:
        return [int(one) for one in wanted]
    unit = min(64 * attributes, MOST_COIN) / sum(wanted)
    coins = [max(1, round(unit * one)) for one in wanted]
    common = math.gcd(*coins)
    return [coin // common for coin in coins]


def _variance(mechanisms: Sequence[Sequence[Mechanism]], place: int, share: float) -> float:
    """Return n times the variance of an attribute's estimate, as a share of its domain."""
    return 1 / sum(
        _domain_length(tier[place]) ** 2 / tier[place].expected_variance(share)
        for tier in mechanisms
    )


def _domain_length(mechanism: Mechanism) -> float:
    """The length of what is estimated: a mean lies in [-1, 1], a frequency in [0, 1]."""
    return 1.0 if isinstance(mechanism, Linear) else 2.0
