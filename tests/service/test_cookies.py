"""Cookies of strangers: what they hold is not read, however it is quoted."""

from __future__ import annotations

import time

import pytest

from harmony.service.admission import session_cookie, with_own_cookie
from harmony.service.dashboard.sessions import COOKIE, Sessions

from .conftest import Service

SLOW = 'a="' + "\\" * 15_000 + '"'
"""Python takes about half a second to unquote this."""


@pytest.mark.parametrize("path", ["/v1/surveys", "/sign-in", "/healthz"])
def test_a_cookie_that_is_slow_to_read_costs_nothing(service: Service, path: str) -> None:
    service.client.get(path)
    started = time.process_time()
    for _ in range(5):
        assert service.client.get(path, headers={"Cookie": SLOW}).status_code == 200
    assert time.process_time() - started < 1.5  # it was more than 2.2; now a few hundredths


def test_a_session_is_found_among_other_cookies(service: Service) -> None:
    token = service.state.tokens.create("someone", "admin")[0]
    session = Sessions(service.state.tokens).sign_in(token)
    for cookies in (f"{COOKIE}={session}", f"{SLOW}; {COOKIE}={session}; b=2"):
        response = service.client.get("/surveys.json", headers={"Cookie": cookies})
        assert response.status_code == 200, cookies[-100:]


@pytest.mark.parametrize(
    ("cookies", "session"),
    [
        ("", ""),
        (f"{COOKIE}=", ""),
        (f"x{COOKIE}=one", ""),
        (f"a={COOKIE}=one", ""),
        (f"{COOKIE}=one two", ""),
        (f"{COOKIE}={'a' * 201}", ""),
        (f" {COOKIE}=one ;{COOKIE}=two", "two"),
    ],
)
def test_only_a_whole_cookie_of_ours_goes_on(cookies: str, session: str) -> None:
    headers = [(b"host", b"here"), (b"cookie", cookies.encode())]
    assert session_cookie(headers) == session
    passed = [(b"cookie", f"{COOKIE}={session}".encode())] if session else []
    assert with_own_cookie(headers) == [(b"host", b"here"), *passed]
