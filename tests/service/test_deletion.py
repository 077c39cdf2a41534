"""Surveys, rounds and trainings are deleted by name, and names stay taken where they must."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

import harmony as hm
from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.service.sealing import NO_KEY
from harmony_device import Device
from harmony_device.transport import Reply

from .conftest import SURVEY, Service, purge
from .devices import any_report, report_body
from .training import SMALL, body_of, create, fill_step, finish, task_of
from .waiting import wait_until

Start = Callable[..., Service]

OTHER = hm.Survey(SURVEY.name, [hm.Boolean("charging")], epsilon=1.0)
"""Another survey of the same name."""


def delete(service: Service, path: str, confirm: str | None = None, **headers: str) -> Any:
    query = {} if confirm is None else {"confirm": confirm}
    headers = headers or service.admin
    return service.client.delete(f"/v1{path}", params=query, headers=headers)


def acts(service: Service) -> list[tuple[str, str, str]]:
    """Return who did what to what, oldest first."""
    return [(one.who, one.act, one.subject) for one in reversed(service.state.activity.entries())]


def rows(service: Service) -> dict[str, int]:
    """Count the rows that hold something about devices or results."""
    stored = "chunks" if service.state.database.is_sqlite else "reports"
    with service.state.database.read() as connection:
        return {
            table: int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())
            for table in (stored, "counts", "totals", "steps", "trainings")
        }


def send(service: Service, label: str) -> Any:
    """Let a new device report."""
    device = service.enrol()
    live = service.state.catalogue.round(SURVEY.name, label).live
    return service.send(device, report_body(label, any_report(live, device.device)))


def test_a_round_is_deleted_with_its_reports_and_its_tally(service: Service) -> None:
    service.open("week1")
    send(service, "week1")
    service.state.catalogue.close(SURVEY.name, "week1")
    service.open("week2")
    send(service, "week2")
    path = f"/surveys/{SURVEY.name}/rounds/week1"
    assert delete(service, path, "week1").status_code == 204
    listed = service.client.get(f"/v1/surveys/{SURVEY.name}/rounds", headers=service.admin).json()
    assert [one["label"] for one in listed["rounds"]] == ["week2"]
    for what in ("estimates", "tally", "reports.parquet"):
        found = service.client.get(f"/v1{path}/{what}", headers=service.admin)
        assert found.status_code == 404
    purge(service.state.retention)
    assert service.tally("week2") == service.recount("week2")
    assert service.tally("week2").reports == 1
    assert rows(service)["totals"] == 1
    assert acts(service)[-1] == ("admin", "round deleted", f"{SURVEY.name} week1")
    assert delete(service, path, "week1").status_code == 404


@pytest.mark.parametrize(
    "path", [f"/surveys/{SURVEY.name}", f"/surveys/{SURVEY.name}/rounds/week1"]
)
@pytest.mark.parametrize("confirm", [None, "", "Phones", "week", "phones "])
def test_nothing_is_deleted_without_its_name(
    service: Service, path: str, confirm: str | None
) -> None:
    service.open("week1")
    refused = delete(service, path, confirm)
    assert refused.status_code == 422
    assert "'confirm' must be" in refused.json()["detail"]
    assert "cannot be undone" in refused.json()["detail"]
    assert send(service, "week1").status_code == 201


def test_only_admins_delete(service: Service) -> None:
    service.open("week1")
    create(service)
    for path, name in (
        (f"/surveys/{SURVEY.name}", SURVEY.name),
        (f"/surveys/{SURVEY.name}/rounds/week1", "week1"),
        (f"/trainings/{SMALL.name}", SMALL.name),
    ):
        for role, status in (("analyst", 403), ("gateway", 403), ("enrol", 403)):
            assert delete(service, path, name, **service.bearer(role)).status_code == status
        assert service.client.delete(f"/v1{path}?confirm={name}").status_code == 401
    assert service.tally().reports == 0


def test_a_survey_with_an_open_round_is_deleted_under_its_devices(service: Service) -> None:
    live = service.open("week1")
    send(service, "week1")
    late = service.enrol()
    body = report_body("week1", any_report(live, late.device))
    assert delete(service, f"/surveys/{SURVEY.name}", SURVEY.name).status_code == 204
    assert service.send(late, body).status_code == 410  # so the device drops it
    packed = pack(SURVEY.fingerprint, "week1", any_report(live, late.device), live.size)
    gateway = service.bearer("gateway")
    path = f"/v1/surveys/{SURVEY.name}/reports"
    sent = service.client.post(path, content=packed, headers=gateway | {"Content-Type": MEDIA_TYPE})
    assert sent.status_code == 410
    listed = service.client.post(path, json=[body], headers=gateway)
    assert listed.json() == {"results": ["closed"]}
    assert service.client.get(f"/v1/surveys/{SURVEY.name}").status_code == 404
    assert service.client.get("/v1/surveys").json()["surveys"] == []
    purge(service.state.retention)
    assert set(rows(service).values()) == {0}
    with service.state.database.read() as connection:
        assert connection.execute(text("SELECT document FROM surveys")).scalar_one() == ""
        secret = connection.execute(text("SELECT secret FROM round_keys")).scalar_one()
        assert bytes(secret) == NO_KEY


def test_reports_under_way_are_counted_or_refused_while_the_round_is_deleted(
    serve: Start,
) -> None:
    """Commits and the deletion never overlap: what was accepted is gone, the rest was refused."""
    one, other = serve(), serve()
    live = one.open("week1")
    devices = [one.enrol() for _ in range(60)]
    statuses: list[int] = []

    def report(service: Service, some: list[Any]) -> None:
        for device in some:
            body = report_body("week1", any_report(live, device.device))
            statuses.append(service.send(device, body).status_code)

    threads = [
        threading.Thread(target=report, args=(server, devices[place::2]))
        for place, server in enumerate((one, other))
    ]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(statuses) >= 10, "some reports")
    assert delete(other, f"/surveys/{SURVEY.name}/rounds/week1", "week1").status_code == 204
    for thread in threads:
        thread.join()
    assert set(statuses) <= {201, 410}
    assert 410 in statuses
    purge(one.state.retention)
    assert rows(one)["totals"] == 0
    assert rows(one)["chunks" if one.state.database.is_sqlite else "reports"] == 0


def test_another_server_notices_within_its_next_look(serve: Start) -> None:
    one, other = serve(), serve()
    live = one.open("week1")
    other.state.catalogue.reload()
    device = other.enrol()
    body = report_body("week1", any_report(live, device.device))
    delete(one, f"/surveys/{SURVEY.name}", SURVEY.name)
    assert other.send(device, body).status_code == 410  # its memory is older, its commit is not
    other.state.catalogue.refresh()
    assert other.client.get("/v1/surveys").json()["surveys"] == []


def test_a_label_is_never_used_again_under_its_name(service: Service) -> None:
    """Devices that answered it would keep silent, and the others would not stand for them."""
    service.open("week1")
    delete(service, f"/surveys/{SURVEY.name}/rounds/week1", "week1")
    path = f"/v1/surveys/{SURVEY.name}/rounds"

    def opening(label: str) -> Any:
        return service.client.post(path, json={"label": label}, headers=service.admin)

    refused = opening("week1")
    assert refused.status_code == 409
    assert "will not answer it again" in refused.json()["detail"]
    assert opening("week2").status_code == 201
    delete(service, f"/surveys/{SURVEY.name}", SURVEY.name)
    service.client.post("/v1/surveys", json=OTHER.to_document(), headers=service.admin)
    for label in ("week1", "week2"):
        assert opening(label).status_code == 409
    assert opening("week3").status_code == 201
    document = service.client.get(f"/v1/surveys/{SURVEY.name}").content
    assert document == OTHER.document_bytes
    listed = service.client.get("/v1/surveys").json()["surveys"]
    assert [one["round"]["number"] for one in listed] == [3]  # devices remember numbers, too
    live = service.state.catalogue.round(SURVEY.name, "week3").live
    device = service.enrol()
    sent = service.send(device, report_body("week3", any_report(live, device.device)))
    assert sent.status_code == 201
    old = service.send(device, report_body("week2", any_report(live, device.device)))
    assert old.status_code == 410


def test_a_device_that_answered_before_answers_the_new_survey(
    service: Service, tmp_path: Any
) -> None:
    """The whole way, with the SDK: its ledger knows the name, and the label is a new one."""
    plain = hm.Survey("commute", [hm.Boolean("bike")], epsilon=1.0)
    again = hm.Survey("commute", [hm.Boolean("bike"), hm.Boolean("bus")], epsilon=1.0)
    transport = _Transport(service)
    device = Device(
        "https://example.org", tmp_path / "state", record={"bike": bool, "bus": bool},
        consent=True, epsilon_limit=100, transport=transport,
    )  # fmt: skip
    with device:
        service.open("week1", plain)
        assert device.answer({"bike": True, "bus": False}).accepted == [("commute", "week1")]
        delete(service, "/surveys/commute", "commute")
        service.state.catalogue.add(again, None)
        service.state.catalogue.open("commute", "week2")
        assert device.answer({"bike": True, "bus": False}).accepted == [("commute", "week2")]
    assert service.tally("week2", "commute").reports == 1


class _Transport:
    """Takes a device's requests to the application in this process."""

    def __init__(self, service: Service) -> None:
        self._client = service.client

    def request(self, method: str, path: str, headers: Any, body: bytes | None = None) -> Any:
        found = self._client.request(method, path, headers=headers, content=body)
        return Reply(found.status_code, dict(found.headers), found.content)

    def close(self) -> None:
        pass


