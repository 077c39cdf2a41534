"""Weighting to a population: strata count by their known shares, and are samples of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import harmony as hm

SURVEY = hm.Survey("phones", [hm.Boolean("wifi"), hm.Numeric("battery", 0, 100)], epsilon=4.0)
ROUND = hm.Round("2026-W46", bytes(16))
SHARES = {"old": 0.3, "new": 0.7}


def stratum(seed: int, on: float, level: float, count: int, rng: Any = None) -> hm.Tally:
    rng = rng or np.random.default_rng(seed)
    people = {"wifi": rng.random(count) < on, "battery": rng.normal(level, 5, count).clip(0, 100)}
    return SURVEY.collect(people, seed=seed, first=seed * 100_000, round=ROUND)


def test_strata_count_by_their_shares_whoever_takes_part() -> None:
    strata = {"old": stratum(1, 0.9, 30, 18_000), "new": stratum(2, 0.2, 70, 2_000)}
    result = SURVEY.estimate(strata, population=SHARES)
    wifi, battery = result.histogram("wifi"), result.mean("battery")
    assert abs(wifi.frequencies[True] - (0.3 * 0.9 + 0.7 * 0.2)) < 5 * wifi.stderr[True]
    assert abs(battery.mean - (0.3 * 30 + 0.7 * 70)) < 5 * battery.stderr
    alone = {name: SURVEY.estimate(one) for name, one in strata.items()}
    expected = sum(SHARES[name] * one.mean("battery").mean for name, one in alone.items())
    assert battery.mean == pytest.approx(expected)
    assert result.reports == 20_000
    assert result.population == SHARES
    assert result.to_dict()["population"] == SHARES
    assert "weighted to 2 strata" in repr(result)
    assert wifi.influence > SURVEY.estimate(sum(strata.values())).histogram("wifi").influence


def test_intervals_cover_the_population_that_the_strata_are_drawn_from() -> None:
    """300 draws of people and noise: 95% +- 5 standard errors; under one in a million."""
    rng, covered, wide = np.random.default_rng(4), 0, 0
    for run in range(300):
        strata = {
            "old": stratum(2 * run, 0.9, 30, 400, rng),
            "new": stratum(2 * run + 1, 0.2, 70, 100, rng),
        }
        weighted = SURVEY.estimate(strata, population=SHARES).histogram("wifi")
        low, high = weighted.interval()[True]
        covered += low <= 0.3 * 0.9 + 0.7 * 0.2 <= high
        wide += weighted.stderr[True] > 0.035  # the difference between people alone makes 0.029
    assert abs(covered / 300 - 0.95) < 5 * np.sqrt(0.95 * 0.05 / 300)
    assert wide == 300


def test_tiers_and_strata_go_together() -> None:
    survey = hm.Survey("s", [hm.Boolean("b")], tiers=[1.0, 4.0])
    strata = {
        name: survey.collect(
            {"b": np.arange(4000) < on * 4000},
            seed=seed,
            first=seed * 4000,
            tiers=np.arange(4000) % 2,
            round=ROUND,
        )
        for seed, (name, on) in enumerate({"a": 0.2, "b": 0.8}.items())
    }
    found = survey.estimate(strata, population={"a": 0.75, "b": 0.25}).histogram("b")
    assert abs(found.frequencies[True] - 0.35) < 5 * found.stderr[True]


@pytest.mark.parametrize(
    ("strata", "population", "why"),
    [
        (["old", "new"], {"old": 0.3}, "lacks the share of 'new'"),
        (["old"], SHARES, "no tally of 'new'"),
        (["old", "new"], {"old": 0.3, "new": 0.6}, "add up to 1"),
        (["old", "new"], {"old": -0.3, "new": 1.3}, "'old' must lie between 0 and 1"),
        (["old", "new"], {"old": True, "new": 0}, "'old' must lie between 0 and 1"),
        (["old", "new"], [0.3, 0.7], "must be a mapping of strata to their shares"),
        (["old", "empty"], {"old": 0.5, "empty": 0.5}, "nobody of 'empty' reported"),
    ],
)
def test_strata_without_shares_are_refused(strata: list[str], population: Any, why: str) -> None:
    tallies = {"old": stratum(1, 0.5, 50, 60), "new": stratum(2, 0.5, 50, 60)}
    tallies["empty"] = hm.Tally.empty(SURVEY, tallies["old"].round)
    with pytest.raises(hm.HarmonyError, match=why):
        SURVEY.estimate({name: tallies[name] for name in strata}, population=population)


def test_what_is_no_mapping_of_tallies_is_refused() -> None:
    tally = stratum(1, 0.5, 50, 60)
    with pytest.raises(hm.HarmonyError, match="give a mapping of strata to their tallies"):
        SURVEY.estimate(tally, population=SHARES)
    with pytest.raises(hm.HarmonyError, match="give their shares, too"):
        SURVEY.estimate({"old": tally})
    with pytest.raises(hm.TallyError, match="reports in common"):
        SURVEY.estimate({"old": tally, "new": tally}, population=SHARES)


def test_distributions_and_crosstabs_are_not_weighed() -> None:
    survey = hm.Survey("s", [hm.Boolean("b"), hm.Boolean("c"), hm.Crosstab("b", "c")], 1.0)
    people = {"b": [True] * 50, "c": [False] * 50}
    strata = {"all": survey.collect(people, seed=1)}
    with pytest.raises(hm.HarmonyError, match="b x c: only means and histograms"):
        survey.estimate(strata, population={"all": 1.0})
