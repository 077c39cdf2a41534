"""What becomes of a device's report, decided without a server: in which order, and on what."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harmony.service.asgi import SMALL_BODY
from harmony.service.catalogue import Catalogue
from harmony.service.ingest.blocks import LiveRound
from harmony.service.ingest.decision import Need, ReportRequest, Submission, decide
from harmony.service.problems import Problem
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from .conftest import SURVEY, UNLIMITED
from .devices import Enrolled, any_report, report_body
from .training import SMALL, open_step


class Decisions:
    """A state with an open round, and decisions about requests to it."""

    def __init__(self, state: ServiceState) -> None:
        self.state = state
        state.catalogue.add(SURVEY, None)
        self.live: LiveRound = state.catalogue.open(SURVEY.name, "week1").live

    def enrol(self) -> Enrolled:
        device = os.urandom(16)
        return Enrolled(device, self.state.credentials.issue(device, 0))

    def request(self, device: Enrolled, **changes: Any) -> ReportRequest:
        """Return a request that is as it should be, but for these changes."""
        report = report_body(changes.pop("round", "week1"), any_report(self.live, device.device))
        request = ReportRequest(
            SURVEY.name,
            "10.0.0.1",
            device.headers["Authorization"].encode(),
            body=msgspec.json.encode(report),
        )
        for name, value in changes.items():
            setattr(request, name, value)
        return request

    def decide(self, request: ReportRequest, needed: Callable[[Need], None] | None = None) -> Any:
        """Return what is decided in the end: a submission, or the reason of a refusal."""
        try:
            for step in decide(self.state, request):
                if isinstance(step, Submission):
                    return step
                assert needed is not None, f"it needs {step}"
                needed(step)
        except Problem as problem:
            return problem.reason
        raise AssertionError("nothing was decided")


@pytest.fixture
def decisions(tmp_path: Path) -> Iterator[Callable[..., Decisions]]:
    states: list[ServiceState] = []

    def start(**settings: Any) -> Decisions:
        place = str(tmp_path / "harmony.db")
        states.append(ServiceState(Settings.load(database=place, **{**UNLIMITED, **settings})))
        return Decisions(states[-1])

    yield start
    for state in states:
        state.database.close()


Start = Callable[..., Decisions]


def test_a_report_that_is_as_it_should_be_goes_to_the_writer(decisions: Start) -> None:
    served = decisions()
    device = served.enrol()
    decided = served.decide(served.request(device))
    assert decided == Submission(served.live, any_report(served.live, device.device))


def test_a_body_is_asked_for_once_who_asks_is_known(decisions: Start) -> None:
    served = decisions()
    device = served.enrol()
    request = served.request(device)
    body, request.body = request.body, None
    asked: list[Need] = []

    def read(need: Need) -> None:
        asked.append(need)
        request.body = body

    assert isinstance(served.decide(request, read), Submission)
    assert asked == [Need.BODY]
    stranger = served.request(device, authorization=b"Harmony 00.1-00", body=None)
    assert served.decide(stranger) == "unauthorized"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"authorization": b""}, "unauthorized"),
        ({"authorization": b"Harmony 00.1-00"}, "unauthorized"),
        ({"body": b" " * (SMALL_BODY + 1)}, "too-large"),
        ({"body": b"{,"}, "malformed"),
        ({"body": b"\xff"}, "malformed"),
        ({"body": b'{"round":"week1","report":"00"}'}, "malformed"),
        ({"body": b'{"round":"week1","report":"%s"}' % (b"00" * 19)}, "forbidden"),
    ],
)
def test_a_report_is_refused_for_what_is_wrong_with_it(
    decisions: Start, changes: dict[str, Any], reason: str
) -> None:
    served = decisions()
    assert served.decide(served.request(served.enrol(), **changes)) == reason


def test_a_report_of_another_length_is_told_the_right_one(decisions: Start) -> None:
    served = decisions()
    request = served.request(served.enrol(), body=b'{"round":"week1","report":"00"}')
    with pytest.raises(Problem, match=r"'report' must be 38 hex digits"):
        next(decide(served.state, request))


def test_a_body_may_be_as_large_as_the_limit_and_no_larger(decisions: Start) -> None:
    served = decisions()
    device = served.enrol()
    body = served.request(device).body
    assert body is not None
    whole, longer = body.ljust(SMALL_BODY), body.ljust(SMALL_BODY + 1)
    assert isinstance(served.decide(served.request(device, body=whole)), Submission)
    assert served.decide(served.request(device, body=longer)) == "too-large"


def test_a_round_that_memory_lacks_is_looked_up_once(decisions: Start) -> None:
    served = decisions()
    catalogue = served.state.catalogue
    catalogue.close(SURVEY.name, "week1")
    device = served.enrol()
    asked: list[Need] = []

    def reload(need: Need) -> None:
        asked.append(need)
        catalogue.reload()

    # One that is known to be closed never opens again.
    assert served.decide(served.request(device)) == "closed"
    assert served.decide(served.request(device, round="never"), reload) == "closed"
    assert asked == [Need.CATALOGUE]
    Catalogue(served.state.database, served.state.clock).open(SURVEY.name, "week2")
    decided = served.decide(served.request(device, round="week2"), reload)
    assert decided.live.round.label == "week2"
    assert asked == [Need.CATALOGUE] * 2
    assert isinstance(served.decide(served.request(device, round="week2")), Submission)


def test_a_survey_that_is_nowhere_is_named_so(decisions: Start) -> None:
    served = decisions()
    request = served.request(served.enrol(), survey="nothing")
    asked: list[Need] = []
    assert served.decide(request, asked.append) == "unknown-survey"
    assert asked == [Need.CATALOGUE]


def test_a_report_to_a_step_that_has_closed_counts_as_late(decisions: Start) -> None:
    served = decisions()
    trainings, arrivals = served.state.trainings, served.state.metrics.arrivals
    trainings.create(SMALL.to_document(), step_seconds=3600.0, least=1)
    entry, step = trainings.training(SMALL.name), open_step(served.state)
    trainings.stop(SMALL.name)
    request = served.request(served.enrol(), survey=SMALL.name, round=step.live.round.label)
    assert served.decide(request) == "closed"
    assert arrivals.take() == {entry.id: (1, 0)}
    assert served.decide(served.request(served.enrol(), round="never"), lambda _: None) == "closed"
    assert arrivals.take() == {}


def test_an_address_and_a_credential_are_each_limited(decisions: Start) -> None:
    rates = {"address_rate": 1e-6, "credential_rate": 1e-6}
    served = decisions(**rates, address_burst=4, credential_burst=2)
    device, other = served.enrol(), served.enrol()
    requests = [served.request(one) for one in (device, device, device, other, other)]
    decided = [served.decide(request) for request in requests]
    reasons = [one if isinstance(one, str) else "" for one in decided]
    assert reasons == ["", "", "too-many-requests", "", "too-many-requests"]
    elsewhere = served.request(other, client="10.0.0.2")
    assert isinstance(served.decide(elsewhere), Submission)
    stranger = served.request(other, client="10.0.0.1", authorization=b"Harmony 00.1-00")
    assert served.decide(stranger) == "too-many-requests"  # before anything is looked at
