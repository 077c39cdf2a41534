"""The attacks find what is broken, and nothing in what we ship.

Confidence is 1 - 1e-6 wherever a bound must hold, so each such test has false alarms of 1e-6.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest

import harmony as hm
from harmony.lab.attack import (
    attack,
    attack_survey,
    baseline_sampler,
    binned_sampler,
    clopper_pearson,
    measure_poisoning,
)
from harmony.lab.baselines import Duchi, FiniteBaseline, HybridMechanism, Laplace, Piecewise, Warner

from .cases import CASES, label

SURE = 1 - 1e-6


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_duchi_as_published_is_broken_for_even_d_and_fixed_for_all(d: int, fixed: bool) -> None:
    """d = 6 exceeds by log(42/22) = 0.65, the least of the three: found with certainty."""
    duchi = Duchi(1.0, d, fixed)
    sampler, inputs = baseline_sampler(duchi, np.random.default_rng(d))
    pairs = [0, inputs - 1]  # opposite corners: any two opposite ones are as good
    bound = attack(
        duchi.name, lambda place, count: sampler(pairs[place], count), 2, 1.0,
        samples=60_000, confidence=SURE,
    )  # fmt: skip
    assert bound.violated == (not fixed and d % 2 == 0)
    assert bound.lower <= duchi.exact_epsilon()
    assert bound.lower > 0.75 * duchi.exact_epsilon()


def test_the_ratio_of_duchi_as_published_at_d_2_is_three_times_too_large() -> None:
    sampler, inputs = baseline_sampler(Duchi(1.0, 2, fixed=False), np.random.default_rng(1))
    bound = attack("Duchi", sampler, inputs, 1.0, samples=400_000, confidence=0.99)
    assert 1 + np.log(2.8) < bound.lower < 1 + np.log(3)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if isinstance(case, FiniteBaseline) and case.epsilon >= 1],
    ids=label,
)
def test_no_bound_exceeds_the_exact_epsilon(case: FiniteBaseline) -> None:
    sampler, inputs = baseline_sampler(case, np.random.default_rng(2))
    bound = attack(
        case.name, lambda p, n: sampler(p * (inputs - 1), n), 2, case.epsilon,
        samples=20_000, confidence=SURE,
    )  # fmt: skip
    assert bound.lower <= case.exact_epsilon()


@pytest.mark.parametrize(
    ("case", "data"),
    [
        (Laplace(1.0, 1), np.array([[-1.0], [1.0]])),
        (Piecewise(1.0), np.array([-1.0, 1.0])),
        (HybridMechanism(1.0), np.array([-1.0, 1.0])),
    ],
)
def test_continuous_mechanisms_are_attacked_by_bins(case, data) -> None:
    sampler, inputs = binned_sampler(case, data, np.linspace(-5, 5, 21), np.random.default_rng(3))
    bound = attack(case.name, sampler, inputs, 1.0, samples=100_000, confidence=SURE)
    assert 0.85 < bound.lower <= 1.0


def test_a_mechanism_that_says_less_than_it_leaks_is_caught() -> None:
    """Warner at epsilon 1 that claims 0.9."""
    sampler, inputs = baseline_sampler(Warner(1.0), np.random.default_rng(4))
    assert attack("liar", sampler, inputs, 0.9, samples=400_000, confidence=0.99).violated


def shipped() -> list[hm.Survey]:
    attributes = [
        hm.Numeric("battery", 0, 100),
        hm.Categorical("theme", ["light", "dark", "auto"]),
        hm.Categorical("maker", [f"maker {place}" for place in range(16)]),
        hm.Numeric("memory", 0, 8, bins=4),
    ]
    return [
        hm.Survey("auto", attributes, epsilon=1.0),
        hm.Survey("paper", attributes, epsilon=1.0, mechanism="harmony"),
        hm.Survey("several", attributes, epsilon=4.0, answers=2),
        hm.Survey("tiers", attributes[:2], tiers=[0.5, 2.0]),
    ]


@pytest.mark.parametrize("survey", shipped(), ids=lambda survey: survey.name)
def test_what_we_ship_keeps_epsilon_under_attack(survey: hm.Survey) -> None:
    """Through the device SDK's own make_report; the randomness is seeded for the test."""
    rng = np.random.default_rng(5)
    bounds = attack_survey(survey, samples=2000, confidence=SURE, random_bytes=rng.bytes)
    assert len(bounds) == len(survey.tiers) * len(survey.attributes)
    assert not any(bound.violated for bound in bounds)
    assert max(bound.lower / bound.claimed for bound in bounds) > 0.2  # the attack has teeth


