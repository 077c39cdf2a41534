"""A deletion request takes a device's reports and their counts, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from harmony.service.app import Application
from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.service.sealing import seal

from .conftest import SURVEY, Service
from .devices import Enrolled, any_report, report_body
from .waiting import wait_until

Start = Callable[..., Service]


def test_a_forgotten_device_leaves_every_round_and_cannot_come_back(service: Service) -> None:
    live, gone, stays = service.open("week1"), service.enrol(), service.enrol()
    for device in (gone, stays):
        service.send(device, report_body("week1", any_report(live, device.device)))
    service.state.catalogue.close(SURVEY.name, "week1")
    live = service.open("week2")
    service.send(gone, report_body("week2", any_report(live, gone.device)))
    assert service.client.delete("/v1/devices/me", headers=gone.headers).status_code == 204
    for label, left in (("week1", 1), ("week2", 0)):
        assert service.tally(label).reports == left
        assert service.tally(label) == service.recount(label)
    again = service.send(gone, report_body("week2", any_report(live, gone.device)))
    assert again.status_code == 401
    assert service.client.delete("/v1/devices/me", headers=gone.headers).status_code == 204
    assert service.tally("week2").reports == 0


def test_a_gateway_cannot_bring_a_forgotten_device_back(service: Service) -> None:
    live, gone, stays = service.open(), service.enrol(), service.enrol()
    service.client.delete("/v1/devices/me", headers=gone.headers)
    reports = any_report(live, gone.device) + any_report(live, stays.device)
    response = service.client.post(
        f"/v1/surveys/{SURVEY.name}/reports",
        content=pack(SURVEY.fingerprint, "week1", reports, live.size),
        headers=service.bearer("gateway") | {"Content-Type": MEDIA_TYPE},
    )
    assert response.json()["results"] == "ua"


def test_replays_are_still_recognised_after_a_neighbour_was_forgotten(serve: Start) -> None:
    service = serve()
    live, devices = service.open(), [service.enrol() for _ in range(6)]
    bodies = [report_body("week1", any_report(live, one.device)) for one in devices]
    response = service.client.post(
        f"/v1/surveys/{SURVEY.name}/reports", json=bodies, headers=service.bearer("gateway")
    )
    assert response.json()["results"] == ["accepted"] * 6
    service.client.delete("/v1/devices/me", headers=devices[2].headers)
    fresh = serve()  # one that must read its index back
    for server in (service, fresh):
        statuses = [
            server.send(one, body).status_code for one, body in zip(devices, bodies, strict=True)
        ]
        assert statuses == [200, 200, 401, 200, 200, 200]
    altered = report_body("week1", any_report(live, devices[3].device, symbol=1))
    assert fresh.send(devices[3], altered).status_code == 409
    new = fresh.enrol()
    assert fresh.send(new, report_body("week1", any_report(live, new.device))).status_code == 201
    assert service.tally() == service.recount()
    assert service.tally().reports == 6
    assert isinstance(fresh.client.app, Application)


def test_a_forgotten_entry_of_the_list_cannot_enrol_again(serve: Start) -> None:
    service = serve(enrolment="list")
    service.state.enrolment.allow(["serial-1"])
    response = service.client.post("/v1/devices", json={"key": "serial-1"}).json()
    headers = {"Authorization": f"Harmony {response['device']}.{response['credential']}"}
    assert service.client.delete("/v1/devices/me", headers=headers).status_code == 204
    assert service.client.post("/v1/devices", json={"key": "serial-1"}).status_code == 401


def test_the_list_does_not_tell_the_ids_of_its_entries(serve: Start) -> None:
    service = serve(enrolment="list")
    service.state.enrolment.allow(["serial-1", "serial-2"])
    first = service.client.post("/v1/devices", json={"key": "serial-1"}).json()
    again = service.client.post("/v1/devices", json={"key": "serial-1"}).json()
    assert (again["device"], again["enrolled"]) == (first["device"], first["enrolled"])
    with service.state.database.read() as connection:
        rows = connection.execute(text("SELECT * FROM allowed")).all()
    stored = [bytes(cell) for row in rows for cell in row if isinstance(cell, bytes | memoryview)]
    assert len(stored) == 4  # two digests, and of the enrolled one its sealed id and its mark
    assert bytes.fromhex(first["device"]) not in stored


def test_deleting_a_device_that_is_gone_is_answered_without_a_search(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, gone = service.open(), service.enrol()
    service.send(gone, report_body("week1", any_report(live, gone.device)))
    assert service.client.delete("/v1/devices/me", headers=gone.headers).status_code == 204

    def searched(*_: object) -> None:
        raise AssertionError("it was searched for again")

    monkeypatch.setattr(service.state.writer, "forget", searched)
    monkeypatch.setattr(service.state.catalogue, "reload", searched)
    assert service.client.delete("/v1/devices/me", headers=gone.headers).status_code == 204


def test_a_device_is_searched_for_only_in_rounds_that_it_can_have_been_in(serve: Start) -> None:
    now = [1_000_000.0]
    service = serve(clock=lambda: now[0])
    service.open("old")
    service.state.catalogue.close(SURVEY.name, "old")
    now[0] += 7 * 86400
    service.open("new")
    searched = [one.round.label for one in service.state.catalogue.rounds_since(now[0])]
    assert searched == ["new"]
    assert len(service.state.catalogue.rounds_since(1_000_000.0)) == 2
    assert len(service.state.catalogue.rounds_since(0)) == 2  # before credentials had a second
    assert len(service.state.catalogue.rounds_since(now[0] + 365 * 86400)) == 2  # by a wrong clock


def test_a_report_to_a_round_that_opens_meanwhile_is_found(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.open()
    service.state.catalogue.close(SURVEY.name, "week1")
    gone, forget = service.enrol(), service.state.writer.forget

    async def forget_late(device: bytes, rounds: Any) -> int:
        """Let another server open a round, and the device report there, before it is deleted."""
        if "week2" not in service.state.catalogue.survey(SURVEY.name).rounds:
            live = service.state.catalogue.open(SURVEY.name, "week2").live
            await service.state.writer.submit(live, any_report(live, device))
        return await forget(device, rounds)

    monkeypatch.setattr(service.state.writer, "forget", forget_late)
    assert service.client.delete("/v1/devices/me", headers=gone.headers).status_code == 204
    assert service.tally("week2").reports == 0
    assert service.tally("week2") == service.recount("week2")


def test_a_device_that_enrolled_by_a_clock_far_ahead_is_found(serve: Start) -> None:
    now = [1_000_000.0]
    service = serve(clock=lambda: now[0])
    live = service.open()
    right, now[0] = now[0], now[0] + 365 * 86400
    gone = service.enrol()
    now[0] = right
    assert (
        service.send(gone, report_body("week1", any_report(live, gone.device))).status_code == 201
    )
    service.state.catalogue.close(SURVEY.name, "week1")
    assert service.client.delete("/v1/devices/me", headers=gone.headers).status_code == 204
    assert service.tally().reports == 0
    assert service.tally() == service.recount()


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_no_byte_of_a_deleted_report_is_left_in_the_files(service: Service, place: str) -> None:
    live, devices = service.open(), [service.enrol() for _ in range(300)]
    for device in devices:
        service.send(device, report_body("week1", any_report(live, device.device)))

    def found(device: Enrolled) -> int:
        files = [Path(place + suffix) for suffix in ("", "-wal")]
        content = b"".join(file.read_bytes() for file in files if file.exists())
        assert device.device not in content  # the database knows it by another name
        return content.count(seal(device.device, live.key or b""))

    gone = devices[::7]
    assert all(found(device) for device in gone)
    with service.state.database.read() as reader:  # in the way, as an export or a backup is
        reader.execute(text("SELECT * FROM chunks")).first()
        for device in gone:
            service.client.delete("/v1/devices/me", headers=device.headers)
    wait_until(
        lambda: not any(map(found, gone)),
        "the deleted reports to be erased",
    )
    assert service.tally() == service.recount()
    assert service.tally().reports == len(devices) - len(gone)
    assert all(found(device) > 0 for device in devices[1::7])
