"""Reports over HTTP: one at a time, in lists, packed."""

from __future__ import annotations

import os

import numpy as np
import pytest

from harmony.service.ingest.packed import MEDIA_TYPE, pack

from .conftest import SURVEY, Service
from .devices import any_report, report_body

REPORTS = f"/v1/surveys/{SURVEY.name}/reports"


def reason(response) -> str:
    assert response.headers["content-type"] == "application/problem+json"
    document = response.json()
    assert document["status"] == response.status_code
    return document["type"].rsplit("/", 1)[-1]


def test_a_report_is_accepted_once_and_sending_it_again_is_harmless(service: Service) -> None:
    live, device = service.open(), service.enrol()
    body = report_body("week1", any_report(live, device.device))
    accepted = service.send(device, body)
    assert (accepted.status_code, accepted.json()) == (201, {"result": "accepted"})
    for again in (service.send(device, body) for _ in range(3)):
        assert (again.status_code, again.json()) == (200, {"result": "duplicate"})
        assert again.headers["content-type"] == accepted.headers["content-type"]
    assert accepted.headers["content-type"] == "application/json"
    assert service.tally().reports == 1
    assert service.tally() == service.recount()


def test_another_report_of_the_same_device_is_a_conflict(service: Service) -> None:
    live, device = service.open(), service.enrol()
    service.send(device, report_body("week1", any_report(live, device.device)))
    altered = report_body("week1", any_report(live, device.device, symbol=1))
    response = service.send(device, altered)
    assert (response.status_code, reason(response)) == (409, "conflict")
    assert service.tally() == service.recount()
    assert service.tally().reports == 1


def test_a_device_reports_in_every_round(service: Service) -> None:
    live, device = service.open("week1"), service.enrol()
    assert service.send(device, report_body("week1", any_report(live, device.device))).is_success
    service.state.catalogue.close(SURVEY.name, "week1")
    live = service.open("week2")
    response = service.send(device, report_body("week2", any_report(live, device.device)))
    assert response.status_code == 201
    assert service.tally("week1").reports == service.tally("week2").reports == 1


def test_a_closed_round_takes_nothing(service: Service) -> None:
    live, device = service.open(), service.enrol()
    service.state.catalogue.close(SURVEY.name, "week1")
    response = service.send(device, report_body("week1", any_report(live, device.device)))
    assert (response.status_code, reason(response)) == (410, "closed")
    never = service.send(device, report_body("never", any_report(live, device.device)))
    assert (never.status_code, reason(never)) == (410, "closed")
    assert service.recount().reports == 0


def test_a_device_cannot_report_for_another(service: Service) -> None:
    live, device, other = service.open(), service.enrol(), service.enrol()
    response = service.send(device, report_body("week1", any_report(live, other.device)))
    assert (response.status_code, reason(response)) == (403, "forbidden")


def test_a_false_credential_is_refused(service: Service) -> None:
    live, device = service.open(), service.enrol()
    body = report_body("week1", any_report(live, device.device))
    good = device.headers["Authorization"]
    flipped = good[:-1] + ("0" if good[-1] != "0" else "1")
    for authorization in ("", "Harmony", "Harmony x.y", good[:-1], flipped, good.replace(".", "!")):
        headers = {"Authorization": authorization}
        response = service.client.post(REPORTS, json=body, headers=headers)
        assert (response.status_code, reason(response)) == (401, "unauthorized")


def test_an_unknown_survey_is_named_so(service: Service) -> None:
    device = service.enrol()
    response = service.send(device, report_body("week1", bytes(19)), survey="nothing")
    assert (response.status_code, reason(response)) == (404, "unknown-survey")


@pytest.mark.parametrize(("tier", "symbol"), [(1, 0), (255, 0), (0, 255)])
def test_a_tier_or_symbol_outside_the_survey_is_malformed(
    service: Service, tier: int, symbol: int
) -> None:
    live, device = service.open(), service.enrol()
    report = any_report(live, device.device, tier=tier, symbol=symbol)
    response = service.send(device, report_body("week1", report))
    assert (response.status_code, reason(response)) == (422, "malformed")
    assert service.recount().reports == 0


def test_a_malformed_body_is_refused_without_repeating_it(service: Service) -> None:
    live, device = service.open(), service.enrol()
    whole = any_report(live, device.device).hex()
    for body in (
        {},
        [],
        {"round": "week1"},
        {"round": 1, "report": whole},
        {"round": "week1", "report": whole + "00"},
        {"round": "week1", "report": whole[:-2] + "zz"},
        {"round": "week1", "report": whole[:2] + " " + whole[2:]},
    ):
        response = service.send(device, body)
        assert (response.status_code, reason(response)) == (422, "malformed")
        assert whole[:16] not in response.text
    for content in (b"", b"{", b"\xff\xfe", b"null"):
        response = service.client.post(REPORTS, content=content, headers=device.headers)
        assert (response.status_code, reason(response)) == (422, "malformed")


