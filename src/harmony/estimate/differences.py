"""What changed about one question: differences of what was estimated, and their errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..attributes import Value
from .base import Estimate
from .change import Change
from .common import Alike, Turns, covariance_of
from .crosstab import CrosstabEstimate
from .distribution import DistributionEstimate
from .histogram import HistogramEstimate
from .joint_changes import change_of_crosstabs, change_of_distributions
from .mean import MeanEstimate
from .sampling import Sampling, SomeSampling
from .sums import SumSampling
from .window import RepeatedSampling

LEAST_LEFT = 0.01
"""What is left of a variance at least, whatever cancels."""


def change_of(before: Estimate, after: Estimate, *, others: bool = False) -> Change | str:
    """Return what changed about an attribute, or why that cannot be told.

    `others` says that the rounds heard samples of more devices, perhaps of others.
    """
    if isinstance(before, MeanEstimate) and isinstance(after, MeanEstimate):
        return _change_of_means(before, after)
    if isinstance(before, HistogramEstimate) and isinstance(after, HistogramEstimate):
        return _change_of_histograms(before, after)
    if isinstance(before, DistributionEstimate) and isinstance(after, DistributionEstimate):
        return change_of_distributions(before, after, others=others)
    if isinstance(before, CrosstabEstimate) and isinstance(after, CrosstabEstimate):
        return change_of_crosstabs(before, after, others=others)
    return "are estimates of different kinds"


def _change_of_means(before: MeanEstimate, after: MeanEstimate) -> Change:
    middles = [(one.high + one.low) / 2 for one in (after, before)]
    return Change(
        after.name,
        before,
        after,
        [None],
        (np.array([before.mean]), np.array([after.mean])),
        SumSampling(
            [after.sampling, before.sampling],
            [after.half, -before.half],
            constant=middles[0] - middles[1],
        ),
    )


def _change_of_histograms(before: HistogramEstimate, after: HistogramEstimate) -> Change | str:
    values = [value for value in after.values if value in set(before.values)]
    if not values:
        return "have no value in common"
    places = [[list(one.values).index(value) for value in values] for one in (after, before)]
    samplings = [
        _some(one.sampling, here) for one, here in zip((after, before), places, strict=True)
    ]
    covariances = [
        None if one.covariance is None else one.covariance[np.ix_(here, here)]
        for one, here in zip((after, before), places, strict=True)
    ]
    both = None
    if covariances[0] is not None and covariances[1] is not None:
        both = covariances[0] + covariances[1]
    return Change(
        after.name,
        before,
        after,
        values,
        (samplings[1].estimates, samplings[0].estimates),
        SumSampling(samplings, [1, -1]),
        both,
    )


def less_what_cancels(
    change: Change, turns: tuple[Turns | None, Turns | None], stayed: float
) -> Change:
    """Return a change whose rounds have devices, or what these keep, in common."""
    first, second = turns
    before, after = change.before, change.after
    if first is None or second is None:
        return change
    if isinstance(before, MeanEstimate) and isinstance(after, MeanEstimate):
        alike, scale = (before.alike, after.alike), before.half * after.half
    elif isinstance(before, HistogramEstimate) and isinstance(after, HistogramEstimate):
        alike, scale = (_alike(before, change.values), _alike(after, change.values)), 1.0
    else:
        return change
    if alike[0] is None or alike[1] is None:
        return change
    common = scale * covariance_of((alike[0], first), (alike[1], second), stayed)
    factor = np.maximum(1 - 2 * common / change.sampling.variance, LEAST_LEFT)
    wider = np.sqrt(factor)
    return replace(
        change,
        sampling=RepeatedSampling(change.sampling, factor),
        covariance=None
        if change.covariance is None
        else change.covariance * np.outer(wider, wider),
    )


def _alike(one: HistogramEstimate, values: Sequence[Value | None]) -> Alike | None:
    where: dict[Value | None, int] = {value: place for place, value in enumerate(one.values)}
    return None if one.alike is None else one.alike.some([where[value] for value in values])


def _some(sampling: Sampling, places: list[int]) -> Sampling:
    if places == list(range(len(sampling.estimates))):
        return sampling
    return SomeSampling(sampling, places)
