"""What the pages show of distributions and crosstabs."""

from __future__ import annotations

import json

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.result import Result
from harmony.service.dashboard.charts import chart_of, trend_of
from harmony.service.dashboard.views import AttributeCard, attribute_card

SURVEY = hm.Survey(
    "phones",
    epsilon=2.0,
    attributes=[
        hm.Distribution("screen", 0, 600, bins=64),
        hm.Boolean("wifi"),
        hm.Categorical("theme", ["light", "dark", "auto"]),
        hm.Numeric("battery", 0, 100),
        hm.Crosstab("wifi", "theme"),
        hm.Crosstab("theme", "battery"),
    ],
)


def result(seed: int) -> Result:
    rng = np.random.default_rng(seed)
    theme = rng.integers(0, 3, 60_000)
    people = {
        "screen": np.minimum(rng.gamma(2, 60, 60_000), 600),
        "wifi": rng.random(60_000) < 0.2 + 0.3 * theme,
        "theme": np.array(["light", "dark", "auto"])[theme],
        "battery": 30.0 + 20 * theme,
    }
    return SURVEY.estimate(SURVEY.collect(people, seed=seed))


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return [result(1), result(2)]


def card(results: list[Result], name: str) -> AttributeCard:
    question = next(one for one in SURVEY.questions if one.name == name)
    return attribute_card(question, results, results[-1])


def test_a_distribution_is_shown_by_its_cdf_and_its_median(results: list[Result]) -> None:
    shown = card(results, "screen")
    assert shown.asks == "distribution of a number from 0 to 600"
    assert (shown.is_mean, shown.is_share, bool(shown.figure)) == (False, False, True)
    assert shown.chart is not None
    assert shown.chart["kind"] == "cdf"
    assert shown.chart["cdf"] == sorted(shown.chart["cdf"])
    assert {len(shown.chart[key]) for key in ("at", "cdf", "low", "high")} == {65}
    assert [row.value for row in shown.rows][:2] == ["mean", "standard deviation"]
    assert shown.trend is not None
    assert [line["name"] for line in shown.trend["lines"]] == ["median"]
    assert not shown.trend["share"]


def test_a_crosstab_is_shown_as_a_heat_map_and_a_chance(results: list[Result]) -> None:
    shown = card(results, "wifi x theme")
    assert shown.asks == "joint table of 2 by 3 values"
    assert shown.chart is not None
    assert shown.chart["kind"] == "heat"
    assert shown.chart["rows"] == {"name": "wifi", "labels": ["no", "yes"]}
    assert np.sum(shown.chart["shares"]) == pytest.approx(1)
    assert np.shape(shown.chart["low"]) == (2, 3)
    assert any("unrelated" in note and "less than 0.0001" in note for note in shown.notes)
    assert shown.is_share
    assert shown.trend is None


def test_means_by_group_are_shown_on_the_range(results: list[Result]) -> None:
    shown = card(results, "theme x battery")
    assert shown.asks == "mean of battery in each of 3 groups"
    assert shown.chart is not None
    assert (shown.chart["kind"], shown.chart["range"]) == ("means", [0, 100])
    assert not shown.is_share


def test_charts_are_plain_documents(results: list[Result]) -> None:
    for one in results[0].values():
        json.dumps(chart_of(one), allow_nan=False)
    assert trend_of("battery", results) is not None


def test_a_crosstab_too_large_for_a_page_shows_its_bars() -> None:
    survey = hm.Survey("s", [hm.Crosstab(hm.Integer("p", 0, 60), hm.Integer("q", 0, 60))], 4.0)
    rng = np.random.default_rng(1)
    people = {"p": rng.integers(0, 61, 9_000), "q": rng.integers(0, 61, 9_000)}
    chart = chart_of(survey.estimate(survey.collect(people, seed=1))["p x q"])
    assert chart is not None
    assert chart["kind"] == "histogram"
    assert len(chart["labels"]) <= 24
