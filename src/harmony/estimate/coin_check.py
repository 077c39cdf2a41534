"""Whether reports ask about what the coin would have asked.

A device cannot choose its attribute: the coin does, from the round's public seed and the device's
id.  But ids cost an enrolment each, and whoever throws them away until the coin fits ends up with
devices that all speak of one attribute.  That shows: honest devices are asked about attribute i
with a known chance, independently of each other, so the number of answers is binomial.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..mechanisms.inclusion import inclusion_chances

if TYPE_CHECKING:
    from ..survey import Survey
    from ..tally import Tally

ALARM = 1e-6
"""The p-value of a warning, over all attributes and rows together: one in a million rounds."""


@dataclass(frozen=True)
class CoinWarning:
    """An attribute that reports speak of more or less often than chance would.

    `p_value` is corrected for the number of attributes and rows that were looked at.
    """

    attribute: str
    answers: int
    expected: float
    p_value: float

    def __str__(self) -> str:
        how = "more" if self.answers > self.expected else "less"
        return (
            f"reports ask about {self.attribute} far {how} often than chance would "
            f"({self.answers:,} answers, {self.expected:,.0f} expected, p = {self.p_value:.1g}); "
            "were ids enrolled until their coin fitted?"
        )


def check_coins(survey: Survey, tally: Tally) -> tuple[CoinWarning, ...]:
    """Return the attributes whose number of answers no honest round would have.

    >>> import numpy as np, harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi"), hm.Boolean("nfc")], epsilon=1.0)
    >>> honest = survey.collect({"wifi": [True] * 4000, "nfc": [False] * 4000}, seed=7)
    >>> check_coins(survey, honest)
    ()
    >>> chosen = hm.Tally.of(survey, honest.round, np.array([2500, 500, 300, 700]), (4000,))
    >>> [one.attribute for one in check_coins(survey, chosen)]
    ['wifi', 'nfc']
    """
    from scipy.special import bdtr, bdtrc

    found = []
    looked_at = 2 * len(survey.attributes)
    chances = inclusion_chances(survey.weights, survey.answers)
    for place, (attribute, chance) in enumerate(zip(survey.attributes, chances, strict=True)):
        cells = [tier[place] for tier in tally.cells]
        answers = int(sum(one.sum() for one in cells))
        tails = bdtr(answers, tally.reports, chance), bdtrc(answers - 1, tally.reports, chance)
        p_values = [2 * float(min(tails))] if tally.reports else [1.0]
        for one in cells:
            by_row, rows = one.sum(axis=1), len(one)
            if rows > 1 and by_row.any():
                most = bdtrc(int(by_row.max()) - 1, int(by_row.sum()), 1 / rows)
                p_values.append(len(cells) * rows * float(most))
        p_value = looked_at * min(p_values)
        if p_value < ALARM:
            expected = tally.reports * chance
            found.append(CoinWarning(attribute.name, answers, expected, p_value))
    return tuple(sorted(found, key=lambda one: one.p_value))
