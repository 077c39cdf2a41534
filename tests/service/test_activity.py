"""The record of administrative acts: every one of them, by whom, and nothing about a device."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from harmony.service import activity
from harmony.service.activity import Activity, note

from .conftest import SURVEY, Service
from .devices import any_report, report_body
from .exploration import WORDS
from .exploration import create as create_exploration
from .training import SMALL, create

Start = Callable[..., Service]

EVERY_ACT = {
    value.format(kind=kind)
    for name, value in vars(activity).items()
    if name.isupper() and isinstance(value, str)
    for kind in ("survey", "training", "exploration")
}


def do(service: Service, method: str, path: str, body: Any = None, **query: Any) -> Any:
    response = service.client.request(
        method, f"/v1{path}", json=body, params=query, headers=service.admin
    )
    assert response.status_code < 300, response.text
    return response


def listed(service: Service, **query: Any) -> list[dict[str, Any]]:
    found = service.client.get("/v1/activity", params=query, headers=service.admin)
    return list(found.json()["activity"])


def everything(service: Service) -> None:
    """Do all that an admin can do."""
    do(service, "POST", "/surveys", SURVEY.to_document())
    do(service, "POST", f"/surveys/{SURVEY.name}/rounds", {"label": "week1"})
    device = service.enrol()
    live = service.state.catalogue.round(SURVEY.name, "week1").live
    service.send(device, report_body("week1", any_report(live, device.device)))
    do(service, "GET", f"/surveys/{SURVEY.name}/rounds/week1/reports.parquet")
    do(service, "POST", f"/surveys/{SURVEY.name}/rounds/week1/close")
    made = do(service, "POST", f"/surveys/{SURVEY.name}/shares", {"name": "the board"}).json()
    do(service, "DELETE", f"/surveys/{SURVEY.name}/shares/{made['id']}")
    shorter = {"retention_days": 0, "public": True, "confirm": SURVEY.name}
    do(service, "PATCH", f"/surveys/{SURVEY.name}/settings", shorter)
    do(service, "DELETE", f"/surveys/{SURVEY.name}/rounds/week1", confirm="week1")
    do(service, "DELETE", f"/surveys/{SURVEY.name}", confirm=SURVEY.name)
    create(service)
    create_exploration(service)
    for name, kind in ((SMALL.name, "trainings"), (WORDS.name, "explorations")):
        do(service, "PATCH", f"/trainings/{name}/settings", {"public": True})
        do(service, "POST", f"/{kind}/{name}/stop")
        do(service, "DELETE", f"/trainings/{name}", confirm=name)
    made = do(service, "POST", "/tokens", {"name": "Grace", "role": "analyst"}).json()
    service.state.tokens.create(made["id"], "link", 60.0, by=service.state.tokens.list()[0])
    do(service, "DELETE", f"/tokens/{made['id']}")
    do(service, "POST", "/keys/rotate", {})
    do(service, "POST", "/enrolment/list", {"entries": ["one", "two"]})


def test_every_act_is_recorded_with_who_did_it(service: Service) -> None:
    everything(service)
    entries = listed(service)
    at_the_command_line = {activity.DELETIONS_APPLIED}  # in test_upkeep
    never = {"survey stopped"}  # its rounds are closed
    assert {one["act"] for one in entries} == EVERY_ACT - at_the_command_line - never
    assert {one["who"] for one in entries} == {"admin", "the server"}
    by_server = {one["act"] for one in entries if one["who"] == "the server"}
    assert by_server == {"reports dropped", "token created"}  # the test's own tokens
    mine = [one for one in entries if one["who"] == "admin"]
    assert {one["role"] for one in mine} == {"admin"}
    assert {one["token"] for one in mine} == {service.state.tokens.list()[0].id}


def test_nothing_in_the_record_is_about_a_device_or_a_secret(service: Service) -> None:
    device = service.enrol()
    everything(service)
    with service.state.database.read() as connection:
        rows = connection.execute(text("SELECT * FROM activity")).all()
    said = " ".join(str(cell) for row in rows for cell in row)
    assert device.device.hex() not in said
    secret = service.admin["Authorization"].rpartition("_")[2]
    assert secret not in said
    for row in rows:
        json.loads(row.detail)


def test_the_record_is_read_page_by_page(service: Service) -> None:
    for number in range(7):
        service.state.tokens.create(f"token {number}", "analyst")
    first = listed(service, most=3)
    second = listed(service, most=3, before=first[-1]["number"])
    assert [one["subject"] for one in first + second] == [f"token {6 - n}" for n in range(6)]
    for wrong in ({"most": 0}, {"most": 201}, {"before": 0}, {"before": "x"}):
        found = service.client.get("/v1/activity", params=wrong, headers=service.admin)
        assert found.status_code == 422


def test_only_admins_read_it(service: Service) -> None:
    for role in ("analyst", "gateway"):
        found = service.client.get("/v1/activity", headers=service.bearer(role))
        assert found.status_code == 403
    assert service.client.get("/v1/activity").status_code == 401


def test_an_act_that_fails_leaves_no_record_and_one_without_record_does_not_happen(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(service, "POST", "/surveys", SURVEY.to_document())
    before = len(listed(service))
    body = {"label": "week1"}
    path = f"/v1/surveys/{SURVEY.name}/rounds"
    do(service, "POST", f"/surveys/{SURVEY.name}/rounds", body)
    refused = service.client.post(path, json=body, headers=service.admin)
    assert refused.status_code == 409
    assert len(listed(service)) == before + 1

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("the record cannot be written")

    monkeypatch.setattr("harmony.service.governance.note", broken)
    gone = service.client.delete(
        f"/v1/surveys/{SURVEY.name}", params={"confirm": SURVEY.name}, headers=service.admin
    )
    assert gone.status_code == 500
    assert service.client.get(f"/v1/surveys/{SURVEY.name}").status_code == 200


def test_an_entry_that_is_damaged_leaves_the_others(service: Service) -> None:
    service.state.catalogue.add(SURVEY, None)
    service.open()
    with service.state.database.write() as connection:
        damage = "UPDATE activity SET detail = '{bad' WHERE act = 'survey created'"
        connection.execute(text(damage))
    entries = {one["act"]: one["detail"] for one in listed(service)}
    assert entries["survey created"] == {}
    assert "round opened" in entries


def test_long_names_are_recorded_as_far_as_there_is_room(service: Service) -> None:
    with service.state.database.write() as connection:
        actor = service.state.tokens.list()[0]
        note(connection, actor, 0.0, "token created", "x" * 1000, more=["y"])
    (latest, *_) = Activity(service.state.database).entries()
    assert latest.subject == "x" * 200
    assert latest.detail == {"more": ["y"]}
