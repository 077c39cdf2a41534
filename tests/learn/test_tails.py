"""Labels of which most are one number are seen with their tail, from which their mean comes."""

from __future__ import annotations

import numpy as np
import pytest

from harmony import Numeric
from harmony.learn import Training
from harmony.learn.collecting import train
from harmony.learn.density import Counts, Density
from harmony.learn.records import Records
from harmony.learn.tails import has_spike, with_tails

FEATURES = [Numeric("x", 0, 1)]


def counts(*shares: float) -> Counts:
    return Counts(np.arange(len(shares) + 1.0), np.array(shares), np.full(len(shares), 1e-4))


@pytest.mark.parametrize("high", [200, 2000])
@pytest.mark.parametrize("sign", [1, -1])
def test_what_few_people_spend_makes_the_level(high: float, sign: int) -> None:
    """Four in five spend nothing; a level that lacks the others is off by .4 deviations.

    On six other seeds it was off by -.07 with a deviation of .03, so to be off by .25 takes six of
    those: less than once in a million times, were they normal.
    """
    rng = np.random.default_rng(5)
    n = 60_000
    spent = sign * np.where(rng.random(n) < 0.8, 0.0, rng.exponential(30, n)).clip(0, high)
    label = Numeric("spent", min(0, sign * high), max(0, sign * high))
    training = Training("spending", 2.0, "squared", label, FEATURES, n)
    records = Records({"x": rng.random(n), "spent": spent}, FEATURES, label)
    model = train(training, records, seed=1).model
    predicted = float(np.mean(model.predict({"x": rng.random(1000)})))
    assert abs(predicted - spent.mean()) < 0.25 * spent.std()


def test_a_spike_is_what_cannot_be_cut() -> None:
    spiky, even = counts(0.1, 0.8, 0.1), counts(0.3, 0.4, 0.3)
    assert has_spike([even, spiky, spiky])
    assert not has_spike([spiky, even])
    assert not has_spike([spiky])  # one stage may be cut too coarsely


def test_noise_at_the_far_end_of_a_domain_is_no_tail() -> None:
    """A tenth of the devices seem to be there, by two standard errors of a share."""
    density = Density(np.array([0.0, 0.01, 900.0, 1000.0]), np.array([0.9, 0.0, 0.1]))
    assert with_tails(density, 400.0, 0.0, 0.05) == (0.0, 0.05)


def test_an_end_that_reaches_into_the_tail_stays() -> None:
    density = Density(np.array([0.0, 0.01, 10.0, 1000.0]), np.array([0.7, 0.3, 0.0]))
    assert with_tails(density, 1e6, 0.0, 5.0) == (0.0, 5.0)
