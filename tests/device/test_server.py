"""What a device asks of its server, and what it makes of each answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from email.utils import formatdate
from time import time
from typing import Any

import pytest

from harmony_device import Device
from harmony_device.errors import RefusedError, ServerError
from harmony_device.identity import Identity
from harmony_device.server import Server, TrainingOffer, retry_after
from harmony_device.transport import Reply

from .conftest import VALUES, small_survey
from .fake_server import FakeServer
from .steps import step_document

Start = Callable[..., Device]

IDENTITY = Identity("https://stats.example", bytes(range(16)), "1-secret", 7.0)
AUTHORIZATION = "Harmony 000102030405060708090a0b0c0d0e0f.1-secret"
LISTED: dict[str, Any] = {
    "name": "small", "fingerprint": "0f" * 32, "epsilon": 1.0,
    "round": {"label": "2026-W46", "seed": "ab" * 16},
}  # fmt: skip


class Script:
    """A transport that gives the next of some replies, and notes what was asked."""

    def __init__(self, *replies: tuple[int, Any]) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[str, str, dict[str, str], bytes | None]] = []
        self.closed = False

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Reply:
        self.asked.append((method, path, dict(headers), body))
        status, content = self.replies.pop(0)
        return Reply(
            status, {}, content if type(content) is bytes else json.dumps(content).encode()
        )

    def close(self) -> None:
        self.closed = True


def asking(*replies: tuple[int, Any]) -> tuple[Server, Script]:
    script = Script(*replies)
    return Server("https://stats.example", script), script


def test_every_request_says_who_asks_and_what_is_sent() -> None:
    issued = {"device": IDENTITY.device.hex(), "credential": "2-secret"}
    listed = {"surveys": [], "trainings": []}
    server, script = asking(
        (201, issued), (201, issued), (200, issued), (200, listed), (200, b"doc"), (204, b""),
        (201, b""), (204, b""),
    )  # fmt: skip
    server.enrol(None)
    server.enrol("key")
    server.renew(IDENTITY)
    server.offers()
    assert server.document("small") == b"doc"
    server.task(IDENTITY, "charging")
    server.report(IDENTITY, "small", "2026-W46", b"\x01\xff")
    server.delete(IDENTITY)
    plain = {
        "Accept": "application/json", "Harmony-Protocol": "1",
        "User-Agent": "harmony-ldp-device-python",
    }  # fmt: skip
    json_sent = {**plain, "Content-Type": "application/json"}
    proved = {"Authorization": AUTHORIZATION}
    report = b'{"round": "2026-W46", "report": "01ff"}'
    assert script.asked == [
        ("POST", "/v1/devices", json_sent, b"{}"),
        ("POST", "/v1/devices", json_sent, b'{"key": "key"}'),
        ("POST", "/v1/devices/me", {**json_sent, **proved}, b"{}"),
        ("GET", "/v1/surveys", plain, None),
        ("GET", "/v1/surveys/small", plain, None),
        ("GET", "/v1/trainings/charging/task", {**plain, **proved}, None),
        ("POST", "/v1/surveys/small/reports", {**json_sent, **proved}, report),
        ("DELETE", "/v1/devices/me", {**plain, **proved}, None),
    ]
    assert not script.closed
    server.close()
    assert script.closed


@pytest.mark.parametrize("status", [200, 400, 403, 429, 500])
def test_an_enrolment_that_is_not_201_is_trouble(status: int) -> None:
    server, _ = asking((status, {"device": "ab" * 16, "credential": "c"}))
    with pytest.raises(ServerError, match=rf"^enrolment: the server answered {status}$"):
        server.enrol(None)


def test_an_enrolment_is_an_identity_at_this_server() -> None:
    server, _ = asking((201, {"device": "ab" * 16, "credential": "c"}))
    identity = server.enrol(None)
    assert (identity.server, identity.device) == ("https://stats.example", b"\xab" * 16)
    assert (identity.credential, identity.renewed) == ("c", 0.0)


def test_a_renewal_for_another_device_is_refused() -> None:
    server, _ = asking((200, {"device": "ab" * 16, "credential": "c"}))
    with pytest.raises(ServerError, match="for another device"):
        server.renew(IDENTITY)


def test_a_renewal_that_is_not_json_is_trouble() -> None:
    server, _ = asking((200, b"<html>"))
    with pytest.raises(ServerError, match=r"^renewal: the document is not JSON"):
        server.renew(IDENTITY)


@pytest.mark.parametrize("status", [404, 410])
def test_a_listed_survey_without_a_document_is_refused(status: int) -> None:
    server, _ = asking((status, b""))
    with pytest.raises(RefusedError, match=f"answers {status} for its document"):
        server.document("small")


def test_a_document_that_does_not_come_is_trouble() -> None:
    server, _ = asking((503, b""))
    with pytest.raises(ServerError, match=r"^survey 'small': the server answered 503"):
        server.document("small")


@pytest.mark.parametrize("status", [204, 404, 500])
def test_a_list_that_does_not_come_is_trouble(status: int) -> None:
    server, _ = asking((status, {"surveys": []}))
    with pytest.raises(ServerError, match=f"the list of surveys: the server answered {status}"):
        server.offers()


@pytest.mark.parametrize("document", [[], 7, None, {}, {"surveys": None}, {"surveys": {}}])
def test_a_list_of_another_shape_is_trouble(document: Any) -> None:
    server, _ = asking((200, document))
    with pytest.raises(ServerError, match="'surveys' must be a list"):
        server.offers()


def test_an_offer_says_what_is_listed() -> None:
    closed = {**LISTED, "name": "closed", "round": None}
    server, _ = asking((200, {"surveys": [closed, LISTED]}))
    (offer,), trainings = server.offers()
    assert (offer.name, offer.fingerprint, offer.epsilon) == ("small", "0f" * 32, 1.0)
    assert (offer.round, offer.seed) == ("2026-W46", b"\xab" * 16)
    assert trainings == []


@pytest.mark.parametrize(
    "change",
    [
        {"name": "a b"},
        {"name": "-a"},
        {"name": "a" * 101},
        {"name": 7},
        {"fingerprint": "0f" * 31},
        {"fingerprint": "0f" * 33},
        {"fingerprint": "0F" * 32},
        {"fingerprint": "0g" * 32},
        {"fingerprint": None},
        {"fingerprint": int("7" * 64)},
        {"fingerprint": ["a"] * 64},
        {"round": {"label": "1"}},
        {"round": {"seed": "ab" * 16}},
        {"round": {"label": "a" * 65, "seed": "ab" * 16}},
        {"round": {"label": "1", "seed": "ab" * 15}},
        {"round": {"label": "1", "seed": "ab" * 17}},
        {"round": {"label": "1", "seed": "xy" * 16}},
        {"round": {"label": "1", "seed": None}},
        {"round": {"label": "1", "seed": "ab " * 10 + "ab"}},
        {"round": {"label": "1", "seed": "ab\t" * 10 + "ab"}},
        {"round": []},
        {"round": "1"},
    ],
)
def test_an_offer_that_is_none_is_passed_over(change: dict[str, Any]) -> None:
    server, _ = asking((200, {"surveys": [{**LISTED, **change}, LISTED]}))
    assert [offer.name for offer in server.offers()[0]] == ["small"]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "a" * 100},
        {"round": {"label": "a" * 64, "seed": "ab" * 16}},
        {"round": {"label": "2026-W46:1_a.b", "seed": "AB" * 16}},
    ],
)
def test_an_offer_just_within_bounds_is_taken(change: dict[str, Any]) -> None:
    server, _ = asking((200, {"surveys": [{**LISTED, **change}]}))
    assert len(server.offers()[0]) == 1


def test_a_step_has_the_most_epsilon_with_which_its_training_is_listed() -> None:
    document = step_document()
    del document["survey"]["epsilon"]
    document["survey"]["tiers"] = [1.5, 1.1]
    for attribute in document["survey"]["attributes"]:
        attribute["mechanisms"] *= 2
    content = json.dumps(document).encode()
    listed = {"name": "charging", "epsilon": 1.5}
    most_bytes = 2 * len(content)
    assert TrainingOffer(listed).step(content, most_bytes).survey.tiers == [1.5, 1.1]
    with pytest.raises(RefusedError, match="'epsilon' is not the epsilon"):
        TrainingOffer({**listed, "epsilon": 1.1}).step(content, most_bytes)
    with pytest.raises(RefusedError, match="'training' is not the training"):
        TrainingOffer({**listed, "name": "other"}).step(content, most_bytes)
    with pytest.raises(RefusedError, match=f"more than {len(content) - 1} bytes"):
        TrainingOffer(listed).step(content, len(content) - 1)


@pytest.mark.parametrize("listed", [None, 7, "small", [], {}, {"name": "small"}])
def test_what_is_no_offer_at_all_is_passed_over(listed: Any) -> None:
    training = {"name": "charging", "epsilon": 1.5}
    server, _ = asking((200, {"surveys": [listed, LISTED], "trainings": [listed, training]}))
    offers, trainings = server.offers()
    assert [offer.name for offer in offers] == ["small"]
    assert [(one.name, one.epsilon) for one in trainings] == [("charging", 1.5)]


@pytest.mark.parametrize("epsilon", ["1", None, float("inf"), True])
def test_a_training_without_an_epsilon_is_passed_over(epsilon: Any) -> None:
    text = json.dumps({"surveys": [], "trainings": [{"name": "charging", "epsilon": epsilon}]})
    server, _ = asking((200, text.replace("Infinity", "1e999").encode()))
    assert server.offers() == ([], [])


@pytest.mark.parametrize("trainings", [None, 7, {"name": "charging"}, "charging"])
def test_trainings_of_another_shape_are_none(trainings: Any) -> None:
    server, _ = asking((200, {"surveys": [LISTED], "trainings": trainings}))
    offers, found = server.offers()
    assert (len(offers), found) == (1, [])


def test_a_thousand_surveys_and_trainings_are_looked_at() -> None:
    surveys = [{**LISTED, "name": f"s{place}"} for place in range(1001)]
    trainings = [{"name": f"t{place}", "epsilon": 1} for place in range(1001)]
    server, _ = asking((200, {"surveys": surveys, "trainings": trainings}))
    offers, running = server.offers()
    assert (len(offers), len(running)) == (1000, 1000)
    assert (offers[-1].name, running[-1].name) == ("s999", "t999")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": " 17 "}, 17.0),
        ({"retry-after": "1234567890123"}, 123456789.0),
        ({"retry-after": "1.5"}, None),
        ({"retry-after": "\u00b2"}, None),  # a digit that is no number, and fits a header
        ({"retry-after": "1\u00b9"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Tue, 10 Nov 2026 00:10:00 GMT", "date": "soon"}, None),
        ({"retry-after": "Tue, 99 Nov 2026 00:10:00 GMT"}, None),
    ],
)
def test_the_time_to_come_back_is_a_number(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(Reply(503, headers, b"")) == seconds


def test_the_time_to_come_back_is_a_date_by_the_servers_clock_or_else_by_ours() -> None:
    early, late = "Tue, 10 Nov 2026 00:00:00 GMT", "Tue, 10 Nov 2026 00:10:00 GMT"
    assert retry_after(Reply(503, {"retry-after": late, "date": early}, b"")) == 600.0
    assert retry_after(Reply(503, {"retry-after": early, "date": late}, b"")) == 0.0
    soon = retry_after(Reply(503, {"retry-after": formatdate(time() + 1000, usegmt=True)}, b""))
    assert soon is not None
    assert 900 < soon <= 1000


def test_a_survey_whose_document_is_gone_does_not_hold_up_others(
    device: Start, server: FakeServer
) -> None:
    server.publish(small_survey(name="other"))
    server.faults = [None, None, 404]
    visit = device().answer(VALUES)
    assert visit.skipped == {"small": "the server lists it, but answers 404 for its document"}
    assert visit.accepted == [("other", "1")]


@pytest.mark.parametrize(
    ("before", "what"),
    [
        (0, "enrolment"),
        (1, "the list of surveys"),
        (2, "survey 'small'"),
        (3, "the report to 'small'"),
    ],
)
def test_the_trouble_names_what_was_asked_and_how_it_was_answered(
    before: int, what: str, device: Start, server: FakeServer
) -> None:
    server.faults = [*[None] * before, (503, {"Retry-After": "30"})]
    visit = device().answer(VALUES)
    assert visit.trouble == f"{what}: the server answered 503"
    assert visit.next_attempt == 30.0
