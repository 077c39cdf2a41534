"""One connection: when it is kept, when it is tried anew, and how much may come through it."""

from __future__ import annotations

import http.client
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device, ServerError, transport
from harmony_device.transport import HttpTransport, is_loopback

from .test_transport import answering

OK = b"HTTP/1.1 200 OK\r\n"
RESET = b"the connection is reset"


@contextmanager
def conversation(*connections: list[bytes]) -> Iterator[tuple[str, list[list[bytes]]]]:
    """Serve connections, each with some replies and then its end; yield what each received."""
    received: list[list[bytes]] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)

        def serve() -> None:
            for replies in connections:
                connection, _ = listener.accept()
                connection.settimeout(10)
                heard: list[bytes] = []
                received.append(heard)
                with connection:
                    for reply in replies:
                        heard.append(connection.recv(65536))
                        if reply == RESET:
                            now = struct.pack("ii", 1, 0)
                            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
                        else:
                            connection.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", received
        finally:
            thread.join(10)


def body(content: bytes, *headers: bytes) -> bytes:
    """Return a reply of this content."""
    lines = [b"Content-Length: %d" % len(content), *headers]
    return OK + b"\r\n".join(lines) + b"\r\n\r\n" + content


def test_a_reply_is_its_status_its_headers_and_its_body() -> None:
    with answering(body(b"hello", b"Retry-After: 17", b"X-Y: Z")) as (url, received):
        reply = HttpTransport(url).request("POST", "/v1/x", {"Accept": "a/b"}, b"content")
    assert (reply.status, reply.body) == (200, b"hello")
    assert dict(reply.headers) == {"content-length": "5", "retry-after": "17", "x-y": "Z"}
    assert received[0].startswith(b"POST /v1/x HTTP/1.1\r\n")
    assert b"\r\nAccept: a/b\r\n" in received[0]
    assert b"\r\nContent-Length: 7\r\n" in received[0]


@pytest.mark.parametrize("gone", [[], [b""], [RESET], [b"nonsense\r\n\r\n"]])
def test_a_kept_connection_that_has_gone_is_tried_once_more(gone: list[bytes]) -> None:
    with conversation([body(b"1"), *gone], [body(b"2")]) as (url, received):
        carrier = HttpTransport(url)
        assert [carrier.request("GET", f"/{n}", {}).body for n in (1, 2)] == [b"1", b"2"]
        carrier.close()
    assert received[1][0].startswith(b"GET /2 HTTP/1.1\r\n")


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[http.client.HTTPConnection]:
    """Note every connection that is made; each is open when it is."""
    made: list[http.client.HTTPConnection] = []
    real = HttpTransport._connect

    def connect(self: HttpTransport) -> http.client.HTTPConnection:
        made.append(real(self))
        assert made[-1].sock is not None
        return made[-1]

    monkeypatch.setattr(HttpTransport, "_connect", connect)
    return made


@pytest.mark.parametrize("reply", [b"", b"nonsense\r\n\r\n", OK + b"Content-Length: 9\r\n\r\nx"])
def test_a_connection_that_failed_is_closed_and_not_used_again(
    reply: bytes, connections: list[http.client.HTTPConnection]
) -> None:
    with conversation([reply], [body(b"2")]) as (url, _):
        carrier = HttpTransport(url)
        with pytest.raises(ServerError):
            carrier.request("GET", "/1", {})
        assert [one.sock for one in connections] == [None]
        assert carrier.request("GET", "/2", {}).body == b"2"
        assert len(connections) == 2
        carrier.close()
        assert connections[1].sock is None


def test_a_deadline_ends_an_exchange_long_before_its_socket_times_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transport, "LONGEST_EXCHANGE", 0.02)
    slow = OK + b"Content-Length: 9\r\n\r\nslow"
    with answering(slow, hold=True) as (url, _), pytest.raises(ServerError) as problem:
        HttpTransport(url, timeout=5).request("GET", "/", {})
    assert not isinstance(problem.value.__cause__, TimeoutError)


def test_a_deadline_that_comes_too_late_does_no_harm() -> None:
    with conversation([body(b"1")]) as (url, _):
        connection = HttpTransport(url)._connect()
        late = transport._Deadline(connection, 0.0)
        connection.request("GET", "/")
        connection.getresponse().read()
        connection.close()
        late._hang_up()


def test_a_new_connection_that_fails_is_not_tried_again() -> None:
    with conversation([b""], [body(b"2")]) as (url, received):
        carrier = HttpTransport(url)
        with pytest.raises(ServerError, match="no answer to GET /1: RemoteDisconnected"):
            carrier.request("GET", "/1", {})
        assert len(received) == 1
        assert carrier.request("GET", "/2", {}).body == b"2"
        carrier.close()


