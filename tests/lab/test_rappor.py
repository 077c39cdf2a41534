"""RAPPOR's decoding and its follow-up, end to end on simulated reports."""

from __future__ import annotations

import numpy as np
import pytest

from harmony.lab.baselines import KaryResponse, Rappor, association, detect, joint_distribution


def test_decoding_finds_the_values_that_occur_and_no_others() -> None:
    """The detected set is exact here for this seed; false detections are bounded at 5%."""
    rappor = Rappor(k=50, bits=32, hashes=2, cohorts=16)
    rng = np.random.default_rng(1)
    data = rng.choice([3, 11, 30], 100_000, p=[0.5, 0.3, 0.2])
    found = detect(rappor, rappor.randomize(data, rng))
    assert [one.value for one in found] == [3, 11, 30]
    for one, true in zip(found, (0.5, 0.3, 0.2), strict=True):
        assert abs(one.frequency - true) < 5 * one.stderr


def test_a_second_report_of_a_value_reuses_the_permanent_response() -> None:
    rappor = Rappor(k=4, p=0.0, q=1.0)  # without the instantaneous step the bits are the permanent
    rng = np.random.default_rng(2)
    cohorts, data = rng.integers(0, 8, 100), rng.integers(0, 4, 100)
    permanent = rappor.permanent(data, cohorts, rng)
    first, second = (rappor.instantaneous(permanent, rng) for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    "mechanism", [KaryResponse(2.0, 3), Rappor(3, bits=4, cohorts=3, f=0.2, q=0.9)]
)
def test_the_joint_distribution_and_the_association_test(mechanism) -> None:
    """Cells within 5 standard errors (false alarms 1e-5); the tests reject at 1% or not."""
    rng = np.random.default_rng(3)
    n = 40_000
    left = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    tied = np.where(rng.random(n) < 0.5, left, rng.choice(3, n, p=[0.4, 0.4, 0.2]))
    free = rng.choice(3, n, p=[0.4, 0.4, 0.2])
    sent = mechanism.randomize(left, rng)
    for right, dependent in ((tied, True), (free, False)):
        joint = joint_distribution(mechanism, sent, mechanism, mechanism.randomize(right, rng))
        truth = np.histogram2d(left, right, bins=3)[0] / n
        errors = np.sqrt(np.diag(joint.covariance)).reshape(3, 3)
        assert np.all(np.abs(joint.distribution - truth) < 5 * errors)
        assert (association(joint).p_value < 0.01) == dependent


def test_the_association_test_rejects_independent_pairs_as_often_as_it_says() -> None:
    """60 tests at 10%: more than 15 rejections has probability 1e-4."""
    rng = np.random.default_rng(4)
    response = KaryResponse(1.5, 2)
    rejected = 0
    for _ in range(60):
        reports = [response.randomize(rng.integers(0, 2, 5000), rng) for _ in range(2)]
        joint = joint_distribution(response, reports[0], response, reports[1])
        rejected += association(joint).p_value < 0.1
    assert rejected <= 15
