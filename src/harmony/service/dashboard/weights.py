"""Weighting on a survey's page: a line for each stratum, and what was made of the shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Response
from fastapi.responses import RedirectResponse

from harmony.service.entries import RoundEntry, SurveyEntry
from harmony.service.problems import Problem
from harmony.service.strata import MOST_STRATA
from harmony.service.weighting import Population, Weighted, read_population
from harmony.tally import Tally

from .access import PageRoute, Viewer
from .readings import Readings

router = APIRouter(include_in_schema=False, route_class=PageRoute)

Shares = Annotated[Sequence[str], Query(max_length=MOST_STRATA)]
"""The shares of strata, as the API has them."""


@dataclass(frozen=True)
class StratumRow:
    """One stratum, or several that are joined, of a round."""

    name: str
    reports: int
    part: float
    """Its share of the reports of all strata."""
    given: str
    """Its share of the population, as it was written."""
    few: bool


@dataclass(frozen=True)
class Weighing:
    """What a page says about strata: a form, and whether what it shows is weighted."""

    rows: list[StratumRow]
    without: int
    """Reports of devices in no stratum."""
    least: int
    shares: Sequence[str] = ()
    """To which the page is weighted, as the API has them; none if it is not."""
    history: Sequence[Weighted] = ()
    """The rounds up to this one, weighted."""
    problem: str = ""
    """What is wrong with the shares that were given."""

    @property
    def query(self) -> str:
        """What keeps other views of the round to the same shares."""
        return "".join(f"&{urlencode({'population': one})}" for one in self.shares)


def weighing_of(
    entry: SurveyEntry, chosen: RoundEntry, read: Readings, shares: Sequence[str], least: int
) -> Weighing:
    """Weigh a round to the shares that were given, if any were, and if they are as they must be."""
    tallies = read.tallies(chosen)
    without, written = tallies[""].reports, _written(shares)
    if not shares:
        return Weighing(stratum_rows(tallies, None, written, least), without, least)
    try:
        population = read_population(shares)
        history = read.weighted_history(entry, chosen, population, least)
    except Problem as problem:
        said = problem.detail.removeprefix("'population': ")
        rows = stratum_rows(tallies, None, written, least)
        return Weighing(rows, without, least, problem=said)
    rows = stratum_rows(tallies, population, written, least)
    return Weighing(rows, without, least, shares, history)


def stratum_rows(
    tallies: Mapping[str, Tally],
    population: Population | None,
    written: Mapping[str, str],
    least: int,
) -> list[StratumRow]:
    """Show the strata as they are weighted, or all, and those of too few reports as one."""
    reports = {name: tally.reports for name, tally in tallies.items() if name and tally.reports}
    if population is None:
        small = tuple(name for name in reports if reports[name] < least)
        groups = [(name,) for name in reports if name not in small] + ([small] if small else [])
    else:
        groups = list(population)
    everyone = sum(reports.values())
    rows = []
    for names in groups:
        name, count = ",".join(names), sum(reports.get(one, 0) for one in names)
        part = count / everyone if everyone else 0.0
        rows.append(StratumRow(name, count, part, written.get(name, ""), count < least))
    return rows


def _written(shares: Sequence[str]) -> dict[str, str]:
    """Return the shares as they were written, by the strata that they are of."""
    parts = (one.rpartition(":") for one in shares)
    return {",".join(map(str.strip, names.split(","))): share for names, _, share in parts}


@router.get("/surveys/{name}/weigh")
def weigh(
    _: Viewer,
    name: str,
    round: str,
    stratum: Annotated[list[str], Query(max_length=MOST_STRATA)],
    share: Annotated[list[str], Query(max_length=MOST_STRATA)],
) -> Response:
    """Go to the page that is weighted to the shares of the form."""
    if len(stratum) != len(share):
        raise Problem("malformed", "'share' must be given once for each 'stratum'")
    shares = [f"{one}:{amount.strip()}" for one, amount in zip(stratum, share, strict=True)]
    asked: list[tuple[str, Any]] = [("round", round), *(("population", one) for one in shares)]
    return RedirectResponse(f"/surveys/{name}?{urlencode(asked)}", 303)
