"""A device never spends more than its owner allows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harmony_device import Device, EpsilonLimit
from harmony_device.limits import billionths

from .conftest import VALUES, Clock, small_survey, vectors
from .fake_server import DirectTransport, FakeServer

Start = Callable[..., Device]
DAY = 86400.0


def test_a_number_bounds_reports_rounds_and_months_alike() -> None:
    limit = EpsilonLimit.of(4)
    assert (limit.per_report, limit.per_round, limit.per_30_days) == (4.0, 4.0, 4.0)


@pytest.mark.parametrize("limit", [-1, float("nan"), "4", None, True])
def test_a_limit_must_be_a_number(limit: object, device: Start) -> None:
    with pytest.raises(ValueError, match="per_30_days"):
        device(epsilon_limit=limit)


@pytest.mark.parametrize(
    ("epsilon", "whole"),
    [
        (1.0, 10**9),
        (20, 20 * 10**9),
        (0.1, 10**8),
        (4.9e-10, 0),
        (5e-10, 1),
        (1.4999e-9, 1),
        (1.5e-9, 2),
        (float("inf"), float("inf")),
        (1e300, float("inf")),
    ],
)
def test_an_epsilon_is_rounded_to_billionths(epsilon: float, whole: float) -> None:
    assert billionths(epsilon) == whole


def test_a_report_beyond_the_limit_is_not_made(device: Start, server: FakeServer) -> None:
    visit = device(epsilon_limit=EpsilonLimit(per_report=0.9, per_30_days=10)).answer(VALUES)
    assert visit.skipped == {"small": "per_report: 0 spent and 1 asked, the limit is 0.9"}
    assert (device().ledger(), server.seen) == ([], [])


def test_surveys_of_one_round_share_its_limit(device: Start, server: FakeServer) -> None:
    for name in "abc":
        server.publish(small_survey(name=name))
    visit = device(epsilon_limit=EpsilonLimit(per_round=2, per_30_days=10)).answer(VALUES)
    assert len(visit.accepted) == 2
    assert set(visit.skipped.values()) == {"per_round: 2 spent and 1 asked, the limit is 2"}


def test_thirty_days_share_a_limit_and_then_free_it(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    answered = []
    for week in range(10):
        server.open_round("small", f"week{week}")
        answered.append(len(device(epsilon_limit=3).answer(VALUES).answered))
        clock.now += 7 * DAY
    # Weeks 0, 1, 2 spend the limit; week 5 is the first that sees week 0 gone, and so on.
    assert answered == [1, 1, 1, 0, 0, 1, 1, 1, 0, 0]


def test_a_clock_that_jumps_back_frees_nothing(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    spent = 0
    for jump in range(20):
        server.open_round("small", f"round{jump}")
        clock.now += 40 * DAY * (-1 if jump % 2 == 0 else 0.5)
        spent += len(device(epsilon_limit=2).answer(VALUES).answered)
    assert spent == 2


def test_a_clock_that_was_behind_frees_nothing_when_it_is_set_right(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    answered = []
    for label, jump in (("1", 0), ("2", -60), ("3", 60)):
        clock.now += jump * DAY
        server.open_round("small", label)
        answered.append(len(device(epsilon_limit=2).answer(VALUES).answered))
    assert answered == [1, 1, 0]


def test_small_epsilons_add_up_exactly(device: Start, server: FakeServer) -> None:
    document = small_survey(epsilon=0.6)
    answered = 0
    for label in range(12):
        server.publish(document, f"round{label}")
        answered += len(device(epsilon_limit=6.0).answer(VALUES).answered)
    assert answered == 10


def test_the_best_tier_within_the_limits_is_taken(device: Start) -> None:
    server = FakeServer(vectors("reports")["surveys"]["tiers"])  # tiers of 0.5 and 2
    values = {"wifi": True, "plan": "g"}
    spent = []
    for label in range(4):
        server.open_round("tiers", f"round{label}")
        record = {"wifi": bool, "plan": str}
        transport = DirectTransport(server)
        running = device(transport=transport, epsilon_limit=3.0, record=record)
        running.answer(values)
        spent = [entry.epsilon for entry in running.ledger()]
    assert spent == [2.0, 0.5, 0.5]
    tiers = [bytes.fromhex(report)[16] for report in server.reports.values()]
    assert tiers == [1, 0, 0]


def test_a_limit_of_zero_answers_nothing(device: Start, server: FakeServer) -> None:
    assert not device(epsilon_limit=0).answer(VALUES).answered
    assert server.seen == []


def test_forgetting_and_joining_again_does_not_refill_the_limit(
    device: Start, server: FakeServer
) -> None:
    device(epsilon_limit=1).answer(VALUES)
    device(epsilon_limit=1).forget()
    device(epsilon_limit=1).rejoin()
    server.open_round("small", "2")
    assert not device(epsilon_limit=1).answer(VALUES).answered
