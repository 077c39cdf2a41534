"""Devices without an answer: how many there are, and what the others say."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm

THEME = hm.Categorical("theme", ["light", "none", "dark"], missing="none")
SURVEY = hm.Survey("phones", [THEME], epsilon=2.0)
PEOPLE = {"theme": ["light"] * 900 + ["dark"] * 600 + [None] * 500}


def found(seed: int, people: dict[str, list[str | None]] = PEOPLE) -> hm.HistogramEstimate:
    return SURVEY.estimate(SURVEY.collect(people, seed=seed, as_devices=True)).histogram("theme")


def test_the_share_is_that_of_the_missing_value() -> None:
    histogram = found(1)
    none = histogram.no_answer
    assert none.value == "none"
    assert none.share == histogram.frequencies["none"]
    assert none.interval == histogram.interval()["none"]
    assert list(none.frequencies) == ["light", "dark"]
    assert sum(none.frequencies.values()) == pytest.approx(1.0)


def test_intervals_of_shares_among_the_others_cover() -> None:
    """500 rounds, two shares each: 95% +- 5 standard errors; under one in 100,000."""
    inside = 0
    for seed in range(500):
        limits = found(seed).no_answer.intervals()
        inside += limits["light"][0] <= 0.6 <= limits["light"][1]
        inside += limits["dark"][0] <= 0.4 <= limits["dark"][1]
    assert abs(inside / 1000 - 0.95) < 5 * np.sqrt(0.95 * 0.05 / 500)


def test_where_nobody_has_an_answer_nothing_is_known_about_the_others() -> None:
    none = found(3, {"theme": [None] * 400}).no_answer
    assert none.share == pytest.approx(1.0, abs=0.2)
    assert none.intervals()["dark"] == (-np.inf, np.inf)
    (row,) = SURVEY.estimate(
        SURVEY.collect({"theme": [None] * 400}, seed=3, as_devices=True)
    ).to_dict()["no_answer"]
    assert row["others"][0]["low"] is None


def test_results_tell_it_with_the_estimates() -> None:
    tally = SURVEY.collect(PEOPLE, seed=1, as_devices=True)
    (row,) = SURVEY.estimate(tally).to_dict()["no_answer"]
    assert row["attribute"] == "theme"
    assert row["value"] == "none"
    assert row["low"] < row["share"] < row["high"]
    assert [one["value"] for one in row["others"]] == ["light", "dark"]


def test_without_a_missing_value_or_reports_there_is_nothing_to_tell() -> None:
    plain = hm.Survey("phones", [hm.Boolean("wifi")], 1.0)
    result = plain.estimate(plain.collect({"wifi": [True, False]}, seed=1))
    assert result.histogram("wifi").no_answer is None
    assert result.to_dict()["no_answer"] == []
    empty = SURVEY.estimate(hm.Tally.empty(SURVEY, hm.Round("1", bytes(16))))
    assert empty.histogram("theme").no_answer is None
