"""Composition in words: what one person spends who answers round after round."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harmony.survey import Survey

ROUNDS_IN_30_DAYS = {"hourly": 720, "daily": 30, "weekly": 5, "monthly": 2}
"""How many rounds of a schedule can open within 30 days."""

WARN_ABOVE = 8.0
"""Above this epsilon in 30 days, little is promised to somebody who answers every round."""

ADVICE = "Ask less often, take a smaller epsilon, or see to it that the limits of the apps are low."

EXAMPLE_LIMIT = 4.0
"""The limit of a device that is taken for an example, for 30 days."""


@dataclass(frozen=True)
class Spending:
    """The most that one person spends on a survey in 30 days; None where nobody knows."""

    rounds: int | None
    epsilon: float | None
    in_words: str
    limits: str
    warning: str | None

    @property
    def advice(self) -> str | None:
        """What an operator can do about it, if there is a warning."""
        return ADVICE if self.warning else None


def spending_of(survey: Survey, schedule: str | None) -> Spending:
    """Say what a person spends on a survey, at this schedule.

    >>> import harmony as hm
    >>> hourly = spending_of(hm.Survey("phones", [hm.Boolean("wifi")], 1.0), "hourly")
    >>> hourly.in_words
    'Up to 720 rounds open in 30 days. Who answers all of them spends up to epsilon 720.'
    >>> print(hourly.limits)
    Every app sets a limit ... 30 days, for example, leaves room for 4 of the 720, and the ...
    >>> spending_of(hm.Survey("phones", [hm.Boolean("wifi")], 1.0), "weekly").warning is None
    True
    """
    rounds = None if schedule is None else ROUNDS_IN_30_DAYS[schedule]
    turns = "" if survey.every is None else f" A device answers one of every {survey.every}."
    charged = survey.epsilon if survey.change is None else survey.change
    if rounds is None:
        in_words = f"Rounds open by hand.{turns} {_by_hand(survey)}"
        return Spending(None, None, in_words, _limits(charged, None), None)
    cost = survey.cost(rounds)
    who = "all of them" if survey.every is None else f"those {cost.reports}"
    spent = f"Who answers {who} spends up to epsilon {cost.steady:.4g}"
    if cost.steady < cost.worst:
        spent += (
            f" if the answer never changes, and up to {cost.worst:.4g} if it does again and again"
        )
    in_words = f"Up to {rounds} rounds open in 30 days.{turns} {spent}."
    warning = warning_of(cost.steady) or _changing(cost.worst)
    return Spending(rounds, cost.worst, in_words, _limits(charged, cost.reports), warning)


def _by_hand(survey: Survey) -> str:
    if survey.memory is None:
        return (
            f"Each that a person answers spends up to epsilon {survey.epsilon:g}, and they add up."
        )
    return (
        f"All that a person answers spend up to epsilon {survey.memory:g} together if the answer "
        f"never changes; each answer that does spends up to {survey.change:g}, and they add up."
    )


def training_spending(epsilon: float) -> Spending:
    """Say what a person spends on a training: once, whatever its steps.

    >>> training_spending(2.0).in_words
    'A device takes part once, in one step, and spends up to epsilon 2.'
    """
    in_words = f"A device takes part once, in one step, and spends up to epsilon {epsilon:g}."
    return Spending(1, epsilon, in_words, _limits(epsilon, 1), warning_of(epsilon))


def warning_of(epsilon: float) -> str | None:
    """Return a warning if so much in 30 days promises little."""
    if epsilon <= WARN_ABOVE:
        return None
    return (
        f"Epsilon {epsilon:g} in 30 days promises little to somebody who answers every time: two "
        f"answers that seemed equally likely may end up {odds_text(epsilon)} apart."
    )


def _changing(epsilon: float) -> str | None:
    """Return a warning if memory does not help those whose answers change."""
    if epsilon <= WARN_ABOVE:
        return None
    return (
        f"Epsilon {epsilon:.4g} in 30 days promises little to somebody whose answer changes again "
        "and again: memory is for what seldom changes."
    )


def odds_text(epsilon: float) -> str:
    """Write the odds that an epsilon allows, rounded up.

    >>> odds_text(1.0), odds_text(8.0), odds_text(720.0)
    ('2.8 : 1', '2,981 : 1', 'more than a million : 1')
    """
    if epsilon > math.log(1e6):
        return "more than a million : 1"
    odds = math.exp(epsilon)
    return f"{math.ceil(odds * 10) / 10:g} : 1" if odds < 100 else f"{math.ceil(odds):,} : 1"


def _limits(charged: float, reports: int | None) -> str:
    """Say what the limit of a device does about it, which is charged so much for a report."""
    answered = math.floor(EXAMPLE_LIMIT / charged + 1e-9)
    if reports is not None and reports <= answered:
        held = "is not reached by this alone"
    else:
        others = "" if reports is None else f" of the {reports}"
        held = f"leaves room for {answered or 'none'}{others}, and the device skips the others"
    return (
        "Every app sets a limit for all surveys together, and devices keep to it: epsilon "
        f"{EXAMPLE_LIMIT:g} in 30 days, for example, {held}."
    )
