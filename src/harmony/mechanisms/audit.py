"""The exact audit: what epsilon a survey really spends, proved in integers."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..survey import Survey


@dataclass(frozen=True)
class AuditedTable:
    """What one answer about one attribute spends, in one tier."""

    attribute: str
    tier: int
    promised: float
    epsilon: float


@dataclass(frozen=True)
class Audit:
    """The worst case over all values, coins and tables of a survey.

    `epsilon` is never below the true worst case: it is the exact ratio's logarithm, rounded
    up.  It is never above the survey's epsilon, because such a survey cannot be built.
    """

    survey: str
    promised: float
    epsilon: float
    tables: tuple[AuditedTable, ...]

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
        ratios = [mechanism.table.worst_ratio() for mechanism in mechanisms]
        report = math.prod(sorted(ratios)[-survey.answers :], start=Fraction(1))
        worst = max(worst, report)
        tables += [
            AuditedTable(attribute.name, tier, float(mechanism.epsilon), log_ceiling(ratio))
            for attribute, mechanism, ratio in zip(
                survey.attributes, mechanisms, ratios, strict=True
            )
        ]
    return Audit(survey.name, survey.epsilon, log_ceiling(worst), tuple(tables))


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
