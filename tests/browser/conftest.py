"""A real browser on a real server; a page that asks anyone else, or complains, fails its test."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from .chromium import MISSING, PATIENCE, find_chromium, launched
from .site import Site, fill, started

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    if path is None:
        warnings.warn(MISSING, stacklevel=1)
        pytest.skip(MISSING)
    with launched(path) as browser:
        yield browser


@pytest.fixture(scope="module")
def site(browser: Browser) -> Iterator[Site]:
    """A server with a survey of several rounds."""
    with tempfile.TemporaryDirectory() as folder:
        site = started(Path(folder))
        try:
            fill(site)
            yield site
        finally:
            assert site.server.stop() == 0


class Watched:
    """Pages whose requests and complaints are noted."""

    def __init__(self, browser: Browser, origin: str) -> None:
        self._browser = browser
        self._origin = origin
        self._contexts: list[BrowserContext] = []
        self.elsewhere: list[str] = []
        self.complaints: list[str] = []

    def page(self, **options: object) -> Page:
        context = self._browser.new_context(**options)  # type: ignore[arg-type]
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.on("request", lambda request: self._note(request.url))
        page = context.new_page()
        page.on("console", lambda said: self._hear(said.type, said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def _note(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("blob", "data"):
            return
        if f"{parts.scheme}://{parts.netloc}" != self._origin:
            self.elsewhere.append(url)

    def _hear(self, kind: str, text: str) -> None:
        refused = "Failed to load resource: the server responded with a status of 4"
        if kind == "error" and not text.startswith(refused):
            self.complaints.append(text)

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def open_page(browser: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """Open pages; in the end, none may have asked anyone else or broken its policy."""
    watched = Watched(browser, site.url)
    yield watched.page
    watched.close()
    assert watched.elsewhere == []
    assert watched.complaints == []


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    return open_page()


@pytest.fixture
def as_admin(page: Page, site: Site) -> Page:
    """A page that Ada, an admin, is signed in at."""
    return signed_in(page, site, site.admin)


def signed_in(page: Page, site: Site, token: str) -> Page:
    page.goto(site.link(token))
    page.get_by_role("button", name="Sign in as").click()
    page.wait_for_url("**/surveys")
    return page


@contextmanager
def next_page(page: Page) -> Iterator[None]:
    """Wait for the page that something done here leads to, though its address is the same."""
    with page.expect_navigation():
        yield


def drawn(page: Page, address: str) -> None:
    """Go to a page, and wait until its charts are drawn, if it has any."""
    page.goto(address)
    if page.locator("[data-chart]").count():
        page.locator("body[data-drawn]").wait_for()
