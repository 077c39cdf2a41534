"""Choosing: the mechanism of each attribute, and how many attributes a report answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..attributes import Attribute, Signed
from .grid import Grid
from .linear import Linear
from .signed import SignedLinear

LEAST_EPSILON_PER_ANSWER = 1.0
"""Below this, noise outweighs everything and falls as 1/eps^2: splitting epsilon only loses."""


def design(attribute: Attribute, epsilon: Fraction, mechanism: str) -> Grid | Linear | SignedLinear:
    """Return the mechanism for one answer about `attribute` that may spend `epsilon`."""
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
            math.log(design(attribute, tier / answers, mechanism).expected_variance(share) / share)
            for attribute in attributes
            for tier in tiers
        )
        if logs < least - 1e-12:
            best, least = answers, logs
    return best
