"""The JSON of estimates, strata and differences, as OpenAPI describes it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class StratumView(BaseModel):
    """A stratum, and how many of its devices reported in a round."""

    stratum: str
    reports: int


class StratumList(BaseModel):
    """The strata that reported in a round."""

    strata: list[StratumView]
    without: int = Field(description="reports of devices that are in no stratum")


class WeightedStratum(StratumView):
    """A stratum, or several joined, with its share of the population."""

    share: float


class Estimates(BaseModel):
    """Estimates with their standard errors and intervals."""

    model_config = ConfigDict(extra="allow")

    survey: str
    round: str
    reports: int
    epsilon: float
    confidence: float
    weighting: str = Field(description="how tiers combine")
    estimates: list[dict[str, Any]]
    no_answer: list[dict[str, Any]] = Field(
        description="the share that answered `missing`, and the shares among the others"
    )
    tiers: list[dict[str, Any]] = Field(
        description="whether tiers answer alike, and the cost of either weighting"
    )
    warnings: list[str] = Field(description="what is odd about the round's reports")
    population: dict[str, float] | None = Field(
        None, description="the shares of strata that the estimates are weighted to, if they are"
    )
    strata: list[WeightedStratum] | None = Field(
        None, description="those strata, with the reports of each"
    )
    left_out: int = Field(
        0, description="reports that a weighted estimate leaves out: of no stratum, or of share 0"
    )


class Differences(BaseModel):
    """What changed between two rounds, with intervals."""

    before: str
    after: str
    confidence: float
    changed: list[str] = Field(description="the attributes that changed, for all that can be told")
    left_out: list[str] = Field(description="attributes of either round that cannot be compared")
    differences: list[dict[str, Any]]
    quantiles: list[dict[str, Any]] = Field(
        description="of distributions, whose differences are those of the CDF"
    )
