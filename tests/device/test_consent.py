"""Nothing is sent without consent, and withdrawing it leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harmony_device import Device

from .conftest import VALUES, Clock
from .fake_server import DirectTransport, FakeServer

Start = Callable[..., Device]


def left_behind(tmp_path: Path) -> set[str]:
    """Return the names of the files that are left in the device's directory."""
    return {path.name for path in (tmp_path / "harmony").rglob("*") if path.is_file()}


def test_without_consent_nothing_is_sent_or_kept(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    visit = device(consent=False).answer(VALUES)
    assert visit.trouble == "consent is not given"
    assert server.requests == []
    assert not (tmp_path / "harmony").exists()


@pytest.mark.parametrize("consent", ["yes", 1, None])
def test_consent_must_be_plain(consent: object, device: Start) -> None:
    with pytest.raises(TypeError, match="'consent'"):
        device(consent=consent)


def test_a_function_that_does_not_return_true_is_no_consent(
    device: Start, server: FakeServer
) -> None:
    device(consent=lambda: "yes").answer(VALUES)
    assert server.requests == []


def test_withdrawn_consent_deletes_here_and_at_the_server(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    device().answer(VALUES)
    device(consent=False).answer(VALUES)
    assert server.requests[-1][:2] == ("DELETE", "/v1/devices/me")
    assert (server.devices, server.reports) == ({}, {})
    assert left_behind(tmp_path) == {"ledger.jsonl", "lock"}


def test_consent_given_again_enrols_anew_and_answers_no_round_twice(
    device: Start, server: FakeServer
) -> None:
    device().answer(VALUES)
    device(consent=False).send()
    assert not device().answer(VALUES).answered
    server.open_round("small", "2")
    assert device().answer(VALUES).accepted == [("small", "2")]
    assert server.enrolments == 2


def test_forgetting_lasts_until_the_owner_joins_again(device: Start, server: FakeServer) -> None:
    running = device()
    running.answer(VALUES)
    assert running.forget() is True
    requests = len(server.requests)
    server.open_round("small", "2")
    for again in (running, device()):
        assert again.answer(VALUES).trouble == "consent is not given"
    assert len(server.requests) == requests
    running.rejoin()
    assert device().answer(VALUES).accepted == [("small", "2")]


def test_forgetting_offline_keeps_only_what_the_deletion_needs(
    device: Start, server: FakeServer, transport: DirectTransport, clock: Clock, tmp_path: Path
) -> None:
    server.faults = [None, None, None, "lost request"]
    device().answer(VALUES)
    transport.online = False
    assert device().forget() is False
    kept = {"ledger.jsonl", "lock", "withdrawal.json"}
    assert left_behind(tmp_path) - {"backoff.txt"} == kept
    transport.online = True
    clock.now += 60
    requests = len(server.requests)
    device().answer(VALUES)
    assert [one[:2] for one in server.requests[requests:]] == [("DELETE", "/v1/devices/me")]
    assert server.devices == {}


@pytest.mark.parametrize("fault", [500, 503, 429, "lost request", "lost reply"])
def test_a_deletion_is_asked_until_it_is_confirmed(
    fault: object, device: Start, server: FakeServer, clock: Clock
) -> None:
    device().answer(VALUES)
    server.faults = [fault]
    assert device().forget() is False
    for _ in range(3):
        clock.now += 100 * 86400
        device().send()
    assert server.devices == {}
    deletions = server.paths()["DELETE /v1/devices/me"]
    device().send()
    assert server.paths()["DELETE /v1/devices/me"] == deletions


def test_joining_again_before_the_deletion_went_out_still_deletes_the_old_identity(
    device: Start, server: FakeServer, transport: DirectTransport, clock: Clock
) -> None:
    device().answer(VALUES)
    transport.online = False
    device().forget()
    transport.online = True
    device().rejoin()
    server.open_round("small", "2")
    assert device().answer(VALUES).accepted == [("small", "2")]
    assert len(server.devices) == 1
    assert [label for _, label, _ in server.reports] == ["2"]


def test_consent_is_asked_before_every_request(device: Start, server: FakeServer) -> None:
    """Withdrawn after any number of questions, consent ends the visit before the next request."""
    for questions in range(12):
        left = [questions]

        def consent(left: list[int] = left) -> bool:
            left[0] -= 1
            return left[0] >= 0

        server.open_round("small", f"round{questions}")
        before = len(server.requests)
        device(consent=consent).answer(VALUES)
        made = [one for one in server.requests[before:] if one[0] != "DELETE"]
        assert len(made) <= questions


def test_a_withdrawal_during_a_visit_stops_it(device: Start, server: FakeServer) -> None:
    """Another process forgets while this one reads its values: nothing is spent or sent."""

    def value_of(name: str) -> object:
        device().forget()
        return VALUES[name]

    assert device().answer(value_of).trouble == "consent is not given"
    assert device().ledger() == []
    assert server.seen == []


@pytest.mark.parametrize("damage", [b"", b"{", b'{"withdrawn_by": null}', b"[]"])
def test_a_damaged_withdrawal_counts_as_withdrawn(
    damage: bytes, device: Start, server: FakeServer, tmp_path: Path
) -> None:
    device().answer(VALUES)
    (tmp_path / "harmony" / "withdrawal.json").write_bytes(damage)
    server.open_round("small", "2")
    assert not device().answer(VALUES).answered
