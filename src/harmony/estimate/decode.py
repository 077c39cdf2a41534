"""From a tally to a result: decode each tier, combine, scale to the attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..attributes import Numeric, Signed
from ..errors import HarmonyError
from ..mechanisms import Mechanism
from ..questions import Asked
from .base import Estimate
from .coin_check import check_coins
from .combine import WEIGHTINGS, Combined, combine
from .histogram import HistogramEstimate
from .mean import MeanEstimate
from .result import Result, ResultWarning
from .tiers import ALARM, TierWarning
from .window import DriftWarning, check_window, repeated, repetition, window_label

if TYPE_CHECKING:
    from ..survey import Survey
    from ..tally import Tally


def estimate(
    survey: Survey,
    tally: Tally | None = None,
    *,
    tallies: Sequence[Tally] | None = None,
    too_wide: float = 0.2,
    dishonest: float = 0.01,
    weighting: str = "devices",
) -> Result:
    """Estimate every attribute of `survey` from `tally`, or from those of several rounds.

    An estimate whose 95% interval is wider than `too_wide` of its domain says "too few
    reports to say".  `dishonest` is the share of devices that `influence` supposes to lie.
    `weighting` is how tiers combine: see `combine`.  The result warns of attributes that reports
    ask about far more or less often than chance would (see `coin_check`), and of those that
    devices of different tiers answer differently (see `tiers`); of several rounds, of those that
    changed meanwhile (see `window`).

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> tally = survey.collect({"wifi": [True] * 3000 + [False] * 1000}, seed=7)
    >>> estimate(survey, tally)["wifi"].frequencies[True]
    0.759...
    """
    if tallies is None:
        check_tally(tally, survey)
        tallies = [tally]  # type: ignore[list-item]  # as was checked
    elif tally is not None:
        raise HarmonyError("give one 'tally', or the 'tallies' of several rounds, not both")
    else:
        tallies = check_window(survey, tallies)
    if weighting not in WEIGHTINGS:
        raise HarmonyError(f"'weighting' must be one of {', '.join(WEIGHTINGS)}")
    for field, share in (("too_wide", too_wide), ("dishonest", dishonest)):
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise HarmonyError(f"'{field}' must be a share between 0 and 1")
    estimates, drifts = {}, {}
    times = repetition(survey, tallies)
    tiers = [tier for _ in tallies for tier in survey.mechanisms]
    cells = [tier for one in tallies for tier in one.cells]
    tier_reports = [reports for one in tallies for reports in one.tier_reports]
    for place, attribute in enumerate(survey.attributes):
        if isinstance(attribute, Signed):
            raise HarmonyError(
                f"{attribute.name}: a signed attribute is part of a gradient, which has no "
                "estimate of its own; its training learns from the tally"
            )
        combined = combine(
            [tier[place] for tier in tiers],
            [tier[place] for tier in cells],
            tier_reports,
            weighting,
            dishonest,
        )
        if len(tallies) > 1:
            if combined.tiers is not None:
                drifts[attribute.name] = combined.tiers.p_value
            combined = _in_common(combined, survey.mechanisms[0][place], sum(tier_reports), times)
        estimates[attribute.name] = _in_units(attribute, combined, survey.epsilon, too_wide)
    warnings: list[ResultWarning] = [
        warning for one in tallies for warning in check_coins(survey, one)
    ]
    warnings += _drift_warnings(drifts, len(tallies))
    return Result(
        survey.name,
        window_label(tallies),
        sum(tier_reports),
        survey.epsilon,
        dishonest,
        estimates,
        (*warnings, *_tier_warnings(estimates, weighting)),
        weighting,
        tuple(one.round.label for one in tallies),
    )


def _in_common(combined: Combined, mechanism: Mechanism, reports: int, times: float) -> Combined:
    """Return the estimates of a window: wider where rounds have part of their errors in common."""
    asked = combined.n / reports if reports else 1.0
    sampling = repeated(combined.sampling, mechanism, asked, times)
    covariance = combined.covariance
    if covariance is not None and times > 1:
        factor = sampling.variance / combined.sampling.variance
        covariance = covariance * np.sqrt(np.outer(factor, factor))
    return replace(combined, sampling=sampling, covariance=covariance, tiers=None)


def _drift_warnings(drifts: dict[str, float], rounds: int) -> list[DriftWarning]:
    """Return the attributes whose rounds differ by more than chance, the clearest first."""
    found = [
        DriftWarning(name, len(drifts) * p_value, rounds)
        for name, p_value in drifts.items()
        if len(drifts) * p_value < ALARM
    ]
    return sorted(found, key=lambda one: one.p_value)


def check_tally(tally: object, survey: Survey) -> None:
    """Refuse what is not a tally of `survey`, and say how to make one of it."""
    from ..tally import Tally

    if isinstance(tally, Tally):
        return tally.check(survey)
    kind = type(tally).__name__
    if isinstance(tally, Result):
        fix = "it is estimated already: read it by attribute, as in result['name']"
    elif isinstance(tally, list | tuple) and all(isinstance(one, Tally) for one in tally):
        fix = (
            "add those of one round, sum(tallies), or give those of several: estimate(tallies=...)"
            if tally
            else "the list is empty"
        )
    elif isinstance(tally, str) or hasattr(tally, "__fspath__"):
        fix = "load the file first: hm.Tally.load(path)"
    elif hasattr(tally, "schema") and hasattr(tally, "to_batches"):
        fix = "count reports first: survey.tally(reports); people's values: survey.collect(table)"
    else:
        fix = "survey.collect(table) makes one of people's values, survey.tally(reports) of reports"
    raise HarmonyError(f"estimate needs a Tally, not a {kind}: {fix}")


def _tier_warnings(estimates: dict[str, Estimate], weighting: str) -> list[TierWarning]:
    """Return the attributes whose tiers differ by more than chance, the clearest first."""
    compared = {name: one.tiers.p_value for name, one in estimates.items() if one.tiers}
    found = [
        TierWarning(name, len(compared) * p_value, weighting)
        for name, p_value in compared.items()
        if len(compared) * p_value < ALARM
    ]
    return sorted(found, key=lambda one: one.p_value)


def _in_units(attribute: Asked, combined: Combined, epsilon: float, too_wide: float) -> Estimate:
    """Scale from the mechanism's units to the attribute's."""
    if attribute.values:
        return HistogramEstimate(
            attribute.name,
            attribute.values,  # type: ignore[arg-type]  # pairs, where it is a crosstab
            combined.n,
            epsilon,
            combined.influence,
            combined.sampling,
            combined.covariance,
            too_wide,
            combined.tiers,
        )
    assert isinstance(attribute, Numeric)
    half = (attribute.high - attribute.low) / 2
    return MeanEstimate(
        attribute.name,
        attribute.low,
        attribute.high,
        combined.n,
        epsilon,
        half * combined.influence,
        combined.sampling,
        too_wide,
        combined.tiers and combined.tiers.scaled(half),
    )
