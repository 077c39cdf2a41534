"""A device answers every open round once, and is heard once, whatever the network does."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device, DeviceError
from harmony_device.backoff import LONGEST_PAUSE, LONGEST_RETRY_AFTER

from .conftest import RECORD, VALUES, Clock, small_survey, vectors
from .fake_server import DirectTransport, FakeServer

Start = Callable[..., Device]


def test_a_device_enrols_answers_and_is_heard(device: Start, server: FakeServer) -> None:
    visit = device().answer(VALUES)
    assert visit.answered == visit.accepted == [("small", "1")]
    assert (visit.waiting, visit.trouble, visit.skipped) == (0, None, {})
    ((survey, label, caller), report) = next(iter(server.reports.items()))
    assert (survey, label, caller) == ("small", "1", next(iter(server.devices)))
    assert len(bytes.fromhex(report)) == 18


def test_it_enrols_once_and_keeps_its_credential_to_itself(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    for label in "123":
        server.open_round("small", label)
        device().answer(VALUES)
    assert server.enrolments == 1
    identity = tmp_path / "harmony" / "identity.json"
    assert stat.S_IMODE(identity.stat().st_mode) == 0o600
    assert stat.S_IMODE(identity.parent.stat().st_mode) == 0o700
    assert server.devices[json.loads(identity.read_text())["device"]] in identity.read_text()


def test_it_enrols_with_a_key_where_one_is_asked(device: Start, server: FakeServer) -> None:
    device(key="abc").answer(VALUES)
    assert server.requests[0][3] == {"key": "abc"}


def test_a_round_is_answered_once(device: Start, server: FakeServer) -> None:
    running = device()
    assert running.answer(VALUES).answered
    assert not running.answer(VALUES).answered
    assert not device().answer(VALUES).answered
    assert len(server.seen) == 1


def test_a_round_with_a_new_seed_is_still_the_same_round(device: Start, server: FakeServer) -> None:
    device().answer(VALUES)
    server._rounds["small"] = ("1", "ff" * 16)
    assert not device().answer(VALUES).answered


def test_a_document_is_downloaded_once(device: Start, server: FakeServer) -> None:
    for label in "123":
        server.open_round("small", label)
        device().answer(VALUES)
    assert server.paths()["GET /v1/surveys/small"] == 1
    server.publish(small_survey(answers=1, epsilon=1.5), "4")
    assert device().answer(VALUES).answered == [("small", "4")]
    assert server.paths()["GET /v1/surveys/small"] == 2


def test_a_lost_reply_is_resent_with_the_same_bytes(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [None, None, None, "lost reply"]
    visit = device().answer(VALUES)
    assert (visit.accepted, visit.waiting) == ([], 1)
    assert len(server.reports) == 1
    clock.now += 60
    assert device().answer(VALUES).accepted == [("small", "1")]
    assert len(server.seen) == 2
    assert len(set(server.seen)) == 1


@pytest.mark.parametrize("fault", [500, 502, 503, 429, 408, 401, 418, 302, "lost request"])
def test_a_report_is_kept_and_resent_after(
    fault: Any, device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [None, None, None, fault]
    visit = device().answer(VALUES)
    assert visit.waiting == 1
    assert visit.trouble is not None
    clock.now += 60
    assert device().send().accepted == [("small", "1")]
    assert len(set(server.seen)) == 1


@pytest.mark.parametrize("status", [403, 409, 410, 413, 422])
def test_a_report_is_dropped_after(status: int, device: Start, server: FakeServer) -> None:
    server.faults = [None, None, None, status]
    visit = device().answer(VALUES)
    assert visit.waiting == 0
    assert list(visit.dropped) == [("small", "1")]
    assert device().ledger()[0].state == visit.dropped["small", "1"]
    assert device().ledger()[0].state.startswith("dropped: ")
    assert not device().answer(VALUES).answered


def test_a_report_to_an_unknown_survey_waits_without_holding_up_others(
    device: Start, server: FakeServer
) -> None:
    server.publish(small_survey(name="other"))
    server.faults = [None, None, None, None, 404]
    visit = device().answer(VALUES)
    assert (len(visit.accepted), visit.waiting) == (1, 1)
    assert len(device().send().accepted) == 1


def test_waiting_is_patient_exponential_and_jittered(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [503] * 6
    visit = device().answer(VALUES, patience=1000)
    assert visit.accepted == [("small", "1")]
    assert len(clock.slept) == 6
    for place, pause in enumerate(clock.slept):
        assert 2 ** (place + 1) / 2 <= pause <= 2 ** (place + 1)
    assert len({pause / 2**place for place, pause in enumerate(clock.slept)}) > 1


def test_impatience_returns_at_once_and_says_when_to_come_back(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [503]
    visit = device().answer(VALUES)
    assert clock.slept == []
    assert visit.next_attempt is not None
    assert 1 <= visit.next_attempt <= 2


def test_a_server_in_trouble_is_left_alone_across_restarts(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [503]
    device().answer(VALUES)
    assert device().answer(VALUES).trouble == "the server is left alone for a while"
    assert len(server.requests) == 1
    clock.now += 3
    assert device().answer(VALUES).accepted


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("120", 120, 120),
        ("0", 1, 2),
        ("999999999999", LONGEST_RETRY_AFTER, LONGEST_RETRY_AFTER),
        ("Tue, 10 Nov 2026 00:10:00 GMT", 600, 600),
        ("Tue, 10 Nov 2020 00:00:00 GMT", 1, 2),
        ("soon", 1, 2),
        ("-5", 1, 2),
    ],
)
def test_retry_after_is_honoured_and_clamped(
    header: str, least: float, most: float, device: Start, server: FakeServer
) -> None:
    date = "Tue, 10 Nov 2026 00:00:00 GMT"
    server.faults = [(503, {"Retry-After": header, "Date": date})]
    visit = device().answer(VALUES)
    assert visit.next_attempt is not None
    assert least <= visit.next_attempt <= most


def test_pauses_never_grow_beyond_an_hour_even_when_the_clock_jumps_back(
    device: Start, transport: DirectTransport, clock: Clock
) -> None:
    transport.online = False
    for _ in range(40):
        visit = device().answer(VALUES)
        assert visit.next_attempt is not None
        assert visit.next_attempt <= LONGEST_PAUSE
        clock.now += visit.next_attempt
    clock.now -= 10 * 365 * 86400
    remaining = device().answer(VALUES).next_attempt
    assert remaining is not None
    assert remaining <= LONGEST_PAUSE


def test_days_offline_lose_nothing(
    device: Start, server: FakeServer, transport: DirectTransport, clock: Clock
) -> None:
    server.faults = [None, None, None, "lost request"]
    device().answer(VALUES)
    transport.online = False
    for _ in range(20):
        clock.now += 0.5 * 86400
        assert device().answer(VALUES).waiting == 1
    transport.online = True
    clock.now += 86400
    assert device().answer(VALUES).accepted == [("small", "1")]


def test_a_report_nobody_took_for_months_is_given_up(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [None, None, None, "lost request"]
    device().answer(VALUES)
    clock.now += 91 * 86400
    assert device().send().dropped == {("small", "1"): "dropped: too old"}


def test_a_closed_round_is_dropped_and_the_next_one_answered(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [None, None, None, "lost request"]
    device().answer(VALUES)
    server.open_round("small", "2")
    clock.now += 60
    visit = device().answer(VALUES)
    assert visit.dropped == {("small", "1"): "dropped: closed"}
    assert visit.accepted == [("small", "2")]


def test_values_that_do_not_fit_are_answered_like_any_other(
    device: Start, server: FakeServer
) -> None:
    visit = device().answer({**VALUES, "wifi": "purple", "batery": 3})
    assert visit.accepted == [("small", "1")]
    assert [entry.epsilon for entry in device().ledger()] == [1.0]
    assert visit.warnings == [
        "values: 'batery' is not in the record; did you mean 'battery'?",
        "wifi: no value, or none that is a boolean",
    ]


def test_a_survey_outside_the_record_is_skipped_whatever_the_values_are(
    device: Start, server: FakeServer
) -> None:
    for values in (VALUES, {}, {"wifi": "purple"}):
        visit = device(record={"battery": float, "wifi": bool}).answer(values)
        assert visit.skipped == {
            "small": "asks for 'age' (number), which is not in this app's record"
        }
        assert "asks for 'age'" in repr(visit)
    assert device().ledger() == []


def test_only_reviewed_documents_are_answered(device: Start, server: FakeServer) -> None:
    fingerprint = server.fingerprints()["small"]
    for reviewed in ({}, {"other": fingerprint}, {"small": "0" * 64}):
        visit = device(surveys=reviewed).answer(VALUES)
        assert visit.skipped == {
            "small": "not among the documents that this app's authors reviewed"
        }
    assert device(surveys={"small": fingerprint}).answer(VALUES).accepted == [("small", "1")]


def test_a_device_enrolled_after_the_round_opened_waits_for_the_next(
    device: Start, server: FakeServer
) -> None:
    server.enrolled = "2027-01-15T08:00:00Z"
    server.enrolled_before = "2027-01-15T08:00:00Z"
    visit = device().answer(VALUES)
    assert visit.skipped == {"small": "this device enrolled after the round opened"}
    server.enrolled_before = "2027-01-15T08:00:01Z"
    assert device().answer(VALUES).accepted == [("small", "1")]


@pytest.mark.parametrize(
    "record", [None, ["battery"], {"battery": "float"}, {"battery": list}, {3: float}]
)
def test_a_record_that_is_none_is_refused(device: Start, record: Any) -> None:
    with pytest.raises(TypeError, match="'record'"):
        device(record=record)


def test_a_survey_that_lies_is_skipped_and_spends_nothing(
    device: Start, server: FakeServer
) -> None:
    server.publish(small_survey(name="liar", epsilon=0.4))
    visit = device().answer(VALUES)
    assert "promised epsilon" in visit.skipped["liar"]
    assert visit.accepted == [("small", "1")]
    assert [entry.survey for entry in device().ledger()] == ["small"]


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 0.5},
        {"epsilon": None},
        {"name": "other"},
        {"fingerprint": "00" * 32},
        {"fingerprint": "../../etc/passwd"},
        {"name": "../../v1"},
        {"name": None},
        {"round": {"label": "1", "seed": "00"}},
        {"round": {"label": "1/../..", "seed": "00" * 16}},
        {"round": {"label": "1"}},
        {"round": 7},
        {"round": None},
    ],
)
def test_a_listing_that_is_not_true_is_not_answered(
    change: dict[str, Any], device: Start, server: FakeServer
) -> None:
    server.listing = [{**server._listed("small"), **change}]
    assert device().answer(VALUES).answered == []
    assert server.seen == []


@pytest.mark.parametrize("listing", [7, "surveys", {"a": 1}])
def test_a_listing_of_another_shape_is_trouble(
    listing: Any, device: Start, server: FakeServer
) -> None:
    server.listing = listing
    assert "'surveys' must be a list" in str(device().answer(VALUES).trouble)


def test_a_credential_that_would_break_its_header_is_refused(
    device: Start, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = {"device": "00" * 16, "credential": "x\r\nHost: evil"}
    monkeypatch.setattr(server, "_route", lambda *_: server._json(201, hostile))
    assert "no usable" in str(device().answer(VALUES).trouble)


def test_the_outbox_has_a_byte_cap_and_a_full_one_spends_nothing(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    for place in range(9):
        server.publish(small_survey(name=f"survey{place}"))
    server.faults = [None] * 12 + ["lost request"] * 100
    visit = device(most_waiting_bytes=500).answer(VALUES)
    assert 2 <= visit.waiting < 10
    assert len(device().ledger()) == visit.waiting
    assert "waiting already" in next(iter(visit.skipped.values()))
    server.faults = []
    clock.now += 60
    for _ in range(9):
        device(most_waiting_bytes=500).answer(VALUES)
    assert len(server.reports) == 10


def test_a_directory_belongs_to_one_server(
    device: Start, tmp_path: Path, server: FakeServer
) -> None:
    device().answer(VALUES)
    other = Device(
        "https://other.example", tmp_path / "harmony", record=RECORD, consent=True, epsilon_limit=9,
        transport=DirectTransport(server),
    )  # fmt: skip
    with pytest.raises(DeviceError, match="use a directory for each server"):
        other.answer(VALUES)


def test_the_ledger_says_what_was_asked_and_is_readable(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    device().answer(VALUES)
    (entry,) = device().ledger()
    assert (entry.survey, entry.round, entry.epsilon, entry.state) == (
        "small",
        "1",
        1.0,
        "accepted",
    )
    assert entry.asked[0] in VALUES
    lines = (tmp_path / "harmony" / "ledger.jsonl").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["answered", "accepted"]
    assert json.loads(lines[0])["at"] == "2027-01-15T08:00:00Z"


def test_no_file_holds_a_value(device: Start, server: FakeServer, tmp_path: Path) -> None:
    document = small_survey()
    document["attributes"][1]["values"] = ["hidden-a", "hidden-b"]
    document["attributes"][0]["high"] = 9e9
    server.publish(document, "2")
    server.faults = [None, None, None, "lost request"]
    device().answer({"battery": 123454321.25, "wifi": "hidden-b", "age": 33})
    for folder, _, files in os.walk(tmp_path):
        for file in files:
            if "surveys" not in folder:
                content = Path(folder, file).read_text()
                assert "hidden" not in content
                assert "123454321" not in content


def test_every_survey_of_the_vectors_is_answered(device: Start) -> None:
    reports = vectors("reports")
    values: dict[str, Any] = {}
    for case in reports["reports"]:
        values.update({name: one for name, one in case["values"].items() if one is not None})
    server = FakeServer(*reports["surveys"].values())
    record = {
        one["name"]: type(one["values"][0]) if one["kind"] == "categorical" else float
        for survey in reports["surveys"].values()
        for one in survey["attributes"]
    }
    visit = device(transport=DirectTransport(server), record=record).answer(values)
    assert {survey for survey, _ in visit.accepted} == reports["surveys"].keys() - {"step"}
    assert "derived answer" in visit.skipped["step"], "a step's survey, outside of its training"


def test_a_credential_is_renewed_once_a_month(
    device: Callable[..., Device], server: FakeServer, clock: Clock
) -> None:
    device().answer(VALUES)
    clock.now += 29 * 86400
    device().answer(VALUES)
    assert server.paths()["POST /v1/devices/me"] == 0
    clock.now += 2 * 86400
    server.open_round("small", "2")
    for _ in range(2):
        device().answer(VALUES)
    assert server.paths()["POST /v1/devices/me"] == 1
    assert server.enrolments == 1
    assert [name for name, _, _ in server.reports] == ["small", "small"]
    sent = [headers for method, path, headers, _ in server.requests if path.endswith("/reports")]
    assert sent[-1]["Authorization"].endswith("-renewed")


@pytest.mark.parametrize("fault", [401, 404, 500])
def test_a_server_that_renews_nothing_is_no_trouble(
    device: Callable[..., Device], server: FakeServer, clock: Clock, fault: int
) -> None:
    device().answer(VALUES)
    clock.now += 31 * 86400
    server.open_round("small", "2")
    server.faults = [fault]
    assert device().answer(VALUES).accepted == [("small", "2")]
