"""The transport keeps its connection, bounds what it reads, and trusts no plain network."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harmony_device import Device, ServerError, transport
from harmony_device.transport import HttpTransport

from .conftest import RECORD, VALUES, Clock, small_survey
from .fake_server import FakeServer, serving


@contextmanager
def answering(*replies: bytes, hold: bool = False) -> Iterator[tuple[str, list[bytes]]]:
    """Serve raw bytes, one reply a connection, and yield the URL and what was received."""
    received: list[bytes] = []
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for reply in replies:
                connection, _ = listener.accept()
                with connection:
                    received.append(connection.recv(65536))
                    connection.sendall(reply)
                    if hold:
                        done.wait(10)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", received
        finally:
            done.set()
            thread.join(10)


def test_a_visit_uses_one_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connections = []
    real = HttpTransport._connect
    monkeypatch.setattr(HttpTransport, "_connect", lambda self: connections.append(1) or real(self))
    with (
        serving(FakeServer(small_survey())) as url,
        Device(url, tmp_path, record=RECORD, consent=True, epsilon_limit=9) as device,
    ):
        assert device.answer(VALUES).accepted
    assert len(connections) == 1


def test_lost_replies_over_http_are_resent(tmp_path: Path) -> None:
    server, clock = FakeServer(small_survey()), Clock()
    # A kept connection that dies is tried once more at once, so two are lost for each pause.
    server.faults = [None, None, None, *["lost reply"] * 5]
    with (
        serving(server) as url,
        Device(
            url,
            tmp_path,
            record=RECORD,
            consent=True,
            epsilon_limit=9,
            clock=clock,
            sleep=clock.sleep,
        ) as device,
    ):
        assert device.answer(VALUES, patience=100).accepted
    assert len(server.seen) == 6
    assert len(set(server.seen)) == 1
    assert len(clock.slept) >= 2


def test_a_server_that_is_not_there_is_trouble_not_an_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with Device(url, tmp_path, record=RECORD, consent=True, epsilon_limit=9) as device:
        assert "ConnectionRefusedError" in str(device.answer(VALUES).trouble)


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000 + b"\r\n\r\n",
    ],
    ids=["nothing", "nonsense", "short", "short chunk", "promise", "header"],
)
def test_a_broken_reply_is_a_server_error(reply: bytes) -> None:
    with answering(reply) as (url, _), pytest.raises(ServerError):
        HttpTransport(url).request("GET", "/v1/surveys", {})


def test_an_endless_reply_is_cut() -> None:
    endless = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 300_000
    with answering(endless) as (url, _), pytest.raises(ServerError, match="more than"):
        HttpTransport(url, most_bytes=100_000).request("GET", "/v1/surveys", {})


def test_a_silent_server_times_out() -> None:
    silent = b"HTTP/1.1 200 OK\r\n"
    with answering(silent, hold=True) as (url, _), pytest.raises(ServerError, match="no answer"):
        HttpTransport(url, timeout=0.05).request("GET", "/v1/surveys", {})


def test_a_trickling_server_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LONGEST_EXCHANGE", 0.02)
    slow = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nslow"
    with answering(slow, hold=True) as (url, _), pytest.raises(ServerError, match="no answer"):
        HttpTransport(url, timeout=5).request("GET", "/v1/surveys", {})


def test_redirects_are_not_followed() -> None:
    reply = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    with answering(reply) as (url, _):
        assert HttpTransport(url).request("GET", "/v1/surveys", {}).status == 302


def test_a_server_below_a_path_is_reached() -> None:
    reply = b"HTTP/1.1 204 No Content\r\n\r\n"
    with answering(reply) as (url, received):
        HttpTransport(f"{url}/harmony/").request("GET", "/v1/surveys", {})
    assert received[0].startswith(b"GET /harmony/v1/surveys HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "server",
    [
        "http://stats.example.org",
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example",
        "http://10.0.0.1",
        "ftp://stats.example.org",
        "stats.example.org",
        "https://",
        "https://user:secret@stats.example.org",
        "https://stats.example.org/?query",
        "",
    ],
)
def test_an_unsafe_or_unusable_url_is_refused(server: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'server'"):
        Device(server, tmp_path, record=RECORD, consent=True, epsilon_limit=1)


@pytest.mark.parametrize(
    "server", ["http://localhost:8000", "http://[::1]:8000", "https://a.example"]
)
def test_loopback_and_tls_are_fine(server: str, tmp_path: Path) -> None:
    Device(server, tmp_path, record=RECORD, consent=True, epsilon_limit=1)


def test_plain_http_goes_elsewhere_only_when_told(tmp_path: Path) -> None:
    Device(
        "http://10.0.0.1", tmp_path, record=RECORD, consent=True, epsilon_limit=1, plain_http=True
    )
