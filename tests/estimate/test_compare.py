"""Comparing results: what is called a change, how sure that is, and what could be noticed."""

from __future__ import annotations

import json

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.intervals import chance_of_any
from harmony.estimate.sampling import KnownSampling, SomeSampling
from harmony.estimate.sums import SumSampling

SURVEY = hm.Survey(
    "phones",
    [hm.Numeric("battery", 0, 100), hm.Categorical("theme", ["light", "dark", "auto"])],
    epsilon=2.0,
)
N = 8000


def people(shift: float = 0.0, dark: int = 2400) -> dict[str, np.ndarray]:
    battery = np.clip(np.random.default_rng(1).normal(50 + shift, 15, N), 0, 100)
    theme = np.repeat(["light", "dark", "auto"], [N - dark - 1600, dark, 1600])
    return {"battery": battery, "theme": theme}


def week(number: int, table: dict[str, np.ndarray], survey: hm.Survey = SURVEY) -> hm.Result:
    opened = hm.Round(f"W{number}", number.to_bytes(16, "big"))
    return survey.estimate(survey.collect(table, seed=number, round=opened))


@pytest.fixture(scope="module")
def comparison() -> hm.Comparison:
    return hm.compare(week(45, people()), week(46, people(shift=12, dark=3600)))


def test_differences_are_after_minus_before_with_the_errors_of_both(comparison) -> None:
    battery, theme = comparison["battery"], comparison["theme"]
    (row,) = battery.rows()
    assert row["difference"] == pytest.approx(battery.after.mean - battery.before.mean)
    both = np.hypot(battery.after.stderr, battery.before.stderr)
    assert row["stderr"] == pytest.approx(both, rel=1e-9)
    assert row["high"] - row["low"] == pytest.approx(2 * 1.959964 * both, rel=0.01)
    for row in theme.rows():
        value = row["value"]
        assert row["before"] == theme.before.frequencies[value]
        assert row["after"] == theme.after.frequencies[value]
        assert row["difference"] == pytest.approx(row["after"] - row["before"])
        assert row["simultaneous_low"] < row["low"] < row["difference"]
        assert row["difference"] < row["high"] < row["simultaneous_high"]
        assert (row["n_before"], row["n_after"]) == (theme.before.n, theme.after.n)


def test_a_change_is_what_lies_outside_of_the_intervals_that_hold_all_at_once(comparison) -> None:
    for row in comparison.rows():
        outside = not row["simultaneous_low"] <= 0 <= row["simultaneous_high"]
        assert row["changed"] == outside == (row["p_value"] <= 0.05)
    assert comparison.changed() == ("battery", "theme")
    assert comparison["battery"].changed() == (None,)
    assert set(comparison["theme"].changed()) == {"light", "dark"}
    assert comparison["theme"].verdict() == "2 of 3 changed"
    assert comparison["battery"].verdict() == "changed"
    assert comparison["theme"].p_value == min(comparison["theme"].p_values.values()) < 1e-6


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_nothing_is_called_a_change_in_nineteen_of_twenty_comparisons(epsilon: float) -> None:
    """200 comparisons of one population with itself: 1 to 24 changes, else a chance of 1e-4.

    `python -m benchmarks coverage` does the same with 2,000.
    """
    survey = hm.Survey("s", [*SURVEY.attributes, hm.Integer("k", 0, 9)], epsilon)
    table = people() | {"k": np.arange(N) % 10}
    called = 0
    for run in range(200):
        called += bool(
            hm.compare(week(2 * run, table, survey), week(2 * run + 1, table, survey)).changed()
        )
    assert 1 <= called <= 24


def test_a_change_of_the_size_called_detectable_is_noticed_four_times_of_five() -> None:
    """100 comparisons: 0.8 +- 5 standard errors; under one in a million."""
    size = float(hm.compare(week(1, people()), week(2, people()))["theme"].detectable()[1])
    later = people(dark=2400 + round(size * N))
    noticed = sum(
        "dark" in hm.compare(week(2 * run, people()), week(2 * run + 1, later))["theme"].changed()
        for run in range(100)
    )
    assert abs(noticed / 100 - 0.8) < 5 * np.sqrt(0.8 * 0.2 / 100)


