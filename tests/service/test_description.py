"""The API describes itself, and its pages need nothing from elsewhere."""

from __future__ import annotations

import re
from inspect import iscoroutinefunction

import pytest

from harmony.service.app import api_of

from .conftest import Service
from .mutated import flat
from .waiting import wait_until

pytestmark = pytest.mark.parametrize("place", ["sqlite"], indirect=True)


def test_openapi_lists_every_route_with_the_ingest_route(service: Service) -> None:
    described = service.client.get("/openapi.json").json()
    assert "post" in described["paths"]["/v1/surveys/{name}/reports"]
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            assert route["description"], f"{method} {path} says nothing"


def test_the_docs_page_shows_every_route_and_loads_only_from_here(service: Service) -> None:
    response = service.client.get("/docs")
    assert "default-src 'none'" in response.headers["content-security-policy"]
    for path in service.client.get("/openapi.json").json()["paths"]:
        assert path in response.text
    assert not re.search(r"https?://|@import|<style|style=", response.text)
    loaded = re.findall(r"<(?:link|script|img)[^>]*?(?:href|src)=\"([^\"]*)", response.text)
    assert loaded
    for address in loaded:
        assert service.client.get(address).status_code == 200
        assert address.startswith("/static/")


def test_only_routes_that_do_next_to_nothing_run_on_the_loop(service: Service) -> None:
    """What takes the loop's time takes it from every report."""
    routes = flat(api_of(service.state).routes)
    on_the_loop = {one.path for one in routes if iscoroutinefunction(one.endpoint)}
    assert on_the_loop == {"/healthz", "/readyz", "/live", "/v1/devices/me"}


def test_health_and_readiness_respond(service: Service) -> None:
    assert service.client.get("/healthz").json() == {"status": "ok"}
    assert service.client.get("/readyz").json() == {"status": "ready"}
    service.state.writer.trouble = "the last commit failed"
    response = service.client.get("/readyz")
    assert (response.status_code, response.json()["detail"]) == (503, "the last commit failed")
    wait_until(lambda: service.client.get("/readyz").status_code == 200, "a probe to succeed")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("PUT", "/v1/surveys", 405), ("GET", "/v1/surveys/x", 404)],
)
def test_every_refusal_is_a_problem_document(
    service: Service, method: str, path: str, status: int
) -> None:
    response = service.client.request(method, path)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert set(response.json()) == {"type", "title", "status", "detail"}
