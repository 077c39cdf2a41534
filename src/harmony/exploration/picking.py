"""Picking: which candidates are found in the end, and how common they and all others are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .findings import Found
from .picked import Picked, picked_share
from .schedule import Schedule

if TYPE_CHECKING:
    from .explorer import Candidate

CONFIDENCE = 0.95


def picked_strings(
    candidates: Sequence[Candidate], schedule: Schedule, history: Sequence[Mapping[str, Any]]
) -> tuple[list[Found], tuple[float, float, float]]:
    """Return the candidates that pass, the most common first, and the share of all other texts."""
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
    found = [_found(one, max(least, floor), devices) for one, least in passing[:wanted]]
    estimates = math.fsum(one.evidence.estimate for one, _ in passing[:wanted])
    return found, _rest(found, estimates)


def _found(one: Candidate, found_from: float, devices: int) -> Found:
    pooled, estimate = one.evidence, one.evidence.estimate
    variance = pooled.variance(estimate, devices)
    between = pooled.first_variance(estimate, devices) - variance
    picked = Picked(found_from, one.kept_from, math.sqrt(max(0.0, between)))
    share, low, high = picked_share(estimate, math.sqrt(variance), picked, CONFIDENCE)
    return Found(one.text, share, low, high, one.is_cut)


def _rest(found: Sequence[Found], estimates: float) -> tuple[float, float, float]:
    """Return what the found strings leave, with its interval.

    The noise of two strings is independent, or nearly, and a device has one of them alone: the
    variances add up to at least that of the sum.  So do the squares of how far an interval
    reaches to a side, which for a string that was found by a hair is further down than up.
    Such a string's share is as often too high as too low, but falls further than it rises, and many
    of them add up: so the least that is left is reckoned from the sum of their `estimates`.
    """
    shares = math.fsum(one.share for one in found)
    rest, least = 1 - shares, 1 - max(shares, estimates)
    less = math.sqrt(math.fsum((one.high - one.share) ** 2 for one in found))
    more = math.sqrt(math.fsum((one.share - one.low) ** 2 for one in found))
    low, rest, high = (min(max(one, 0.0), 1.0) for one in (least - less, rest, rest + more))
    return rest, low, high