def test_a_connection_that_the_server_will_close_is_not_kept(
    connections: list[http.client.HTTPConnection],
) -> None:
    closing = body(b"1", b"Connection: close")
    with conversation([closing, b"never read"], [body(b"2")]) as (url, received):
        carrier = HttpTransport(url)
        assert carrier.request("GET", "/1", {}).body == b"1"
        assert [one.sock for one in connections] == [None]
        assert carrier.request("GET", "/2", {}).body == b"2"
        carrier.close()
    assert len(received) == 2


def test_a_connection_is_kept_and_closed_when_told() -> None:
    with conversation([body(b"1"), body(b"2")], [body(b"3")]) as (url, received):
        carrier = HttpTransport(url)
        for number in (1, 2):
            assert carrier.request("GET", f"/{number}", {}).body == b"%d" % number
        carrier.close()
        carrier.close()
        assert carrier.request("GET", "/3", {}).body == b"3"
        carrier.close()
    assert [len(heard) for heard in received] == [2, 1]


@pytest.mark.parametrize("framing", ["length", "close", "chunked"])
@pytest.mark.parametrize(("size", "taken"), [(1000, True), (1001, False)])
def test_a_reply_of_the_largest_size_is_read_and_a_larger_one_is_not(
    framing: str, size: int, taken: bool
) -> None:
    content = b"x" * size
    reply = {
        "length": body(content),
        "close": OK + b"\r\n" + content,
        "chunked": OK
        + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (size, content),
    }[framing]
    with answering(reply) as (url, _):
        if taken:
            assert HttpTransport(url, most_bytes=1000).request("GET", "/", {}).body == content
        else:
            with pytest.raises(ServerError, match="the reply has more than 1000 bytes"):
                HttpTransport(url, most_bytes=1000).request("GET", "/", {})


def test_a_long_reply_comes_whole() -> None:
    content = bytes(range(256)) * 1000
    with answering(OK + b"\r\n" + content) as (url, _):
        assert HttpTransport(url).request("GET", "/", {}).body == content


def test_waits_are_bounded_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds for each step, and a minute for a whole exchange."""
    timers: list[threading.Timer] = []
    real = threading.Timer

    def timer(seconds: float, action: Any) -> threading.Timer:
        timers.append(real(seconds, action))
        return timers[-1]

    monkeypatch.setattr(threading, "Timer", timer)
    with conversation([body(b"1")]) as (url, _):
        carrier = HttpTransport(url)
        carrier.request("GET", "/", {})
        assert carrier._connection is not None
        assert carrier._connection.sock.gettimeout() == 10.0
        carrier.close()
    assert [one.interval for one in timers] == [60.0]
    assert all(one.daemon and one.finished.is_set() for one in timers)


def test_tls_is_checked_as_the_system_does(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[Any, ...]] = []

    class Recorded(http.client.HTTPConnection):
        def __init__(self, host: str, port: int, *, timeout: float, context: Any) -> None:
            opened.append((host, port, timeout, context))
            super().__init__(host, port, timeout=timeout)

        def connect(self) -> None:
            raise ConnectionRefusedError

    monkeypatch.setattr(http.client, "HTTPSConnection", Recorded)
    with pytest.raises(ServerError, match="no answer to GET /: ConnectionRefusedError"):
        HttpTransport("https://stats.example:8443", timeout=3.0).request("GET", "/", {})
    ((host, port, timeout, context),) = opened
    assert (host, port, timeout) == ("stats.example", 8443, 3.0)
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ("https://stats.example#fragment", "no user, query or fragment"),
        ("https://@stats.example", "no user, query or fragment"),
        ("https://stats.example?q", "no user, query or fragment"),
        ("http://192.168.0.7", "plain http"),
        ("//stats.example", "must be an https URL"),
    ],
)
def test_an_address_says_what_is_wrong_with_it(server: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        HttpTransport(server)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.1", "::1"])
def test_this_machine_is_loopback(host: str) -> None:
    assert is_loopback(host) is True


@pytest.mark.parametrize("host", ["stats.example", "10.0.0.1", "::2", "0.0.0.0", "localhost.", ""])
def test_others_are_not(host: str) -> None:
    assert is_loopback(host) is False


def test_a_device_hangs_up_when_it_is_closed(tmp_path: Path) -> None:
    with conversation([body(b'{"device": "x"}')]) as (url, _):
        with Device(f"{url}/", tmp_path, record={}, consent=True, epsilon_limit=9) as device:
            device.send()
            device.answer({})
            carrier = device._server._transport
            assert isinstance(carrier, HttpTransport)
            assert carrier._connection is not None
        assert carrier._connection is None
