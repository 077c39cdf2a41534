"""What a visit asks, in which order, and what it leaves alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device, EpsilonLimit, Visit
from harmony_device.outbox import Outbox

from .conftest import RECORD as TYPES
from .conftest import VALUES, Clock, small_survey
from .fake_server import DirectTransport, FakeServer
from .steps import RECORD, step_document

Start = Callable[..., Device]
DAY = 86400.0
TASK = "GET /v1/trainings/charging/task"


def waiting_report(device: Start, server: FakeServer, clock: Clock) -> None:
    """Answer a round whose report is lost on its way."""
    server.faults = [None, None, None, "lost request"]
    assert device().answer(VALUES).waiting == 1
    clock.now += 60


def test_sending_with_nothing_to_send_asks_nothing(device: Start, server: FakeServer) -> None:
    visit = device().send()
    assert (server.requests, visit.trouble, visit.waiting) == ([], None, 0)


def test_waiting_reports_go_out_before_new_surveys_are_asked_for(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    waiting_report(device, server, clock)
    server.requests = []
    server.open_round("small", "2")
    visit = device().answer(VALUES)
    paths = [path.removeprefix("/v1/surveys") for _, path, _, _ in server.requests]
    assert paths == ["/small/reports", "", "/small/reports"]
    assert (visit.dropped, visit.accepted) == (
        {("small", "1"): "dropped: closed"},
        [("small", "2")],
    )


def test_a_round_that_was_answered_is_neither_read_nor_told_of_again(device: Start) -> None:
    device().answer(VALUES)
    read: list[str] = []
    visit = device().answer(lambda name: read.append(name))
    assert (read, visit.skipped, visit.answered) == ([], {}, [])


def test_documents_of_surveys_that_are_no_longer_offered_are_removed(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    running = device()
    running.answer(VALUES)
    (document,) = (tmp_path / "harmony" / "surveys").iterdir()
    server.publish(small_survey(epsilon=1.5), "2")
    running.answer(VALUES)
    assert document.name not in os.listdir(tmp_path / "harmony" / "surveys")
    server.publish(small_survey(), "3")
    running.answer(VALUES)
    assert server.paths()["GET /v1/surveys/small"] == 3


def test_a_document_is_answered_under_its_own_name_alone(device: Start, server: FakeServer) -> None:
    listed = server._listed("small")
    server.listing = [listed, {**listed, "name": "other"}]
    visit = device().answer(VALUES)
    assert visit.answered == [("small", "1")]
    assert visit.skipped == {"other": "'name' is not the name under which the survey is listed"}


def test_a_document_is_checked_once_while_the_app_runs(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    running = device()
    running.answer(VALUES)
    (document,) = (tmp_path / "harmony" / "surveys").iterdir()
    document.unlink()
    server.open_round("small", "2")
    assert running.answer(VALUES).accepted
    assert server.paths()["GET /v1/surveys/small"] == 1


def test_a_visit_without_patience_does_not_wait(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [503]
    assert device().answer(VALUES).next_attempt is not None
    clock.now += 60
    waiting_report(device, server, clock)
    server.faults = [(503, {"Retry-After": "100"})]
    device().send()
    clock.now += 99.5
    for visit in (device().send(), device().answer(VALUES)):
        assert (visit.waiting, visit.next_attempt) == (1, 0.5)
    assert clock.slept == []


@pytest.mark.parametrize("place", [2, 3, 4])
def test_another_process_that_forgets_ends_the_visit_before_the_next_request(
    place: int, device: Start, server: FakeServer, transport: DirectTransport
) -> None:
    """Not in the first, the enrolment: that one holds the lock for which forgetting waits."""
    made: list[str] = []

    def step(name: str) -> None:
        if name.startswith("after") and "DELETE" not in name:
            made.append(name)
            if len(made) == place:
                device().forget()

    transport.step = step
    visit = device().answer(VALUES)
    assert len(made) == place
    assert visit.trouble == ("consent is not given" if place < 4 else None)
    assert server.devices == {}


def test_consent_that_ends_while_values_are_read_spends_nothing(
    device: Start, server: FakeServer
) -> None:
    given = [True]

    def value_of(name: str) -> object:
        given[0] = False
        return VALUES[name]

    visit = device(consent=lambda: given[0]).answer(value_of)
    assert (visit.trouble, visit.answered) == ("consent is not given", [])
    assert (device().ledger(), server.seen) == ([], [])


def test_a_round_that_another_process_answers_meanwhile_is_not_answered_again(
    device: Start, server: FakeServer
) -> None:
    read: list[str] = []

    def value_of(name: str) -> object:
        if not read:
            read.append(name)
            device().answer(VALUES)
        return VALUES[name]

    visit = device().answer(value_of)
    assert (visit.answered, visit.skipped) == ([], {"small": "already answered"})
    assert (len(device().ledger()), len(server.seen)) == (1, 1)


@pytest.mark.parametrize(("days", "dropped"), [(90.0, False), (90.0 + 1 / DAY, True)])
def test_a_report_is_given_up_after_ninety_days_and_not_before(
    days: float, dropped: bool, device: Start, server: FakeServer, clock: Clock
) -> None:
    start = clock.now
    waiting_report(device, server, clock)
    clock.now = start + days * DAY
    visit = device().send()
    assert visit.dropped == ({("small", "1"): "dropped: too old"} if dropped else {})
    assert len(visit.accepted) == 1 - dropped


def test_a_credential_is_renewed_from_the_thirtieth_day_on(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    start = clock.now
    renewals = []
    for now in (start, start + 30 * DAY - 1, start + 30 * DAY, start + 60 * DAY - 1, start):
        clock.now = now
        device().answer({})
        renewals.append(server.paths()["POST /v1/devices/me"])
    assert renewals == [0, 0, 1, 1, 2]  # a clock that is set back renews as well


def test_the_outbox_holds_a_mebibyte_unless_told_otherwise(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    device(record={}).answer({})
    identity = bytes.fromhex(next(iter(server.devices)))
    outbox = Outbox(str(tmp_path / "harmony"))
    outbox.add("small", "1", bytes(18), 1e12 + 0.123456)
    one_more = outbox.bytes()
    outbox.clear()
    outbox.add("gone", "1", identity, clock.now)
    left = (1 << 20) - outbox.bytes() - one_more
    outbox.clear()
    outbox.add("gone", "1" * (1 + left % 2), identity + bytes(left // 2), clock.now)
    assert outbox.bytes() + one_more == 1 << 20
    assert device().answer(VALUES).accepted == [("small", "1")]
    server.open_round("small", "2")
    outbox.clear()
    outbox.add("gone", "1" * (2 + left % 2), identity + bytes(left // 2), clock.now)
    visit = device().answer(VALUES)
    assert visit.skipped == {"small": "1048576 bytes of reports are waiting already"}
    assert len(device().ledger()) == 1


def test_a_survey_that_the_server_does_not_know_is_named(device: Start, server: FakeServer) -> None:
    server.faults = [None, None, None, 404]
    visit = device().answer(VALUES)
    assert visit.trouble == "survey 'small': the server does not know it"
    assert (visit.waiting, visit.next_attempt) == (1, None)


def test_a_server_is_the_same_with_and_without_a_slash(
    device: Start, server: FakeServer, transport: DirectTransport, tmp_path: Path
) -> None:
    device(record={}).answer({})
    again = Device(
        "https://stats.example/", tmp_path / "harmony", record=TYPES, consent=True,
        epsilon_limit=9, transport=transport,
    )  # fmt: skip
    assert again.answer(VALUES).accepted
    assert server.enrolments == 1


def test_the_directory_may_be_below_the_owners_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    device = Device("https://stats.example", "~/harmony", record={}, consent=True, epsilon_limit=2)
    assert device.directory == str(tmp_path / "harmony")
    assert isinstance(device.epsilon_limit, EpsilonLimit)
    with device as same:
        assert same is device


def test_a_visit_shows_itself() -> None:
    visit = Visit()
    assert repr(visit) == "<Visit: answered 0, accepted 0, waiting 0>"
    visit.answered = [("small", "1"), ("other", "1")]
    visit.accepted = [("small", "1")]
    visit.waiting, visit.trouble = 1, "offline"
    assert repr(visit) == "<Visit: answered 2, accepted 1, waiting 1, trouble: offline>"
    visit.skipped, visit.dropped = {"third": "why"}, {("small", "0"): "dropped: closed"}
    visit.warn(["first", "second"])
    visit.warn(["second"])
    assert visit.warnings == ["first", "second"]
    assert repr(visit) == (
        "<Visit: answered 2, accepted 1, waiting 1, skipped third: why, "
        "dropped small 0: dropped: closed, trouble: offline, 2 in .warnings>"
    )


class TestTrainings:
    """A training's task is asked for when it may be, and a step that is of no use rests a day."""

    @pytest.fixture
    def server(self) -> FakeServer:
        server = FakeServer()
        server.train(step_document())
        return server

    def test_a_step_of_no_use_is_left_alone_for_a_day(
        self, device: Start, server: FakeServer, clock: Clock
    ) -> None:
        server.tasks["charging"] = step_document(features=[])
        start = clock.now
        asked = []
        for now in (start, start + DAY - 1, start + DAY):
            clock.now = now
            device().answer(RECORD)
            asked.append(server.paths()[TASK])
        assert asked == [1, 1, 2]

    def test_a_server_that_does_not_say_when_is_asked_again_in_a_minute(
        self, device: Start, server: FakeServer
    ) -> None:
        server.faults = [None, None, 204]
        assert device().answer(RECORD).next_attempt == 60.0

    def test_trouble_with_a_task_is_trouble(self, device: Start, server: FakeServer) -> None:
        server.faults = [None, None, 503]
        visit = device().answer(RECORD)
        assert visit.trouble == "training 'charging': the server answered 503"
        assert visit.skipped == {}

    @pytest.mark.parametrize("waits", [("500", "20"), ("20", "500")])
    def test_the_sooner_of_two_tasks_says_when_to_come_back(
        self, waits: tuple[str, str], device: Start, server: FakeServer
    ) -> None:
        server.trainings.append({"name": "income", "epsilon": 1.0})
        server.faults = [None, None, *((204, {"Retry-After": wait}) for wait in waits)]
        visit = device().answer(RECORD)
        assert visit.next_attempt == 20.0
        assert len(visit.skipped) == 2

    def test_a_training_that_was_skipped_and_then_answered_is_not_skipped(
        self, device: Start, server: FakeServer, clock: Clock
    ) -> None:
        server.faults = [None, None, (204, {"Retry-After": "20"})]
        visit = device().answer(RECORD, patience=20)
        assert (visit.skipped, visit.accepted) == ({}, [("charging", "charging:1")])
        assert visit.next_attempt is None

    def test_a_training_that_another_process_takes_part_in_meanwhile_is_left_alone(
        self, device: Start, server: FakeServer
    ) -> None:
        read: list[str] = []

        def value_of(name: str) -> object:
            if not read:
                read.append(name)
                device().answer(RECORD)
                server.train(step_document(2))
            return RECORD[name]

        visit = device().answer(value_of)
        assert (visit.answered, visit.skipped) == ([], {"charging": "already answered"})
        assert (len(device().ledger()), len(server.seen)) == (1, 1)

    def test_surveys_and_trainings_share_the_limit(self, device: Start, server: FakeServer) -> None:
        server.publish(small_survey())
        values: dict[str, Any] = {**VALUES, **RECORD}
        visit = device(epsilon_limit=2.0).answer(values)
        assert visit.accepted == [("small", "1")]
        assert "1 spent and 1.1 asked" in visit.skipped["charging"]
        assert TASK not in server.paths()
