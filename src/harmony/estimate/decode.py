"""From a tally to a result: decode each tier, combine, scale to the attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..attributes import Numeric, Signed
from ..errors import HarmonyError
from ..questions import Asked
from .coin_check import check_coins
from .combine import Combined, combine
from .histogram import HistogramEstimate
from .intervals import single
from .mean import TOO_FEW, MeanEstimate
from .result import Estimate, Result

if TYPE_CHECKING:
    from ..survey import Survey
    from ..tally import Tally

WEIGHTINGS = ("precision", "devices")


def estimate(
    survey: Survey,
    tally: Tally,
    *,
    too_wide: float = 0.2,
    dishonest: float = 0.01,
    weighting: str = "precision",
) -> Result:
    """Estimate every attribute of `survey` from `tally`.

    An estimate whose 95% interval is wider than `too_wide` of its domain says "too few
    reports to say".  `dishonest` is the share of devices that `influence` supposes to lie.
    `weighting` is how tiers combine: see `combine`.  The result warns of attributes that reports
    ask about far more or less often than chance would: see `coin_check`.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> tally = survey.collect({"wifi": [True] * 3000 + [False] * 1000}, seed=7)
    >>> estimate(survey, tally)["wifi"].frequencies[True]
    0.759...
    """
    tally.check(survey)
    if weighting not in WEIGHTINGS:
        raise HarmonyError(f"'weighting' must be one of {', '.join(WEIGHTINGS)}")
    for field, share in (("too_wide", too_wide), ("dishonest", dishonest)):
        if not isinstance(share, int | float) or not 0 <= share <= 1:
            raise HarmonyError(f"'{field}' must be a share between 0 and 1")
    estimates = {}
    for place, attribute in enumerate(survey.attributes):
        if isinstance(attribute, Signed):
            raise HarmonyError(
                f"{attribute.name}: a signed attribute is part of a gradient, which has no "
                "estimate of its own; its training learns from the tally"
            )
        combined = combine(
            [tier[place] for tier in survey.mechanisms],
            [tier[place] for tier in tally.cells],
            tally.tier_reports,
            weighting,
            dishonest,
        )
        estimates[attribute.name] = _in_units(attribute, combined, survey.epsilon, too_wide)
    return Result(
        survey.name,
        tally.round.label,
        tally.reports,
        survey.epsilon,
        dishonest,
        estimates,
        check_coins(survey, tally),
    )


def _in_units(attribute: Asked, combined: Combined, epsilon: float, too_wide: float) -> Estimate:
    """Scale from the mechanism's units to the attribute's, and return whether it is enough."""
    errors = np.sqrt(combined.variance)
    numeric = isinstance(attribute, Numeric) and not attribute.values
    domain = 2.0 if numeric else 1.0
    enough = bool(2 * single(0.95) * errors.max() <= too_wide * domain)
    verdict = "ok" if enough else TOO_FEW
    if not numeric:
        return HistogramEstimate(
            attribute.name,
            attribute.values,  # type: ignore[arg-type]  # pairs, where it is a crosstab
            combined.n,
            epsilon,
            combined.influence,
            verdict,
            combined.estimates,
            errors,
            combined.correlation,
        )
    assert isinstance(attribute, Numeric)
    half = (attribute.high - attribute.low) / 2
    return MeanEstimate(
        attribute.name,
        attribute.low + half * (float(combined.estimates[0]) + 1),
        half * float(errors[0]),
        combined.n,
        epsilon,
        attribute.low,
        attribute.high,
        half * combined.influence,
        verdict,
    )
