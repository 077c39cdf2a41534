"""Plans: the error they promise is the error that comes."""

from __future__ import annotations

import json

import numpy as np
import pytest

import harmony as hm

SURVEYS = {
    "one answer": hm.Survey("s", [hm.Numeric("x", 0, 10), hm.Integer("k", 0, 9)], 1.0),
    "many answers": hm.Survey("s", [hm.Boolean(f"b{i}") for i in range(8)], 8.0),
    "weights": hm.Survey("s", [hm.Numeric("x", 0, 10, weight=4), hm.Boolean("b")], 2.0),
    "tiers": hm.Survey("s", [hm.Numeric("x", 0, 10), hm.Integer("k", 0, 9)], tiers=[0.5, 2.0]),
}


@pytest.mark.parametrize("survey", SURVEYS.values(), ids=SURVEYS.keys())
def test_the_planned_error_is_the_stated_one(survey: hm.Survey) -> None:
    n = 60_000
    rng = np.random.default_rng(0)
    table = {
        one.name: rng.choice(np.array(one.values), n) if one.values else rng.uniform(0, 10, n)
        for one in survey.attributes
    }
    tiers = np.arange(n) % len(survey.tiers)
    result = survey.estimate(survey.collect(table, seed=1, tiers=tiers))
    for planned in survey.plan(devices=n).errors:
        estimate = result[planned.attribute]
        stderr = estimate.stderr if planned.kind == "mean" else float(estimate.errors.mean())
        assert planned.in_units == pytest.approx(1.96 * stderr, rel=0.06)
        assert planned.answers == pytest.approx(estimate.n, rel=0.03)


@pytest.mark.parametrize("survey", SURVEYS.values(), ids=SURVEYS.keys())
def test_planning_devices_and_planning_error_are_inverse(survey: hm.Survey) -> None:
    plan = survey.plan(error=0.02, confidence=0.9)
    assert max(one.error for one in plan.errors) == pytest.approx(0.02, rel=1e-3)
    assert max(one.error for one in plan.errors) <= 0.02
    assert json.loads(plan.to_json())["devices"] == plan.devices


def test_bad_plans_are_refused() -> None:
    survey = SURVEYS["weights"]
    for wrong in ({}, {"devices": 5, "error": 0.1}, {"devices": 0}, {"devices": 1.5}, {"error": 2}):
        with pytest.raises(hm.HarmonyError):
            survey.plan(**wrong)
    with pytest.raises(hm.HarmonyError, match="'confidence'"):
        survey.plan(devices=10, confidence=95)
