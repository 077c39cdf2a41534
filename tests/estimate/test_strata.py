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


QUESTIONS = [
    hm.Integer("a", 0, 2),
    hm.Integer("b", 0, 1),
    hm.Crosstab("a", "b"),
    hm.Crosstab("a", hm.Numeric("y", 0, 10)),
    hm.Distribution("y", 0, 10),
]


class Versions:
    """People of two versions who differ in everything, and more of the smaller one report."""

    def __init__(self, epsilon: float, answers: int) -> None:
        self.survey = hm.Survey("s", QUESTIONS, epsilon, answers=answers)
        self.chances = {"old": [0.7, 0.2, 0.1], "new": [0.1, 0.3, 0.6]}
        self.levels = {"old": 2.0, "new": 7.0}
        self.rng = np.random.default_rng(12)

    def tally(self, name: str, count: int, seed: int) -> hm.Tally:
        rng = self.rng
        a = rng.choice(3, count, p=self.chances[name])
        y = self.levels[name] + rng.uniform(-2, 2, count)
        people = {"a": a, "b": (rng.random(count) < a / 3).astype(int), "y": y}
        first = seed * 10_000_000 + (name == "new") * 5_000_000
        return self.survey.collect(
            people, seed=2 * seed + (name == "new"), first=first, round=ROUND
        )

    def weighted(self, run: int, old: int, new: int) -> hm.Result:
        strata = {"old": self.tally("old", old, run), "new": self.tally("new", new, run)}
        return self.survey.estimate(strata, population=SHARES)

    @property
    def share(self) -> float:
        """The share of the pair (2, 1) in the population."""
        return 2 / 3 * sum(SHARES[name] * self.chances[name][2] for name in SHARES)

    @property
    def mean(self) -> float:
        """The mean of y in group 0 of the population."""
        sizes = {name: SHARES[name] * self.chances[name][0] for name in SHARES}
        return sum(sizes[name] * self.levels[name] for name in SHARES) / sum(sizes.values())


def test_crosstabs_and_distributions_are_weighed_too() -> None:
    people = Versions(4.0, 1)
    result = people.weighted(0, 40_000, 20_000)
    pairs = result.crosstab("a x b")
    assert abs(pairs.frequencies[2, 1] - people.share) < 5 * pairs.stderr[2, 1]
    assert sum(pairs.frequencies.values()) == pytest.approx(1)
    assert sum(pairs.consistent.values()) == pytest.approx(1)
    assert pairs.association.p_value < 1e-6
    mean, low, high = result.crosstab("a x y").means()[0]
    assert abs(mean - people.mean) < 5 * (high - low) / 3.92
    y = result.distribution("y")
    # Versions do not overlap: 30% lie evenly between 0 and 4, 70% between 5 and 9.
    assert abs(float(y.cdf(4.5)) - 0.3) < 5 * y.cdf(4.5).stderr
    low, high = y.median.interval(0.9999)
    assert low <= 5 + 4 * 0.2 / 0.7 <= high
    assert all(0 < one.influence < 1 for one in (pairs, y))
    assert result.reports == 60_000


@pytest.mark.parametrize(("epsilon", "answers"), [(2.0, 1), (16.0, 2)])
def test_their_intervals_cover_the_population(epsilon: float, answers: int) -> None:
    """15 draws of people and noise, four intervals each: 95% of 60, at least 49.

    Fewer come in one of 1,000 such tests even if the four of a draw went together in pairs.
    """
    people, held = Versions(epsilon, answers), 0
    for run in range(15):
        result = people.weighted(run, 3_000, 1_000)
        low, high = result.crosstab("a x b").interval()[2, 1]
        held += low <= people.share <= high
        _, low, high = result.crosstab("a x y").means()[0]
        held += low <= people.mean <= high
        y = result.distribution("y")
        for at, truth in ((2.5, 0.3 * 2.5 / 4), (7.5, 0.3 + 0.7 * 2.5 / 4)):
            low, high = y.cdf(at).interval()
            held += low <= truth <= high
    assert held >= 49


def test_a_stratum_that_was_not_asked_leaves_a_crosstab_unknown() -> None:
    survey = hm.Survey("s", [hm.Boolean("b"), hm.Boolean("c"), hm.Crosstab("b", "c")], 1.0)
    people = {"b": np.arange(3_000) % 2 == 0, "c": np.arange(3_000) % 3 == 0}
    many = survey.collect(people, seed=1, round=ROUND)
    few = survey.collect({name: column[:1] for name, column in people.items()}, 2, round=ROUND)
    one = survey.estimate({"many": many, "few": few}, population={"many": 0.5, "few": 0.5})
    unknown = [each for each in one.values() if each.n == 0]
    assert unknown
    assert {each.verdict for each in unknown} == {"too few reports to say"}
    assert np.isnan(unknown[0].rows()[0]["estimate"])
