"""Picking: which candidates are found in the end, and how common they and all others are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

from ..mechanisms.linear import Linear
from ..survey import Survey
from ..tally import Tally
from .findings import Found
from .picked import Picked, picked_share
from .schedule import Schedule

if TYPE_CHECKING:
    from .explorer import Candidate

CONFIDENCE = 0.95


def found_candidates(
    candidates: Sequence[Candidate], schedule: Schedule, history: Sequence[Mapping[str, Any]]
) -> list[tuple[Candidate, Found]]:
    """Return the candidates that pass, the most common first, with shares and intervals."""
    tested = math.fsum(one.get("tested", 0.0) for one in history)
    passing = []
    for one in candidates:
        least = one.evidence.threshold(schedule.found_threshold(tested, one.chance))
        if one.evidence.estimate > least and len(one.evidence.parts) > 1:
            passing.append((one, least))
    passing.sort(key=lambda found: -found[0].evidence.estimate)
    wanted, floor = schedule.exploration.wanted, 0.0
    if len(passing) > wanted:  # then a string had to be more common than the next one, too
        floor = passing[wanted][0].evidence.estimate
    devices = sum(one["devices"] for one in history)
    return [(one, _found(one, max(least, floor), devices)) for one, least in passing[:wanted]]


def _found(one: Candidate, found_from: float, devices: int) -> Found:
    pooled, estimate = one.evidence, one.evidence.estimate
    variance = pooled.variance(estimate, devices)
    between = pooled.first_variance(estimate, devices) - variance
    picked = Picked(found_from, one.kept_from, math.sqrt(max(0.0, between)))
    share, low, high = picked_share(estimate, math.sqrt(variance), picked, CONFIDENCE)
    return Found(one.text, share, low, high, one.is_cut)


def share_of_rest(survey: Survey, tally: Tally, found: Sequence[int]) -> tuple[float, float, float]:
    """Return the share of all but the found places of the last step, with its interval."""
    linear = survey.mechanisms[0][0]
    assert isinstance(linear, Linear)
    cells, n = tally.cells[0][0], tally.reports
    supports = np.zeros(cells.shape)
    for value in found:
        indices = np.array([linear.code.index(value, row) for row in range(len(cells))])
        supports += linear.support[indices]
    decoded = 1 - (supports - len(found) * linear.q) / (linear.p - linear.q)
    share = float((cells * decoded).sum() / n)
    variance = float((cells * (decoded - share) ** 2).sum() / n)
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(variance / n)
    low, high = (min(1.0, max(0.0, edge)) for edge in (share - half, share + half))
    return min(1.0, max(0.0, share)), low, high
