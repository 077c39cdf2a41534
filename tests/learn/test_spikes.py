"""Labels of which most are one number are seen with the others, from which their mean comes."""

from __future__ import annotations

import numpy as np
import pytest

from harmony import Boolean, Numeric
from harmony.learn import Training
from harmony.learn.allocation import Allocation
from harmony.learn.collecting import train
from harmony.learn.density import Counts, Density
from harmony.learn.placing import Places
from harmony.learn.records import Records
from harmony.learn.spikes import MOST_FOR_OTHERS, Spiked, find_others, has_spike, label_range

FEATURES = [Numeric("x", 0, 1)]


def counts(*shares: float) -> Counts:
    edges = np.linspace(-1, 1, len(shares) + 1)
    return Counts(edges, np.array(shares), np.full(len(shares), 1e-4))


@pytest.mark.parametrize("high", [200, 2000])
@pytest.mark.parametrize("sign", [1, -1])
def test_what_few_people_spend_makes_the_level(high: float, sign: int) -> None:
    """Four in five spend nothing; a level that lacks the others is off by .4 deviations.

    On six other seeds, these four cases each, it was off by -.018 with a deviation of .041, so off
    by .25 is more than five of those: less than once in a million times, were they normal.
    """
    rng = np.random.default_rng(5)
    n = 60_000
    spent = sign * np.where(rng.random(n) < 0.8, 0.0, rng.exponential(30, n)).clip(0, high)
    label = Numeric("spent", min(0, sign * high), max(0, sign * high))
    training = Training("spending", 2.0, "squared", label, FEATURES, n)
    records = Records({"x": rng.random(n), "spent": spent}, FEATURES, label)
    trainer = train(training, records, seed=1)
    predicted = float(np.mean(trainer.model.predict({"x": rng.random(1000)})))
    assert abs(predicted - spent.mean()) < 0.25 * spent.std()
    assert trainer.spent <= n


def test_a_spike_is_what_cannot_be_cut() -> None:
    spiky, even = counts(0.1, 0.8, 0.1), counts(0.3, 0.4, 0.3)
    assert has_spike([even, even, spiky, spiky])
    assert has_spike([even, even, spiky, spiky, even])  # bins of the last one were cut otherwise
    assert not has_spike([spiky, spiky, spiky, even])
    assert not has_spike([spiky, spiky, spiky])  # one more stage may cut it


@pytest.mark.parametrize("at", [0.0, 400.0, 1000.0])
def test_a_range_reaches_the_others_on_their_side(at: float) -> None:
    """A fifth is 60 to 100 from the spike, above it, unless that is where the domain ends."""
    side = -1 if at == 1000 else 1
    inner = [at + side * away for away in (1, 30, 60, 100, 300)]
    edges = np.unique([0.0, 1000.0, at - side, *inner])
    edges = edges[(edges >= 0) & (edges <= 1000)]
    spike = np.histogram([at + side * 0.5], edges)[0]
    told = 0.8 * spike + 0.2 * np.histogram([at + side * 80], edges)[0]
    found = Spiked.believing([Counts(edges, told, np.full(len(told), 1e-4))])
    low, high = found.range(1e-4)
    reached, other = (high - at, at - low) if side > 0 else (at - low, high - at)
    assert 80 < reached < 300
    assert 0 <= other < 40


def test_noise_at_the_far_end_of_a_domain_is_not_followed_by_few_devices() -> None:
    """A tenth of the devices seem to be there, by two standard errors, and as many near the spike.

    A range that followed them would be thousands of times too wide for those.
    """
    edges = np.array([0.0, 0.1, 1.0, 900.0, 1000.0])
    told = Counts(edges, np.array([0.8, 0.1, 0.0, 0.1]), np.full(4, 0.05**2))
    _, high = Spiked.believing([told]).range(0.01)
    assert high < 100


def test_others_that_are_no_hump_are_seen_where_devices_surely_tell_of_them() -> None:
    """A tenth is near the spike, and a tenth at the far end of the domain."""
    label, places = Numeric("y", -1, 1), Places()
    edges = np.array([-1.0, -0.9999, -0.99, 0.8, 1.0])
    told = Counts(edges, np.array([0.8, 0.1, 0.0, 0.1]), np.full(4, 0.002**2))
    places.counts["y"], places.sizes["y"] = [told] * 4, 4 / 0.002**2
    places.densities["y"] = Density.vague(-1, 1).believing([told])
    assert not Spiked.believing([told] * 4).fits
    seen, points = label_range(places, label, 1e-4)
    assert seen.high > 0.8
    assert abs(points.mean() - (0.1 * 0.9 - 0.9)) < 0.05


def test_only_labels_with_a_spike_take_more_devices() -> None:
    label = Numeric("y", 0, 3)
    training = Training("t", 1.0, "squared", label, [Boolean("x")], 20_000)
    for shares, asks in (((0.8, 0.1, 0.1), True), ((0.4, 0.3, 0.3), False)):
        places, allocation = Places(), Allocation(training)
        before = allocation.level_devices + allocation.descending_devices
        places.counts["y"] = [counts(*shares)] * 4
        requests = list(find_others(training, allocation, places)) if not asks else []
        if asks:
            requests.append(next(find_others(training, allocation, places)))
        after = allocation.level_devices + allocation.descending_devices
        assert len(requests) == asks
        assert before - after == allocation.others_devices == sum(one.devices for one in requests)
        assert allocation.others_devices <= MOST_FOR_OTHERS * training.devices
