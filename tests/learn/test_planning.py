"""A plan says what to expect of a training, and between what that lies."""

from __future__ import annotations

from itertools import pairwise

import pytest

from harmony import Boolean, Categorical, Numeric
from harmony.attributes import Attribute
from harmony.learn import Training, plan
from harmony.learn.planning import mean_share

NUMBERS = [Numeric(f"x{place}", 0, 1) for place in range(5)]
NUMBER, TWO = Numeric("y", 0, 1), Boolean("y")
FIVE = Categorical("y", range(5))


def training(
    devices: int, label: Attribute = NUMBER, features: list[Attribute] | None = None
) -> Training:
    loss = "logistic" if label.values else "squared"
    return Training("t", 1.0, loss, label, features or NUMBERS, devices)


@pytest.mark.parametrize("label", [NUMBER, TWO, FIVE])
def test_more_devices_close_more(label: Attribute) -> None:
    plans = [plan(training(10**power, label)) for power in range(2, 9)]
    for one, more in pairwise(plans):
        assert one.low <= one.closed <= one.high <= 1
        assert one.low <= more.low
        assert one.closed <= more.closed
        assert one.high <= more.high
    assert plans[0].high < 0.01
    assert plans[-1].low > 0.6


@pytest.mark.parametrize("closed", [0.05, 0.5, 0.9])
def test_planning_devices_and_planning_a_share_are_inverse(closed: float) -> None:
    needed = plan(training(1000), closed=closed)
    reached = plan(training(needed.devices))
    assert reached.closed == pytest.approx(closed, abs=0.001)
    assert (needed.low, needed.high) == (reached.low, reached.high)


def test_rare_classes_close_less() -> None:
    told = [plan(training(40_000, TWO), rate=rate).closed for rate in (0.5, 0.2, 0.05, 0.01)]
    assert told == sorted(told, reverse=True)
    assert told[0] > 0.8 > 0.1 > told[-1]
    assert plan(training(40_000, TWO)).closed == told[1]  # a fifth, unless it is told


def test_a_thousand_values_close_half_with_a_million_devices() -> None:
    """What was reached is .51 (docs/learning.md)."""
    many = training(1_000_000, features=[Categorical("place", range(1000))])
    assert plan(many).closed == pytest.approx(0.51, abs=0.1)


def test_decisions_fall_less_steeply_with_devices_than_plans() -> None:
    few, many = training(6_000), training(60_000)
    assert mean_share(few) > 0.02 > plan(few).closed
    assert mean_share(many) < plan(many).closed
