"""Whatever a client does to its connection, the fast path and the route respond alike.

Two servers differ in one thing: one of them has the fast path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection
from typing import Any

import pytest

from harmony.service.dashboard.sessions import COOKIE, Sessions
from harmony.service.settings import Settings

from .conftest import recount
from .raw import PATH, Case, Site, Transcript, converse
from .raw_cases import CASES, HASTY, HEADER_BYTES, SLOW
from .waiting import STUCK_SECONDS

HURRY = {f"{what}_seconds": HASTY for what in ("head", "body", "response", "idle")}

Pair = tuple[Site, Site]


def pair_of_sites(factory: pytest.TempPathFactory, **settings: Any) -> Iterator[Pair]:
    with ExitStack() as stack:
        sites = []
        for fast in (True, False):
            site = Site(factory.mktemp("raw"), fast=fast, **settings)
            stack.enter_context(site.server)
            sites.append(site)
        yield sites[0], sites[1]
        for site in sites:
            assert site.server.stop() == 0
            tally = site.state.catalogue.tally(site.state.catalogue.round("phones", "week1"))
            assert tally == recount(site.state, site.live)
            assert "Traceback" not in site.log.read_text()


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    yield from pair_of_sites(tmp_path_factory)


@pytest.fixture(scope="module")
def hasty_pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    yield from pair_of_sites(tmp_path_factory, **HURRY)


def check(pair: Pair, case: Case) -> None:
    with ThreadPoolExecutor(2) as pool:
        fast, route = pool.map(lambda site: converse(site, case), pair)
    assert_as_expected(fast, case)
    assert fast == route


def assert_as_expected(found: Transcript, case: Case) -> None:
    statuses = [status for status, _, _ in found.responses]
    assert statuses == list(case.statuses)
    assert found.stays == case.stays
    if case.says:
        _, headers, body = found.responses[-1]
        assert dict(headers)["content-type"] == "application/problem+json"
        assert json.loads(body)["type"] == f"/problems/{case.says}"


@pytest.mark.parametrize("name", CASES)
def test_both_ways_respond_alike(pair: Pair, name: str) -> None:
    check(pair, CASES[name])


@pytest.mark.parametrize("name", SLOW)
def test_slow_clients_meet_the_same_deadlines_on_both_ways(hasty_pair: Pair, name: str) -> None:
    check(hasty_pair, SLOW[name])


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/v1/surveys", "/nowhere", PATH])
def test_head_says_what_get_would_without_a_body(pair: Pair, path: str) -> None:
    for site in pair:
        client = HTTPConnection("127.0.0.1", site.server.port, timeout=STUCK_SECONDS)
        said = []
        for method in ("HEAD", "GET"):  # on one connection: a body would be taken for a response
            client.request(method, path)
            response = client.getresponse()
            headers = {name: value for name, value in response.getheaders() if name != "date"}
            said.append((response.status, headers, len(response.read())))
        client.close()
        head, get = said
        assert head[:2] == get[:2]
        assert head[2] == 0 < get[2]


def test_head_of_a_stream_ends_at_once(pair: Pair) -> None:
    for site in pair:
        sessions = Sessions(site.state.tokens)
        cookie = sessions.sign_in(site.state.tokens.create("analyst", "analyst")[0])
        client = HTTPConnection("127.0.0.1", site.server.port, timeout=STUCK_SECONDS)
        client.request("HEAD", "/live", headers={"Cookie": f"{COOKIE}={cookie}"})
        response = client.getresponse()
        assert (response.status, response.read()) == (200, b"")
        assert response.headers["content-type"].startswith("text/event-stream")
        client.request("GET", "/healthz")  # on the same connection, which is not kept waiting
        assert client.getresponse().status == 200
        client.close()


def test_there_are_enough_cases_and_the_limits_are_the_defaults() -> None:
    assert len(CASES) + len(SLOW) >= 60
    assert Settings().header_bytes == HEADER_BYTES
