"""The exact audit: what epsilon a survey really spends, proved in integers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from harmony_device.tables import worst_ratio_of

if TYPE_CHECKING:
    from ..over_time import Cost
    from ..survey import Survey
    from . import Mechanism


@dataclass(frozen=True)
class AuditedTable:
    """What one answer about one attribute spends, in one tier.

    With memory also what all its reports spend while the answer stays, and what each may spend
    whatever the answers do.
    """

    attribute: str
    tier: int
    promised: float
    epsilon: float
    memory: float | None = None
    change: float | None = None


@dataclass(frozen=True)
class Audit:
    """The worst case over all values, coins and tables of a survey.

    `epsilon` is never below the true worst case: it is the exact ratio's logarithm, rounded
    up.  It is never above the survey's epsilon, because such a survey cannot be built.  The same
    holds for `memory` and `change`, of a survey with memory; `year` is what 52 rounds cost.
    """

    survey: str
    promised: float
    epsilon: float
    tables: tuple[AuditedTable, ...]
    memory: float | None = None
    change: float | None = None
    year: Cost | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2)


def audit(survey: Survey) -> Audit:
    """Audit every table of `survey`, exactly.

    A report answers several attributes at most once each, so its worst case is the product of
    the largest ratios, one for each answer.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", epsilon=1.0, attributes=[hm.Boolean("wifi")])
    >>> hm.audit(survey).epsilon
    0.9999999999999996
    """
    tables = []
    worst = Fraction(1)
    for tier, mechanisms in enumerate(survey.mechanisms):
        ratios = [sent_ratio(mechanism) for mechanism in mechanisms]
        worst = max(worst, _of_report(ratios, survey.answers))
        tables += [
            AuditedTable(
                attribute.name, tier, float(mechanism.epsilon), log_ceiling(ratio),
                *map(log_ceiling, _memory_ratios(mechanism)),
            )
            for attribute, mechanism, ratio in zip(
                survey.attributes, mechanisms, ratios, strict=True
            )
        ]  # fmt: skip
    found = Audit(survey.name, survey.epsilon, log_ceiling(worst), tuple(tables))
    if survey.memory is None:
        return found
    of_answers = zip(*map(_memory_ratios, survey.mechanisms[0]), strict=True)
    memory, change = (log_ceiling(_of_report(one, survey.answers)) for one in of_answers)
    return replace(found, memory=memory, change=change, year=survey.cost(rounds=52))


def sent_ratio(mechanism: Mechanism) -> Fraction:
    """Return the exact largest ratio of a sent symbol's probabilities under two answers."""
    if mechanism.memo is None:
        return mechanism.table.worst_ratio()
    return worst_ratio_of(mechanism.memo.replace.after(mechanism.table))


def _memory_ratios(mechanism: Mechanism) -> tuple[Fraction, ...]:
    """Return the same of a kept symbol, and of a sent one under two kept ones."""
    if mechanism.memo is None:
        return ()
    return mechanism.table.worst_ratio(), mechanism.memo.replace.worst_ratio()


def _of_report(ratios: Iterable[Fraction], answers: int) -> Fraction:
    return math.prod(sorted(ratios)[-answers:], start=Fraction(1))


def log_ceiling(ratio: Fraction) -> float:
    """Return the natural logarithm of `ratio` as the least float that is not below it.

    >>> log_ceiling(Fraction(1)), log_ceiling(Fraction(3))
    (0.0, 1.0986122886681098)
    """
    context = Context(prec=80)
    quotient = context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    logarithm = context.ln(quotient)
    nearest = float(logarithm)
    return nearest if Decimal(nearest) >= logarithm else math.nextafter(nearest, math.inf)
