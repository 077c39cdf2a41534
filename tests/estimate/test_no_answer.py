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
    assert none.intervals()["dark"] == (0, 1)
    (row,) = SURVEY.estimate(
        SURVEY.collect({"theme": [None] * 400}, seed=3, as_devices=True)
    ).to_dict()["no_answer"]
    assert (row["others"][0]["low"], row["others"][0]["high"]) == (0, 1)
    for one in row["others"]:
        assert one["estimate"] is None or 0 <= one["estimate"] <= 1


def test_the_share_without_an_answer_has_the_confidence_that_is_asked_for() -> None:
    result = SURVEY.estimate(SURVEY.collect(PEOPLE, seed=1, as_devices=True))
    for confidence in (0.5, 0.95, 0.999):
        (row,) = result.to_dict(confidence)["no_answer"]
        assert (row["low"], row["high"]) == result.histogram("theme").interval(confidence)["none"]


def test_a_yes_or_no_has_no_value_of_its_own_for_no_answer() -> None:
    survey = hm.Survey("phones", [hm.Boolean("wifi", missing=False)], 2.0)
    result = survey.estimate(survey.collect({"wifi": [True, False] * 500}, seed=1))
    assert result.histogram("wifi").no_answer is None
    assert result.to_dict()["no_answer"] == []


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
