"""Over time: what a survey asks of a device in many rounds, and what that costs its owner.

Rounds compose: k answers at epsilon cost k times epsilon.  Two ways out.  With *rotation* a device
answers one of every T rounds, so any T rounds cost one epsilon.  With *memory* it answers from a
permanent randomised answer, so all rounds of an answer that never changes cost `memory`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from harmony_device.protocol import MAX_EVERY, MAX_MEMO_WORDS, MOST_EPSILON

from .errors import SurveyError
from .mechanisms.histories import MemoryCosts

if TYPE_CHECKING:
    from .mechanisms import Mechanism
    from .survey import Survey

FINE = 10_000
"""What is promised is stated in ten-thousandths, rounded up."""


@dataclass(frozen=True)
class Cost:
    """What so many rounds of a survey cost a device's owner who answers whenever asked.

    `steady` supposes an answer that never changes, `worst` supposes nothing.  They differ only
    for surveys with memory.

    >>> import harmony as hm
    >>> weekly = hm.Survey("phones", [hm.Boolean("wifi")], 1.0, every=4)
    >>> weekly.cost(rounds=52)
    Cost(rounds=52, reports=13, steady=13.0, worst=13.0)
    >>> print(weekly.cost(rounds=52))
    13 reports in 52 rounds, epsilon 13
    """

    rounds: int
    reports: int
    steady: float
    worst: float

    def __str__(self) -> str:
        reports = f"{self.reports} report{'s' * (self.reports != 1)} in {self.rounds} rounds"
        if self.steady == self.worst:
            return f"{reports}, epsilon {self.worst:g}"
        return (
            f"{reports}, epsilon {self.steady:g} if the answer never changes, "
            f"{self.worst:.4g} at worst"
        )


def one_in(every: int) -> str:
    """Write how many of the devices a round hears.

    >>> one_in(2), one_in(3), one_in(4), one_in(7)
    ('half', 'a third', 'a quarter', 'one in 7')
    """
    return {2: "half", 3: "a third", 4: "a quarter"}.get(every, f"one in {every}")


def cost_of(survey: Survey, rounds: int) -> Cost:
    """Return what so many rounds cost, of the largest epsilon that the survey offers."""
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 0:
        raise SurveyError("'rounds' must be an integer that is zero or more")
    reports = -(-rounds // (survey.every or 1))
    costs = memory_costs(survey)
    if costs is None:
        return Cost(rounds, reports, reports * survey.epsilon, reports * survey.epsilon)
    # Each of a report's answers has a memo of its own: their costs add up.
    steady, worst = survey.answers * costs.steady(reports), survey.answers * costs.worst(reports)
    return Cost(rounds, reports, steady, worst)


def memory_costs(survey: Survey) -> MemoryCosts | None:
    """Return what one of a report's answers costs over rounds, if the survey has memory."""
    if survey.memory is None or survey.change is None:
        return None
    return MemoryCosts(
        survey.epsilon / survey.answers,
        survey.memory / survey.answers,
        survey.change / survey.answers,
        max(mechanism.table.inputs for mechanism in survey.mechanisms[0]),
    )


def checked_every(every: object) -> int | None:
    """Return of how many rounds a device answers one, or refuse it; None is all."""
    if every is None:
        return None
    if type(every) is not int or not 2 <= every <= MAX_EVERY:
        raise SurveyError(f"'every' must be an integer from 2 to {MAX_EVERY}")
    return every


def checked_memory(memory: object, tiers: Sequence[float]) -> float | None:
    """Return what all rounds of an answer that stays may cost, or refuse it; None is fresh ones."""
    if memory is None:
        return None
    if isinstance(memory, bool) or not isinstance(memory, int | float):
        raise SurveyError("'memory' must be a number")
    if len(tiers) > 1:
        raise SurveyError("'memory' needs one 'epsilon', not 'tiers'")
    if not tiers[0] < memory <= MOST_EPSILON:
        raise SurveyError(
            f"'memory' must be more than 'epsilon', and {MOST_EPSILON:g} at most: it is what all "
            "rounds cost together while an answer stays"
        )
    return float(memory)


def promised(mechanisms: Sequence[Mechanism], memory: float, answers: int) -> tuple[float, float]:
    """Return what a survey's memos really spend, `memory` at most, and what changes cost.

    Both are of a whole report, of the attributes that are worst.
    """
    memos = [one.memo for one in mechanisms if one.memo is not None]
    kept = _rounded_up(max(one.epsilon for one in memos) * answers)
    change = _rounded_up(max(Fraction(one.change) for one in memos) * answers)
    if change > MOST_EPSILON:
        raise SurveyError(
            f"'memory' is too close to 'epsilon': a report of another answer could cost "
            f"{change:g}, and {MOST_EPSILON:g} is the most; give more memory"
        )
    words = answers * (1 + max(one.table.inputs for one in mechanisms))
    if words > MAX_MEMO_WORDS:
        raise SurveyError(
            f"'memory' would make devices keep {words} words, and {MAX_MEMO_WORDS} is the most; "
            "ask fewer 'answers'"
        )
    return min(memory, kept), change


def _rounded_up(epsilon: Fraction) -> float:
    """Return the least ten-thousandth, as a float, that is certainly not below `epsilon`."""
    parts = math.floor(epsilon * FINE)
    while Fraction(parts / FINE) < epsilon:
        parts += 1
    return parts / FINE
