"""How many connections there may be, and which of them make room for others."""

from __future__ import annotations

import asyncio
import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from harmony.service.dashboard.assets import PLOTLY, asset_url
from harmony.service.http.connections import Connections, Stage
from harmony.service.metrics import Metrics
from harmony.service.server import OTHER_FILES, with_files_for
from harmony.service.settings import Settings, SettingsError

from .raw import HEALTH, Site, converse
from .raw_cases import CASES
from .waiting import STUCK_SECONDS, wait_until


class Someone:
    """A connection that says what the test wants."""

    def __init__(self, address: str, stage: Stage = Stage.NEXT_REQUEST, waited: float = 0) -> None:
        self.address, self.stage_now, self.waited = address, stage, waited
        self.ended = ""

    def stage(self) -> Stage:
        return self.stage_now

    def waiting(self, stage: Stage, now: float) -> float:
        return self.waited

    def time_out(self, stage: Stage) -> None:
        self.ended = stage.value

    def drop(self) -> None:
        self.ended = "dropped"


def crowd(**settings: Any) -> tuple[Connections, Metrics]:
    metrics = Metrics()
    return Connections(Settings.load(**settings), metrics), metrics


def on_loop(scenario: Callable[[], None]) -> None:
    async def main() -> None:
        scenario()

    asyncio.run(main())


def admitted(limits: Connections, *newcomers: Someone) -> list[bool]:
    return [not limits.admit(one, 0.0) for one in newcomers]


def test_who_has_been_silent_longest_makes_room_at_the_limit_of_an_address() -> None:
    def scenario() -> None:
        limits, metrics = crowd(address_connections=3)
        waits = [Someone("192.0.2.1", waited=waited) for waited in (1.0, 9.0, 4.0)]
        others = [Someone(f"192.0.2.{number}") for number in range(2, 9)]
        assert all(admitted(limits, *waits, *others))
        assert admitted(limits, Someone("192.0.2.1")) == [True]
        assert [one.ended for one in waits] == ["", "dropped", ""]
        assert [one.ended for one in others] == [""] * 7
        assert len(limits) == 10
        assert b'harmony_dropped_connections_total{reason="crowded"} 1.0' in metrics.page()
        assert b"harmony_connections 10.0" in metrics.page()

    on_loop(scenario)


def test_what_is_being_worked_on_is_never_dropped() -> None:
    def scenario() -> None:
        limits, metrics = crowd(address_connections=2, connections=3)
        busy = [Someone("192.0.2.1", Stage.SERVER, 99.0) for _ in range(2)]
        assert all(admitted(limits, *busy))
        assert limits.admit(Someone("192.0.2.1"), 0.0).startswith("this address has too many")
        assert admitted(limits, Someone("192.0.2.2", Stage.SERVER)) == [True]
        assert limits.admit(Someone("192.0.2.3"), 0.0).startswith("the server has too many")
        assert [one.ended for one in busy] == ["", ""]
        assert b'harmony_dropped_connections_total{reason="refused"} 2.0' in metrics.page()

    on_loop(scenario)


def test_bodies_and_readers_are_dropped_after_all_who_have_sent_no_request() -> None:
    def scenario() -> None:
        limits, _ = crowd(connections=5)
        slow = [Someone("192.0.2.1", Stage.BODY, 50.0), Someone("192.0.2.1", Stage.READER, 60.0)]
        new = [
            Someone("192.0.2.1", stage, waited)
            for stage, waited in (
                (Stage.HEAD, 2.0), (Stage.FIRST_BYTE, 3.0), (Stage.NEXT_REQUEST, 1.0)
            )
        ]  # fmt: skip
        assert all(admitted(limits, *slow, *new))
        order = []
        for _ in range(5):
            assert admitted(limits, Someone("192.0.2.9", Stage.SERVER)) == [True]
            order += [one for one in (*slow, *new) if one.ended and one not in order]
        assert order == [new[1], new[0], new[2], slow[1], slow[0]]

    on_loop(scenario)


def test_a_crowd_is_thinned_out_by_a_share_so_that_not_everyone_starts_a_search() -> None:
    def scenario() -> None:
        limits, _ = crowd(connections=160)
        some = [Someone(f"10.0.{number}.1", waited=number) for number in range(160)]
        assert all(admitted(limits, *some))
        assert admitted(limits, Someone("192.0.2.1")) == [True]
        assert [one for one in some if one.ended] == some[150:]
        assert len(limits) == 151

    on_loop(scenario)


def test_a_customers_ipv6_network_is_one_address_and_proxies_speak_for_many() -> None:
    def scenario() -> None:
        limits, _ = crowd(address_connections=1, trusted_proxies="10.0.0.0/8, 2001:db8:1::1")
        first = Someone("2001:db8::1", Stage.SERVER)
        assert admitted(limits, first, Someone("2001:db8::ffff")) == [True, False]
        for address in ("10.1.2.3", "2001:db8:1::1"):
            proxy = [Someone(address, Stage.SERVER) for _ in range(9)]
            assert all(admitted(limits, *proxy))
        assert admitted(limits, Someone("2001:db8:2::1"), Someone("")) == [True, True]
        limits.leave(first)
        limits.leave(first)
        assert admitted(limits, Someone("2001:db8::ffff")) == [True]

    on_loop(scenario)


