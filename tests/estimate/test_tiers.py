"""Tiers that answer differently are noticed, and what dishonest devices of any tier can do."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.influence import Group, largest_influence


def test_devices_that_choose_more_privacy_and_answer_differently_do_not_bias() -> None:
    """As it was found: truth 0.60, and an estimate of 0.125 that was called ok."""
    survey = hm.Survey("s", [hm.Boolean("b")], tiers=[0.5, 8.0])
    tiers = np.repeat([0, 1], [60_000, 40_000])
    result = survey.estimate(survey.collect({"b": tiers == 0}, seed=3, tiers=tiers))
    low, high = result.histogram("b").interval(0.9999)[True]
    assert low < 0.6 < high
    (warning,) = result.warnings
    assert warning.attribute == "b"
    assert warning.p_value < 1e-12
    assert result.to_dict()["warnings"] == [str(warning)]


@pytest.mark.parametrize("attribute", [hm.Boolean("b"), hm.Integer("b", 0, 29)])
def test_tiers_that_answer_alike_raise_the_alarm_as_rarely_as_stated(
    attribute: hm.Categorical,
) -> None:
    """At most 5% of p-values are below 5%: more than 30 of 300 have a chance of 1e-4."""
    survey = hm.Survey("s", [attribute], tiers=[0.5, 2.0, 8.0])
    rng = np.random.default_rng(1)
    low = 0
    for seed in range(300):
        tiers = rng.choice(3, 900, p=[0.5, 0.4, 0.1])
        values = rng.integers(0, len(attribute.values), 900)
        result = survey.estimate(
            survey.collect({"b": values.astype(type(attribute.values[0]))}, seed=seed, tiers=tiers)
        )
        low += result["b"].tiers.p_value < 0.05
    assert low <= 30


def test_a_mean_that_differs_between_tiers_is_noticed_in_its_own_units() -> None:
    survey = hm.Survey("s", [hm.Numeric("x", 0, 100)], tiers=[1.0, 4.0])
    tiers = np.arange(20_000) % 2
    result = survey.estimate(survey.collect({"x": 30.0 + 30 * tiers}, seed=1, tiers=tiers))
    mean = result.mean("x")
    assert mean.tiers.p_value < 1e-6
    assert mean.tiers.by_devices == pytest.approx(mean.stderr)
    assert mean.tiers.by_precision < mean.tiers.by_devices
    (shown,) = result.to_dict()["tiers"]
    assert shown == {
        "attribute": "x",
        "p_value": mean.tiers.p_value,
        "stderr_by_devices": mean.tiers.by_devices,
        "stderr_by_precision": mean.tiers.by_precision,
    }


def test_p_values_are_corrected_for_the_number_of_attributes() -> None:
    names = [f"b{place}" for place in range(4)]
    survey = hm.Survey("s", [hm.Boolean(name) for name in names], tiers=[1.0, 4.0])
    tiers = np.arange(40_000) % 2
    people = {name: tiers == 1 if name == "b2" else tiers >= 0 for name in names}
    result = survey.estimate(survey.collect(people, seed=1, tiers=tiers))
    (warning,) = result.warnings
    assert warning.attribute == "b2"
    assert warning.p_value == pytest.approx(4 * result["b2"].tiers.p_value)


def test_liars_who_fill_the_small_tier_move_as_far_as_stated() -> None:
    """As it was found: 0.38 was stated, and 0.69 reached."""
    survey = hm.Survey("s", [hm.Boolean("b")], tiers=[0.25, 4.0])
    honest = survey.collect(
        {"b": np.zeros(10_000, bool)}, seed=1, tiers=np.repeat([0, 1], [300, 9700])
    )
    stated = survey.estimate(honest, dishonest=0.05).histogram("b")
    counts = honest.counts.copy()
    counts[:2] = 0, 300  # all of the careful tier
    counts[2:] += -200, 200  # and the rest of the 500
    moved = survey.estimate(hm.Tally.of(survey, honest.round, counts, honest.tier_reports))
    reached = moved.histogram("b").frequencies[True] - stated.frequencies[True]
    assert reached <= stated.influence * 1.01
    assert reached >= 0.9 * stated.influence


def test_the_worst_groups_are_filled_first_for_one_value_and_one_direction() -> None:
    """Value 0 is moved down most by the second group; worked out by hand."""
    groups = [
        Group(100, 0.5, np.array([0.1, 0.9]), (-1.0, 2.0)),
        Group(10, 0.5, np.array([0.8, 0.2]), (-2.0, 3.0)),
    ]
    # Value 1 up, with 20 liars: all 10 of the second group, 10 of the first.
    by_hand = 0.5 * (3.0 - 0.2) + 0.5 * 10 / 100 * (2.0 - 0.9)
    others = [
        0.5 * (3.0 - 0.8) + 0.05 * (2.0 - 0.1),
        0.5 * (0.8 + 2.0) + 0.05 * (0.1 + 1.0),
        0.5 * (0.2 + 2.0) + 0.05 * (0.9 + 1.0),
    ]
    assert largest_influence(groups, 20) == pytest.approx(max(by_hand, *others))
    assert largest_influence(groups, 0) == 0.0
    assert largest_influence(groups, 1000) == pytest.approx(
        max(0.5 * 2.8 + 0.5 * 1.1, 0.5 * 2.2 + 0.5 * 1.9, 0.5 * 2.8 + 0.5 * 1.1, 0.5 * 2.2 + 0.95)
    )