def test_a_scheduled_round_that_was_deleted_does_not_come_back(serve: Start) -> None:
    now = [1_800_000_000.0]
    service = serve(clock=lambda: now[0])
    service.state.catalogue.add(SURVEY, "daily")

    def labels(survey: hm.Survey) -> list[str]:
        """The rounds that there are, whether the server's own clock opened them or this did."""
        service.state.catalogue.follow_schedules()
        return list(service.state.catalogue.survey(survey.name).rounds)

    (label,) = labels(SURVEY)
    delete(service, f"/surveys/{SURVEY.name}/rounds/{label}", label)
    assert labels(SURVEY) == []
    delete(service, f"/surveys/{SURVEY.name}", SURVEY.name)
    service.state.catalogue.add(OTHER, "daily")
    assert labels(OTHER) == []  # its label is taken today
    now[0] += 86400
    assert len(labels(OTHER)) == 1


def test_a_training_is_deleted_while_it_runs_and_its_name_is_gone_for_good(
    service: Service,
) -> None:
    create(service)
    fill_step(service)
    device = service.enrol()
    body = body_of(service, device)
    assert delete(service, f"/trainings/{SMALL.name}").status_code == 422
    assert delete(service, f"/trainings/{SMALL.name}", SMALL.name).status_code == 204
    assert service.send(device, body, SMALL.name).status_code == 410
    assert task_of(service, device).status_code == 410
    assert service.client.get("/v1/surveys").json()["trainings"] == []
    service.state.trainings.advance()
    purge(service.state.retention)
    assert set(rows(service).values()) == {0}
    again = {"training": SMALL.to_document()}
    refused = service.client.post("/v1/trainings", json=again, headers=service.admin)
    assert refused.status_code == 409
    assert "would never take part" in refused.json()["detail"]
    assert acts(service)[-1] == ("admin", "training deleted", SMALL.name)