@pytest.mark.parametrize("given", ["*", "proxy.example", "10.0.0.1/8", "127.0.0.1;10.0.0.1"])
def test_a_proxy_that_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="'trusted_proxies'"):
        Settings.load(trusted_proxies=given)


def test_every_stage_has_its_deadline() -> None:
    seconds = {"head_seconds": 1, "idle_seconds": 2, "body_seconds": 3, "response_seconds": 4}
    deadlines = {
        Stage.FIRST_BYTE: 1, Stage.HEAD: 1, Stage.NEXT_REQUEST: 2, Stage.BODY: 3, Stage.READER: 4,
    }  # fmt: skip

    def scenario() -> None:
        limits, metrics = crowd(**seconds)
        for stage, deadline in deadlines.items():
            early, late = (Someone("192.0.2.1", stage, deadline + by) for by in (-0.1, 0.1))
            limits._end_overdue([early, late], 0.0)
            assert (early.ended, late.ended) == ("", stage.value)
            counted = f'harmony_dropped_connections_total{{reason="{stage.value}"}} 1.0'
            assert counted in metrics.page().decode()
        for_ever = Someone("192.0.2.1", Stage.SERVER, 1e9)
        limits._end_overdue([for_ever], 0.0)
        assert for_ever.ended == ""

    on_loop(scenario)


@contextmanager
def few_files(soft: int) -> Iterator[None]:
    """Let this process have so many files."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_connections_have_files(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings.load(connections=800)
    with few_files(900):
        assert with_files_for(settings).connections == 800
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 800 + OTHER_FILES
    chosen: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 500))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: chosen.append(limits))
    assert with_files_for(settings).connections == 500 - OTHER_FILES
    assert chosen == [(500, 500)]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    with ExitStack() as stack:

        def start(**settings: Any) -> Site:
            made = Site(tmp_path, **settings)
            stack.enter_context(made.server)
            return made

        yield start


def is_served(site: Site) -> bool:
    return converse(site, CASES["split: whole"]).responses[0][0] == 201


def has_ended(client: socket.socket) -> bool:
    client.settimeout(0.01)
    try:
        return client.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def test_a_thousand_silent_connections_of_one_address_keep_nobody_out(
    site: Callable[..., Site],
) -> None:
    here = site(address_connections=100, connections=150)
    with ExitStack() as stack:
        silent = [stack.enter_context(here.connect()) for _ in range(1000)]
        for number, one in enumerate(silent):
            if number % 3 == 1:
                with suppress(ConnectionError):  # it may be dropped by now
                    one.sendall(b"GET / HT")
        started = time.monotonic()
        assert is_served(here)
        assert time.monotonic() - started < STUCK_SECONDS / 2
        wait_until(lambda: sum(not has_ended(one) for one in silent) <= 100, "connections to end")


def test_who_does_not_read_is_hung_up_on_and_keeps_little_memory(
    site: Callable[..., Site],
) -> None:
    here = site(response_seconds=1.0)
    request = f"GET {asset_url(PLOTLY)} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 3
    with ExitStack() as stack:
        readers = [stack.enter_context(here.connect(receive_bytes=4096)) for _ in range(20)]
        for one in readers:
            one.sendall(request)

        def end(client: socket.socket) -> int:
            """Read to the end of what there is, late; return how much that was."""
            received = 0
            with suppress(ConnectionError):
                while piece := client.recv(1 << 16):
                    received += len(piece)
            return received

        wait_until(lambda: _dropped(here, "reader") >= 20, "the server to hang up")
        assert all(end(one) < 4_000_000 for one in readers)
        assert is_served(here)


def _dropped(site: Site, reason: str) -> float:
    """Read from the metrics how many connections were dropped for a reason."""
    with site.connect() as client:
        client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        page = b"".join(iter(lambda: client.recv(1 << 16), b"")).decode()
    name = f'harmony_dropped_connections_total{{reason="{reason}"}} '
    return sum(float(line[len(name) :]) for line in page.splitlines() if line.startswith(name))


def has_ipv6() -> bool:
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here")
def test_a_socket_for_both_kinds_of_addresses_knows_a_proxy_by_its_ipv4_address(
    site: Callable[..., Site],
) -> None:
    rates = {"address_rate": 1e-6, "address_burst": 1}
    here = site(host="::", trusted_proxies="127.0.0.1", **rates)

    def status(address: str, forwarded: str) -> int:
        with socket.create_connection((address, here.server.port), STUCK_SECONDS) as client:
            client.sendall(here.request(f"X-Forwarded-For: {forwarded}"))
            return int(client.recv(4096)[9:12])

    named = ["192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"]
    assert [status("127.0.0.1", one) for one in named] == [201, 429, 201, 201, 429]
    # Over IPv6 it is nobody that is believed, whatever address it makes up.
    assert [status("::1", one) for one in ("192.0.2.3", "192.0.2.4")] == [201, 429]


def test_a_new_connection_is_served_while_others_hold_half_requests(
    site: Callable[..., Site],
) -> None:
    here = site(connections=60, address_connections=0)
    with ExitStack() as stack:
        for number in range(60):
            one = stack.enter_context(here.connect())
            one.sendall(b"POST /v1" if number % 2 else HEALTH)
        assert is_served(here)
