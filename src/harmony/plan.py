"""Planning: the error to expect from so many devices, or the devices that an error needs."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .errors import HarmonyError
from .estimate.intervals import check_confidence, single
from .frames import pandas_frame, polars_frame
from .mechanisms.inclusion import inclusion_chances

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

    from .survey import Survey


@dataclass(frozen=True)
class PlannedError:
    """What to expect of one attribute: half the width of its interval.

    `error` is a share of the attribute's range (numeric) or a frequency (categorical);
    `in_units` is the same in the attribute's own units.
    """

    attribute: str
    kind: str
    devices: int
    answers: int
    error: float
    in_units: float


@dataclass(frozen=True, repr=False)
class Plan:
    """The expected errors of a survey with so many devices.

    Every error supposes values spread evenly over their domain, and equal tiers.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Numeric("battery", 0, 100), hm.Boolean("wifi")], 1.0)
    >>> survey.plan(devices=1_000_000)
    phones: 1,000,000 devices at epsilon 1, 95% intervals
    attribute  answers  expected error
    battery    500,000  +- 0.28        (0.28% of the range)
    wifi       500,000  +- 0.0028
    >>> survey.plan(error=0.01, confidence=0.95).devices
    80339
    """

    survey: str
    devices: int
    epsilon: float
    confidence: float
    errors: tuple[PlannedError, ...]

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
        lines = [
            f"{self.survey}: {self.devices:,} devices at epsilon {self.epsilon:g}, "
            f"{self.confidence:.0%} intervals"
        ]
        names = max(len("attribute"), *(len(one.attribute) for one in self.errors))
        answers = max(len("answers"), *(len(f"{one.answers:,}") for one in self.errors))
        lines.append(f"{'attribute':<{names}}  {'answers':>{answers}}  expected error")
        for one in self.errors:
            share = f"({one.error:.2%} of the range)" if one.kind == "mean" else ""
            shown = f"+- {one.in_units:.2g}"
            line = f"{one.attribute:<{names}}  {one.answers:>{answers},}  {shown:<13}  {share}"
            lines.append(line.rstrip())
        return "\n".join(lines)


def plan(
    survey: Survey,
    devices: int | None = None,
    error: float | None = None,
    confidence: float = 0.95,
) -> Plan:
    """Predict the errors of `devices`, or find the devices for which every one is `error`."""
    check_confidence(confidence)
    if (devices is None) == (error is None):
        raise HarmonyError("give either 'devices' or 'error'")
    if devices is None:
        if not isinstance(error, int | float) or not 0 < error < 1:
            raise HarmonyError("'error' must be a share of the domain between 0 and 1")
        widest = max(one.error for one in _errors(survey, 1, confidence))
        devices = math.ceil((widest / error) ** 2)
    elif isinstance(devices, bool) or not isinstance(devices, int) or devices < 1:
        raise HarmonyError("'devices' must be a positive integer")
    return Plan(
        survey.name, devices, survey.epsilon, confidence, _errors(survey, devices, confidence)
    )


def _errors(survey: Survey, devices: int, confidence: float) -> tuple[PlannedError, ...]:
    shares = inclusion_chances(survey.weights, survey.answers)
    errors = []
    for place, attribute in enumerate(survey.attributes):
        # Equally many devices in each tier, each of which counts as much as any other.
        variances = [tier[place].expected_variance(shares[place]) for tier in survey.mechanisms]
        stderr = math.sqrt(math.fsum(variances) / len(variances) / (shares[place] * devices))
        if attribute.values:
            kind, scale, domain = "histogram", 1.0, 1.0
        else:
            domain = attribute.high - attribute.low  # type: ignore[union-attr]  # no values: numeric
            kind, scale = "mean", domain / 2
        reach = single(confidence) * stderr * scale
        answers = round(devices * shares[place])
        errors.append(PlannedError(attribute.name, kind, devices, answers, reach / domain, reach))
    return tuple(errors)
