"""The ingest route as an ASGI application: what it reads, and what it sends."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.service.ingest.route import Ingest
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from .conftest import SURVEY, UNLIMITED, Service
from .devices import Enrolled, any_report

PATH = f"/v1/surveys/{SURVEY.name}/reports"

Message = dict[str, Any]


@pytest.fixture
def state(tmp_path: Path) -> Iterator[ServiceState]:
    state = ServiceState(Settings.load(database=str(tmp_path / "harmony.db"), **UNLIMITED))
    yield state
    state.database.close()


def exchange(
    state: ServiceState, headers: dict[str, str], received: list[Message]
) -> tuple[list[Message], list[Message]]:
    """Send a request to the route; return what it sent and what it did not read."""
    sent: list[Message] = []
    scope = {
        "type": "http", "method": "POST", "path": PATH, "client": ("10.0.0.1", 1),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip

    async def receive() -> Message:
        return received.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Ingest(state)(scope, receive, send))  # type: ignore[arg-type]
    return sent, received


def part(body: bytes, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


def device_headers(state: ServiceState) -> dict[str, str]:
    device = os.urandom(16)
    return Enrolled(device, state.credentials.issue(device, 0)).headers


def test_a_body_that_is_announced_too_large_is_refused_unread(state: ServiceState) -> None:
    size = str(state.settings.body_bytes + 1)
    headers = device_headers(state) | {"Content-Length": size}
    sent, unread = exchange(state, headers, [part(b"{}", False)])
    assert sent[0]["status"] == 413
    assert len(unread) == 1


def test_a_request_without_a_valid_credential_is_refused_unread(state: ServiceState) -> None:
    for authorization in ("Harmony 00.1-00", "Bearer hmy_0_0", ""):
        headers = {"Authorization": authorization}
        sent, unread = exchange(state, headers, [part(b"{}", False)])
        assert sent[0]["status"] == 401
        assert len(unread) == 1


def test_a_client_that_leaves_before_its_body_is_whole_hears_nothing(state: ServiceState) -> None:
    for received in ([], [part(b"{", True)]):
        gone = [*received, {"type": "http.disconnect"}]
        assert exchange(state, device_headers(state), gone) == ([], [])


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_gateways_are_limited_by_their_address_and_their_token(serve: Any) -> None:
    rates = {"address_rate": 1e-6, "credential_rate": 1e-6}
    service: Service = serve(**rates, address_burst=5, credential_burst=2)
    live = service.open()
    tokens = [service.bearer("gateway") for _ in range(3)]

    def send(headers: dict[str, str]) -> int:
        body = pack(SURVEY.fingerprint, "week1", any_report(live, os.urandom(16)), live.size)
        headers = headers | {"Content-Type": f"{MEDIA_TYPE} ; version=1"}
        return int(service.client.post(PATH, content=body, headers=headers).status_code)

    # Two of one token; of one address five, of which the refused one counts as well.
    assert [send(tokens[0]) for _ in range(3)] == [200, 200, 429]
    assert [send(token) for token in (*tokens[1:], tokens[1])] == [200, 200, 429]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_refusals_are_counted_for_their_survey_if_there_is_one(service: Service) -> None:
    service.open()
    device = service.enrol()
    service.send(device, {})
    service.send(device, {}, survey="nothing")
    assert service.state.metrics.outcomes(SURVEY.name) == {"malformed": 1}
    assert service.state.metrics.outcomes("nothing") == {}
