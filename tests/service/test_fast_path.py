"""The fast path of a report through the protocol: it responds as the application does.

A request in one piece takes the fast path; a request in two goes to the application.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs
from uvicorn.server import ServerState

from harmony.service.app import Application
from harmony.service.asgi import SMALL_BODY
from harmony.service.catalogue import Catalogue
from harmony.service.http import choice
from harmony.service.http.choice import KNOWN_UVICORN, choose_protocol, limited
from harmony.service.http.connection import HttpConnection
from harmony.service.http.h11_connection import H11Connection
from harmony.service.ingest.blocks import LiveRound
from harmony.service.ingest.fast_path import ReportProtocol, fast_path_for
from harmony.service.ingest.route import Ingest
from harmony.service.metrics import Metrics
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import StoreError

from .conftest import SURVEY, UNLIMITED, recount
from .devices import Enrolled, any_report, report_body
from .waiting import STUCK_SECONDS

PATH = f"/v1/surveys/{SURVEY.name}/reports"
DATE = (b"date", b"Mon, 16 Nov 2026 12:00:00 GMT")


ChooseProtocol = Callable[[Ingest, Settings, Metrics], type[asyncio.Protocol]]


def fast_path(ingest: Ingest, settings: Settings, metrics: Metrics) -> type[asyncio.Protocol]:
    """Choose the fast path, whatever the version of uvicorn."""
    return limited(fast_path_for(ingest, settings.proxies), settings, metrics)


class Pipe:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False
        self.reading = True

    def write(self, piece: bytes) -> None:
        self.written.append(piece)

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def get_extra_info(self, name: str) -> Any:
        return ("10.0.0.1", 4711) if name == "peername" else None


class Line:
    """One connection to the application, and its responses."""

    def __init__(self, make: Callable[[], ReportProtocol]) -> None:
        self.pipe = Pipe()
        self.protocol = make()
        self.protocol.connection_made(self.pipe)  # type: ignore[arg-type]

    async def ask(self, *pieces: bytes) -> bytes:
        """Send a request in these pieces and return the response to it."""
        self.pipe.written.clear()
        for piece in pieces:
            self.protocol.data_received(piece)
        return await self.responses(1)

    async def responses(self, count: int) -> bytes:
        """Wait for so many responses."""
        async with asyncio.timeout(STUCK_SECONDS):
            while b"".join(self.pipe.written).count(b"HTTP/1.1 ") < count or not self._idle():
                await asyncio.sleep(0.001)  # between two looks at what the writer's thread did
        return b"".join(self.pipe.written)

    def _idle(self) -> bool:
        return self.protocol.cycle.response_complete


class Served:
    """An application with an open round, whose connections the test makes."""

    def __init__(self, state: ServiceState, protocol: ChooseProtocol) -> None:
        self.state = state
        state.catalogue.add(SURVEY, None)
        self.live: LiveRound = state.catalogue.open(SURVEY.name, "week1").live
        app = Application(state)
        self.fast = 0
        """How many requests took the fast path."""
        self._count(app.ingest)
        proxies = state.settings.proxies
        self.config = uvicorn.Config(
            app,
            http=protocol(app.ingest, state.settings, state.metrics),
            log_config=None,
            access_log=False,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=proxies or None,
        )
        self.config.load()
        self.server = ServerState()
        self.server.default_headers = [DATE]

    def _make(self) -> ReportProtocol:
        kind: Any = self.config.http_protocol_class
        return kind(self.config, self.server, {}, asyncio.get_running_loop())

    def _count(self, ingest: Ingest) -> None:
        take = ingest.take

        def counted(*request: Any) -> Any:
            self.fast += 1
            return take(*request)

        ingest.take = counted  # type: ignore[method-assign]

    def line(self) -> Line:
        return Line(self._make)

    def enrol(self) -> Enrolled:
        device = os.urandom(16)
        return Enrolled(device, self.state.credentials.issue(device, 0))

    def request(self, device: Enrolled, **changes: Any) -> bytes:
        """Return the request of a device's report."""
        report = any_report(self.live, device.device, symbol=changes.get("symbol", 0))
        body = changes.get("body", report_body(changes.get("round", "week1"), report))
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = device.headers | {"Content-Length": str(len(content))}
        headers |= changes.get("headers", {})
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        start = changes.get("start", f"POST {PATH} HTTP/1.1")
        return f"{start}\r\nHost: here\r\n{lines}\r\n".encode() + content


