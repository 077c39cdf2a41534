"""Intervals hold as often as they say, and estimates are unbiased, over many collections.

Each test runs 200 collections of one fixed population.  Over all its estimates together, 95%
intervals must cover 92-98% of the time, and so must simultaneous ones; any one estimate must
stay within five standard errors of 95% (0.95 +- 0.077).  False alarms: the pooled shares scatter
by at most 0.9%, so under one in 1,000 seeds for each test; `python -m benchmarks coverage` is
sharper.  Seeds are fixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import harmony as hm

from .population import ATTRIBUTES, frequencies, population

pytestmark = pytest.mark.timeout(1200)

COLLECTIONS = 200
DEVICES = 4000


@dataclass
class Outcome:
    covered: dict[str, float]
    covered_together: dict[str, float]
    drift: dict[str, float]
    """Mean error over its own standard error: within 5 unless biased."""
    promised: dict[str, float]
    """Mean stated variance over the variance seen."""


def run(survey: hm.Survey, collections: int = COLLECTIONS, devices: int = DEVICES) -> Outcome:
    data = population(devices)
    rng = np.random.default_rng(1)
    truth = {
        one.name: np.array([data[one.name].mean()])
        if isinstance(one, hm.Numeric)
        else frequencies(data[one.name], one)
        for one in survey.attributes
    }
    errors: dict[str, list] = {name: [] for name in truth}
    stated: dict[str, list] = {name: [] for name in truth}
    inside: dict[str, list] = {name: [] for name in truth}
    together: dict[str, list] = {name: [] for name in truth}
    for seed in range(collections):
        tiers = rng.permutation(devices) % len(survey.tiers) if len(survey.tiers) > 1 else None
        result = survey.estimate(survey.collect(data, seed=seed, tiers=tiers))
        for one in survey.attributes:
            estimate = result[one.name]
            if isinstance(one, hm.Numeric):
                low, high = estimate.interval(0.95)
                values, stderr = np.array([estimate.mean]), np.array([estimate.stderr])
                held = (low <= truth[one.name]) & (truth[one.name] <= high)
            else:
                values, stderr = estimate.raw, estimate.errors
                low, high = np.array(list(estimate.interval(0.95).values())).T
                held = (low <= truth[one.name]) & (truth[one.name] <= high)
                low, high = np.array(list(estimate.interval(0.95, simultaneous=True).values())).T
                all_held = (low <= truth[one.name]) & (truth[one.name] <= high)
                together[one.name].append(all_held.all())
            inside[one.name].extend(held)
            errors[one.name].append(values - truth[one.name])
            stated[one.name].append(stderr**2)
    seen = {name: np.array(rows) for name, rows in errors.items()}
    return Outcome(
        {name: float(np.mean(held)) for name, held in inside.items()},
        {name: float(np.mean(held)) for name, held in together.items() if held},
        {
            name: float(np.abs(rows.mean(0) / rows.std(0) * np.sqrt(collections)).max())
            for name, rows in seen.items()
        },
        {name: float(np.mean(stated[name]) / rows.var(0).mean()) for name, rows in seen.items()},
    )


def check(outcome: Outcome) -> None:
    for shares in (outcome.covered, outcome.covered_together):
        assert 0.92 <= np.mean(list(shares.values())) <= 0.98, outcome
        assert all(abs(share - 0.95) < 0.077 for share in shares.values()), outcome
    assert max(outcome.drift.values()) < 5, outcome
    assert all(0.8 < ratio < 1.25 for ratio in outcome.promised.values()), outcome


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_intervals_of_a_mixed_survey_cover_the_truth_as_often_as_they_say(epsilon: float) -> None:
    check(run(hm.Survey("s", ATTRIBUTES, epsilon)))


def test_intervals_of_the_papers_mechanisms_cover_the_truth_as_often_as_they_say() -> None:
    check(run(hm.Survey("s", ATTRIBUTES, 1.0, mechanism="harmony")))


def test_tiers_mixed_one_to_one_to_one_stay_unbiased_and_covered() -> None:
    check(run(hm.Survey("s", ATTRIBUTES, tiers=[0.5, 1.0, 2.0])))


def test_several_answers_a_report_stay_unbiased_and_covered() -> None:
    check(run(hm.Survey("s", ATTRIBUTES, 6.0, answers=3)))
