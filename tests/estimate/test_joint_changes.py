"""Comparing distributions and crosstabs: CDFs, quantiles, pairs, and means of groups."""

from __future__ import annotations

import json

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.joint_changes import DistributionChange

N = 20_000
SURVEY = hm.Survey(
    "phones",
    [
        hm.Distribution("x", 0, 100),
        hm.Integer("a", 0, 2),
        hm.Integer("b", 0, 3),
        hm.Crosstab("a", "b"),
        hm.Crosstab("a", hm.Numeric("y", 0, 100)),
    ],
    epsilon=4.0,
    answers=1,
)


def people(shift: float = 0.0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    a = rng.choice(3, N, p=[0.5, 0.3, 0.2])
    moved = rng.random(N) < shift / 50
    return {
        "x": np.clip(rng.gamma(3, 10, N) + shift, 0, 100),
        "a": a,
        "b": np.where(moved, 0, (a + rng.choice(4, N, p=[0.4, 0.3, 0.2, 0.1])) % 4),
        "y": np.clip(20 + 10 * a + 3 * shift * (a == 1) + rng.normal(0, 5, N), 0, 100),
    }


def week(number: int, table: dict[str, np.ndarray], survey: hm.Survey = SURVEY) -> hm.Result:
    opened = hm.Round(f"W{number}", number.to_bytes(16, "big"))
    return survey.estimate(survey.collect(table, seed=number, round=opened))


@pytest.fixture(scope="module")
def comparison() -> hm.Comparison:
    return hm.compare(week(1, people()), week(2, people(shift=10.0)))


def test_every_kind_of_question_is_compared(comparison: hm.Comparison) -> None:
    assert comparison.left_out == ()
    assert set(comparison) == {"x", "a", "b", "a x b", "a x y"}
    assert {"x", "b", "a x b", "a x y"} <= set(comparison.changed())
    assert "a" not in comparison.changed()
    assert comparison["a x y"].changed() == ("mean for 1",)
    for one in comparison.values():
        for row in one.rows():
            assert row["difference"] == pytest.approx(row["after"] - row["before"])
            assert row["simultaneous_low"] <= row["low"] <= row["difference"]
            assert row["difference"] <= row["high"] <= row["simultaneous_high"]
    json.dumps(comparison.to_dict())


def test_quantiles_have_differences_with_intervals(comparison: hm.Comparison) -> None:
    """Five times the 95% reach: nothing that chance does."""
    x = comparison["x"]
    assert isinstance(x, DistributionChange)
    for share in (0.1, 0.5, 0.9):
        difference, low, high = x.quantile(share)
        assert low <= difference <= high
        assert abs(difference - 10) < 5 * (high - low) / 2
        assert low > 0
    quantiles = comparison.to_dict()["quantiles"]
    assert [row["share"] for row in quantiles] == [0.1, 0.25, 0.5, 0.75, 0.9]
    assert "median" in repr(comparison)
    assert "below" in repr(comparison)
    assert "mean for 1" in comparison._repr_html_()


def test_nothing_is_called_a_change_in_nineteen_of_twenty_comparisons() -> None:
    """25 comparisons of one population with itself, of a CDF and of pairs together: 7 changes at
    most, else a chance of 1e-5.  `docs/coverage.md` has the figures of more."""
    survey = hm.Survey("s", SURVEY.questions[:4], 2.0)
    table = people()
    called = sum(
        bool(hm.compare(week(2 * run, table, survey), week(2 * run + 1, table, survey)).changed())
        for run in range(25)
    )
    assert called <= 7


def test_what_only_one_survey_has_is_left_out() -> None:
    other = hm.Survey(
        "tablets",
        [
            hm.Distribution("x", 0, 50, step=1),
            hm.Crosstab(hm.Integer("a", 1, 5), hm.Integer("b", 2, 4)),
        ],
        4.0,
        answers=1,
    )
    table = people()
    table = {"x": table["x"] % 50, "a": table["a"] + 1, "b": np.clip(table["b"], 2, 4)}
    found = hm.compare(
        week(3, people()), week(4, {key: value.round() for key, value in table.items()}, other)
    )
    assert set(found["a x b"].values) == {"1 x 2", "1 x 3", "2 x 2", "2 x 3"}
    assert "x" in found or "x" in found.left_out
    with pytest.raises(hm.HarmonyError, match="different kinds"):
        hm.compare(week(5, people())["a x b"], week(6, people())["a x y"])


def test_rounds_without_answers_say_nothing() -> None:
    nobody = SURVEY.estimate(hm.Tally.empty(SURVEY, hm.Round("W0", bytes(16))))
    found = hm.compare(nobody, week(7, people()))
    assert found.changed() == ()
    assert {one.verdict() for one in found.values()} == {"too few reports to say"}
    json.dumps(found.to_dict())
    assert "unknown" in repr(found)


@pytest.mark.filterwarnings("error")
def test_a_handful_of_devices_is_compared_without_a_word_of_numpy() -> None:
    """As it was found: variances were negative where nobody answered the finest level."""
    survey = hm.Survey("s", [hm.Distribution("x", 0, 50), hm.Boolean("b")], 4.0)
    numbers = np.linspace(0, 50, 4_000)
    many = survey.estimate(survey.collect({"x": numbers, "b": numbers > 9}, seed=1))
    for seed in range(30):
        people = {"x": numbers[seed : seed + 1 + seed % 3], "b": [True] * (1 + seed % 3)}
        few = survey.estimate(survey.collect(people, seed=seed))
        for row in hm.compare(few, many).rows():
            if row["attribute"] == "x" and row["n_before"]:
                assert row["low"] < row["difference"] < row["high"]
                assert row["stderr"] > 0
