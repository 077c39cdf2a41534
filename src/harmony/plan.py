"""Planning: the error to expect from so many devices, or the devices that an error needs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from .crosstab import Crosstab
from .distribution import Distribution
from .errors import HarmonyError
from .estimate.intervals import check_confidence, single
from .frames import pandas_frame, polars_frame
from .mechanisms.inclusion import inclusion_chances
from .over_time import one_in
from .planned import Expected, advice_on, kind_of
from .shapes import EVEN, WORST, Shape, check_shape

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

    from .survey import Survey

IN_UNITS = ("mean", "means by group")
"""Kinds whose errors are in an attribute's own units; those of others are shares of devices."""

POWER = 0.8
"""How often a change of the size called detectable is noticed."""


@dataclass(frozen=True)
class PlannedError:
    """What to expect of one attribute: half the width of its interval.

    `error` is a share of the attribute's range (of a number), a frequency (of values and pairs) or
    that of the CDF where it is largest (of a distribution), for the plan's shape; `worst` the same
    for whatever values make it largest.  `in_units` and `worst_in_units` are these in the
    attribute's own units.  `detectable` is the least change (as a share) between two such rounds
    that is noticed four times out of five, at worst.
    """

    attribute: str
    kind: str
    devices: int
    answers: int
    error: float
    in_units: float
    worst: float
    worst_in_units: float
    detectable: float


