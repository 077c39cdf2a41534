"""Composition in words: what one person spends who answers round after round."""

from __future__ import annotations

import math
from dataclasses import dataclass

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


def spending_of(epsilon: float, schedule: str | None) -> Spending:
    """Say what a person spends on a survey of this epsilon, at this schedule.

    >>> spending_of(1.0, "hourly").in_words
    'Up to 720 rounds open in 30 days. Who answers all of them spends up to epsilon 720.'
    >>> print(spending_of(1.0, "hourly").limits)
    Every app sets a limit ... 30 days, for example, leaves room for 4 of the 720, and the ...
    >>> spending_of(1.0, "weekly").warning is None
    True
    """
    if schedule is None:
        return Spending(
            None,
            None,
            f"Rounds open by hand. Each that a person answers spends up to epsilon {epsilon:g}, "
            "and they add up.",
            _limits(epsilon, None),
            None,
        )
    rounds = ROUNDS_IN_30_DAYS[schedule]
    spent = rounds * epsilon
    in_words = (
        f"Up to {rounds} rounds open in 30 days. Who answers all of them spends up to epsilon "
        f"{spent:g}."
    )
    return Spending(rounds, spent, in_words, _limits(epsilon, rounds), warning_of(spent))


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


def odds_text(epsilon: float) -> str:
    """Write the odds that an epsilon allows, rounded up.

    >>> odds_text(1.0), odds_text(8.0), odds_text(720.0)
    ('2.8 : 1', '2,981 : 1', 'more than a million : 1')
    """
    if epsilon > math.log(1e6):
        return "more than a million : 1"
    odds = math.exp(epsilon)
    return f"{math.ceil(odds * 10) / 10:g} : 1" if odds < 100 else f"{math.ceil(odds):,} : 1"


def _limits(epsilon: float, rounds: int | None) -> str:
    """Say what the limit of a device does about it."""
    answered = math.floor(EXAMPLE_LIMIT / epsilon + 1e-9)
    if rounds is not None and rounds <= answered:
        held = "is not reached by this alone"
    else:
        others = "" if rounds is None else f" of the {rounds}"
        held = f"leaves room for {answered or 'none'}{others}, and the device skips the others"
    return (
        "Every app sets a limit for all surveys together, and devices keep to it: epsilon "
        f"{EXAMPLE_LIMIT:g} in 30 days, for example, {held}."
    )
