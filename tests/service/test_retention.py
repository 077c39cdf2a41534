"""Retention: when a closed round's time has come its reports end, and its tally stays."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from harmony.service import retention, state
from harmony.service.activity import REPORTS_DROPPED
from harmony.service.clock_jumps import STEADY_SECONDS
from harmony.service.retention import DAY, Retention
from harmony.service.sealing import NO_KEY, seal

from .conftest import SURVEY, Service, purge, recount
from .devices import Enrolled, any_report, report_body
from .training import SMALL, create, fill_step, finish

Start = Callable[..., Service]


class Time:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.steady = 0.0

    def clock(self) -> float:
        return self.now

    def look(self, service: Service, seconds: float = STEADY_SECONDS) -> int:
        """Let a server look whether something is due, now and after some seconds."""
        looking = Retention(service.state.database, self.clock, lambda: self.steady)
        looking.look()
        self.steady += seconds
        dropped = looking.look()
        purge(looking)
        service.state.catalogue.reload()
        return dropped


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def service(serve: Start, time: Time, monkeypatch: pytest.MonkeyPatch) -> Service:
    monkeypatch.setattr(state, "RETAIN_SECONDS", 3600)  # the tests look themselves
    return serve(clock=time.clock)


def settings(service: Service, name: str = SURVEY.name, **wanted: Any) -> Any:
    """Settle something anew, as an admin."""
    path = f"/v1/surveys/{name}/settings"
    return service.client.patch(path, json=wanted, headers=service.admin)


def report(service: Service, label: str, devices: int) -> list[Enrolled]:
    """Let some devices report."""
    enrolled = [service.enrol() for _ in range(devices)]
    live = service.state.catalogue.round(SURVEY.name, label).live
    for number, device in enumerate(enrolled):
        body = report_body(label, any_report(live, device.device, symbol=number % 2))
        assert service.send(device, body).status_code == 201
    return enrolled


def rows(service: Service) -> int:
    """Return how many rows with reports the database has."""
    table = "chunks" if service.state.database.is_sqlite else "reports"
    with service.state.database.read() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def keys(service: Service) -> list[bytes]:
    with service.state.database.read() as connection:
        stored = connection.execute(text("SELECT secret FROM round_keys ORDER BY number"))
        return [bytes(secret) for secret in stored.scalars()]


def dropped(service: Service) -> list[tuple[str, dict[str, Any]]]:
    """Return what the record says was dropped, oldest first."""
    entries = service.state.activity.entries()
    return [(one.subject, one.detail) for one in reversed(entries) if one.act == REPORTS_DROPPED]


def test_after_the_time_reports_are_gone_and_the_tally_is_the_same(
    service: Service, time: Time
) -> None:
    service.open("week1")
    report(service, "week1", 20)
    service.state.catalogue.close(SURVEY.name, "week1")
    service.open("week2")
    report(service, "week2", 5)
    before = service.tally("week1")
    time.now += 30 * DAY - 1
    assert time.look(service) == 0
    assert service.recount("week1") == before
    time.now += 1
    assert time.look(service) == 1
    assert service.tally("week1") == before
    assert service.recount("week1").reports == 0
    assert service.tally("week2") == service.recount("week2")
    assert service.tally("week2").reports == 5
    assert keys(service)[0] == NO_KEY != keys(service)[1]
    assert dropped(service) == [(f"{SURVEY.name} week1", {"reports": 20})]
    path = f"/v1/surveys/{SURVEY.name}/rounds"
    listed = service.client.get(path, headers=service.admin).json()["rounds"]
    assert [one["reports_dropped"] is None for one in listed] == [False, True]
    assert listed[0]["reports_until"] == listed[0]["reports_dropped"]
    assert time.look(service) == 0
    assert len(dropped(service)) == 1


def test_deleting_a_device_subtracts_its_counts_only_where_reports_are_left(
    service: Service, time: Time
) -> None:
    live = service.open("week1")
    gone, *_ = report(service, "week1", 3)
    service.state.catalogue.close(SURVEY.name, "week1")
    time.now += 30 * DAY
    live = service.open("week2")
    service.send(gone, report_body("week2", any_report(live, gone.device)))
    report(service, "week2", 2)
    assert time.look(service) == 1
    assert service.client.delete("/v1/devices/me", headers=gone.headers).status_code == 204
    assert [service.tally(label).reports for label in ("week1", "week2")] == [3, 2]
    assert service.tally("week2") == service.recount("week2")


@pytest.mark.parametrize("how", ["by hand", "by its time", "by the next round"])
def test_without_retention_reports_end_when_the_round_does(
    service: Service, time: Time, how: str
) -> None:
    service.state.catalogue.add(SURVEY, None, retention=0)
    closes = None if how == "by hand" else time.now + 60
    service.state.catalogue.open(SURVEY.name, "week1", closes)
    report(service, "week1", 4)
    tally, (key,) = service.tally("week1"), keys(service)
    assert key != NO_KEY
    if how == "by hand":
        service.state.catalogue.close(SURVEY.name, "week1")
    else:
        time.now += 60
        if how == "by its time":
            service.state.catalogue.follow_schedules()
        else:
            service.state.catalogue.open(SURVEY.name, "week2")
    assert keys(service)[0] == NO_KEY  # at once, whatever the clock does later
    assert service.state.catalogue.round(SURVEY.name, "week1").dropped is not None
    assert service.recount("week1").reports == 0
    assert service.tally("week1") == tally
    time.look(service)
    assert rows(service) == 0


def test_the_steps_of_a_training_end_together_once_it_has_ended(
    service: Service, time: Time
) -> None:
    create(service, retention_days=7)
    fill_step(service)
    time.now += 8 * DAY  # the first step is closed long enough, but devices may come again
    assert time.look(service) == 0
    finish(service)
    steps = service.state.trainings.training(SMALL.name).rounds.values()
    tallies = [service.state.catalogue.tally(step) for step in steps]
    model = service.state.trainings.progress(SMALL.name).trainer.model.to_document()
    time.now += 7 * DAY
    assert time.look(service) == len(tallies)
    steps = service.state.trainings.training(SMALL.name).rounds.values()
    assert [service.state.catalogue.tally(step) for step in steps] == tallies
    assert all(recount(service.state, step.live).reports == 0 for step in steps)
    assert service.state.trainings.progress(SMALL.name).trainer.model.to_document() == model
    assert rows(service) == 0
    assert keys(service) == [NO_KEY]
    assert dropped(service) == [(SMALL.name, {"reports": sum(one.reports for one in tallies)})]


def test_a_training_without_retention_drops_all_when_it_ends(service: Service) -> None:
    create(service, retention_days=0)
    fill_step(service)
    assert keys(service) != [NO_KEY]
    finish(service)
    assert keys(service) == [NO_KEY]


def test_a_shorter_time_holds_for_every_round_and_asks_for_the_name(
    service: Service, time: Time
) -> None:
    service.open("week1")
    report(service, "week1", 2)
    service.state.catalogue.close(SURVEY.name, "week1")
    time.now += 10 * DAY
    refused = settings(service, retention_days=5)
    assert refused.status_code == 422
    assert "'confirm' must be 'phones'" in refused.json()["detail"]
    assert settings(service, retention_days=5, confirm="phone").status_code == 422
    assert time.look(service) == 0
    changed = settings(service, retention_days=5, confirm="phones").json()
    assert changed["retention_days"] == 5
    assert time.look(service) == 1
    assert service.tally("week1").reports == 2


def test_no_retention_at_all_drops_what_is_closed_at_once(service: Service) -> None:
    service.open("week1")
    report(service, "week1", 2)
    service.state.catalogue.close(SURVEY.name, "week1")
    assert settings(service, retention_days=0, confirm="phones").status_code == 200
    assert keys(service) == [NO_KEY]


def test_a_longer_time_is_for_rounds_that_open_later(service: Service, time: Time) -> None:
    service.open("week1")
    report(service, "week1", 2)
    assert settings(service, retention_days=90).status_code == 200  # people were promised 30
    service.state.catalogue.close(SURVEY.name, "week1")
    service.open("week2")
    report(service, "week2", 2)
    service.state.catalogue.close(SURVEY.name, "week2")
    time.now += 30 * DAY
    assert time.look(service) == 1
    assert service.recount("week1").reports == 0
    assert service.recount("week2").reports == 2
    time.now += 60 * DAY
    assert time.look(service) == 1


def test_a_trainings_time_only_becomes_shorter(service: Service) -> None:
    create(service, retention_days=7)
    path = f"/v1/trainings/{SMALL.name}/settings"

    def change(**wanted: Any) -> Any:
        return service.client.patch(path, json=wanted, headers=service.admin)

    assert change(retention_days=8).status_code == 409
    assert change(retention_days=6).status_code == 422
    assert change(retention_days=6, confirm=SMALL.name).json()["retention_days"] == 6
    assert change(schedule="daily").status_code == 422


def test_a_clock_that_jumps_for_a_moment_drops_nothing(service: Service, time: Time) -> None:
    service.open("week1")
    report(service, "week1", 2)
    service.state.catalogue.close(SURVEY.name, "week1")
    looking = Retention(service.state.database, time.clock, lambda: time.steady)
    right = time.now
    for _ in range(5):
        time.now = right + 400 * DAY
        assert looking.look() == 0
        time.steady += STEADY_SECONDS - 1
        assert looking.look() == 0
        time.now = right
        assert looking.look() == 0
        time.steady += STEADY_SECONDS
    assert service.recount("week1").reports == 2


def test_a_round_that_closed_by_a_clock_far_ahead_is_kept_no_longer(
    service: Service, time: Time
) -> None:
    service.open("week1")
    report(service, "week1", 2)
    right, time.now = time.now, time.now + 1000 * DAY
    service.state.catalogue.close(SURVEY.name, "week1")
    time.now = right
    assert time.look(service) == 0  # and its closing time is corrected
    time.now += 30 * DAY
    assert time.look(service) == 1


def test_a_round_that_a_schedule_opened_by_a_clock_far_ahead_makes_way(
    service: Service, time: Time
) -> None:
    catalogue = service.state.catalogue
    catalogue.add(SURVEY, "daily")
    catalogue.follow_schedules()
    (today,) = catalogue.survey(SURVEY.name).rounds
    right, time.now = time.now, time.now + 365 * DAY
    catalogue.follow_schedules()
    assert len(catalogue.survey(SURVEY.name).rounds) == 2
    time.now = right + DAY
    catalogue.follow_schedules()
    assert len(catalogue.survey(SURVEY.name).rounds) == 2  # that of next year is open
    time.look(service)
    catalogue.follow_schedules()
    rounds = catalogue.survey(SURVEY.name).rounds
    ahead, tomorrow = list(rounds)[1:]
    assert today < tomorrow < ahead
    assert rounds[ahead].closed == time.now
    assert catalogue.survey(SURVEY.name).open_round(time.now) is rounds[tomorrow]


def test_a_round_that_a_person_opened_by_a_clock_far_ahead_stays(
    service: Service, time: Time
) -> None:
    right, time.now = time.now, time.now + 365 * DAY
    service.open("week1")
    time.now = right
    time.look(service)
    assert service.state.catalogue.round(SURVEY.name, "week1").closed is None


def test_servers_that_look_at_the_same_time_drop_once(serve: Start, time: Time) -> None:
    one, other = serve(clock=time.clock), serve(clock=time.clock)
    for number in range(8):
        one.open(f"round{number}")
        report(one, f"round{number}", 3)
        one.state.catalogue.close(SURVEY.name, f"round{number}")
    before = [one.tally(f"round{number}") for number in range(8)]
    time.now += 31 * DAY
    results: list[int] = []
    barrier = threading.Barrier(4)

    def run(service: Service) -> None:
        looking = Retention(service.state.database, time.clock, lambda: time.steady)
        looking.look()
        barrier.wait()
        time.steady = STEADY_SECONDS
        results.append(looking.look())
        purge(looking)

    threads = [threading.Thread(target=run, args=(server,)) for server in (one, other) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(results) == 8
    assert len(dropped(one)) == 8
    time.look(one)
    assert rows(one) == 0
    other.state.catalogue.reload()
    assert [other.tally(f"round{number}") for number in range(8)] == before


def test_removing_goes_on_after_a_server_was_killed(
    service: Service, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH_BYTES", 1)
    monkeypatch.setattr(retention, "BATCH_ROWS", 1)
    service.state.catalogue.add(SURVEY, None, retention=0)
    service.open("week1")
    report(service, "week1", 6)
    before = rows(service)
    service.state.catalogue.close(SURVEY.name, "week1")
    looking = Retention(service.state.database, time.clock)
    assert looking.purge()
    assert rows(service) <= before - 1
    time.look(service)  # another server goes on
    assert rows(service) == 0
    with service.state.database.read() as connection:
        assert connection.execute(text("SELECT emptied FROM rounds")).scalar_one() is not None


def test_retention_of_the_wrong_form_is_refused(service: Service) -> None:
    service.open("week1")
    for wrong in (-1, 3651, 1.5, "30", None, True, 2**40):
        assert settings(service, retention_days=wrong, confirm="phones").status_code == 422
    path = "/v1/surveys?retention_days=-1"
    assert service.client.post(path, json={}, headers=service.admin).status_code == 422


def test_a_device_cannot_be_told_from_another_once_the_key_is_gone(
    service: Service, time: Time
) -> None:
    """What is left anywhere in the files is a permutation of ids that nobody knows."""
    service.open("week1")
    (device,) = report(service, "week1", 1)
    key = service.state.catalogue.round(SURVEY.name, "week1").live.key
    assert key is not None
    assert seal(device.device, key) != device.device
    service.state.catalogue.close(SURVEY.name, "week1")
    time.now += 30 * DAY
    time.look(service)
    assert service.state.catalogue.round(SURVEY.name, "week1").live.key is None