def test_the_device_sdk_is_attacked_in_a_process_of_its_own() -> None:
    survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=2.0)
    (bound,) = attack_survey(survey, samples=20_000, confidence=SURE, process=True)
    assert 1.7 < bound.lower <= 2.0


def test_a_device_program_that_does_not_randomise_is_caught(tmp_path) -> None:
    program = tmp_path / "device.py"
    program.write_text(
        "import json, sys\n"
        "from harmony_device import Survey, make_report\n"
        "a = json.load(sys.stdin)\n"
        "seed, device = bytes.fromhex(a['seed']), bytes.fromhex(a['device'])\n"
        "report = make_report(Survey(a['survey']), seed, device, 0, a['values'], bytes)\n"
        "sys.stdout.buffer.write(report * a['count'])\n"
    )
    survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=2.0)
    command = [sys.executable, str(program)]
    (bound,) = attack_survey(survey, samples=2000, confidence=SURE, command=command)
    assert bound.violated


def test_a_device_program_that_fails_is_an_error() -> None:
    survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=2.0)
    with pytest.raises(hm.HarmonyError, match="did not write"):
        attack_survey(survey, samples=200, command=[sys.executable, "-c", "raise SystemExit(1)"])


def test_clopper_pearson_bounds_hold_as_often_as_they_say() -> None:
    """2,000 bounds at 5%: more than 145 misses has probability 1e-5."""
    rng = np.random.default_rng(6)
    hits = rng.binomial(50, 0.3, 2000)
    bounds = {int(hit): clopper_pearson(int(hit), 50, 0.05) for hit in set(hits.tolist())}
    assert sum(bounds[int(hit)][0] > 0.3 for hit in hits) <= 145
    assert sum(bounds[int(hit)][1] < 0.3 for hit in hits) <= 145


@pytest.mark.parametrize("assigned", [True, False])
def test_poisoning_moves_a_mean_as_the_design_says(assigned: bool) -> None:
    """1% of the devices, epsilon 1, d = 16: 0.02 where coins are assigned, 0.34 where not.

    Within 5 standard errors; false alarms 1e-5 (t with 19 degrees of freedom).
    """
    measured = measure_poisoning(assigned=assigned, devices=40_000, runs=20)
    expected = 0.01 * 2.164 if assigned else 0.01 * 2.164 * 16
    assert abs(measured.paper_bias - expected) < 5.5 * measured.stderr


def test_poisoning_a_frequency() -> None:
    attributes = [hm.Categorical(f"set {place}", ["on", "off", "auto"]) for place in range(8)]
    bias = {
        assigned: measure_poisoning(
            attributes, mechanism="auto", assigned=assigned, devices=20_000, runs=10
        ).bias
        for assigned in (True, False)
    }
    reach = hm.Survey("x", attributes, epsilon=1.0).mechanisms[0][0].highest
    assert bias[False] > 3 * bias[True]
    assert bias[False] == pytest.approx(0.01 * reach * 8 / (0.99 + 0.08), rel=0.25)


def test_wrong_settings_are_refused() -> None:
    sampler, _ = baseline_sampler(Warner(1.0), np.random.default_rng(7))
    with pytest.raises(hm.HarmonyError, match="two inputs"):
        attack("one", sampler, 1, 1.0)
    with pytest.raises(hm.HarmonyError, match="confidence"):
        attack("sure", sampler, 2, 1.0, confidence=1.0)
    with pytest.raises(hm.HarmonyError, match="dishonest"):
        measure_poisoning(dishonest=0.0)


def test_a_grid_table_through_the_device_kernel_is_as_the_audit_says() -> None:
    """The exact audit and the attack agree on one table: 0.9 epsilon < attack <= audit."""
    survey = hm.Survey("one", [hm.Numeric("x", -1, 1)], epsilon=2.0)
    rng = np.random.default_rng(8)
    (bound,) = attack_survey(survey, samples=20_000, confidence=SURE, random_bytes=rng.bytes)
    assert 1.5 < bound.lower <= hm.audit(survey).epsilon
    assert Fraction(survey.mechanisms[0][0].epsilon) == 2
