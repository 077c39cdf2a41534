"""What a plan expects of each question: standard errors, and advice where they are too large."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .attributes import Numeric
from .crosstab import Crosstab, Rounded
from .distribution import Distribution
from .estimate.hierarchy import Tree
from .estimate.joint import cell_variance
from .estimate.together import what_is_asked
from .questions import Question, parts_of
from .shapes import Shape, tier_variance

if TYPE_CHECKING:
    from .survey import Survey

LOOKED_AT = 64
"""Edges of a distribution at which the error of its CDF is worked out."""


class Expected:
    """The errors of a survey's questions, for values of one shape.

    `asked` is the share of the devices that answers each attribute.
    """

    def __init__(self, survey: Survey, shape: Shape, asked: Sequence[float]) -> None:
        self._survey, self._shape, self._asked = survey, shape, asked
        self._variances = [self._variance(place) for place in range(len(survey.attributes))]

    def _variance(self, place: int) -> float:
        """Times the devices: the variance of one attribute's own estimate, tiers alike."""
        attribute, share = self._survey.attributes[place], self._asked[place]
        tiers = self._survey.mechanisms
        variances = [tier_variance(attribute, tier[place], share, self._shape) for tier in tiers]
        return math.fsum(variances) / len(tiers) / share

    def error(self, question: Question, place: int) -> float:
        """Return the standard error that one device would leave, as a share of the domain."""
        if isinstance(question, Distribution):
            return math.sqrt(self._cdf(question, place))
        if isinstance(question, Crosstab):
            return math.sqrt(self._crosstab(question, place))
        told = [precision for at, precision in self._told_of(place) if at != place]
        if question.values and told:
            return math.sqrt(1 / (1 / self._variances[place] + math.fsum(told)))
        return math.sqrt(self._variances[place]) / (1 if question.values else 2)

    def _cdf(self, question: Distribution, place: int) -> float:
        """The variance of the CDF at the edge where it is greatest."""
        starts = [np.array(question.starts(size)) for size in question.sizes]
        variances = self._variances[place : place + len(starts)]
        leaves = len(question.leaves) - 1
        edges = np.unique(np.linspace(1, leaves - 1, min(leaves - 1, LOOKED_AT)).round())
        below = (np.arange(leaves) < edges[:, None]).astype(np.float64)
        weights = Tree(starts, variances).adjoint(below)
        total = np.zeros(len(edges))
        for rows, variance in zip(weights, variances, strict=True):
            total += variance * ((rows**2).sum(axis=1) - rows.sum(axis=1) ** 2 / rows.shape[1])
        return float(total.max())

    def _crosstab(self, question: Crosstab, place: int) -> float:
        first, second = question.parts
        own = self._variances[place]
        if isinstance(second, Rounded):
            # Of a group that has its even share; the numbers' own spread is small beside it.
            grid = np.linspace(-0.5, 0.5, second.points)
            return own * float(grid @ grid) * len(first.values) ** 2
        rows, columns = (
            math.fsum(precision for at, precision in self._told_of(place, axis)) for axis in (0, 1)
        )
        return cell_variance(own, (len(first.values), len(second.values)), rows, columns)

    def _told_of(self, place: int, axis: int = 0) -> list[tuple[int, float]]:
        """Return how precisely each attribute tells the frequencies of one, or of a crosstab's."""
        wanted = what_is_asked(parts_of(self._survey.attributes[place])[axis])
        found = []
        for at, one in enumerate(self._survey.attributes):
            parts = parts_of(one)
            for part, other in zip(parts, reversed(parts), strict=True):
                if part.values and what_is_asked(part) == wanted:
                    others = len(other.values) if len(parts) > 1 else 1
                    found.append((at, 1 / (self._variances[at] * others)))
        return found


def kind_of(question: Question) -> tuple[str, float]:
    """Return what is estimated, and the length of its domain."""
    if isinstance(question, Distribution):
        return "distribution", 1.0
    if isinstance(question, Crosstab):
        second = question.parts[1]
        if isinstance(second, Rounded):
            return "means by group", second.high - second.low
        return "crosstab", 1.0
    if question.values:
        return "histogram", 1.0
    assert isinstance(question, Numeric)
    return "mean", question.high - question.low


def advice_on(crosstabs: Sequence[tuple[Crosstab, float]], devices: int) -> tuple[str, ...]:
    """Return what to do about crosstabs whose errors are larger than their average cell.

    Asking fewer pairs leaves more answers for each, so errors fall with the root of their number.
    """
    if not crosstabs:
        return ()
    times = [error * len(one.values) for one, error in crosstabs]
    drowned = sum(one > 1 for one in times)
    if not drowned:
        return ()
    worst = max(times)
    enough = math.ceil(devices * worst**2)
    advice = (
        f"{drowned} of {len(crosstabs)} crosstabs will not tell an average cell apart from zero: "
        f"ask {enough:,} devices, give more epsilon, merge values"
    )
    fewer = int(len(crosstabs) / worst**2)
    if len(crosstabs) > 1:
        advice += f", or ask only the {max(fewer, 1)} pairs that matter most"
    return (advice,)
