"""Rotation at the server: numbered rounds, and reports of devices whose turn it is not."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import harmony as hm
from harmony.bulk.coins import Coins
from harmony.service.dashboard.readings import Readings
from harmony.service.dashboard.views import attribute_card
from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony_device import Device
from harmony_device.errors import ServerError
from harmony_device.ledger import Entry
from harmony_device.limits import Charge
from harmony_device.rotation import place_of, turn_objection
from harmony_device.transport import Reply

from .conftest import SURVEY, Service
from .devices import any_report, report_body

Start = Callable[..., Service]

TURNS = hm.Survey("turns", [hm.Boolean("wifi"), hm.Boolean("nfc")], epsilon=1.0, every=4)
REPORTS = "/v1/surveys/turns/reports"


def turn_of(device: bytes) -> int:
    return place_of(TURNS.seeds[1], device, 4)


def test_rounds_are_numbered_one_after_the_other(service: Service) -> None:
    for number in (1, 2, 3):
        assert service.open(f"week{number}").round.number == number
        (listed,) = service.client.get("/v1/surveys").json()["surveys"]
        assert listed["round"]["number"] == number
        service.state.catalogue.close(SURVEY.name, f"week{number}")
    rounds = service.client.get(f"/v1/surveys/{SURVEY.name}/rounds", headers=service.admin).json()
    assert [one["number"] for one in rounds["rounds"]] == [1, 2, 3]


def test_a_number_may_be_given_if_it_is_more_than_those_before(service: Service) -> None:
    service.state.catalogue.add(TURNS, None)

    def opened(**body: Any) -> Any:
        return service.client.post("/v1/surveys/turns/rounds", json=body, headers=service.admin)

    assert opened(label="a", number=7).json()["number"] == 7
    service.state.catalogue.close("turns", "a")
    refused = opened(label="b", number=7)
    assert (refused.status_code, "'number'" in refused.json()["detail"]) == (409, True)
    assert opened(label="b", number=0).status_code == 422
    assert opened(label="b", number=1 << 31).status_code == 422
    assert opened(label="b").json()["number"] == 8


def test_a_schedule_numbers_its_rounds(serve: Start) -> None:
    now = 1.8e9
    service = serve(clock=lambda: now)
    service.state.catalogue.add(TURNS, "daily")
    for _ in range(3):
        service.state.catalogue.follow_schedules()
        now += 86400
    rounds = service.state.catalogue.survey("turns").rounds.values()
    assert [one.live.round.number for one in rounds] == [1, 2, 3]


def test_a_report_is_taken_only_in_its_devices_turn(service: Service) -> None:
    live = service.open("a", TURNS)
    devices = [service.enrol() for _ in range(24)]
    for device in devices:
        body = report_body("a", any_report(live, device.device))
        response = service.send(device, body, "turns")
        due = turn_of(device.device) == 1
        assert response.status_code == (201 if due else 403)
        if not due:
            assert "not this device's turn" in response.json()["detail"]
    assert 0 < service.tally("a", "turns").reports < 24
    assert service.tally("a", "turns") == service.recount("a", "turns")


def test_the_dashboard_shows_windows_beside_rounds(service: Service) -> None:
    devices = [service.enrol() for _ in range(24)]
    for number in range(1, 6):
        live = service.open(f"week{number}", TURNS)
        for device in devices:
            if turn_of(device.device) == number % 4:
                body = report_body(f"week{number}", any_report(live, device.device))
                assert service.send(device, body, "turns").status_code == 201
        service.state.catalogue.close("turns", f"week{number}")
    entry, readings = service.state.catalogue.survey("turns"), Readings(service.state.catalogue)
    last = service.state.catalogue.round("turns")
    windows = readings.windows(entry, last)
    assert [one.round for one in windows] == ["week1 to week4", "week2 to week5"]
    assert windows[0].reports == 24
    results = readings.history(entry, last)
    card = attribute_card(TURNS.questions[0], results, results[-1], windows=windows)
    assert card.windows is not None
    assert card.windows["title"] == "wifi over windows"
    assert card.trend is None or card.trend["title"] == "wifi over rounds"


def test_batches_say_whose_turn_it_is_not(service: Service) -> None:
    live = service.open("a", TURNS)
    devices = [os.urandom(16) for _ in range(40)]
    due = [turn_of(one) == 1 for one in devices]
    reports = [any_report(live, one) for one in devices]
    gateway = service.bearer("gateway")
    listed = service.client.post(
        REPORTS, json=[report_body("a", one) for one in reports[:20]], headers=gateway
    ).json()["results"]
    assert listed == ["accepted" if one else "forbidden" for one in due[:20]]
    packed = service.client.post(
        REPORTS,
        content=pack(TURNS.fingerprint, "a", b"".join(reports[20:]), live.size),
        headers={**gateway, "Content-Type": MEDIA_TYPE},
    ).json()
    assert packed["results"] == "".join("a" if one else "f" for one in due[20:])
    assert packed["refused"] == {"forbidden": due[20:].count(False)}


@pytest.mark.parametrize("hostile", [False, True], ids=["honest numbers", "lying numbers"])
def test_ten_thousand_histories_spend_one_epsilon_in_any_four_rounds(hostile: bool) -> None:
    """Devices skip rounds, come late, crash after the charge, and forget and join again.

    The ledger alone keeps them to it, whatever numbers a server says; an honest server's own check
    agrees with every device.
    """
    rng = random.Random(20)
    ids = [rng.randbytes(16) for _ in range(10_000)]
    words = np.ascontiguousarray(np.frombuffer(b"".join(ids), "<u8").reshape(-1, 2).T)
    due = {
        number: Coins(TURNS, hm.Round("x", bytes(16), number)).are_due(words)
        for number in range(12)
    }
    answered = 0
    for device, first in enumerate(ids):
        ledger: list[Entry] = []
        identity, enrolled = first, rng.randrange(12)
        for number in range(enrolled, 12):
            offered = rng.randrange(12) if hostile else number
            if rng.random() < 0.3:  # offline
                continue
            place = turn_of(identity)
            if turn_objection("turns", offered, 4, place, ledger) is None:
                # A crash after this loses the report, not the charge.
                ledger.append(Entry(0.0, "turns", str(number), Charge(1.0), [], offered))
            if identity == first:
                assert due[offered][device] == (place == offered % 4)
            if rng.random() < 0.02:  # forget, and join again under another id
                identity = rng.randbytes(16)
        numbers = sorted(entry.number for entry in ledger)
        assert all(b - a >= 4 for a, b in itertools.pairwise(numbers))
        answered += len(numbers)
    assert answered > 8_000


class InProcess:
    """A device's way to the application in this process, which loses some replies."""

    def __init__(self, service: Service, rng: random.Random) -> None:
        self._service, self._rng = service, rng

    def request(self, method: str, path: str, headers: Any, body: bytes | None = None) -> Reply:
        response = self._service.client.request(method, path, headers=dict(headers), content=body)
        if method == "POST" and path.endswith("/reports") and self._rng.random() < 0.2:
            raise ServerError("the reply was lost")
        return Reply(response.status_code, dict(response.headers), response.content)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_real_devices_that_skip_come_late_crash_and_forget_are_heard_in_turn(
    service: Service, tmp_path: Path
) -> None:
    """A device that crashed here is one whose directory lost its outbox after the charge."""
    rng = random.Random(20)
    now = 1.8e9
    transport = InProcess(service, rng)
    homes = [tmp_path / str(number) for number in range(24)]

    def device(home: Path) -> Device:
        return Device(
            "https://stats.example", home, record={"wifi": bool, "nfc": bool}, consent=True,
            epsilon_limit=99, transport=transport, clock=lambda: now, sleep=lambda _: None,
        )  # fmt: skip

    for number in range(1, 13):
        service.open(f"r{number}", TURNS)
        for place, home in enumerate(homes):
            if number < place % 5 or rng.random() < 0.2:
                continue  # enrols late, or is offline
            device(home).answer({"wifi": place % 2 == 0, "nfc": True})
            if rng.random() < 0.05:
                device(home).forget()
                device(home).rejoin()
            elif rng.random() < 0.05 and (home / "outbox").is_dir():
                for file in (home / "outbox").iterdir():
                    file.unlink()
        now += 7 * 86400
        for home in homes:
            if home.is_dir():
                device(home).send()
        now += 86400
        tally = service.tally(f"r{number}", "turns")
        assert tally == service.recount(f"r{number}", "turns")
        service.state.catalogue.close("turns", f"r{number}")
    answered = 0
    for home in homes:
        numbers = sorted(entry.number for entry in device(home).ledger())
        assert all(b - a >= 4 for a, b in itertools.pairwise(numbers))
        assert not any("forbidden" in entry.state for entry in device(home).ledger())
        answered += len(numbers)
    reports = sum(service.tally(f"r{number}", "turns").reports for number in range(1, 13))
    assert 0 < reports <= answered
    assert answered > 24
