"""What a request may not decide: where links go, how often the database is read, who is limited."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote, urlencode

import pytest

import harmony as hm
from harmony.errors import HarmonyError
from harmony.service import state as state_module
from harmony.service.app import api_of
from harmony.service.asgi import client_of
from harmony.service.catalogue import Catalogue
from harmony.service.dashboard.sessions import COOKIE, Sessions
from harmony.service.server import listen
from harmony.service.settings import Settings, SettingsError
from harmony.service.state import REFRESH_SECONDS

from .conftest import SURVEY, Service
from .devices import any_report, report_body
from .mutated import flat
from .postgres import Postgres
from .stored import stored_in
from .waiting import STUCK_SECONDS, wait_until

Start = Callable[..., Service]


def counting(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Return a list that grows with every reading of the catalogue."""
    read: list[None] = []
    reload = catalogue.reload

    def counted() -> None:
        read.append(None)
        reload()

    monkeypatch.setattr(catalogue, "reload", counted)
    return read


def test_names_that_are_made_up_do_not_make_the_catalogue_be_read(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue, device = service.state.catalogue, service.enrol().headers
    catalogue.refresh()
    monkeypatch.setattr(state_module, "RELOAD_SECONDS", float("inf"))
    monkeypatch.setattr(state_module, "REFRESH_SECONDS", 0.0)  # every one of them may look
    read = counting(catalogue, monkeypatch)
    for number in range(50):
        name = f"none{number}"
        for path, headers in (
            (f"/v1/surveys/{name}", {}),
            (f"/v1/surveys/{name}/rounds/latest/estimates", service.admin),
            (f"/v1/surveys/{SURVEY.name}/rounds/{name}/tally", service.admin),
            (f"/v1/trainings/{name}", service.admin),
            (f"/v1/trainings/{name}/task", device),
        ):
            assert service.client.get(path, headers=headers).status_code == 404
        reports = f"/v1/surveys/{name}/reports"
        body = report_body("week1", bytes(19))
        assert service.client.post(reports, json=body, headers=device).status_code == 404
    assert read == []


def test_requests_that_look_for_changes_at_the_same_time_share_a_look(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = Catalogue(service.state.database, service.state.clock)
    looks: list[None] = []
    goes_on = threading.Event()

    def look() -> None:
        looks.append(None)
        assert goes_on.wait(STUCK_SECONDS)

    monkeypatch.setattr(catalogue, "_look", look)
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(catalogue.refresh) for _ in range(20)]
        wait_until(lambda: len(looks) == 1, "somebody to look")
        goes_on.set()
        for one in asked:
            one.result(STUCK_SECONDS)
    assert 1 <= len(looks) <= 20  # those who came during a look share the next one
    before = len(looks)
    catalogue.refresh()
    assert len(looks) == before + 1


def test_reports_to_rounds_that_are_made_up_wait_for_each_other(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = service.open()
    device, count = service.enrol(), 5
    report = any_report(live, device.device)
    started = time.monotonic()
    for number in range(count):
        assert service.send(device, report_body(f"none{number}", report)).status_code == 410
    assert time.monotonic() - started >= (count - 1) * REFRESH_SECONDS


def test_what_another_server_did_is_noticed_without_reading_everything(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.open("week1")
    state = service.state
    mine, other = (Catalogue(state.database, state.clock) for _ in range(2))
    mine.refresh()
    read = counting(mine, monkeypatch)
    mine.refresh()
    assert read == []
    other.close(SURVEY.name, "week1")
    mine.refresh()
    assert mine.surveys[SURVEY.name].open_round(state.clock()) is None
    other.open(SURVEY.name, "week2")
    mine.refresh()
    opened = mine.surveys[SURVEY.name].open_round(state.clock())
    assert opened is not None
    assert opened.live.round.label == "week2"
    other.add(hm.Survey("another", [hm.Boolean("wifi")], epsilon=1.0), None)
    mine.refresh()
    assert "another" in mine.surveys
    assert len(read) == 3


def test_a_round_that_another_server_opened_takes_its_first_report(service: Service) -> None:
    service.open("week1")
    other = Catalogue(service.state.database, service.state.clock)
    other.close(SURVEY.name, "week1")
    live = other.open(SURVEY.name, "week2").live
    device = service.enrol()
    body = report_body("week2", any_report(live, device.device))
    assert service.send(device, body).status_code == 201


def test_links_go_where_the_server_is_whatever_host_says(serve: Start) -> None:
    evil = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    for settings, url in (
        ({}, "http://testserver"),
        ({"public_url": "https://ours"}, "https://ours"),
    ):
        service = serve(**settings)
        made = service.client.post("/v1/sign-in-links", headers=service.admin | evil)
        assert made.json()["link"].startswith(f"{url}/sign-in?code=" if settings else f"{url}:80/")


@pytest.mark.parametrize("path", ["/surveys/", "/v1/surveys/", "/sign-in/"])
def test_nobody_is_redirected_to_the_host_that_a_request_names(service: Service, path: str) -> None:
    asked = service.client.get(path, headers={"Host": "evil.example"}, follow_redirects=False)
    assert asked.status_code == 404
    assert "location" not in asked.headers


@pytest.mark.parametrize("path", ["/sign-in", "/claim"])
@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": "https://[evil"}, False),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, True),
        ({"Origin": "http://testserver"}, True),
        ({"Origin": "https://ours"}, True),
        ({}, True),
    ],
)
def test_nobody_is_signed_in_by_another_sites_page(
    serve: Start, path: str, headers: dict[str, str], allowed: bool
) -> None:
    service = serve(public_url="https://ours/")
    response = service.client.post(path, data={"code": "hmy_0_0"}, headers=headers)
    assert response.status_code == (401 if allowed else 403)


KNOWN = defaultdict(lambda: "0", name=SURVEY.name, label="week1", path="index.js")


def addresses(route: Any, odd: str) -> Iterator[str]:
    """Yield a route's addresses with an odd text in one part of the path or of the query each."""
    dependant = getattr(route, "dependant", None)
    if dependant is None:
        return
    path = route.path.replace(":path", "")
    for part in dependant.path_params:
        yield path.format_map(KNOWN | {part.name: quote(odd)})
    for part in dependant.query_params:
        yield f"{path.format_map(KNOWN)}?{urlencode({part.alias: odd})}"


@pytest.mark.parametrize("odd", ["\0", "9" * 30, "-" + "9" * 30, "1e999"])
def test_no_route_fails_for_a_zero_or_a_number_that_no_database_holds(
    service: Service, odd: str
) -> None:
    """Every part of every address, as an admin whose token and session are right."""
    service.open()
    session = Sessions(service.state.tokens).sign_in(service.admin["Authorization"].split()[1])
    headers = service.admin | {"Cookie": f"{COOKIE}={session}"}
    tried = [
        (method, address)
        for route in flat(api_of(service.state).routes)
        if route.path != "/live"  # which does not end; `mutated` sends it the same
        for address in addresses(route, odd)
        for method in route.methods
    ]
    assert len(tried) > 100
    for method, address in tried:
        response = service.client.request(method, address, headers=headers, follow_redirects=False)
        assert response.status_code < 500, (method, address)


def test_a_code_with_a_zero_is_not_valid(service: Service) -> None:
    """PostgreSQL takes no zero in a text: a form or a body may hold one."""
    for body in ({"code": "hmy_\0_00"}, {"code": "\0"}):
        assert service.client.post("/v1/claim", json=body).status_code < 500
        assert service.client.post("/sign-in", data=body).status_code < 500


def test_an_ipv6_customer_is_limited_as_one() -> None:
    def limited_as(address: str) -> str:
        return client_of({"client": (address, 1)})

    assert limited_as("2001:db8:0:1::1") == limited_as("2001:db8:0:1:ffff::2")
    assert limited_as("2001:db8:0:1::1") != limited_as("2001:db8:0:2::1")
    assert limited_as("::ffff:192.0.2.1") == limited_as("192.0.2.1")
    assert limited_as("fe80::1%eth0") == limited_as("fe80::2")
    assert limited_as("not:an:address") == "not:an:address"


def test_a_survey_that_would_take_minutes_to_design_must_bring_its_tables(service: Service) -> None:
    attributes = [
        {"name": f"a{number}", "kind": "numeric", "low": 0, "high": 1} for number in range(2000)
    ]
    definition = {
        "name": "large",
        "tiers": [0.5 + tier / 4 for tier in range(16)],
        "attributes": attributes,
    }
    refused = service.client.post("/v1/surveys", json=definition, headers=service.admin)
    assert refused.status_code == 422
    assert "'tiers'" in refused.json()["detail"]


def test_servers_with_several_workers_do_not_share_a_port() -> None:
    settings = Settings.load(port=0, workers=2)
    mine = listen(settings)
    try:
        port = mine[0].getsockname()[1]
        assert {one.getsockname()[1] for one in mine} == {port}
        for workers in (1, 2):
            with pytest.raises(HarmonyError, match="cannot listen"):
                listen(Settings.load(port=port, workers=workers))
    finally:
        for one in mine:
            one.close()


@pytest.mark.parametrize(
    ("given", "origins"),
    [
        ("https://a.example", ["https://a.example"]),
        ("https://a.example, https://b.example", ["https://a.example", "https://b.example"]),
        ('["https://a.example"]', ["https://a.example"]),
        ("", []),
    ],
)
def test_origins_in_the_environment_have_commas_between(
    monkeypatch: pytest.MonkeyPatch, given: str, origins: list[str]
) -> None:
    monkeypatch.setenv("HARMONY_CORS_ORIGINS", given)
    assert Settings.load().cors_origins == origins


def test_origins_that_cannot_be_read_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARMONY_CORS_ORIGINS", "[https://a.example")
    with pytest.raises(SettingsError, match="'cors_origins'"):
        Settings.load()


def test_the_log_of_postgres_has_no_devices(postgres: Postgres) -> None:
    with stored_in(postgres.fresh()) as stored:
        device = b"\xa5" * 16
        assert stored.commit(any_report(stored.live, device)) == ["accepted"]
        again = any_report(stored.live, device, symbol=1)
        assert stored.commit(again) == ["conflict"]  # tried as one that may be added, then not
    logged = postgres.log()
    assert "division by zero" in logged
    assert device.hex() not in logged
    sealed = stored.live.seal(stored.live.rows(again))[0, : len(device)]
    assert sealed.tobytes().hex() not in logged