@contextmanager
def refusing(state: ServiceState) -> Iterator[None]:
    """Let every commit fail."""
    store: Any = state.writer._store

    def broken(*_: object) -> None:
        raise StoreError("the disk is full")

    store.commit = broken
    yield
    del store.commit


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., None]:
    """Run a scenario with an application, on a loop."""

    def on_loop(
        scenario: Callable[[Served], Any], protocol: ChooseProtocol = fast_path, **settings: Any
    ) -> None:
        place = str(tmp_path / "harmony.db")
        state = ServiceState(Settings.load(database=place, **{**UNLIMITED, **settings}))

        async def main() -> None:
            served = Served(state, protocol)
            await state.start()
            try:
                await scenario(served)
                tally = state.catalogue.tally(state.catalogue.round(SURVEY.name, "week1"))
                assert tally == recount(state, served.live)
            finally:
                await state.stop()

        asyncio.run(main())

    return on_loop


Pieces = Callable[[bytes], list[bytes]]


def whole(request: bytes) -> list[bytes]:
    return [request]


def in_two(request: bytes) -> list[bytes]:
    head, body = request.split(b"\r\n\r\n", 1)
    return [head + b"\r\n\r\n" + body[:1], body[1:]]


Run = Callable[..., None]


def test_a_report_is_taken_as_it_is_read_and_its_response_is_one_write(run: Run) -> None:
    async def scenario(served: Served) -> None:
        line, device = served.line(), served.enrol()
        response = await line.ask(served.request(device))
        assert response.startswith(b"HTTP/1.1 201 Created\r\ndate: Mon, 16 Nov 2026")
        assert response.endswith(b'\r\n\r\n{"result":"accepted"}')
        assert len(line.pipe.written) == 1
        assert (await line.ask(served.request(device))).startswith(b"HTTP/1.1 200 OK\r\n")
        assert served.fast == 2
        assert not line.pipe.closed

    run(scenario)


CASES: dict[str, tuple[int, dict[str, Any]]] = {
    "another report": (409, {"symbol": 1}),
    "an unknown round": (410, {"round": "never"}),
    "no JSON": (422, {"body": b"{,"}),
    "no text": (422, {"body": b'{"round":"week1","report":"\xff"}'}),
    "a field of another type": (422, {"body": b'{"round":1,"report":"00"}'}),
    "a short report": (422, {"body": {"round": "week1", "report": "00"}}),
    "another's report": (403, {"body": {"round": "week1", "report": "00" * 19}}),
    "a wrong credential": (401, {"headers": {"Authorization": "Harmony 00.1-00"}}),
    "an unknown survey": (404, {"start": "POST /v1/surveys/none/reports HTTP/1.1"}),
    "a long body": (413, {"body": b" " * (SMALL_BODY + 1)}),
}


@pytest.mark.parametrize("case", CASES)
def test_both_ways_respond_alike(run: Run, case: str) -> None:
    status, changes = CASES[case]

    async def scenario(served: Served) -> None:
        line, device = served.line(), served.enrol()
        assert (await line.ask(served.request(device))).startswith(b"HTTP/1.1 201 ")
        request = served.request(device, **changes)
        fast = await line.ask(request)
        assert served.fast == 2
        ordinary = await line.ask(*in_two(request))
        assert served.fast == 2
        assert fast == ordinary
        assert fast.startswith(b"HTTP/1.1 %d " % status)
        assert (await line.ask(served.request(served.enrol()))).startswith(b"HTTP/1.1 201 ")

    run(scenario)


@pytest.mark.parametrize("pieces", [whole, in_two])
def test_a_round_that_another_server_opened_is_looked_up(run: Run, pieces: Pieces) -> None:
    async def scenario(served: Served) -> None:
        line, state = served.line(), served.state
        state.catalogue.close(SURVEY.name, "week1")
        other = Catalogue(state.database, state.clock)
        other.open(SURVEY.name, "week2")
        request = served.request(served.enrol(), round="week2")
        assert (await line.ask(*pieces(request))).startswith(b"HTTP/1.1 201 ")
        other.close(SURVEY.name, "week2")

    run(scenario)


