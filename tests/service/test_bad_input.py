"""Bad input of every kind: no 5xx, no hang, nothing stored."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    status_code_conformance,
)

from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from .conftest import SURVEY, Service, recount
from .devices import any_report
from .server_process import ServerProcess
from .waiting import STUCK_SECONDS

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]
QUICK = settings(
    max_examples=20,
    suppress_health_check=list(HealthCheck),
)
PATH = f"/v1/surveys/{SURVEY.name}/reports"

pytestmark = pytest.mark.timeout(1200)  # it takes a minute or two, and longer if others work too


class Target:
    """A server process with an open round, and tokens for every role."""

    def __init__(self, place: str, server: ServerProcess, state: ServiceState) -> None:
        self.server, self.state = server, state
        state.catalogue.add(SURVEY, None)
        self.live = state.catalogue.open(SURVEY.name, "week1").live
        self.tokens = {
            role: state.tokens.create(role, role)[0] for role in ("admin", "gateway", "analyst")
        }

    def reports(self) -> int:
        return recount(self.state, self.live).reports


def connected(server: ServerProcess) -> socket.socket:
    """Return a connection to a server."""
    return socket.create_connection(("127.0.0.1", server.port), timeout=STUCK_SECONDS)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("bad-input")
    place = str(folder / "harmony.db")
    state = ServiceState(Settings.load(database=place))
    with ServerProcess(place, folder / "server.log") as server:
        yield Target(place, server, state)
        assert server.stop() == 0


def operations(target: Target) -> Iterator[schemathesis.schemas.APIOperation]:
    """Yield every operation that the server describes."""
    address = f"http://127.0.0.1:{target.server.port}/openapi.json"
    for found in schemathesis.openapi.from_url(address).get_all_operations():
        yield found.ok()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_request_that_the_description_allows_or_forbids_breaks_the_server(
    target: Target, mode: GenerationMode
) -> None:
    for operation in operations(target):

        @QUICK
        @given(operation.as_strategy(generation_mode=mode), st.booleans())
        def call(case: schemathesis.Case, known: bool) -> None:
            role = "gateway" if case.path.endswith("/reports") else "admin"
            if known and "name" in case.path_parameters:
                case.path_parameters["name"] = SURVEY.name
            headers = {"Authorization": f"Bearer {target.tokens[role]}"}
            case.call_and_validate(headers=headers, checks=CHECKS, timeout=STUCK_SECONDS)

        before = target.reports()
        with suppress(Unsatisfiable):  # nothing about some operations can be wrong
            call()
        assert target.reports() == before, f"{operation.label} stored a report"


def test_no_request_without_a_credential_is_let_in(target: Target) -> None:
    public = {"POST /v1/devices", "GET /v1/surveys", "GET /v1/surveys/{name}", "POST /v1/claim"}
    for operation in operations(target):
        if not operation.path.startswith("/v1/") or operation.label in public:
            continue

        @QUICK
        @given(operation.as_strategy())
        def call(case: schemathesis.Case) -> None:
            response = case.call(headers={"Authorization": "Bearer hmy_0_0"}, timeout=STUCK_SECONDS)
            assert response.status_code in (401, 404, 405, 422), response.text

        call()


@pytest.fixture
def service(serve) -> Service:
    return serve(body_bytes=1 << 20)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_no_damaged_batch_breaks_the_server_or_leaves_anything(service: Service) -> None:
    live = service.open()
    headers = service.bearer("gateway") | {"Content-Type": MEDIA_TYPE}
    reports = b"".join(any_report(live, os.urandom(16)) for _ in range(20))
    whole = pack(SURVEY.fingerprint, "week1", reports, live.size)
    header = len(whole) - len(reports)

    def send(body: bytes) -> tuple[int, dict]:
        response = service.client.post(PATH, content=body, headers=headers)
        return response.status_code, response.json()

    @settings(max_examples=300)
    @given(st.data())
    def damage(data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from(["cut", "grow", "header", "count", "noise", "label"]))
        if kind == "cut":
            body = whole[: data.draw(st.integers(0, len(whole) - 1))]
        elif kind == "grow":
            body = whole + data.draw(st.binary(min_size=1, max_size=40))
        elif kind == "header":
            place = data.draw(st.integers(0, header - 1))
            changed = data.draw(st.integers(1, 255))
            body = bytearray(whole)
            body[place] ^= changed
            body = bytes(body)
        elif kind == "count":
            count = data.draw(st.integers(0, 2**32 - 1).filter(lambda n: n != 20))
            body = whole[: header - 4] + count.to_bytes(4, "little") + reports
        elif kind == "label":
            label = data.draw(st.binary(max_size=255))
            head = whole[:40] + bytes([len(label)]) + label
            body = head + whole[header - 4 :] if label != b"week1" else b""
        else:
            body = data.draw(st.binary(max_size=400))
        status, _ = send(body)
        assert status in (410, 422)

    damage()
    assert service.recount().reports == 0

    @settings(max_examples=100)
    @given(st.lists(st.tuples(st.integers(0, len(reports) - 1), st.integers(0, 255)), max_size=30))
    def scramble(changes: list[tuple[int, int]]) -> None:
        body = bytearray(whole)
        for place, byte in changes:
            body[header + place] = byte
        status, response = send(bytes(body))
        assert status == 200
        assert len(response["results"]) == 20
        assert service.tally() == service.recount()

    scramble()


@pytest.mark.parametrize("framing", ["Content-Length: 1000", "Transfer-Encoding: chunked"])
def test_a_body_that_never_ends_is_hung_up_on(tmp_path: Path, framing: str) -> None:
    place = str(tmp_path / "harmony.db")
    state = ServiceState(Settings.load(database=place))
    token = state.tokens.create("gateway", "gateway")[0]
    state.database.close()
    with (
        ServerProcess(place, tmp_path / "server.log", body_seconds=0.5) as server,
        connected(server) as client,
    ):
        client.sendall(
            f"POST {PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: {MEDIA_TYPE}\r\n{framing}\r\n\r\n1\r\nH\r\n".encode()
        )
        assert b" 408 " in client.recv(4096)


@pytest.mark.parametrize(
    "line",
    [
        b"POST /v1/surveys/phones/reports HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST /v1/surveys/phones/reports HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/surveys/%ff%00/reports HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        b"GET /v1/surveys/%00 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n",
    ],
)
def test_a_request_that_is_hardly_http_is_refused(target: Target, line: bytes) -> None:
    with connected(target.server) as client:
        client.sendall(line)
        client.shutdown(socket.SHUT_WR)
        response = client.recv(4096)
    assert response == b"" or response.startswith(b"HTTP/1.1 4")
