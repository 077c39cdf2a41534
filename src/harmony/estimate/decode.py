"""From a tally to a result: decode each tier, combine, scale to the attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..attributes import Categorical, Numeric, Signed
from ..crosstab import Crosstab
from ..distribution import Distribution
from ..errors import HarmonyError
from ..questions import Part, Question
from .base import Estimate
from .coin_check import check_coins
from .combine import WEIGHTINGS, Combined
from .histogram import HistogramEstimate
from .mean import MeanEstimate
from .result import Result, ResultWarning
from .sampling import EVERYONE
from .strata import WeightedAnswers, check_strata
from .tiers import ALARM, TierWarning
from .together import Answers
from .window import DriftWarning, check_window, window_label

if TYPE_CHECKING:
    from ..survey import Survey
    from ..tally import Tally


def estimate(
    survey: Survey,
    tally: Tally | Mapping[Any, Tally] | None = None,
    *,
    tallies: Sequence[Tally] | None = None,
    too_wide: float = 0.2,
    dishonest: float = 0.01,
    weighting: str = "devices",
    population: Mapping[Any, float] | None = None,
) -> Result:
    """Estimate every attribute of `survey` from `tally`, or from those of several rounds.

    An estimate whose 95% interval is wider than `too_wide` of its domain says "too few
    reports to say".  `dishonest` is the share of devices that `influence` supposes to lie.
    `weighting` is how tiers combine: see `combine`.  The result warns of attributes that reports
    ask about far more or less often than chance would (see `coin_check`), and of those that
    devices of different tiers answer differently (see `tiers`); of several rounds, of those that
    changed meanwhile (see `window`).  With `population`, the shares of strata, `tally` is a mapping
    of strata to tallies: see `strata`.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> tally = survey.collect({"wifi": [True] * 3000 + [False] * 1000}, seed=7)
    >>> estimate(survey, tally)["wifi"].frequencies[True]
    0.759...
    """
    if tallies is not None and (tally is not None or population is not None):
        raise HarmonyError(
            "give one 'tally', or the 'tallies' of several rounds, not both; "
            "windows are not weighed to a 'population'"
        )
    if tallies is not None:
        given = check_window(survey, tallies)
    elif population is None:
        given = [checked_tally(tally, survey)]
    else:
        strata, shares = check_strata(tally, population)
        given = [checked_tally(one, survey) for one in strata]
    if weighting not in WEIGHTINGS:
        raise HarmonyError(f"'weighting' must be one of {', '.join(WEIGHTINGS)}")
    for field, share in (("too_wide", too_wide), ("dishonest", dishonest)):
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise HarmonyError(f"'{field}' must be a share between 0 and 1")
    options = (survey, given, weighting, dishonest, too_wide)
    answers = (
        Answers(*options) if population is None else WeightedAnswers(*options, EVERYONE, shares)
    )
    estimates: dict[str, Estimate] = {}
    drifts: dict[str, float] = {}
    place = 0
    for question in survey.questions:
        estimates[question.name] = _estimate_one(answers, question, place)
        drift = answers.drift(place)
        if drift is not None:
            drifts[question.name] = drift
        place += len(question.levels) if isinstance(question, Distribution) else 1
    rounds = given
    if population is not None:  # strata of one round
        rounds = [sum(given[1:], given[0])]
    warnings: list[ResultWarning] = [
        warning for one in rounds for warning in check_coins(survey, one)
    ]
    warnings += _drift_warnings(drifts, len(rounds))
    return Result(
        survey.name,
        window_label(rounds),
        sum(one.reports for one in rounds),
        survey.epsilon,
        dishonest,
        estimates,
        (*warnings, *_tier_warnings(estimates, weighting)),
        weighting,
        None if population is None else dict(population),
        tuple(one.round.label for one in rounds),
        answers.turns,
    )


def _drift_warnings(drifts: dict[str, float], rounds: int) -> list[DriftWarning]:
    """Return the attributes whose rounds differ by more than chance, the clearest first."""
    found = [
        DriftWarning(name, len(drifts) * p_value, rounds)
        for name, p_value in drifts.items()
        if len(drifts) * p_value < ALARM
    ]
    return sorted(found, key=lambda one: one.p_value)


def _estimate_one(answers: Answers, question: Question, place: int) -> Estimate:
    """Estimate a question, the first of whose attributes is number `place`."""
    if isinstance(question, Distribution):
        return answers.distribution(question, place)
    if isinstance(question, Crosstab):
        return answers.crosstab(question, place)
    if isinstance(question, Signed):
        raise HarmonyError(
            f"{question.name}: a signed attribute is part of a gradient, which has no "
            "estimate of its own; its training learns from the tally"
        )
    combined = answers.histogram(place) if question.values else answers.combined(place)
    return _in_units(question, combined, answers.survey.epsilon, answers.too_wide)


def checked_tally(tally: object, survey: Survey) -> Tally:
    """Refuse what is not a tally of `survey`, and say how to make one of it."""
    from ..tally import Tally

    if isinstance(tally, Tally):
        tally.check(survey)
        return tally
    kind = type(tally).__name__
    if isinstance(tally, Result):
        fix = "it is estimated already: read it by attribute, as in result['name']"
    elif isinstance(tally, list | tuple) and all(isinstance(one, Tally) for one in tally):
        fix = (
            "add those of one round, sum(tallies), or give those of several: estimate(tallies=...)"
            if tally
            else "the list is empty"
        )
    elif isinstance(tally, Mapping) and all(isinstance(one, Tally) for one in tally.values()):
        fix = "for tallies of strata give their shares, too: population={...}"
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


def _in_units(attribute: Part, combined: Combined, epsilon: float, too_wide: float) -> Estimate:
    """Scale from the mechanism's units to the attribute's."""
    if attribute.values:
        return HistogramEstimate(
            attribute.name,
            attribute.values,
            combined.n,
            epsilon,
            combined.influence,
            combined.sampling,
            combined.covariance,
            too_wide,
            combined.tiers,
            attribute.missing if isinstance(attribute, Categorical) else None,
            combined.alike,
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
        combined.alike,
    )