def test_a_malformed_body_is_told_what_is_wrong(service: Service) -> None:
    device, gateway = service.enrol(), service.bearer("gateway")
    field = service.send(device, {"round": 1, "report": "00"})
    assert field.json()["detail"] == "the body: Expected `str`, got `int` - at `$.round`"
    not_json = "the body must be JSON with 'round' and 'report'"
    for content, headers in ((b"{", device.headers), (b"[{", gateway)):
        response = service.client.post(REPORTS, content=content, headers=headers)
        assert (response.status_code, response.json()["detail"]) == (422, not_json)
    listed = service.client.post(REPORTS, json=[{"round": 1, "report": "00"}], headers=gateway)
    assert listed.json()["detail"] == "the body: Expected `str`, got `int` - at `$[0].round`"


def test_a_gateway_sends_a_list_and_hears_of_each_report(service: Service) -> None:
    live, gateway = service.open(), service.bearer("gateway")
    first, second = os.urandom(16), os.urandom(16)
    bodies = [
        report_body("week1", any_report(live, first)),
        report_body("week1", any_report(live, first)),
        report_body("week1", any_report(live, first, symbol=1)),
        report_body("week1", any_report(live, second, tier=9)),
        report_body("week0", any_report(live, second)),
        report_body("week1", b"short"),
        report_body("week1", any_report(live, second)),
    ]
    response = service.client.post(REPORTS, json=bodies, headers=gateway)
    assert response.json()["results"] == [
        "accepted", "duplicate", "conflict", "malformed", "closed", "malformed", "accepted",
    ]  # fmt: skip
    again = service.client.post(REPORTS, json=bodies, headers=gateway).json()["results"]
    assert [again[0], again[6]] == ["duplicate", "duplicate"]
    assert service.tally() == service.recount()
    assert service.tally().reports == 2


def test_a_gateway_sends_a_packed_batch_and_may_send_it_again(service: Service) -> None:
    live = service.open()
    headers = service.bearer("gateway") | {"Content-Type": MEDIA_TYPE}
    rows = np.zeros((5000, live.size), np.uint8)
    rows[:, :16] = np.frombuffer(os.urandom(16 * len(rows)), np.uint8).reshape(-1, 16)
    rows[7], rows[8] = rows[6], rows[6]
    rows[8, -1] = 1
    rows[9, 16] = 77
    body = pack(SURVEY.fingerprint, "week1", rows.tobytes(), live.size)
    first = service.client.post(REPORTS, content=body, headers=headers).json()
    assert first["accepted"] == 4997
    assert first["results"][5:11] == "aadcma"
    assert first["refused"] == {"conflict": 1, "malformed": 1}
    again = service.client.post(REPORTS, content=body, headers=headers).json()
    assert (again["accepted"], again["duplicate"]) == (0, 4998)
    assert again["results"][5:11] == "dddcmd"
    assert service.tally() == service.recount()
    assert service.tally().reports == 4997


def test_a_packed_batch_of_another_survey_is_refused(service: Service) -> None:
    live = service.open()
    headers = service.bearer("gateway") | {"Content-Type": MEDIA_TYPE}
    report = any_report(live, os.urandom(16))
    for fingerprint, label, reports, expected in (
        ("00" * 32, "week1", report, "malformed"),
        (SURVEY.fingerprint, "week9", report, "closed"),
        (SURVEY.fingerprint, "week1", report + b"x", "malformed"),
    ):
        body = pack(fingerprint, label, reports, live.size)
        response = service.client.post(REPORTS, content=body, headers=headers)
        assert reason(response) == expected
    assert service.recount().reports == 0


def test_reports_of_both_paths_meet_in_one_tally(service: Service) -> None:
    live, device = service.open(), service.enrol()
    report = any_report(live, device.device)
    service.send(device, report_body("week1", report))
    headers = service.bearer("gateway") | {"Content-Type": MEDIA_TYPE}
    body = pack(SURVEY.fingerprint, "week1", report, live.size)
    assert service.client.post(REPORTS, content=body, headers=headers).json()["results"] == "d"


def test_metrics_count_what_was_accepted_and_refused(service: Service) -> None:
    live, device = service.open(), service.enrol()
    body = report_body("week1", any_report(live, device.device))
    service.send(device, body)
    service.send(device, body)
    service.send(device, {})
    page = service.client.get("/metrics").text
    assert 'harmony_reports_total{outcome="accepted"} 1.0' in page
    assert 'harmony_reports_total{outcome="duplicate"} 1.0' in page
    assert 'harmony_refused_requests_total{reason="malformed"} 1.0' in page
    assert "harmony_commit_seconds_count 2.0" in page
    assert "harmony_queue_reports 0.0" in page
    assert device.device.hex() not in page
