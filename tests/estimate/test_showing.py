"""Estimates on screen, in files and in notebooks: numbers, alignment and what is left out."""

from __future__ import annotations

import builtins
import csv
import io
import json
import math
from typing import Any

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.base import COLUMNS
from harmony.estimate.decimals import decimals_for, number_writer
from harmony.estimate.histogram import HistogramEstimate
from harmony.estimate.mean import MeanEstimate
from harmony.estimate.notebook import estimate_rows, estimates_html, plan_html, survey_html
from harmony.estimate.result import Result
from harmony.estimate.sampling import KnownSampling


def mean(name: str = "age", middle: float = 41.2345, error: float = 0.56, n: int = 1234) -> Any:
    """Return a mean between 0 and 90 with a known error."""
    sampling = KnownSampling(np.array([middle / 45 - 1]), np.array([(error / 45) ** 2]))
    return MeanEstimate(name, 0.0, 90.0, n, 1.0, 2.5, sampling)


MEAN = mean()


def histogram(count: int, too_wide: float = 1.0, n: int = 4321) -> HistogramEstimate:
    """Return a histogram whose first value has most, and whose second is below zero."""
    raw = np.full(count, 1 / count)
    raw[0], raw[1] = raw[0] + 0.25, raw[1] - 0.25
    sampling = KnownSampling(raw, np.full(count, 0.0123**2))
    return HistogramEstimate("plan", list(range(count)), n, 1.0, 0.1, sampling, None, too_wide)


def result(*estimates: Any) -> Result:
    return Result("phones", "2026-W46", 5555, 1.0, 0.01, {one.name: one for one in estimates})


@pytest.mark.parametrize(
    ("error", "decimals"),
    [
        (123.0, 0), (13.0, 0), (10.0, 0), (9.9, 1), (1.0, 1), (0.99, 2), (0.25, 2), (0.1, 2),
        (0.099, 3), (0.001, 4), (1e-7, 8), (1e-12, 8), (0.0, 2), (-1.0, 2), (math.inf, 2),
        (math.nan, 2),
    ],
)  # fmt: skip
def test_two_digits_of_the_standard_error_are_worth_showing(error: float, decimals: int) -> None:
    assert decimals_for(error) == decimals


def test_frequencies_are_written_in_percent_and_means_plain() -> None:
    share = number_writer([{"value": "a", "stderr": 0.001}, {"value": "b", "stderr": 0.02}])
    assert [share(one) for one in (0.12345, -0.0004, 1.0)] == ["12.3%", "0.0%", "100.0%"]
    mean = number_writer([{"value": None, "stderr": 0.02}])
    assert [mean(one) for one in (12.3456, -0.0001, math.inf)] == ["12.346", "0.000", "unknown"]


def test_a_result_is_a_table_for_people() -> None:
    assert repr(result(MEAN, histogram(3, too_wide=0))) == (
        "phones, round 2026-W46: 5,555 reports, epsilon 1\n"
        "attribute  value   estimate  95% interval    consistent      n\n"
        "age        (mean)     41.23  40.14 .. 42.33       41.23  1,234\n"
        "plan       0          0.583  0.559 .. 0.607       0.583  4,321  too few reports to say\n"
        "           1          0.083  0.059 .. 0.107       0.083\n"
        "           2          0.333  0.309 .. 0.357       0.333"
    )


@pytest.mark.parametrize(("count", "lines"), [(12, 12), (13, 13), (40, 13)])
def test_a_long_histogram_is_cut_short_on_screen(count: int, lines: int) -> None:
    shown = repr(result(histogram(count))).splitlines()[2:]
    assert len(shown) == lines
    assert ("more values" in shown[-1]) == (count > 12)
    if count > 12:
        assert f"... {count - 12} more values" in shown[-1]


def test_a_result_is_a_mapping_of_its_estimates() -> None:
    both = result(MEAN, histogram(3))
    assert (list(both), len(both), both["age"]) == (["age", "plan"], 2, MEAN)
    assert [row["attribute"] for row in both.rows()] == ["age", "plan", "plan", "plan"]
    with pytest.raises(KeyError, match="no attribute 'colour'"):
        both["colour"]