def test_what_is_detectable_of_a_rare_value_reckons_with_the_errors_of_its_rise() -> None:
    """Some were asked of all, so that errors are largest where half of the people say yes."""
    some = hm.Survey("s", [hm.Integer("k", 0, 9), hm.Integer("other", 0, 9)], 4.0)

    def larger(share: float) -> float:
        table = {
            "k": (np.arange(N) >= share * N) * (1 + np.arange(N) % 9),
            "other": np.arange(N) % 9,
        }
        change = hm.compare(week(1, table, some), week(2, table, some))["k"]
        after = change.sampling.variance_after(change.detectable())
        return float(np.sqrt(after[0] / change.sampling.variance[0]))

    assert larger(0.02) > 1.02
    assert larger(0.5) < 1.01


def test_a_plan_says_what_a_comparison_can_notice() -> None:
    planned = {one.attribute: one for one in SURVEY.plan(devices=N).errors}
    alone = hm.Survey("s", [hm.Boolean("b")], 1.0)
    half = {"b": np.arange(N) % 2 == 0}
    (found,) = {*hm.compare(week(1, half, alone), week(2, half, alone))["b"].detectable()}
    (plan,) = alone.plan(devices=N).errors
    assert found == pytest.approx(plan.detectable, rel=0.02)
    assert planned["theme"].detectable > planned["theme"].worst


def test_the_same_attribute_of_two_surveys_is_compared_where_it_is_the_same() -> None:
    """Ranges and epsilons may differ, and values that only one survey lists are left out."""
    other = hm.Survey(
        "tablets",
        [
            hm.Numeric("battery", -50, 100),
            hm.Categorical("theme", ["dark", "blue", "light"]),
            hm.Boolean("wifi"),
        ],
        epsilon=4.0,
    )
    table = {
        "battery": np.full(N, 40.0),
        "theme": np.repeat(["dark", "blue", "light"], [2400, 1600, 4000]),
        "wifi": np.ones(N, bool),
    }
    comparison = hm.compare(week(1, people()), week(2, table, other))
    assert list(comparison) == ["battery", "theme"]
    assert comparison.left_out == ("wifi",)
    (battery,) = comparison["battery"].rows()
    assert battery["difference"] == pytest.approx(battery["after"] - battery["before"])
    truth = 40.0 - people()["battery"].mean()
    assert abs(battery["difference"] - truth) < 5 * battery["stderr"]
    assert comparison["theme"].values == ["dark", "light"]
    for row in comparison["theme"].rows():
        assert row["before"] == comparison["theme"].before.frequencies[row["value"]]
        assert row["after"] == comparison["theme"].after.frequencies[row["value"]]
        assert abs(row["difference"]) < 5 * row["stderr"]  # the same share in both tables


def test_tiers_are_compared_too() -> None:
    survey = hm.Survey("s", [hm.Boolean("b")], tiers=[1.0, 4.0])
    tiers = np.arange(N) % 2

    def estimated(seed: int, on: float) -> hm.Result:
        return survey.estimate(survey.collect({"b": np.arange(N) < on * N}, seed=seed, tiers=tiers))

    (_, row) = hm.compare(estimated(1, 0.3), estimated(2, 0.5))["b"].rows()
    assert abs(row["difference"] - 0.2) < 5 * row["stderr"]
    assert row["changed"]


def test_two_estimates_can_be_compared() -> None:
    first, second = week(1, people()), week(2, people(dark=4000))
    alone = hm.compare(first["theme"], second["theme"])
    assert alone.changed() == ("theme",)
    assert alone["theme"].compared == 1
    together = hm.compare(first, second)
    assert together["theme"].compared == 2
    assert together["theme"].p_value > alone["theme"].p_value


def test_a_round_without_answers_leaves_the_difference_unknown() -> None:
    empty = SURVEY.estimate(hm.Tally.empty(SURVEY, hm.Round("W1", bytes(16))))
    comparison = hm.compare(empty, week(2, people()))
    assert comparison.changed() == ()
    assert comparison["battery"].verdict() == "too few reports to say"
    row = comparison.to_dict()["differences"][0]
    assert [row[key] for key in ("difference", "low", "p_value")] == [None] * 3
    assert row["changed"] is False
    assert "unknown" in repr(comparison)


