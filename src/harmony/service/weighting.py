"""Weighting to a population: the tallies of a round's strata, in the shares that an analyst gives.

Shares are written `NAME:SHARE`, one for each stratum; strata that are too small to be estimated by
themselves are joined by naming them together, `NAME,NAME:SHARE`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harmony.errors import HarmonyError
from harmony.estimate.result import Result
from harmony.near_names import did_you_mean
from harmony.survey import Survey
from harmony.tally import Tally

from .problems import Problem

Population = Mapping[tuple[str, ...], float]
"""Shares of strata, each of which may be several that are joined."""

NEAR_ONE = 1e-6


@dataclass(frozen=True, eq=False)
class Weighted:
    """Estimates for a population, and whose reports they are made of."""

    result: Result
    strata: tuple[tuple[str, float, int], ...]
    """The name, the share and the reports of each."""
    left_out: int
    """Reports of devices in no stratum, or in one whose share is 0."""

    def to_dict(self, confidence: float = 0.95, *, top: int | None = None) -> dict[str, Any]:
        """Return everything as plain values."""
        described = [
            {"stratum": name, "share": share, "reports": reports}
            for name, share, reports in self.strata
        ]
        found = self.result.to_dict(confidence, top=top)
        return found | {"strata": described, "left_out": self.left_out}


def read_population(given: Sequence[str]) -> Population:
    """Read the shares of strata, or refuse them.

    >>> read_population(["1.x:0.3", "2.0, 2.1:70%"])
    {('1.x',): 0.3, ('2.0', '2.1'): 0.7}
    """
    shares: dict[tuple[str, ...], float] = {}
    named: set[str] = set()
    for one in given:
        written, _, amount = one.rpartition(":")
        names = tuple(name.strip() for name in written.split(","))
        if not all(names):
            raise _refusal(f"{one!r} must be a stratum and its share, as in '1.x:0.3'")
        for name in names:
            if name in named:
                raise _refusal(f"{name!r} has two shares")
            named.add(name)
        shares[names] = _share(written, amount)
    total = math.fsum(shares.values())
    if abs(total - 1) > NEAR_ONE:
        raise _refusal(f"the shares must add up to 1, and these add up to {total:.6g}")
    return shares


def _share(name: str, amount: str) -> float:
    percent = amount.strip().endswith("%")
    try:
        share = float(amount.strip().removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        raise _refusal(f"the share of {name!r} must lie between 0 and 1")
    return share


def weigh(
    survey: Survey, tallies: Mapping[str, Tally], population: Population, least: int
) -> Weighted:
    """Estimate a survey for a population, of which every stratum has `least` reports or more."""
    joined: dict[str, Tally] = {}
    shares: dict[str, float] = {}
    known = {name: tally for name, tally in tallies.items() if name}
    for names, share in population.items():
        for name in names:
            if name not in known:
                raise _refusal(f"there is no stratum {name!r}{did_you_mean(name, known)}")
        together = ",".join(names)
        tally = sum((known[name] for name in names[1:]), known[names[0]])
        if share:
            _check_size(together, tally.reports, least)
            joined[together], shares[together] = tally, share
    given = {name for names in population for name in names}
    for name, tally in known.items():
        if tally.reports and name not in given:
            raise _refusal(f"the share of {name!r} is missing; a share of 0 leaves it out")
    try:
        result = survey.estimate(joined, population=shares)
    except HarmonyError as problem:
        raise Problem("malformed", str(problem)) from None
    strata = tuple((name, shares[name], tally.reports) for name, tally in joined.items())
    everyone = sum(tally.reports for tally in tallies.values())
    return Weighted(result, strata, everyone - result.reports)


def tally_of(tallies: Mapping[str, Tally], name: str, least: int) -> Tally:
    """Return the tally of one stratum, if there is such a stratum and it has `least` reports."""
    known = {one: tally for one, tally in tallies.items() if one}
    if name not in known:
        near = did_you_mean(name, known)
        raise Problem("malformed", f"'stratum': there is no stratum {name!r}{near}")
    reports = known[name].reports
    if reports < least:
        raise Problem(
            "malformed",
            f"'stratum': {reports:,} of {name!r} reported, and it takes {least:,} to show one",
        )
    return known[name]


def _check_size(name: str, reports: int, least: int) -> None:
    if reports < least:
        said = f"{reports:,} of {name!r}" if reports else f"nobody of {name!r}"
        raise _refusal(
            f"{said} reported, and it takes {least:,} to estimate a stratum: join it with another, "
            f"as in '{name},another:0.3'"
        )


def _refusal(detail: str) -> Problem:
    return Problem("malformed", f"'population': {detail}")