@pytest.mark.parametrize("pieces", [whole, in_two])
def test_a_database_that_does_not_respond_is_no_reason_to_drop_a_report(
    run: Run, pieces: Pieces, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(served: Served) -> None:
        def broken() -> None:
            raise OperationalError("SELECT", {}, Exception("the disk is gone"))

        with monkeypatch.context() as patch:
            patch.setattr(served.state.catalogue, "reload", broken)
            request = served.request(served.enrol(), round="never")
            response = await served.line().ask(*pieces(request))
        assert response.startswith(b"HTTP/1.1 503 ")
        assert b"the database does not respond" in response

    run(scenario)


@pytest.mark.parametrize("pieces", [whole, in_two])
def test_a_bug_is_logged_and_the_connection_goes_on(
    run: Run, pieces: Pieces, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(served: Served) -> None:
        line, request = served.line(), served.request(served.enrol())
        with monkeypatch.context() as patch, capture_logs() as lines:
            patch.setattr(served.state.credentials, "holder_of", lambda _: 1 / 0)
            response = await line.ask(*pieces(request))
        assert response.startswith(b"HTTP/1.1 500 ")
        assert b"/problems/internal" in response
        assert [one["event"] for one in lines] == ["request failed"]
        assert (await line.ask(request)).startswith(b"HTTP/1.1 201 ")

    run(scenario)


@pytest.mark.parametrize(
    ("start", "headers"),
    [
        (f"POST {PATH} HTTP/1.1", {"Connection": "close"}),
        (f"POST {PATH} HTTP/1.0", {}),
        (f"POST {PATH} HTTP/1.1", {"Expect": "100-continue"}),
        (f"POST {PATH}?x=1 HTTP/1.1", {}),
        (f"POST /v1/surveys/{SURVEY.name[:-1]}%73/reports HTTP/1.1", {}),
    ],
)
def test_unusual_requests_go_to_the_application(
    run: Run, start: str, headers: dict[str, str]
) -> None:
    async def scenario(served: Served) -> None:
        line = served.line()
        request = served.request(served.enrol(), start=start, headers=headers)
        assert b"HTTP/1.1 201 " in await line.ask(request)
        assert not served.fast
        assert line.pipe.closed == (bool(headers) or start.endswith("1.0"))

    run(scenario)


def test_a_commit_that_fails_gets_503_and_the_connection_goes_on(run: Run) -> None:
    async def scenario(served: Served) -> None:
        line, request = served.line(), served.request(served.enrol())
        with refusing(served.state):
            fast, ordinary = await line.ask(request), await line.ask(*in_two(request))
        assert fast == ordinary
        assert fast.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: " in fast
        assert served.fast == 1
        assert served.state.metrics.outcomes(SURVEY.name) == {"overloaded": 2}
        assert (await line.ask(request)).startswith(b"HTTP/1.1 201 ")

    run(scenario)


def test_requests_that_follow_without_waiting_get_responses_in_order(run: Run) -> None:
    async def scenario(served: Served) -> None:
        line, devices = served.line(), [served.enrol() for _ in range(3)]
        first, second, third = (served.request(device) for device in devices)
        again = served.request(devices[0], symbol=1)
        line.protocol.data_received(first + again + second)
        line.protocol.data_received(third)
        found = await line.responses(4)
        statuses = [part[:3] for part in found.split(b"HTTP/1.1 ")[1:]]
        assert statuses == [b"201", b"409", b"201", b"201"]
        assert served.fast == 1
        assert (await line.ask(served.request(served.enrol()))).startswith(b"HTTP/1.1 201 ")
        assert served.fast == 2

    run(scenario)


@pytest.mark.parametrize("pieces", [whole, in_two])
def test_limits_count_a_request_once_whichever_way_it_goes(run: Run, pieces: Pieces) -> None:
    async def scenario(served: Served) -> None:
        line, device = served.line(), served.enrol()
        unknown = served.request(device, round="never")
        requests = [served.request(device), unknown, served.request(device), unknown]
        requests += [served.request(served.enrol()) for _ in range(3)]
        found = [await line.ask(*pieces(request)) for request in requests]
        statuses = [int(response[9:12]) for response in found]
        # Two of one credential; of one address five, of which the refused two count as well.
        assert statuses == [201, 410, 429, 429, 201, 429, 429]

    rates = {"address_rate": 1e-6, "credential_rate": 1e-6}
    run(scenario, **rates, address_burst=5, credential_burst=2)


def test_a_device_that_left_gets_no_response_but_its_report_counts(run: Run) -> None:
    async def scenario(served: Served) -> None:
        line, other = served.line(), served.line()
        line.protocol.data_received(served.request(served.enrol()))
        line.protocol.connection_lost(None)
        await other.ask(served.request(served.enrol()))
        assert line.pipe.written == []
        entry = served.state.catalogue.round(SURVEY.name, "week1")
        assert served.state.catalogue.tally(entry).reports == 2

    run(scenario)


def test_a_report_under_way_gets_its_response_when_the_server_stops(run: Run) -> None:
    async def scenario(served: Served) -> None:
        line, idle = served.line(), served.line()
        line.protocol.data_received(served.request(served.enrol()))
        for one in (line, idle):
            one.protocol.shutdown()
        assert idle.pipe.closed
        assert not line.pipe.closed
        response = await line.responses(1)
        assert response.startswith(b"HTTP/1.1 201 ")
        assert b"\r\nconnection: close\r\n" in response
        assert line.pipe.closed

    run(scenario)


def test_who_does_not_read_the_responses_waits_for_the_application(run: Run) -> None:
    async def scenario(served: Served) -> None:
        line = served.line()
        await line.ask(served.request(served.enrol()))
        line.protocol.pause_writing()
        line.pipe.written.clear()
        line.protocol.data_received(served.request(served.enrol()))
        assert served.fast == 1
        line.protocol.resume_writing()
        assert (await line.responses(1)).startswith(b"HTTP/1.1 201 ")

    run(scenario)


def test_a_server_on_a_version_of_uvicorn_that_the_tests_know_takes_the_fast_path(run: Run) -> None:
    async def scenario(served: Served) -> None:
        with capture_logs() as lines:
            response = await served.line().ask(served.request(served.enrol()))
        assert response.startswith(b"HTTP/1.1 201 ")
        assert served.fast == 1
        assert lines == []

    run(scenario, protocol=choose_protocol)


@pytest.mark.parametrize("version", ["0.53.9", "0.55.0", "0.54", "1.0.0rc1"])
def test_a_server_on_another_version_of_uvicorn_takes_the_ordinary_route_and_says_so(
    run: Run, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(served: Served) -> None:
        response = await served.line().ask(served.request(served.enrol()))
        assert response.startswith(b"HTTP/1.1 201 ")
        assert not served.fast

    monkeypatch.setattr(uvicorn, "__version__", version)
    with capture_logs() as lines:
        run(scenario, protocol=choose_protocol)
    (line,) = (one for one in lines if one["event"] == "single reports take the ordinary route")
    assert version in line["because"]


def test_the_pinned_version_of_uvicorn_is_one_that_the_tests_know() -> None:
    constraints = Path(__file__).parents[2] / "constraints.txt"
    (pin,) = re.findall(r"^uvicorn==(\d+\.\d+)\.", constraints.read_text(), re.MULTILINE)
    assert pin in KNOWN_UVICORN


def test_pages_of_other_origins_are_the_applications_business(run: Run) -> None:
    async def scenario(served: Served) -> None:
        page = {"Origin": "https://page.example"}
        response = await served.line().ask(served.request(served.enrol(), headers=page))
        assert b"\r\naccess-control-allow-origin: https://page.example\r\n" in response
        assert not served.fast

    run(scenario, protocol=choose_protocol, cors_origins=["https://page.example"])


def test_a_server_without_httptools_takes_the_ordinary_route(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = ServiceState(Settings.load(database=":memory:"))
    monkeypatch.setattr(choice, "find_spec", lambda name: None)
    chosen = choose_protocol(Ingest(state), state.settings, state.metrics)
    assert issubclass(chosen, H11Connection)
    state.database.close()


def test_addresses_that_a_believed_proxy_names_are_limited_one_by_one(run: Run) -> None:
    async def scenario(served: Served) -> None:
        line = served.line()
        statuses = []
        for address in ("10.1.1.1", "10.1.1.2", "10.1.1.1", "10.1.1.1, 10.1.1.3"):
            forwarded = {"X-Forwarded-For": address}
            request = served.request(served.enrol(), headers=forwarded)
            statuses.append(int((await line.ask(request))[9:12]))
        assert statuses == [201, 201, 429, 201]
        assert served.fast == 4

    run(scenario, address_rate=1e-6, address_burst=1, trusted_proxies="10.0.0.1")


JAVA = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABk"}
WEBSOCKET = {"Connection": "keep-alive, Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "x"}


def without_fast_path(
    ingest: Ingest, settings: Settings, metrics: Metrics
) -> type[asyncio.Protocol]:
    return limited(HttpConnection, settings, metrics)


def after_head(request: bytes) -> list[bytes]:
    head, body = request.split(b"\r\n\r\n", 1)
    return [head + b"\r\n\r\n", body]


def in_the_head(request: bytes) -> list[bytes]:
    return [request[:60], request[60:90], request[90:]]


@pytest.mark.parametrize("protocol", [fast_path, without_fast_path])
@pytest.mark.parametrize("pieces", [whole, in_two, after_head, in_the_head])
@pytest.mark.parametrize("headers", [JAVA, WEBSOCKET, JAVA | {"Transfer-Encoding": "chunked"}])
def test_a_report_that_offers_another_protocol_is_taken_as_any_other(
    run: Run, protocol: ChooseProtocol, pieces: Pieces, headers: dict[str, str]
) -> None:
    async def scenario(served: Served) -> None:
        line, device = served.line(), served.enrol()
        request = served.request(device, headers=headers)
        if "Transfer-Encoding" in headers:
            head, body = request.split(b"\r\n\r\n", 1)
            lines = [one for one in head.split(b"\r\n") if not one.startswith(b"Content-Length")]
            chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
            request = b"\r\n".join(lines) + b"\r\n\r\n" + chunk
        assert (await line.ask(*pieces(request))).startswith(b"HTTP/1.1 201 ")
        again = await line.ask(*pieces(request))
        assert again.startswith(b"HTTP/1.1 200 ")
        assert again == await line.ask(*pieces(served.request(device)))
        assert not line.pipe.closed

    run(scenario, protocol=protocol)


@pytest.mark.parametrize("protocol", [fast_path, without_fast_path])
@pytest.mark.parametrize("pieces", [whole, in_two, after_head])
def test_the_body_of_a_request_is_never_read_as_a_request(
    run: Run, protocol: ChooseProtocol, pieces: Pieces
) -> None:
    async def scenario(served: Served) -> None:
        line = served.line()
        smuggled = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
        upgrade = served.request(served.enrol(), body=smuggled, headers=JAVA)
        await line.ask(*pieces(upgrade))
        line.protocol.data_received(served.request(served.enrol()))
        found = await line.responses(2)
        statuses = [part[:3] for part in found.split(b"HTTP/1.1 ")[1:]]
        assert statuses == [b"422", b"201"]

    run(scenario, protocol=protocol)


@pytest.mark.parametrize("protocol", [fast_path, without_fast_path])
def test_several_that_offer_another_protocol_at_once_get_responses_in_order(
    run: Run, protocol: ChooseProtocol
) -> None:
    async def scenario(served: Served) -> None:
        line, device = served.line(), served.enrol()
        one = served.request(device, headers=JAVA)
        line.protocol.data_received(one + one + served.request(device, symbol=1) + one)
        found = await line.responses(4)
        assert [part[:3] for part in found.split(b"HTTP/1.1 ")[1:]] == [
            b"201", b"200", b"409", b"200",
        ]  # fmt: skip

    run(scenario, protocol=protocol)


@pytest.mark.parametrize(
    "start",
    [b"CONNECT here:80 HTTP/1.1\r\nHost: here\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
)
@pytest.mark.parametrize("protocol", [fast_path, without_fast_path])
def test_a_tunnel_is_refused_and_the_connection_closed(
    run: Run, protocol: ChooseProtocol, start: bytes
) -> None:
    async def scenario(served: Served) -> None:
        line = served.line()
        line.protocol.data_received(start + served.request(served.enrol()))
        assert b"".join(line.pipe.written).startswith(b"HTTP/1.1 400 ")
        assert line.pipe.closed

    run(scenario, protocol=protocol)