def test_a_row_says_everything_about_a_value() -> None:
    (only,) = MEAN.rows(0.9)
    reach = 1.6448536 * 0.56
    low, high = pytest.approx(41.2345 - reach), pytest.approx(41.2345 + reach)
    assert only == {
        "attribute": "age", "value": None, "estimate": pytest.approx(41.2345),
        "stderr": pytest.approx(0.56), "low": low, "high": high, "simultaneous_low": low,
        "simultaneous_high": high, "consistent": pytest.approx(41.2345), "detected": None,
        "n": 1234, "epsilon": 1.0, "influence": 2.5, "verdict": "ok",
    }  # fmt: skip
    row = histogram(2).rows(0.9)[1]
    reach, wide = 1.6448536 * 0.0123, 1.9488225 * 0.0123
    assert row == {
        "attribute": "plan", "value": 1, "estimate": 0.25, "stderr": pytest.approx(0.0123),
        "low": pytest.approx(0.25 - reach), "high": pytest.approx(0.25 + reach),
        "simultaneous_low": pytest.approx(0.25 - wide),
        "simultaneous_high": pytest.approx(0.25 + wide),
        "consistent": 0.25, "detected": True, "n": 4321, "epsilon": 1.0, "influence": 0.1,
        "verdict": "ok",
    }  # fmt: skip
    assert tuple(row) == tuple(only) == COLUMNS


@pytest.mark.parametrize(("middle", "consistent"), [(-3.0, 0.0), (95.0, 90.0), (45.0, 45.0)])
def test_a_consistent_mean_is_within_its_range(middle: float, consistent: float) -> None:
    assert mean(middle=middle).consistent == pytest.approx(consistent)


def test_what_is_not_finite_is_left_out_of_files() -> None:
    sampling = KnownSampling(np.array([math.nan]), np.array([math.inf]))
    unknown = MeanEstimate("age", 0.0, 90.0, 0, 1.0, math.inf, sampling)
    document = json.loads(result(unknown).to_json(0.9))
    (row,) = document.pop("estimates")
    assert document == {
        "survey": "phones", "round": "2026-W46", "reports": 5555, "epsilon": 1.0,
        "confidence": 0.9, "dishonest": 0.01, "weighting": "devices", "tiers": [], "warnings": [],
        "distributions": [], "crosstabs": [], "population": None, "no_answer": [],
    }  # fmt: skip
    assert [row[key] for key in ("estimate", "stderr", "low", "influence")] == [None] * 4
    assert (row["n"], row["epsilon"], row["verdict"]) == (0, 1.0, "too few reports to say")


def test_a_result_is_written_as_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(result(MEAN, histogram(2)).to_csv(0.9))))
    assert [row["value"] for row in rows] == ["", "0", "1"]
    assert float(rows[0]["high"]) == pytest.approx(41.2345 + 1.6448536 * 0.56)


def test_json_keeps_letters_as_they_are() -> None:
    named = mean("größe")
    assert '"größe"' in result(named).to_json()
    assert result(named).to_json().startswith('{\n  "survey"')


def test_a_frame_has_the_same_rows() -> None:
    frame = result(MEAN, histogram(2)).to_frame(0.9)
    assert frame["high"][0] == pytest.approx(41.2345 + 1.6448536 * 0.56)
    assert len(frame) == 3


def test_without_pandas_a_frame_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(hm.HarmonyError, match="to_frame needs pandas: pip install"):
        result(MEAN).to_frame()


def test_estimates_in_a_notebook_have_bars_for_frequencies() -> None:
    first, second, third = estimate_rows(histogram(3, too_wide=0))
    assert first[:6] == ["plan", "0", "58.3%", "55.9% .. 60.7%", "58.3%", "4,321"]
    assert "width:70.0px" in first[6]
    assert first[7] == "too few reports to say"
    assert (second[0], second[5], second[7]) == ("", "", "")
    assert "width:40.0px" in third[6]
    (only,) = estimate_rows(MEAN)
    assert only == ["age", "mean", "41.23", "40.14 .. 42.33", "41.23", "1,234", "", ""]
    assert estimate_rows(histogram(2, n=0))[0][6] == ""


@pytest.mark.parametrize(("count", "note"), [(24, ""), (25, "1 rarer values"), (60, "36 rarer")])
def test_a_long_histogram_is_cut_in_a_notebook(count: int, note: str) -> None:
    html = estimates_html("title", [histogram(count), MEAN])
    assert html.count("<tr") == min(count, 24) + 2
    assert note in html
    assert ("to_frame()" in html) == bool(note)


def test_a_survey_in_a_notebook_says_what_it_asks() -> None:
    survey = hm.Survey(
        "phones", [hm.Numeric("x", 0, 2.5), hm.Integer("k", 0, 1999)], 1.0, mechanism="harmony"
    )
    html = survey_html(survey)
    assert "0 .. 2.5" in html
    assert "2,000 values" in html
    assert html.count("50%") == 2
    assert f"{survey.mechanisms[0][0].reference_noise:.3g}" in html
    assert f"{survey.mechanisms[0][1].reference_noise:.3g}" in html
    plan = survey.plan(devices=10_000)
    assert f"± {plan.errors[0].in_units:.2g}" in plan_html(plan)
    assert "5,000" in plan_html(plan)
    assert f"{plan.errors[1].error:.2%}" in plan_html(plan)
