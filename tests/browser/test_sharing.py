"""A link shows results to whoever has it, and a chart inside another site's page, until revoked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from .chromium import PATIENCE
from .conftest import signed_in
from .site import SURVEY, Site, fill, started
from .test_accessibility import PHONE, serious

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


SHARE = f"/surveys/{SURVEY.name}/share"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with two small rounds."""
    site = started(tmp_path_factory.mktemp("site"))
    try:
        fill(site, rounds=2, devices=4_000)
        yield site
    finally:
        assert site.server.stop() == 0


def made(page: Page, whom: str, shows: str = "all results, as a page") -> str:
    """Make a link on the page; return what it says to copy."""
    page.get_by_role("link", name="Share", exact=True).click()
    page.get_by_label("For whom").fill(whom)
    page.get_by_label("What it shows").select_option(label=shows)
    page.get_by_label("Works for").select_option(label="a week")
    page.get_by_role("button", name="Make the link").click()
    return page.get_by_label("The new link").inner_text()


def revoke(page: Page, site: Site, whom: str) -> None:
    page.goto(site.url + SHARE)
    page.get_by_role("button", name=f"Revoke the link for {whom}").click()
    page.get_by_text("This cannot be undone").wait_for()
    page.get_by_role("button", name=f"Revoke the link for {whom}").click()
    page.wait_for_url(f"**{SHARE}")


def test_a_link_is_made_opened_without_a_session_and_revoked(
    open_page: Callable[..., Page], site: Site
) -> None:
    grace = signed_in(open_page(), site, site.analyst)
    grace.goto(f"{site.url}/surveys/{SURVEY.name}")
    link = made(grace, "the board")
    stranger = open_page(viewport=PHONE)
    stranger.goto(link)
    stranger.locator("body[data-drawn]").wait_for()
    assert stranger.locator("section.attribute").count() == len(SURVEY.attributes)
    assert stranger.locator("form[method=post]").count() == 0
    assert stranger.context.cookies() == []
    assert stranger.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    stranger.locator("select[name=round]").select_option("2026-W41")
    stranger.get_by_role("button", name="Show").click()
    stranger.locator("#tiles", has_text="2026-W41").wait_for()
    revoke(grace, site, "the board")
    stranger.goto(link)
    assert "expired, or was revoked" in stranger.locator("main").inner_text()


def test_axe_finds_nothing_serious_on_shared_pages(
    open_page: Callable[..., Page], site: Site
) -> None:
    page = signed_in(open_page(bypass_csp=True), site, site.admin)
    page.goto(f"{site.url}/surveys/{SURVEY.name}")
    chart = made(page, "site for axe", "the chart of maker, to embed").split('"')[1]
    assert serious(page) == []
    page.goto(f"{site.url}/surveys/{SURVEY.name}")
    whole = made(page, "board for axe")
    for link in (whole, chart):
        page.goto(link)
        page.locator("body[data-drawn]").wait_for()
        assert serious(page) == []
    page.goto(f"{site.url}/embed?code=gone")
    assert serious(page) == []


@contextmanager
def another_site(content: str) -> Iterator[str]:
    """Serve one page on a port, and so an origin, of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_chart_is_embedded_in_another_site_and_nothing_else_can_be(
    browser: Browser, open_page: Callable[..., Page], site: Site
) -> None:
    ada = signed_in(open_page(), site, site.admin)
    ada.goto(f"{site.url}/surveys/{SURVEY.name}")
    frame = made(ada, "our blog", "the chart of maker, to embed")
    assert frame.startswith("<iframe src=")
    ada.goto(f"{site.url}/surveys/{SURVEY.name}")
    whole = f'<iframe id="whole" src="{made(ada, "everyone")}"></iframe>'
    with another_site(f"<!doctype html><h1>Our blog</h1>{frame}{whole}") as address:
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(address)
        chart = page.frame_locator("iframe").first
        chart.locator("body[data-drawn]").wait_for()
        assert chart.locator(".plot svg").count() > 0
        inside = page.locator("#whole").element_handle().content_frame()  # type: ignore[union-attr]
        assert inside is not None
        inside.wait_for_url("chrome-error://**")  # where the browser goes instead
        assert "Reports" not in inside.content(), "the page of results may not be framed"
        revoke(ada, site, "our blog")
        page.reload()
        page.frame_locator("iframe").first.get_by_text("Nothing to show").wait_for()
        context.close()
