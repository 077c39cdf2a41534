"""Estimates: what they say, how they combine, how they show themselves."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import harmony as hm
from harmony.estimate.consistency import project_to_simplex
from harmony.estimate.intervals import simultaneous, single

from .population import ATTRIBUTES, population

DEVICES = 30_000


@pytest.fixture(scope="module")
def survey() -> hm.Survey:
    return hm.Survey("phones", ATTRIBUTES, 1.0)


@pytest.fixture(scope="module")
def result(survey: hm.Survey) -> object:
    return survey.estimate(survey.collect(population(DEVICES), seed=7))


def test_every_estimate_carries_n_epsilon_and_an_interval(survey: hm.Survey, result) -> None:
    assert list(result) == [one.name for one in ATTRIBUTES]
    assert sum(result[name].n for name in result) == DEVICES * survey.answers
    for name in result:
        assert result[name].epsilon == 1.0
        assert result[name].verdict == "ok"
    level, on = result["level"], result["on"]
    low, high = level.interval(0.95)
    assert low < level.mean < high
    assert high - low == pytest.approx(2 * 1.96 * level.stderr, rel=1e-3)
    low, high = on.interval(0.95)[True]
    assert low < on.frequencies[True] < high
    wide = on.interval(0.95, simultaneous=True)[True]
    assert wide == pytest.approx((low, high))  # two values err together: nothing to add
    assert (
        result["sixteen"].interval(0.95, simultaneous=True)[3][1]
        > result["sixteen"].interval(0.95)[3][1]
    )


def test_the_consistent_form_is_a_histogram_and_the_raw_one_is_unbiased(result) -> None:
    for name in ("on", "five", "sixteen"):
        consistent = np.array(list(result[name].consistent.values()))
        assert consistent.min() >= 0
        assert consistent.sum() == pytest.approx(1)
    assert min(result["sixteen"].frequencies.values()) < 0  # noise around values nobody has


def test_the_consistent_mean_stays_in_its_range() -> None:
    survey = hm.Survey("s", [hm.Numeric("x", 0, 1)], 0.1)
    for seed in range(20):
        estimate = survey.estimate(survey.collect({"x": np.ones(100)}, seed=seed))["x"]
        assert 0 <= estimate.consistent <= 1


def test_means_divide_by_the_reports_that_answered() -> None:
    """Over-asked attributes are not over-counted: the estimate does not use n / d."""
    survey = hm.Survey("s", [hm.Numeric("x", 0, 1, weight=50), hm.Boolean("b")], 8.0, answers=1)
    n = 5000
    result = survey.estimate(survey.collect({"x": np.full(n, 0.9), "b": np.ones(n, bool)}, seed=1))
    assert result["x"].n > 4700
    assert result["x"].mean == pytest.approx(0.9, abs=0.01)


def test_too_few_reports_are_called_so(survey: hm.Survey) -> None:
    result = survey.estimate(survey.collect(population(60), seed=1))
    assert {result[name].verdict for name in result} == {"too few reports to say"}
    assert "too few reports to say" in repr(result)


def test_a_tally_without_reports_says_nothing_and_does_not_fail(survey: hm.Survey) -> None:
    result = survey.estimate(hm.Tally.empty(survey, hm.Round.open("1")))
    assert result["level"].n == 0
    assert np.isnan(result["level"].mean)
    assert result["five"].verdict == "too few reports to say"
    assert json.loads(result.to_json())["estimates"][0]["estimate"] is None
    assert "nan" in repr(result)


def test_one_percent_of_liars_move_an_estimate_as_far_as_it_says() -> None:
    """Replace the answers of 1% of the devices by the most extreme ones they can send."""
    survey = hm.Survey("s", [hm.Numeric("x", -1, 1), hm.Integer("k", 0, 7)], 1.0)
    rng = np.random.default_rng(0)
    n = 50_000
    table = {"x": rng.uniform(-1, 1, n), "k": rng.integers(0, 8, n)}
    honest = survey.collect(table, seed=1)
    before = survey.estimate(honest)
    for place, name in enumerate(("x", "k")):
        mechanism = survey.mechanisms[0][place]
        cells = honest.cells[0][place].copy()
        liars = int(0.01 * cells.sum())
        taken = rng.multivariate_hypergeometric(cells.reshape(-1), liars).reshape(cells.shape)
        cells -= taken
        if name == "x":
            cells[0, np.argmax(mechanism.values)] += liars
            moved = mechanism.moments(cells).estimates[0] - before["x"].mean
        else:
            for row in range(len(cells)):
                index = mechanism.code.index(0, row)
                cells[row, np.argmax(mechanism.support[index])] += taken[row].sum()
            moved = mechanism.moments(cells).estimates[0] - before["k"].frequencies[0]
        # What the liars would have said is itself random: five of its standard errors.
        chance = 5 * 0.01 * np.sqrt(mechanism.reference_noise / liars)
        assert abs(moved - before[name].influence) < chance + 0.1 * before[name].influence


def test_tiers_combine_better_than_any_one_of_them() -> None:
    survey = hm.Survey("s", ATTRIBUTES, tiers=[0.5, 1.0, 2.0])
    data = population(DEVICES)
    tiers = np.arange(DEVICES) % 3
    tally = survey.collect(data, seed=1, tiers=tiers)
    both = survey.estimate(tally, weighting="precision")
    by_devices = survey.estimate(tally)
    for name in both:
        precise, fair = (
            max(row["stderr"] for row in one[name].rows()) for one in (both, by_devices)
        )
        assert precise < fair
        assert both[name].tiers == by_devices[name].tiers
        assert both[name].tiers.by_devices == pytest.approx(fair)
        assert both[name].tiers.by_precision == pytest.approx(precise)
    single_tier = hm.Survey("s", ATTRIBUTES, 2.0)
    only = single_tier.estimate(
        single_tier.collect({k: v[tiers == 2] for k, v in data.items()}, seed=1)
    )
    assert both["level"].stderr < only["level"].stderr


def test_weighting_by_devices_is_right_where_the_private_differ() -> None:
    """Those in the careful tier all say True: inverse variance would lose them."""
    survey = hm.Survey("s", [hm.Boolean("b")], tiers=[0.5, 4.0])
    n = 200_000
    tiers = np.arange(n) % 2
    tally = survey.collect({"b": tiers == 0}, seed=1, tiers=tiers)
    result = survey.estimate(tally)
    fair = result.histogram("b")
    assert abs(fair.frequencies[True] - 0.5) < 5 * fair.stderr[True]
    assert "weighed by their devices, which is right all the same" in repr(result)
    biased = survey.estimate(tally, weighting="precision")
    assert biased.histogram("b").frequencies[True] < 0.1
    assert "weighing by precision is biased then: weigh by 'devices'" in repr(biased)


def test_a_result_can_be_passed_on_as_json_csv_and_a_frame(result) -> None:
    rows = json.loads(result.to_json())["estimates"]
    table = list(csv.DictReader(io.StringIO(result.to_csv())))
    frame = result.to_frame()
    assert len(rows) == len(table) == len(frame) == 1 + 2 + 5 + 16
    assert float(table[0]["estimate"]) == rows[0]["estimate"] == frame["estimate"][0]
    assert list(frame.columns)[:4] == ["attribute", "value", "estimate", "stderr"]


def test_unknown_names_and_bad_options_are_refused(survey: hm.Survey, result) -> None:
    with pytest.raises(KeyError, match="no attribute 'colour'"):
        result["colour"]
    tally = hm.Tally.empty(survey, hm.Round.open("1"))
    with pytest.raises(hm.HarmonyError, match="'weighting'"):
        survey.estimate(tally, weighting="best")
    with pytest.raises(hm.HarmonyError, match="'dishonest'"):
        survey.estimate(tally, dishonest=2)
    for confidence in (0, 1, 95, "0.95"):
        with pytest.raises(hm.HarmonyError, match="'confidence'"):
            result["level"].interval(confidence)


def test_simultaneous_critical_values_grow_with_the_number_of_values() -> None:
    values = [simultaneous(0.95, count) for count in (1, 2, 10, 1000)]
    assert values == sorted(values)
    assert values[0] == pytest.approx(single(0.95))
    independent = simultaneous(0.95, 16, np.eye(16))
    assert independent == pytest.approx(simultaneous(0.95, 16), rel=0.01)


def test_the_projection_is_the_closest_histogram() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        raw = rng.normal(0.1, 0.3, 8)
        closest = project_to_simplex(raw)
        assert closest.min() >= 0
        assert closest.sum() == pytest.approx(1)
        for _ in range(50):
            other = rng.dirichlet(np.ones(8))
            assert np.sum((closest - raw) ** 2) <= np.sum((other - raw) ** 2) + 1e-12


def test_binned_numbers_give_a_histogram() -> None:
    survey = hm.Survey("s", [hm.Numeric("age", 0, 90, bins=[0, 30, 60, 90])], 4.0)
    ages = np.repeat([0.0, 29.99, 30.0, 89.0, 90.0], 4000)
    histogram = survey.estimate(survey.collect({"age": ages}, seed=1))["age"]
    assert list(histogram.frequencies) == ["[0, 30)", "[30, 60)", "[60, 90]"]
    assert list(histogram.frequencies.values()) == pytest.approx([0.4, 0.2, 0.4], abs=0.03)


def test_what_is_no_tally_is_refused_with_the_way_to_one(survey: hm.Survey, result) -> None:
    tally = hm.Tally.empty(survey, hm.Round.open("1"))
    table = pd.DataFrame({"level": [1.0]})
    for given, kind, fix in (
        (table, "DataFrame", "survey.collect(table) makes one of people's values"),
        (result, "Result", "it is estimated already"),
        ([tally, tally], "list", "add those of one round, sum(tallies)"),
        ([], "list", "the list is empty"),
        ("week.tally", "str", "hm.Tally.load(path)"),
        (Path("week.tally"), "PosixPath", "hm.Tally.load(path)"),
        (pa.table({"symbols": [1]}), "Table", "survey.tally(reports)"),
        (None, "NoneType", "survey.collect(table)"),
    ):
        with pytest.raises(hm.HarmonyError) as refused:
            survey.estimate(given)
        assert str(refused.value).startswith(f"estimate needs a Tally, not a {kind}: ")
        assert fix in str(refused.value)


def test_options_that_do_not_exist_are_refused_by_python_itself(survey: hm.Survey) -> None:
    with pytest.raises(TypeError, match="wieghting"):
        survey.estimate(hm.Tally.empty(survey, hm.Round.open("1")), wieghting="devices")


def test_an_estimate_is_asked_for_by_its_kind(result) -> None:
    assert result.mean("level") is result["level"]
    assert result.histogram("five") is result["five"]
    with pytest.raises(hm.HarmonyError, match="five: this attribute has a HistogramEstimate"):
        result.mean("five")
    with pytest.raises(hm.HarmonyError, match="level: this attribute has a MeanEstimate"):
        result.histogram("level")
