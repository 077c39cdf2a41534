"""Enough devices get a task, and the others hear when they will be needed."""

from __future__ import annotations

from harmony.service.training.pacing import TASK_SECONDS, Pacing


def device(number: int) -> bytes:
    return number.to_bytes(16, "little")


def ask(pacing: Pacing, count: int, now: float, first: int = 0) -> list[float | None]:
    return [pacing.wait(device(first + number), now) for number in range(count)]


def test_a_tenth_more_tasks_are_given_than_reports_are_wanted() -> None:
    pacing = Pacing(round=1, wanted=1000, started=0.0, longest=3600.0)
    waits = ask(pacing, 2000, now=0.0)
    assert waits.count(None) == pacing.given == 1103


def test_tasks_go_on_as_long_as_reports_come_in() -> None:
    pacing, heard = Pacing(round=1, wanted=1000, started=0.0, longest=3600.0), 0
    for second in range(100):
        if None not in ask(pacing, 20, now=float(second), first=20 * second):
            break
        heard = min(pacing.given - pacing.given // 20, 1000)  # one in twenty dies
        pacing.observe(heard, heard)
    assert heard == 1000


def test_devices_that_die_are_replaced_after_a_while() -> None:
    pacing = Pacing(round=1, wanted=100, started=0.0, longest=3600.0)
    ask(pacing, 200, now=0.0)  # all of them die
    assert None not in ask(pacing, 10, now=TASK_SECONDS / 2, first=1000)
    assert ask(pacing, 10, now=TASK_SECONDS + 1, first=2000) == [None] * 10


def test_waits_grow_by_a_step_for_every_step_full_of_devices() -> None:
    pacing = Pacing(round=1, wanted=100, started=0.0, longest=3600.0)
    ask(pacing, 113, now=0.0)
    pacing.observe(50, 50)  # half of a step in ten seconds
    waits = [wait for wait in ask(pacing, 1000, now=10.0, first=1000) if wait is not None]
    assert waits == sorted(waits)
    assert 10 <= waits[0] < 11
    assert abs(waits[500] - waits[100] - 4 * 20) < 1e-6


def test_a_full_step_gives_no_task_until_the_next_one_opens() -> None:
    pacing = Pacing(round=1, wanted=100, started=0.0, longest=3600.0)
    ask(pacing, 100, now=0.0)
    pacing.observe(100, 100)
    (wait,) = ask(pacing, 1, now=5.0, first=500)
    assert wait is not None
    assert 1 <= wait < 2
    assert ask(pacing.next(2, 100, 5.0), 1, now=5.0, first=500) == [None]


def test_a_server_that_starts_when_the_step_is_nearly_full_sends_nobody_away_for_long() -> None:
    pacing = Pacing(round=1, wanted=1000, started=50.0, longest=3600.0)
    pacing.observe(990, 0)
    pacing.observe(1001, 11)
    (wait,) = ask(pacing, 1, now=51.0)
    assert wait == 1.0


def test_servers_that_share_the_devices_share_the_tasks() -> None:
    pacing = Pacing(round=1, wanted=1000, started=0.0, longest=3600.0)
    ask(pacing, 400, now=0.0)
    pacing.observe(0, 0)
    pacing.observe(1000, 400)
    following = pacing.next(2, 1000, 10.0)
    assert ask(following, 2000, now=10.0, first=5000).count(None) == 443


def test_a_server_that_starts_in_the_middle_does_not_think_that_others_have_the_rest() -> None:
    pacing = Pacing(round=1, wanted=1000, started=50.0, longest=3600.0)
    pacing.observe(900, 0)
    pacing.observe(1000, 100)
    assert pacing.next(2, 1000, 60.0).share == 1.0