def test_what_cannot_be_compared_is_refused_with_the_reason() -> None:
    first = week(1, people())
    other = hm.Survey("s", [hm.Integer("battery", 0, 9), hm.Categorical("theme", ["a", "b"])], 1.0)
    second = week(2, {"battery": np.arange(N) % 10, "theme": np.repeat(["a", "b"], N // 2)}, other)
    with pytest.raises(hm.HarmonyError) as refused:
        hm.compare(first, second)
    assert "battery: they are estimates of different kinds" in str(refused.value)
    assert "theme: they have no value in common" in str(refused.value)
    alone = week(2, {"b": np.ones(N, bool)}, hm.Survey("s", [hm.Boolean("b")], 1.0))
    with pytest.raises(hm.HarmonyError, match="no attribute of the same name"):
        hm.compare(first, alone)
    with pytest.raises(hm.HarmonyError, match="the same result"):
        hm.compare(first, first)
    with pytest.raises(hm.HarmonyError, match=r"'after' must be a result.*not a Tally"):
        hm.compare(first, SURVEY.collect(people(), seed=1))
    with pytest.raises(hm.HarmonyError, match=r"'before' must be a result.*not a MeanEstimate"):
        hm.compare(first["battery"], first)
    with pytest.raises(hm.HarmonyError, match="battery and theme are estimates of different kinds"):
        hm.compare(first["battery"], first["theme"])
    with pytest.raises(KeyError, match="no attribute 'batery' was compared"):
        hm.compare(first, week(2, people()))["batery"]


def test_a_comparison_is_passed_on_like_a_result(comparison) -> None:
    document = json.loads(comparison.to_json(0.9))
    assert document["before"] == "phones W45"
    assert document["after"] == "phones W46"
    assert document["changed"] == ["battery", "theme"]
    assert document["confidence"] == 0.9
    assert len(document["differences"]) == len(comparison.to_frame()) == 4
    assert comparison.to_csv().splitlines()[0] == ",".join(comparison.columns)
    assert tuple(document["differences"][0]) == tuple(comparison.columns)
    assert len(comparison.to_polars()) == 4
    assert [row["value"] for row in comparison["theme"].rows(top=1)] in (["dark"], ["light"])
    assert len(comparison.to_dict(top=1)["differences"]) == 2


def test_a_comparison_is_a_table_and_a_figure_for_people(comparison) -> None:
    text = repr(comparison).splitlines()
    assert text[0] == "phones W46 against phones W45"
    assert text[1].split() == [
        "attribute", "value", "before", "after", "difference", "95%,", "all", "at", "once"
    ]  # fmt: skip
    assert text[2].startswith("battery    (mean)")
    assert text[2].endswith("changed")
    assert comparison._repr_html_().count("<tr>") == 5
    figure = comparison.plot()
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "battery: changed", "theme: 2 of 3 changed"
    ]  # fmt: skip
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_p_values_of_several_are_corrected_by_their_correlation() -> None:
    p_values = np.array([1e-9, 0.01, 0.3, 1.0])
    independent = 1 - (1 - p_values) ** 4
    assert chance_of_any(p_values, 4) == pytest.approx(independent, rel=1e-6)
    assert chance_of_any(p_values, 4, np.eye(4)) == pytest.approx(independent, rel=0.1)
    together = chance_of_any(p_values, 4, np.ones((4, 4)))
    assert together[1:] == pytest.approx(p_values[1:], rel=0.15)
    assert together[0] <= independent[0] * (1 + 1e-6)
    assert chance_of_any(p_values, 1) == pytest.approx(p_values)


def test_some_of_several_estimates_scatter_as_they_do_among_the_others() -> None:
    first = KnownSampling(np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0]))
    second = KnownSampling(np.array([0.3, 0.1, 0.2]), np.array([3.0, 1.0, 2.0]))
    whole = SumSampling([first, second], [1, -1])
    some = SomeSampling(whole, [2, 0])
    assert some.estimates.tolist() == whole.estimates[[2, 0]].tolist()
    truth = np.array([[0.5, 0.1], [0.0, 0.0]])
    assert some.cumulants(truth)[0].tolist() == [[5.0, 4.0], [5.0, 4.0]]
    assert some.variance.tolist() == [5.0, 4.0]
    assert some.likely.tolist() == whole.likely[[2, 0]].tolist()
    assert some.extremes == whole.extremes
    assert some.step.tolist() == [0.0, 0.0]
