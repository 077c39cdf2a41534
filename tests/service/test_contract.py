"""What a server says to devices: the protocol's number, documents byte by byte, enrolments."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from hashlib import sha256

import pytest
from sqlalchemy import select, update

from harmony.service import schema

from .conftest import SURVEY, Service
from .devices import Enrolled, any_report, report_body
from .training import SMALL, create, task_of

Start = Callable[..., Service]
SECOND = 1_800_000_000


class Clock:
    """A clock that only tests move."""

    def __init__(self) -> None:
        self.now = float(SECOND)

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("path", ["/v1/surveys", "/v1/trainings/x/task", "/v1/devices"])
@pytest.mark.parametrize("number", ["0", "2", "1.0", "one"])
def test_another_number_of_the_protocol_is_refused(
    service: Service, path: str, number: str
) -> None:
    ask = service.client.post if path == "/v1/devices" else service.client.get
    refused = ask(path, headers={"Harmony-Protocol": number})
    assert refused.status_code == 400
    assert refused.json()["type"] == "/problems/protocol"


def test_a_report_in_another_protocol_is_refused(service: Service) -> None:
    live, device = service.open(), service.enrol()
    body = report_body("week1", any_report(live, device.device))
    path = f"/v1/surveys/{SURVEY.name}/reports"
    for number, status in (("2", 400), ("1", 201)):
        headers = device.headers | {"Harmony-Protocol": number}
        assert service.client.post(path, json=body, headers=headers).status_code == status


def test_the_list_names_the_bytes_of_each_document(service: Service) -> None:
    service.open()
    offered = service.client.get("/v1/surveys").json()
    assert offered["protocol"] == 1
    document = service.client.get("/v1/surveys/phones")
    assert sha256(document.content).hexdigest() == offered["surveys"][0]["fingerprint"]
    assert document.content == SURVEY.document_bytes
    assert document.headers["etag"] == f'"{SURVEY.fingerprint}"'


def test_a_document_that_was_stored_otherwise_is_sent_in_its_canonical_form(
    serve: Start,
) -> None:
    service = serve()
    service.open()
    with service.state.database.write() as connection:
        spaced = json.dumps(SURVEY.to_document(), indent=1)
        connection.execute(update(schema.surveys).values(document=spaced, fingerprint="0" * 64))
    again = serve().client
    document = again.get("/v1/surveys/phones").content
    assert document == SURVEY.document_bytes
    listed = again.get("/v1/surveys").json()["surveys"][0]["fingerprint"]
    assert listed == sha256(document).hexdigest()


def test_an_enrolment_says_when_it_was_and_renewing_does_not_change_it(serve: Start) -> None:
    clock = Clock()
    service = serve(clock=clock)
    made = service.client.post("/v1/devices").json()
    assert made["enrolled"] == "2027-01-15T08:00:00Z"
    clock.now += 86400
    renewed = service.client.post("/v1/devices/me", headers=Enrolled.of(made).headers).json()
    assert renewed == made


def test_an_enrolment_cannot_be_dated_back(serve: Start) -> None:
    service = serve()
    device = service.enrol()
    number, second, mac = device.credential.split("-")
    for forged in (f"{number}-{int(second) - 1}-{mac}", f"{number}-{mac}", f"{number}--{mac}"):
        headers = Enrolled(device.device, forged).headers
        assert service.client.post("/v1/devices/me", headers=headers).status_code == 401


def test_credentials_from_before_protocol_1_count_as_enrolled_early(serve: Start) -> None:
    service = serve(enrolled_before=True)
    with service.state.database.read() as connection:
        secret = bytes(connection.execute(select(schema.server_keys.c.secret)).scalar_one())
    old = bytes(range(16))
    mac = hmac.digest(secret, old, "sha256")[:16].hex()
    device = Enrolled(old, f"1-{mac}")
    renewed = service.client.post("/v1/devices/me", headers=device.headers).json()
    assert renewed["enrolled"] == "1970-01-01T00:00:00Z"
    live = service.open()
    body = report_body("week1", any_report(live, old))
    assert service.send(device, body).status_code == 201


def test_an_entry_of_the_list_keeps_its_first_enrolment(serve: Start) -> None:
    clock = Clock()
    service = serve(clock=clock, enrolment="list")
    entries = {"entries": ["serial-1"]}
    service.client.post("/v1/enrolment/list", json=entries, headers=service.admin)
    first = service.client.post("/v1/devices", json={"key": "serial-1"}).json()
    clock.now += 3600
    assert service.client.post("/v1/devices", json={"key": "serial-1"}).json() == first


@pytest.mark.parametrize("required", [False, True])
def test_devices_that_enrolled_after_a_round_opened_may_have_to_wait_for_the_next(
    serve: Start, required: bool
) -> None:
    clock = Clock()
    service = serve(clock=clock, enrolled_before=required)
    early = service.enrol()
    clock.now += 1
    live, late = service.open(), service.enrol()
    listed = service.client.get("/v1/surveys").json()["surveys"][0]["round"]
    assert listed["enrolled_before"] == (listed["opened"] if required else None)
    statuses = [
        service.send(one, report_body("week1", any_report(live, one.device))).status_code
        for one in (early, late)
    ]
    assert statuses == ([201, 403] if required else [201, 201])
    service.state.catalogue.close(SURVEY.name, "week1")
    clock.now += 1
    second = service.state.catalogue.open(SURVEY.name, "week2").live
    body = report_body("week2", any_report(second, late.device))
    assert service.send(late, body).status_code == 201


def test_devices_that_enrolled_during_a_step_are_not_given_it(serve: Start) -> None:
    clock = Clock()
    service = serve(clock=clock, enrolled_before=True)
    early = service.enrol()
    clock.now += 1
    create(service)
    late = service.enrol()
    refused = task_of(service, late)
    assert refused.status_code == 204
    assert 1 <= int(refused.headers["retry-after"]) <= 3600
    assert task_of(service, early).status_code == 200
    assert service.state.catalogue.trainings[SMALL.name].open_step is not None