def test_a_training_that_ended_is_deleted_with_its_model(service: Service) -> None:
    create(service)
    finish(service)
    assert delete(service, f"/trainings/{SMALL.name}", SMALL.name).status_code == 204
    for path in ("", "/model", "/settings"):
        found = service.client.get(f"/v1/trainings/{SMALL.name}{path}", headers=service.admin)
        assert found.status_code == 404
    purge(service.state.retention)
    assert set(rows(service).values()) == {0}


def test_a_training_may_not_take_the_name_of_a_deleted_survey(service: Service) -> None:
    survey = hm.Survey(SMALL.name, [hm.Boolean("x")], epsilon=1.0)
    service.open("week1", survey)
    delete(service, f"/surveys/{SMALL.name}", SMALL.name)
    body = {"training": SMALL.to_document()}
    refused = service.client.post("/v1/trainings", json=body, headers=service.admin)
    assert refused.status_code == 409


def test_surveys_and_trainings_are_deleted_by_their_own_route(service: Service) -> None:
    service.open("week1")
    create(service)
    assert delete(service, f"/surveys/{SMALL.name}", SMALL.name).status_code == 404
    assert delete(service, f"/trainings/{SURVEY.name}", SURVEY.name).status_code == 404
    step = service.state.trainings.training(SMALL.name).open_step
    assert step is not None
    label = step.live.round.label
    assert delete(service, f"/surveys/{SMALL.name}/rounds/{label}", label).status_code == 404


def test_a_round_cannot_open_in_a_survey_that_is_being_deleted(serve: Start) -> None:
    one, other = serve(), serve()
    one.open("week1")
    other.state.catalogue.reload()
    delete(one, f"/surveys/{SURVEY.name}", SURVEY.name)
    path = f"/v1/surveys/{SURVEY.name}/rounds"
    refused = other.client.post(path, json={"label": "week2"}, headers=one.admin)
    assert refused.status_code in (404, 409)
    with one.state.database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM rounds")).scalar_one() == 1