@dataclass(frozen=True, repr=False)
class Plan:
    """The expected errors of a survey with so many devices, for values spread evenly and at worst.

    Every error supposes as many devices in each tier, each of which counts the same.  With
    rotation, one of `every` devices is heard in a round: `errors` are those of one round, about
    all devices, and `window` those of so many rounds together.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Numeric("battery", 0, 100), hm.Boolean("wifi")], 1.0)
    >>> survey.plan(devices=1_000_000)
    phones: 1,000,000 devices at epsilon 1, 95% intervals
    attribute  answers  expected error  at worst
    battery    500,000  +- 0.28         +- 0.29 (0.29% of the range)
    wifi       500,000  +- 0.0028       +- 0.0028
    >>> survey.plan(error=0.01, confidence=0.95).devices
    86324
    """

    survey: str
    devices: int
    epsilon: float
    confidence: float
    shape: str
    errors: tuple[PlannedError, ...]
    advice: tuple[str, ...] = ()
    every: int | None = None
    window: tuple[PlannedError, ...] = ()

    @property
    def rotation(self) -> str:
        """What each round hears, in words; empty if it hears everybody.

        >>> import harmony as hm
        >>> weekly = hm.Survey("phones", [hm.Boolean("wifi")], 1.0, every=4)
        >>> print(weekly.plan(devices=1_000_000))
        phones: 1,000,000 devices at epsilon 1, 95% intervals
        each round hears a quarter of the devices, about 250,000; 4 rounds together hear all
        attribute  answers  expected error  at worst   4 rounds   at worst
        wifi       250,000  +- 0.0041       +- 0.0041  +- 0.0019  +- 0.0019
        """
        if self.every is None:
            return ""
        return (
            f"each round hears {one_in(self.every)} of the devices, about "
            f"{self.errors[0].devices:,}; {self.every} rounds together hear all"
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def to_frame(self) -> pd.DataFrame:
        """Return the errors as a pandas DataFrame, a row for each attribute."""
        return pandas_frame(self.to_dict()["errors"])

    def to_polars(self) -> pl.DataFrame:
        """Return the errors as a Polars DataFrame, a row for each attribute."""
        return polars_frame(self.to_dict()["errors"])

    def plot(self) -> Figure:
        """Draw the expected errors against the number of devices, as a matplotlib figure."""
        from .plots import plot_plan

        return plot_plan(self)

    def _repr_html_(self) -> str:
        from .estimate.notebook import plan_html

        return plan_html(self)

    def __repr__(self) -> str:
        from .estimate.export import text_table

        head = (
            f"{self.survey}: {self.devices:,} devices at epsilon {self.epsilon:g}, "
            f"{self.confidence:.0%} intervals"
        )
        heads = [head, self.rotation] if self.every else [head]
        lines = [("attribute", "answers", "expected error", "at worst", *self.window_headings)]
        for place, one in enumerate(self.errors):
            together = self.window[place : place + 1]
            cells = [cell for each in (one, *together) for cell in _cells(each)]
            lines.append((one.attribute, f"{one.answers:,}", *cells))
        advice = [f"advice: {one}" for one in self.advice]
        return "\n".join([*heads, *text_table(lines, "<><<" + "<<" * bool(self.every)), *advice])

    @property
    def window_headings(self) -> tuple[str, ...]:
        """What heads the columns of `window`: none without rotation."""
        return (f"{self.every} rounds", "at worst") if self.every else ()


def _cells(one: PlannedError) -> tuple[str, str]:
    share = f" ({one.worst:.2%} of the range)" if one.kind in IN_UNITS else ""
    return f"+- {one.in_units:.2g}", f"+- {one.worst_in_units:.2g}{share}"


def plan(
    survey: Survey,
    devices: int | None = None,
    error: float | None = None,
    confidence: float = 0.95,
    shape: Shape | None = None,
) -> Plan:
    """Predict the errors of `devices`, or find the devices for which every one is `error`.

    An `error` is met at worst, unless `shape` says how the values are spread; with rotation, by
    each round.
    """
    confidence = check_confidence(confidence)
    if (devices is None) == (error is None):
        raise HarmonyError("give either 'devices' or 'error'")
    check_shape(survey, shape)
    if devices is None:
        if isinstance(error, bool) or not isinstance(error, Real) or not 0 < error < 1:
            raise HarmonyError("'error' must be a share of the domain between 0 and 1")
        one_device = _errors(survey, 1, confidence, shape)
        widest = max(one.worst if shape is None else one.error for one in one_device)
        devices = math.ceil((widest / float(error)) ** 2)
    elif isinstance(devices, bool) or not isinstance(devices, Integral) or devices < 1:
        raise HarmonyError("'devices' must be a positive integer")
    devices = int(devices)
    errors = _errors(survey, devices, confidence, shape)
    asked = zip(survey.questions, errors, strict=True)
    crosstabs = [
        (question, one.error)
        for question, one in asked
        if isinstance(question, Crosstab) and one.kind == "crosstab"
    ]
    return Plan(
        survey.name,
        devices,
        survey.epsilon,
        confidence,
        "given" if isinstance(shape, Mapping) else shape or EVEN,
        errors,
        advice_on(crosstabs, devices),
        survey.every,
        _errors(survey, devices, confidence, shape, heard_of=1) if survey.every else (),
    )


def _errors(
    survey: Survey,
    devices: int,
    confidence: float,
    shape: Shape | None,
    heard_of: int | None = None,
) -> tuple[PlannedError, ...]:
    """Return the errors about `devices`, one of `heard_of` of which is heard: as rounds do."""
    heard_of = heard_of or survey.every or 1
    shares = [one / heard_of for one in inclusion_chances(survey.weights, survey.answers)]
    expected, at_worst = (Expected(survey, one, shares) for one in (shape or EVEN, WORST))
    reach = single(confidence)
    errors, place = [], 0
    for question in survey.questions:
        levels = len(question.levels) if isinstance(question, Distribution) else 1
        kind, domain = kind_of(question)
        error, worst = (
            one.error(question, place) / math.sqrt(devices) for one in (expected, at_worst)
        )
        errors.append(
            PlannedError(
                question.name,
                kind,
                round(devices / heard_of),
                round(devices * sum(shares[place : place + levels])),
                reach * error,
                reach * error * domain,
                reach * worst,
                reach * worst * domain,
                (reach + single(2 * POWER - 1)) * math.sqrt(2) * worst,
            )
        )
        place += levels
    return tuple(errors)
