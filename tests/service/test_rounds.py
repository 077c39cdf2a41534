"""Surveys and rounds: opened and closed by people, by the calendar, by other servers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

import harmony as hm
from harmony.service import state
from harmony.service.catalogue import Catalogue
from harmony.service.schedule import period_at

from .conftest import SURVEY, Service
from .devices import any_report, report_body
from .waiting import wait_until

Start = Callable[..., Service]


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def test_a_survey_is_created_listed_and_read_by_devices(service: Service) -> None:
    definition = SURVEY.definition()
    created = service.client.post("/v1/surveys", json=definition, headers=service.admin)
    assert created.status_code == 201
    surveys = service.client.get("/v1/surveys").json()["surveys"]
    assert [one["name"] for one in surveys] == [SURVEY.name]
    assert surveys[0]["fingerprint"] == SURVEY.fingerprint
    assert surveys[0]["round"] is None
    document = service.client.get(f"/v1/surveys/{SURVEY.name}")
    assert document.json() == SURVEY.to_document()
    tag = document.headers["etag"]
    assert tag == f'"{SURVEY.fingerprint}"'
    again = service.client.get(f"/v1/surveys/{SURVEY.name}", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


def test_creating_the_same_survey_again_is_harmless_and_changing_it_is_refused(
    service: Service,
) -> None:
    definition = SURVEY.definition()
    for _ in range(2):
        response = service.client.post("/v1/surveys", json=definition, headers=service.admin)
        assert response.status_code == 201
    changed = definition | {"epsilon": 3.0}
    response = service.client.post("/v1/surveys", json=changed, headers=service.admin)
    assert response.status_code == 409


def test_a_bad_survey_is_refused_with_the_field_at_fault(service: Service) -> None:
    definition = SURVEY.definition() | {"epsilon": -1}
    response = service.client.post("/v1/surveys", json=definition, headers=service.admin)
    assert response.status_code == 422
    assert "'epsilon'" in response.json()["detail"]


def test_a_survey_has_one_open_round_at_a_time(service: Service) -> None:
    service.state.catalogue.add(SURVEY, None)
    path = f"/v1/surveys/{SURVEY.name}/rounds"
    opened = service.client.post(path, json={"label": "week1"}, headers=service.admin)
    assert opened.status_code == 201
    assert service.client.get("/v1/surveys").json()["surveys"][0]["round"] == opened.json()
    for label in ("week1", "week2", "latest"):
        response = service.client.post(path, json={"label": label}, headers=service.admin)
        assert response.status_code == (422 if label == "latest" else 409)
    closed = service.client.post(f"{path}/week1/close", headers=service.admin).json()
    assert closed["closed"] is not None
    assert service.client.post(f"{path}/week1/close", headers=service.admin).json() == closed
    reused = service.client.post(path, json={"label": "week1"}, headers=service.admin)
    assert reused.status_code == 409
    second = service.client.post(path, json={"label": "week2"}, headers=service.admin)
    assert second.json()["seed"] != opened.json()["seed"]


def test_regions_can_open_a_round_with_one_seed(service: Service) -> None:
    service.client.post("/v1/surveys", json=SURVEY.definition(), headers=service.admin)
    rounds = f"/v1/surveys/{SURVEY.name}/rounds"
    short = service.client.post(rounds, json={"label": "1", "seed": "ab"}, headers=service.admin)
    assert short.status_code == 422
    opened = service.client.post(
        rounds, json={"label": "1", "seed": "ab" * 16}, headers=service.admin
    )
    assert opened.json()["seed"] == "ab" * 16


def test_a_round_closes_at_its_time_even_if_nobody_closes_it(serve: Start) -> None:
    now = [at("2026-11-15T12:00")]
    service = serve(clock=lambda: now[0])
    service.state.catalogue.add(SURVEY, None)
    path = f"/v1/surveys/{SURVEY.name}/rounds"
    body = {"label": "day", "closes": "2026-11-15T13:00:00Z"}
    assert service.client.post(path, json=body, headers=service.admin).status_code == 201
    live = service.state.catalogue.round(SURVEY.name, "day").live
    early, late = service.enrol(), service.enrol()
    body = report_body("day", any_report(live, early.device))
    assert service.send(early, body).status_code == 201
    now[0] += 3600
    late_body = report_body("day", any_report(live, late.device))
    assert service.send(late, late_body).status_code == 410
    assert service.tally("day").reports == 1
    past = {"label": "past", "closes": "2026-11-15T12:30:00Z"}
    assert service.client.post(path, json=past, headers=service.admin).status_code == 422


def test_rounds_follow_the_calendar_if_asked(serve: Start) -> None:
    now = [at("2026-11-15T12:00")]
    service = serve(clock=lambda: now[0])
    service.client.post(
        "/v1/surveys?schedule=weekly", json=SURVEY.definition(), headers=service.admin
    )
    catalogue = service.state.catalogue
    catalogue.follow_schedules()
    assert catalogue.survey(SURVEY.name).open_round(now[0]).live.round.label == "2026-W46"
    now[0] = at("2026-11-15T23:59:59")
    catalogue.follow_schedules()
    assert list(catalogue.survey(SURVEY.name).rounds) == ["2026-W46"]
    now[0] = at("2026-11-16T00:00")
    catalogue.follow_schedules()
    rounds = catalogue.survey(SURVEY.name).rounds
    assert list(rounds) == ["2026-W46", "2026-W47"]
    assert rounds["2026-W46"].closed == at("2026-11-16T00:00")
    now[0] = at("2026-12-25T08:00")
    catalogue.follow_schedules()
    assert list(catalogue.survey(SURVEY.name).rounds)[-1] == "2026-W52"


def test_a_clock_that_jumps_for_a_moment_neither_closes_nor_opens_rounds(
    serve: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "TICK_SECONDS", 0.01)
    now = [at("2026-11-15T12:00")]
    service = serve(clock=lambda: now[0])
    catalogue = service.state.catalogue
    catalogue.add(SURVEY, "hourly")
    wait_until(lambda: bool(catalogue.survey(SURVEY.name).rounds), "the round to open")
    right, now[0] = now[0], now[0] + 365 * 86400
    looks = catalogue._looks
    wait_until(lambda: catalogue._looks > looks + 3, "the server to look at the clock")
    now[0] = right
    wait_until(lambda: catalogue._looks > looks + 6, "the server to look again")
    (only,) = catalogue.survey(SURVEY.name).rounds.values()
    assert (only.live.round.label, only.closed) == ("2026-11-15T12", None)
    now[0] = right + 3600
    wait_until(lambda: len(catalogue.survey(SURVEY.name).rounds) == 2, "the next round to open")


def test_a_schedule_that_cannot_be_followed_holds_up_nothing_else(serve: Start) -> None:
    now = [at("2026-11-15T12:00")]
    service = serve(clock=lambda: now[0])
    catalogue = service.state.catalogue
    catalogue.add(SURVEY, "daily")
    catalogue.follow_schedules()
    with service.state.database.write() as connection:
        connection.execute(text("UPDATE surveys SET schedule = 'yearly'"))  # of a later version
    other = hm.Survey("other", [hm.Boolean("wifi")], epsilon=1.0)
    catalogue.add(other, "daily")
    with capture_logs() as logged:
        now[0] = at("2026-11-16T12:00")
        catalogue.follow_schedules()
        catalogue.follow_schedules()
    assert [line["event"] for line in logged] == ["a row cannot be used"]
    assert list(catalogue.survey("other").rounds) == ["2026-11-16"]
    (first,) = catalogue.survey(SURVEY.name).rounds.values()
    assert first.closed == at("2026-11-16T00:00")


def test_numbers_of_rounds_leave_room_for_those_that_follow(serve: Start) -> None:
    now = [at("2026-11-15T12:00")]
    service = serve(clock=lambda: now[0])
    catalogue = service.state.catalogue
    catalogue.add(SURVEY, None)
    path = f"/v1/surveys/{SURVEY.name}/rounds"
    by_hand = {"label": "week1", "closes": "2026-11-15T13:00:00Z"}
    for number, status in ((2**31 - 1, 422), (2**30 - 1, 201)):
        body = by_hand | {"number": number}
        response = service.client.post(path, json=body, headers=service.admin)
        assert response.status_code == status, response.text
    settings = f"/v1/surveys/{SURVEY.name}/settings"
    service.client.patch(settings, json={"schedule": "daily"}, headers=service.admin)
    now[0] = at("2026-11-16T12:00")
    catalogue.follow_schedules()
    assert catalogue.round(SURVEY.name, "2026-11-16").live.round.number == 2**30


def test_a_round_that_a_person_closed_early_stays_closed(serve: Start) -> None:
    now = [at("2026-11-15T12:00")]
    service = serve(clock=lambda: now[0])
    catalogue = service.state.catalogue
    catalogue.add(SURVEY, "daily")
    catalogue.follow_schedules()
    catalogue.close(SURVEY.name, "2026-11-15")
    catalogue.follow_schedules()
    assert catalogue.survey(SURVEY.name).open_round(now[0]) is None


@pytest.mark.parametrize(
    ("schedule", "moment", "label", "end"),
    [
        ("hourly", "2026-12-31T23:30", "2026-12-31T23", "2027-01-01T00:00"),
        ("daily", "2024-02-28T23:30", "2024-02-28", "2024-02-29T00:00"),
        ("weekly", "2027-01-01T00:00", "2026-W53", "2027-01-04T00:00"),
        ("weekly", "2026-11-16T00:00", "2026-W47", "2026-11-23T00:00"),
        ("monthly", "2026-12-31T10:00", "2026-12", "2027-01-01T00:00"),
    ],
)
def test_a_period_has_a_label_and_an_end(schedule: str, moment: str, label: str, end: str) -> None:
    period = period_at(schedule, at(moment))
    assert (period.label, period.end) == (label, at(end))


def test_a_server_finds_the_round_that_another_has_just_opened_or_closed(serve: Start) -> None:
    one, other = serve(), serve()
    live, device = one.open(), one.enrol()
    body = report_body("week1", any_report(live, device.device))
    other.state.credentials.reload()
    assert other.send(device, body).status_code == 201
    assert one.send(device, body).status_code == 200
    one.state.catalogue.close(SURVEY.name, "week1")
    late = other.enrol()
    late_body = report_body("week1", any_report(live, late.device))
    assert other.send(late, late_body).status_code == 410
    assert one.tally() == one.recount()
    assert one.tally().reports == 1


@pytest.mark.parametrize(
    "closes",
    [
        "9999-12-31T23:59:59-14:00",
        "9999-12-31T23:59:59Z",
        "2300-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_a_time_to_close_that_nobody_can_mean_is_refused_and_nothing_is_opened(
    service: Service, closes: str
) -> None:
    service.state.catalogue.add(SURVEY, None)
    path = f"/v1/surveys/{SURVEY.name}/rounds"
    wanted = {"label": "week1", "closes": closes}
    refused = service.client.post(path, json=wanted, headers=service.admin)
    assert refused.status_code == 422
    assert "'closes'" in refused.json()["detail"]
    assert service.client.get("/v1/surveys").json()["surveys"][0]["round"] is None


def test_rows_that_cannot_be_read_leave_the_rest_of_the_list(service: Service) -> None:
    service.open("week1")
    other = hm.Survey("other", [hm.Boolean("wifi")], epsilon=1.0)
    service.open("week1", other)
    late = (
        "UPDATE rounds SET closes = 1e300 WHERE survey = (SELECT id FROM surveys WHERE name = {})"
    )
    damage = "UPDATE surveys SET document = '{{}}' WHERE name = {}"
    with service.state.database.write() as connection:
        connection.execute(text(late.format(f"'{SURVEY.name}'")))
        connection.execute(text(damage.format("'other'")))
    fresh = Catalogue(service.state.database, service.state.clock)
    with capture_logs() as logged:
        fresh.reload()
        fresh.reload()
    assert [line["event"] for line in logged] == ["a row cannot be used"]
    service.state.catalogue = fresh
    (listed,) = service.client.get("/v1/surveys").json()["surveys"]
    assert (listed["name"], listed["round"]["closes"]) == (SURVEY.name, "9999-12-31T00:00:00Z")
    path = f"/v1/surveys/{SURVEY.name}/rounds"
    assert service.client.get(path, headers=service.admin).status_code == 200
    assert service.client.post(f"{path}/week1/close", headers=service.admin).status_code == 200
