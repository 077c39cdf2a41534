"""Choosing: each attribute's mechanism, and how many attributes a report answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ..attributes import Signed
from ..crosstab import Crosstab, Rounded
from ..errors import SurveyError
from ..questions import Asked, Question
from . import Grid, Linear, Mechanism, SignedLinear, budget

LEAST_EPSILON_PER_ANSWER = 1.0
"""Below this, noise outweighs everything and falls as 1/eps^2: splitting epsilon only loses."""


def design_mechanism(
    attribute: Asked, epsilon: Fraction, mechanism: str, memory: Fraction | None = None
) -> Mechanism:
    """Return the mechanism for one answer about `attribute` that may spend `epsilon`.

    With `memory` all its rounds spend that at most, while the answer stays.
    """
    budget.check()
    if isinstance(attribute, Signed):
        if memory is not None:
            raise SurveyError(f"{attribute.name}: a signed attribute has no 'memory'")
        return SignedLinear.design(epsilon, len(attribute.values), mechanism)
    if attribute.values:
        return Linear.design(epsilon, len(attribute.values), mechanism, memory)
    return Grid.design(epsilon, mechanism, memory)


def choose_answers(attributes: Sequence[Asked], tiers: Sequence[Fraction], mechanism: str) -> int:
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


MOST_POINTS = 9
"""Of a number in a crosstab: what rounding to more would save is little by then."""


def choose_points(questions: Sequence[Question], tiers: Sequence[Fraction]) -> tuple[Question, ...]:
    """Return questions whose crosstabs round a number to the points of least variance.

    More points lose less to rounding, and more places need more noise.

    >>> from harmony import Boolean, Numeric
    >>> pair = Crosstab(Boolean("wifi"), Numeric("battery", 0, 100)).resolved({})
    >>> [choose_points([pair], [Fraction(epsilon)])[0].second.points for epsilon in (1, 4, 8)]
    [2, 5, 9]
    """
    return tuple(_with_points(one, tiers) for one in questions)


def _with_points(question: Question, tiers: Sequence[Fraction]) -> Question:
    if not isinstance(question, Crosstab) or not isinstance(question.second, Rounded):
        return question
    groups = len(question.parts[0].values)
    points = min(range(2, MOST_POINTS + 1), key=lambda one: _rounded_variance(one, groups, tiers))
    return replace(question, second=replace(question.second, points=points))


def _rounded_variance(points: int, groups: int, tiers: Sequence[Fraction]) -> float:
    """Return the variance of a group's part of the mean of a number in [-1, 1], spread evenly."""
    squares = sum((2 * place / (points - 1) - 1) ** 2 for place in range(points))
    rounding = (2 / (points - 1)) ** 2 / 6 / groups
    noise = [Linear.design(tier, groups * points).reference_noise for tier in tiers]
    return len(tiers) / sum(1 / (one * squares + rounding) for one in noise)
