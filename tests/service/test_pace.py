"""Enough devices get a task, and the others hear when they will be needed."""

from __future__ import annotations

from harmony.service.training.pacing import TASK_SECONDS, Pace


def device(number: int) -> bytes:
    return number.to_bytes(16, "little")


def ask(pace: Pace, count: int, now: float, first: int = 0) -> list[float | None]:
    return [pace.wait(device(first + number), now) for number in range(count)]


def test_a_tenth_more_tasks_are_given_than_reports_are_wanted() -> None:
    pace = Pace(round=1, wanted=1000, started=0.0, longest=3600.0)
    answers = ask(pace, 2000, now=0.0)
    assert answers.count(None) == pace.given == 1103


def test_tasks_go_on_as_long_as_reports_come_in() -> None:
    pace, heard = Pace(round=1, wanted=1000, started=0.0, longest=3600.0), 0
    for second in range(100):
        if None not in ask(pace, 20, now=float(second), first=20 * second):
            break
        heard = min(pace.given - pace.given // 20, 1000)  # one in twenty dies
        pace.saw(heard, heard)
    assert heard == 1000


def test_devices_that_die_are_replaced_after_a_while() -> None:
    pace = Pace(round=1, wanted=100, started=0.0, longest=3600.0)
    ask(pace, 200, now=0.0)  # all of them die
    assert None not in ask(pace, 10, now=TASK_SECONDS / 2, first=1000)
    assert ask(pace, 10, now=TASK_SECONDS + 1, first=2000) == [None] * 10


def test_waits_grow_by_a_step_for_every_step_full_of_devices() -> None:
    pace = Pace(round=1, wanted=100, started=0.0, longest=3600.0)
    ask(pace, 113, now=0.0)
    pace.saw(50, 50)  # half of a step in ten seconds
    waits = [wait for wait in ask(pace, 1000, now=10.0, first=1000) if wait is not None]
    assert waits == sorted(waits)
    assert 10 <= waits[0] < 11
    assert abs(waits[500] - waits[100] - 4 * 20) < 1e-6


def test_a_full_step_gives_no_task_until_the_next_one_opens() -> None:
    pace = Pace(round=1, wanted=100, started=0.0, longest=3600.0)
    ask(pace, 100, now=0.0)
    pace.saw(100, 100)
    (wait,) = ask(pace, 1, now=5.0, first=500)
    assert wait is not None
    assert 1 <= wait < 2
    assert ask(pace.next(2, 100, 5.0), 1, now=5.0, first=500) == [None]


def test_a_server_that_starts_when_the_step_is_nearly_full_sends_nobody_away_for_long() -> None:
    pace = Pace(round=1, wanted=1000, started=50.0, longest=3600.0)
    pace.saw(990, 0)
    pace.saw(1001, 11)
    (wait,) = ask(pace, 1, now=51.0)
    assert wait == 1.0


def test_servers_that_share_the_devices_share_the_tasks() -> None:
    pace = Pace(round=1, wanted=1000, started=0.0, longest=3600.0)
    ask(pace, 400, now=0.0)
    pace.saw(0, 0)
    pace.saw(1000, 400)
    following = pace.next(2, 1000, 10.0)
    assert ask(following, 2000, now=10.0, first=5000).count(None) == 443


def test_a_server_that_starts_in_the_middle_does_not_think_that_others_have_the_rest() -> None:
    pace = Pace(round=1, wanted=1000, started=50.0, longest=3600.0)
    pace.saw(900, 0)
    pace.saw(1000, 100)
    assert pace.next(2, 1000, 60.0).share == 1.0
